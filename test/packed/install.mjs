import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.mjs';

const same = (one, other) => existsSync(other) && readFileSync(one).equals(readFileSync(other));

/** `npm ci` in `folder`, unless what is installed there came from the very same lock. */
export async function install(folder) {
  const lock = join(folder, 'package-lock.json');
  const installed = join(folder, 'node_modules/.installed-lock.json');
  if (same(lock, installed)) return 'from before';
  await run('npm', ['ci', '--loglevel=error'], { cwd: folder, timeout: 300_000 });
  copyFileSync(lock, installed);
  return 'npm ci';
}
