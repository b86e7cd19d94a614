import { expect, test, vi } from 'vitest';
import { PetStoreClient } from '../src/index.js';
import { world } from './support/world.js';

const detached = (client: PetStoreClient) => {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- what this test is about
  const { listPets, createPet, getPet, request } = client;
  return {
    listPets: () => listPets(),
    createPet: () => createPet({ name: 'Rex', categoryId: 1 }),
    getPet: () => getPet(1),
    request: () => request({ method: 'GET', path: '/pets' }),
  };
};

test('a method that is called without its client says how to pass it on', () => {
  const calls = detached(world().client());
  for (const call of Object.values(calls))
    expect(call).toThrow(
      new TypeError(
        'a method of PetStoreClient was called without its client: pass a function that calls it, such as (pet) => client.createPet(pet)',
      ),
    );
});

test('a method that is called on another object says so too', () => {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- what this test is about
  const { listPets } = PetStoreClient.prototype;
  expect(() => listPets.call({} as never)).toThrow(/without its client/);
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
