// Fresh projects outside the repository, where nothing can be found that was not put there.
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { unpack } from '../packed/pack.mjs';

const here = import.meta.dirname;
const home = mkdtempSync(join(tmpdir(), 'petstore-client-consumers-'));
process.on('exit', () => rmSync(home, { recursive: true, force: true }));
let made = 0;

/** A copy of `projects/<name>`, by itself. */
export function copy(name) {
  const folder = join(home, `${name}-${++made}`);
  cpSync(join(here, 'projects', name), folder, { recursive: true });
  return folder;
}

/** A copy of `projects/<name>` with the packed package, what it depends on, and the tools: `{ msw: 'msw2' }` is msw 2 under its own name. */
export async function project(name, tarball, tools = {}) {
  const folder = copy(name);
  await unpack(tarball, folder);
  for (const [as, tool] of Object.entries({ ky: 'ky', zod: 'zod', ...tools })) {
    const link = join(folder, 'node_modules', as);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(here, 'node_modules', tool), link);
  }
  return folder;
}
