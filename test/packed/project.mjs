// Fresh projects outside the repository, where nothing can be found that was not put there.
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { toolFolder } from '../../tools/install.mjs';
import { unpack } from './pack.mjs';

const home = mkdtempSync(join(tmpdir(), 'petstore-client-projects-'));
process.on('exit', () => rmSync(home, { recursive: true, force: true }));
let made = 0;

/** Makes projects out of those under `here`, with the tools that are installed there. */
export function projectsIn(here) {
  /** A copy of `projects/<name>`, by itself. */
  const copy = (name) => {
    const folder = join(home, `${name}-${++made}`);
    cpSync(join(here, 'projects', name), folder, { recursive: true });
    return folder;
  };

  /** A copy of `projects/<name>` with the packed package, what it depends on, and the tools: `{ msw: 'msw2' }` is msw 2 under its own name. */
  const project = async (name, tarball, tools = {}) => {
    const folder = copy(name);
    await unpack(tarball, folder);
    for (const [as, tool] of Object.entries({ ky: 'ky', zod: 'zod', ...tools })) {
      const link = join(folder, 'node_modules', as);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(toolFolder(tool), link);
    }
    return folder;
  };
  return { copy, project };
}
