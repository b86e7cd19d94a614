// Fresh projects outside the repository, where nothing can be found that was not put there.
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { toolFolder } from '../../tools/install.mjs';
import { pack, temporaryFolder, unpack } from './pack.mjs';
import { run } from './run.mjs';

const root = new URL('../..', import.meta.url).pathname;
const home = temporaryFolder();
let made = 0;

export const tarball = await pack();

/** A copy of a folder of the repository with the packed package, what it depends on, and the tools: `msw2 as msw` is msw 2 under its own name. */
export async function project(source, ...tools) {
  const folder = join(home, `${basename(source)}-${++made}`);
  const filter = (path) => basename(path) !== 'node_modules';
  cpSync(join(root, source), folder, { recursive: true, filter });
  await unpack(tarball, folder);
  for (const tool of ['ky', 'zod', ...tools]) {
    const [name, as = name] = tool.split(' as ');
    const link = join(folder, 'node_modules', as);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(toolFolder(name), link);
  }
  return folder;
}

/** Runs a tool of a project, as a file of its node_modules. */
export const runIn = (folder, tool, args = [], env = {}) =>
  run('node', [join(folder, 'node_modules', tool), ...args], { cwd: folder, env });
