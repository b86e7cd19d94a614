// Runs a bench of this workspace, on the Node that runs this; installs the peers first when they are not there.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = new URL('./', import.meta.url);
const tsx = fileURLToPath(new URL('node_modules/tsx/dist/cli.mjs', here));
const [bench, ...options] = process.argv.slice(2);

if (!existsSync(tsx)) run('npm', ['ci'], { cwd: here });
run(process.execPath, [tsx, fileURLToPath(new URL(`${bench}/main.ts`, here)), ...options]);

function run(command, args, where = {}) {
  const { status } = spawnSync(command, args, {
    stdio: 'inherit',
    shell: command === 'npm' && process.platform === 'win32',
    ...where,
  });
  if (status !== 0) process.exit(status ?? 1);
}
