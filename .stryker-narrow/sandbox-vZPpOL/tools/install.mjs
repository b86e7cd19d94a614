// @ts-nocheck
// Installs the tools of this folder, unless what is there came from the very same lock, and links them into the folders that
// use them. Vitest calls `setup` before the project `examples`.
import { copyFileSync, existsSync, lstatSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../test/packed/run.mjs';

const here = import.meta.dirname;
const root = join(here, '..');
const lock = join(here, 'package-lock.json');
const installed = join(here, 'node_modules/.installed-lock.json');
const manifests = [root, here].map((folder) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')),
);

export async function setup() {
  if (!existsSync(installed) || !readFileSync(lock).equals(readFileSync(installed))) {
    await run('npm', ['ci', '--loglevel=error', '--prefer-offline', '--fetch-timeout=60000'], {
      cwd: here,
      timeout: 600_000,
    });
    copyFileSync(lock, installed);
  }
  for (const folder of ['bench', 'test/consumers', 'test/runtimes', 'test/release'])
    link(join(here, 'node_modules'), join(root, folder, 'node_modules'));
}

function link(target, place) {
  if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  rmSync(place, { recursive: true, force: true });
  symlinkSync(target, place);
}

/** The folder of a tool: one of this folder, or else a development dependency of the package itself. */
export function toolFolder(name) {
  const places = [here, root].map((folder) => join(folder, 'node_modules', name));
  const place = places.find((folder) => existsSync(folder));
  if (place === undefined) throw new Error(`no tool: ${name}`);
  return place;
}

/** The version that a package.json pins, aliases included. */
export function pinned(name) {
  const [own, tools] = manifests.map(({ devDependencies }) => devDependencies[name]);
  return (tools ?? own).replace(/^npm:.*@/, '');
}

if (process.argv[1] === import.meta.filename) await setup();
