import { spawnSync } from 'node:child_process';
import { beforeAll, expect, test, vi } from 'vitest';
import { buildClient } from '../support/builds.js';
import { world } from '../support/world.js';

let builds: { esm: string; cjs: string };
beforeAll(async () => {
  builds = await buildClient();
});

/** Runs a module in a process of its own, and returns what it wrote, on stdout and stderr. */
function run(code: string, ...flags: string[]): string {
  const start = `
    const { PetStoreClient } = await import(${JSON.stringify(builds.esm)});
    const client = (Client = PetStoreClient) =>
      new Client({ apiKey: 'k', fetch: async () => new Response('{"id":1,"name":"x","categoryId":1}'), gate: false });`;
  const args = [...flags, '--input-type=module', '-e', start + code];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return stdout + stderr;
}

const words =
  'getPet is deprecated and will be removed on 5 December 2030: use listPets with the status filter.';
const warnings = (text: string) =>
  text.match(/\[?PETSTORE_DEP_GETPET\]? DeprecationWarning: getPet is deprecated[^\n]*/g) ?? [];

test('the first getPet of a process warns, once, with a code and the replacement', () => {
  const out = run(
    'await client().getPet(1); await client().getPet(2); await client().listPets().catch(() => 0);',
  );
  expect(warnings(out)).toEqual([`[PETSTORE_DEP_GETPET] DeprecationWarning: ${words}`]);
});

test('two builds in one process warn once between them', () => {
  const out = run(`
    const { createRequire } = await import('node:module');
    const other = createRequire('file:///')(${JSON.stringify(builds.cjs)});
    await client().getPet(1);
    await client(other.PetStoreClient).getPet(1);`);
  expect(warnings(out)).toHaveLength(1);
});

test('--no-deprecation silences it', () => {
  expect(run('console.log((await client().getPet(1)).name);', '--no-deprecation').trim()).toBe('x');
});

test('where there is no process the console warns, once', () => {
  const out = run('delete globalThis.process; await client().getPet(1); await client().getPet(1);');
  expect(warnings(out)).toHaveLength(1);
});

test('the process is warned once, with a type and a code by which the warning can be filtered, or else the console', async () => {
  const { client } = world({ seed: 1 });
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  const emit = vi.spyOn(process, 'emitWarning').mockReturnValue();
  const asNew = () => Reflect.deleteProperty(globalThis, Symbol.for('petstore-client.notices'));
  asNew();
  await client().listPets();
  await client().createPet({ name: 'x', categoryId: 1 });
  expect(emit).not.toHaveBeenCalled();
  for (let n = 0; n < 2; n += 1) await client().getPet(1);
  const filter = { type: 'DeprecationWarning', code: 'PETSTORE_DEP_GETPET' };
  expect(emit.mock.calls).toEqual([[words, filter]]);
  asNew();
  emit.mockRestore();
  const own = Object.getOwnPropertyDescriptor(process, 'emitWarning')!;
  process.emitWarning = undefined as never;
  await client().getPet(1);
  Object.defineProperty(process, 'emitWarning', own);
  expect(warn.mock.calls).toEqual([[`[PETSTORE_DEP_GETPET] DeprecationWarning: ${words}`]]);
  warn.mockRestore();
});

test('every getPet emits a deprecated event that names the day of removal and the replacement', async () => {
  const { client, events } = world({ seed: 1 });
  const pets = client();
  await pets.getPet(1);
  await pets.getPet(1);
  await pets.listPets();
  const found = events.filter((event) => event.type === 'deprecated');
  expect(found).toEqual(
    [0, 1].map((index) => ({
      type: 'deprecated',
      operation: 'getPet',
      call: found[index]!.call,
      removedOn: '2030-12-05',
      replacement: 'listPets',
    })),
  );
});
