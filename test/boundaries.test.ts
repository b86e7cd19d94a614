import { globSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { read, root, sources } from './support/documents.js';

interface Import {
  readonly from: string;
  /** A file of the project, or the name of a package. */
  readonly to: string;
  readonly typeOnly: boolean;
}

const files = sources();
const readImports = (from: string): Import[] =>
  [
    ...read(from).matchAll(
      /^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm,
    ),
  ].map(([, type, name, lazy]) => {
    const to = name ?? lazy!;
    return {
      from,
      to: to.startsWith('.')
        ? relative(root, join(root, dirname(from), to)).replace(/\.js$/, '.ts')
        : to,
      typeOnly: type !== undefined,
    };
  });
const known = new Map<string, Import[]>();
function importsOf(from: string): Import[] {
  if (!known.has(from)) known.set(from, readImports(from));
  return known.get(from)!;
}
const imports = files.flatMap(importsOf);

const told = (some: readonly Import[]) => some.map(({ from, to }) => `${from} imports ${to}`);

/** Everything that runs when a file is imported. */
function reach(entry: string, seen = new Set<string>()): Set<string> {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  if (!entry.endsWith('.ts')) return seen;
  for (const { to, typeOnly } of importsOf(entry)) if (!typeOnly) reach(to, seen);
  return seen;
}

const packagesOf = (entry: string) =>
  [...reach(entry)]
    .filter((name) => !name.endsWith('.ts'))
    .map((name) => name.replace(/^(zod(?=\/)|msw(?=\/)|node:).*/, '$1'));

test('the imports of every file were found', () => {
  expect(files.length).toBeGreaterThan(60);
  expect(imports.filter(({ to }) => to.endsWith('.ts') && !files.includes(to))).toEqual([]);
  expect(imports.some(({ to }) => to === 'ky')).toBe(true);
});

/**
 * The rooms of each side, floor by floor: a room imports, types included, only from floors below its own. A folder is a
 * room, and so is a file beside the folders.
 */
const floors = {
  src: 'contract, utils, rate-limit types, gate, errors, events, options, http fleet, call, transport, client, index bulk',
  mocks:
    'utils, assumptions inspect, clock http, pets faults, limits, service, control index msw verify, standalone node browser, server cli',
};

/** `src/http/fetch.ts` is in the room `http`, `src/client.ts` in the room `client`. */
const roomOf = (file: string) => file.split('/')[1]!.replace(/\.ts$/, '');
const sideOf = (file: string) => file.split('/')[0] as keyof typeof floors;
const floorOf = (file: string) =>
  floors[sideOf(file)].split(', ').findIndex((rooms) => rooms.split(' ').includes(roomOf(file)));

test('every file is in a room that has a floor, and imports only from the floors below it, types included', () => {
  expect(files.filter((file) => floorOf(file) < 0)).toEqual([]);
  const upward = imports.filter(
    ({ from, to }) =>
      to.endsWith('.ts') &&
      sideOf(from) === sideOf(to) &&
      roomOf(from) !== roomOf(to) &&
      floorOf(to) >= floorOf(from),
  );
  expect(told(upward)).toEqual([]);
});

test('a room has at most eight files beside its index.ts', () => {
  const inRooms = files.filter((file) => /\/.*\//.test(file) && !file.endsWith('/index.ts'));
  const rooms = Map.groupBy(inRooms, (file) => dirname(file));
  expect([...rooms].filter(([, inside]) => inside.length > 8).map(([room]) => room)).toEqual([]);
});

const inside = /^(?!mocks\/(?:[^/]+\.ts$|verify\/))/;
const entries =
  /^(?!(?:src\/(?:(?:bulk|fleet)\/)?index|mocks\/(?:index|msw|node|browser|server|cli))\.ts$)/;
test.each([
  ['the client never imports the mocks', /^src\//, /^(?:src\/|ky$|zod\b|node:(?:fs|path|sqlite)$)/],
  ['the mocks import the contract', /^mocks\//, /^(?:mocks\/|src\/contract\/|(?:zod|msw)\b|node:)/],
  ['nobody imports the fleet', /^src\/(?!fleet\/)/, /^(?!src\/fleet\/)/],
  ['ky is imported in one place', /^(?!src\/http\/fetch\.ts$)/, /^(?!ky$)/],
  ['the entries are imported by nobody but entries', inside, entries],
])('%s', (_promise, from, allowed) => {
  expect(told(imports.filter((one) => from.test(one.from) && !allowed.test(one.to)))).toEqual([]);
});

test.each([
  ['src/index.ts', ['ky', 'zod']],
  ['src/contract/index.ts', ['zod']],
  // node:sqlite, node:fs and node:path are loaded when a journal is a file.
  ['src/bulk/index.ts', ['zod']],
  // node:sqlite is loaded for a store in a file.
  ['src/fleet/index.ts', ['zod']],
  ['mocks/index.ts', ['zod']],
  ['mocks/msw.ts', ['msw', 'zod']],
  ['mocks/node.ts', ['msw', 'zod']],
  ['mocks/browser.ts', ['msw', 'zod']],
  ['mocks/server.ts', ['node:', 'zod']],
  ['mocks/verify/index.ts', ['zod']],
])('%s needs at run time no more than %j', (entry, allowed) => {
  expect(packagesOf(entry).filter((name) => !allowed.includes(name))).toEqual([]);
});

test('no file imports itself in a circle', () => {
  const within = imports.filter(({ from, to, typeOnly }) => !typeOnly && reach(to).has(from));
  expect(told(within)).toEqual([]);
});

test('hardly a file is long, and none over 300 lines, beside its doc comments', () => {
  const docs = /^ *\/\*\*(?:(?!\*\/)[^])*\*\/\n/gm;
  const lengths = files
    .map((file) => read(file).replaceAll(docs, '').split('\n').length)
    .toSorted((a, b) => a - b);
  expect(lengths.at(-1)).toBeLessThanOrEqual(300);
  expect(lengths.filter((length) => length > 200).length / lengths.length).toBeLessThan(0.25);
});

test('no bench loads what needs a test runner', () => {
  const benches = globSync('bench/**/*.ts', { cwd: root });
  expect(benches.length).toBeGreaterThan(20);
  expect(benches.filter((file) => reach(file).has('vitest'))).toEqual([]);
});
