import { expect, test, vi } from 'vitest';
import { json, pet, stubFetch } from '../support/stub.js';

test('in a program that has closed globalThis, calls work, and what a process does once is done once within the package', async () => {
  vi.resetModules();
  vi.spyOn(Object, 'isExtensible').mockReturnValue(false);
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
  const { PetStoreClient } = await import('../../src/index.js');
  const client = new PetStoreClient({ apiKey: 'closed', fetch: stubFetch(json(pet())) });
  for (let n = 0; n < 2; n += 1) expect(await client.getPet(1)).toEqual(pet());
  expect(warn).toHaveBeenCalledOnce();
  const added = Object.getOwnPropertySymbols(globalThis).map(String);
  expect(added.filter((name) => name.includes('petstore-client'))).toEqual([]);
});
