import { expect, test } from 'vitest';
import { NewPetSchema } from '../../../src/contract/index.js';
import { buildNewPet, buildPet, createMockService } from '../../../mocks/index.js';
import { defaultAssumptions } from '../../../mocks/assumptions/assumptions.js';
import type { MockPet } from '../../../mocks/pets/pet.js';
import { Store } from '../../../mocks/pets/pet-store.js';
import { Random } from '../../../mocks/utils/random.js';
import { fc } from '../../support/fuzz.js';

test('seed makes up the same realistic pets each time, and continues where it stopped', () => {
  const one = createMockService({ seed: 30 });
  const other = createMockService();
  other.pets.seed(10);
  expect(other.pets.seed(20)).toHaveLength(20);
  expect(one.pets.list()).toEqual(other.pets.list());
  expect(new Set(one.pets.list().map(({ name }) => name)).size).toBeGreaterThan(25);
  for (const { id, ...pet } of one.pets.list())
    expect([id > 0, NewPetSchema.safeParse(pet).success]).toEqual([true, true]);
  const ids = Array.from({ length: 30 }, (_, index) => index + 1);
  expect(one.pets.list().map(({ id }) => id)).toEqual(ids);
});

test('a pet that is built has what is given, and made-up fields for what is left out or undefined', () => {
  const made = { name: 'Rex', categoryId: 1, status: 'available' };
  expect(buildPet({ id: undefined, name: 'Rex', status: undefined })).toEqual({ id: 1, ...made });
  expect(buildNewPet({ name: 'Rex', status: undefined })).toEqual(made);
});

test('an update leaves a pet without a status as it is', () => {
  const other = createMockService({ assumptions: { omittedStatus: 'absent' }, seed: [{}] });
  const service = createMockService();
  service.restore(other.snapshot());
  expect(service.pets.update(1, { name: 'Rex' })).not.toHaveProperty('status');
});

test('objects that the service returns are frozen or copies, and so is the quota of a plan', () => {
  const service = createMockService({ seed: 2 });
  const { quota } = service.keys.get('mock-free');
  expect(() => Object.assign(quota, { perMinute: 1 })).toThrow(TypeError);
  expect(() => Object.assign(service.pets.get(1)!, { name: 'Changed' })).toThrow(TypeError);
  (service.pets.list() as unknown[]).length = 0;
  expect(service.pets.size).toBe(2);
});

test('the store does what a plain map would do, snapshots and restores included', () => {
  const statuses = ['available', 'pending', 'sold'] as const;
  const often = ['add', 'update', 'add', 'update', 'add', 'update'] as const;
  const step = fc.record({
    do: fc.constantFrom(...often, 'remove', 'save', 'load', 'clear'),
    id: fc.oneof(
      { weight: 4, arbitrary: fc.bigInt({ min: 1n, max: 8n }) },
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    ),
    status: fc.constantFrom(...statuses),
  });
  const order = fc.constantFrom('id-ascending', 'id-descending');
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), order, (steps, listOrder) => {
      const { pets, ...service } = createMockService({ assumptions: { listOrder } });
      let model = new Map<bigint, { name: string; status: string }>();
      let saved = { snapshot: service.snapshot(), model: new Map(model) };
      for (const [index, { do: action, id, status }] of steps.entries()) {
        const known = model.get(id);
        if (action === 'save') saved = { snapshot: service.snapshot(), model: new Map(model) };
        else if (action === 'load') {
          service.restore(saved.snapshot);
          model = new Map(saved.model);
        } else if (action === 'clear') {
          pets.clear();
          model.clear();
        } else if (action === 'remove') expect(pets.remove(id)).toBe(model.delete(id));
        else if (action === 'add' && !known) {
          pets.add({ id, name: `n${index}`, categoryId: 1, status });
          model.set(id, { name: `n${index}`, status });
        } else if (action === 'update' && known) {
          expect(pets.update(id, { status })).toMatchObject({ name: known.name, status });
          model.set(id, { ...known, status });
        }
        const expected = [...model]
          .sort(([a], [b]) => (a < b === (listOrder === 'id-ascending') ? -1 : 1))
          .map(([key, pet]) => [key, pet.name, pet.status]);
        const shown = (filter: Parameters<typeof pets.list>[0]) =>
          pets.list(filter).map((pet) => [BigInt(pet.id), pet.name, pet.status]);
        expect([pets.size, shown({})]).toEqual([model.size, expected]);
        for (const wanted of statuses)
          expect(shown({ status: wanted, limit: 3 })).toEqual(
            expected.filter(([, , its]) => its === wanted).slice(0, 3),
          );
        for (const [key, pet] of model) expect(pets.get(key)?.name).toBe(pet.name);
        expect(pets.get(id) === undefined).toBe(!model.has(id));
      }
    }),
    { numRuns: 150 },
  );
});

test('reset and restore make no pet anew, however many there are', () => {
  const service = createMockService({ seed: 1_000 });
  const seeded = service.pets.list();
  const same = () => service.pets.list().filter((pet, at) => pet === seeded[at]).length;
  const saved = service.snapshot();
  for (const putBack of [() => service.reset(), () => service.restore(saved)]) {
    service.pets.add({ name: 'Rex', categoryId: 1 });
    service.pets.update(1, { name: 'Mia' });
    putBack();
    expect([service.pets.size, same()]).toEqual([1_000, 1_000]);
  }
});

test.each(['id-ascending', 'id-descending', 'shuffled'] as const)(
  'listing by status looks at no pet that it does not list, in the order %s',
  (listOrder) => {
    const store = new Store({ ...defaultAssumptions, listOrder });
    let read = 0;
    for (let id = 1; id <= 10_000; id++)
      store.put({
        id,
        name: 'Rex',
        categoryId: 1,
        // The pets of this status are the last ones.
        get status() {
          read += 1;
          return id > 9_970 ? 'pending' : 'sold';
        },
      } satisfies MockPet);
    read = 0;
    expect(store.list('pending', 20, new Random(1))).toHaveLength(20);
    expect(read).toBeLessThanOrEqual(20);
  },
);

test.each([
  ['a pet that was seeded with a higher id', [900], 901],
  ['no pet with a lower id than the next one', [-7, 0], 1],
  ['the largest of several pets', [900, 5, 9_007_199_254_740_991], 9_007_199_254_740_992n],
  ['no pet of the largest id, after which ids begin again', [9_223_372_036_854_775_807n, 1], 2],
])('the next id follows %s', (_which, ids, next) => {
  const { pets } = createMockService();
  pets.seed(ids.map((id) => ({ id })));
  expect(pets.add().id).toBe(next);
  // A change of a pet, and its removal, leave the sequence alone.
  pets.update(ids[0]!, { name: 'Rex' });
  pets.remove(next);
  expect(pets.add().id).toBe(
    BigInt(next) + 1n > Number.MAX_SAFE_INTEGER ? BigInt(next) + 1n : Number(next) + 1,
  );
  // Ids begin again only when all pets are gone.
  pets.clear();
  expect(pets.add().id).toBe(1);
});
