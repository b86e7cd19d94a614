// Fresh projects outside the repository, where nothing can be found that was not put there.
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { toolFolder } from '../../tools/install.mjs';
import { unpack } from './pack.mjs';

const root = new URL('../..', import.meta.url).pathname;
const home = mkdtempSync(join(tmpdir(), 'petstore-client-projects-'));
process.on('exit', () => rmSync(home, { recursive: true, force: true }));
let made = 0;

/** A copy of a folder of the repository with the packed package, what it depends on, and the tools: `{ msw: 'msw2' }` is msw 2 under its own name. */
export async function project(source, tarball, tools = {}) {
  const folder = join(home, `${basename(source)}-${++made}`);
  const filter = (path) => basename(path) !== 'node_modules';
  cpSync(join(root, source), folder, { recursive: true, filter });
  await unpack(tarball, folder);
  for (const [as, tool] of Object.entries({ ky: 'ky', zod: 'zod', ...tools })) {
    const link = join(folder, 'node_modules', as);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(toolFolder(tool), link);
  }
  return folder;
}
