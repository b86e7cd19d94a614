// @ts-nocheck
import { expect, test, vi } from 'vitest';
import { PetStoreClient } from '../src/index.js';
import { world } from './support/world.js';

test('a method that is called without its client, or on another object, says how to pass it on', () => {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- what this test is about
  const { listPets, createPet, getPet, request } = world().client();
  for (const call of [
    () => listPets(),
    () => createPet({ name: 'Rex', categoryId: 1 }),
    () => getPet(1),
    () => request({ method: 'GET', path: '/pets' }),
    () => listPets.call({} as never),
  ])
    expect(call).toThrow(
      new TypeError(
        'a method of PetStoreClient was called without its client: pass a function that calls it, such as (pet) => client.createPet(pet)',
      ),
    );
});

test('a method can be stubbed on a client, and on the class after its clients were made', async () => {
  const { client } = world();
  const pets = client();
  vi.spyOn(pets, 'listPets').mockResolvedValue([] as never);
  expect(await pets.listPets()).toEqual([]);
  vi.restoreAllMocks();
  vi.spyOn(PetStoreClient.prototype, 'listPets').mockResolvedValue('stubbed' as never);
  expect(await pets.listPets()).toBe('stubbed');
});
