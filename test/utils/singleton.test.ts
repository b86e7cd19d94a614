import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { singleton } from '../../src/utils/singleton.js';
import { buildClient } from '../support/builds.js';

test('a value is made once for each name, and the other build finds it', () => {
  const first = singleton('test-shared', () => ({ count: 1 }));
  expect(singleton('test-shared', () => ({ count: 2 }))).toBe(first);
  expect((globalThis as never)[Symbol.for('petstore-client.test-shared')]).toBe(first);
  expect(singleton('test-other', () => ({ count: 3 }))).not.toBe(first);
});

test('where globalThis takes no new property, a value is still shared within the package', () => {
  vi.spyOn(Object, 'isExtensible').mockReturnValue(false);
  const first = singleton('test-closed', () => ({ count: 1 }));
  expect(singleton('test-closed', () => ({ count: 2 }))).toBe(first);
  expect(Symbol.for('petstore-client.test-closed') in globalThis).toBe(false);
});

test('in a program that has closed globalThis, every operation works', async () => {
  const { esm } = await buildClient();
  const program = `
    const { PetStoreClient } = await import('${esm}');
    Object.preventExtensions(globalThis);
    const fetch = async () => Response.json([{ id: 1, name: 'Rex', categoryId: 1 }]);
    const client = new PetStoreClient({ apiKey: 'a-key', baseUrl: 'https://pets.test', fetch });
    console.log((await client.listPets()).length, (await client.listPets()).length);`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    program,
  ]);
  expect(stdout.trim()).toBe('1 1');
});
