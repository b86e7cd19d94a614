// The package as a user gets it: built, packed, and laid into a node_modules without touching any lock (its integrity
// changes with each build).
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './run.mjs';

const root = new URL('../..', import.meta.url).pathname;

/** A new folder, until the process ends. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-client-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Builds if need be, packs, and returns the tarball. `TARBALL` names a finished one instead: of a release, say. */
export async function pack() {
  if (process.env['TARBALL']) return process.env['TARBALL'];
  await run('node', ['scripts/ensure-build.mjs'], { cwd: root });
  const folder = temporaryFolder();
  const { stdout } = await run(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
    { cwd: root },
  );
  return join(folder, JSON.parse(stdout)[0].filename);
}

/** Lays the tarball into `folder`'s node_modules, in place of what was there. */
export async function unpack(tarball, folder) {
  const place = join(folder, 'node_modules/petstore-client');
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', place, '--strip-components=1']);
  return place;
}
