import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { NewPetSchema } from '../../../src/contract/index.js';
import { createMockService, type MockService } from '../../../mocks/index.js';
import { call } from '../../support/raw.js';

test('seed makes up the same realistic pets each time, and continues where it stopped', () => {
  const one = createMockService({ seed: 30 });
  const other = createMockService();
  other.pets.seed(10);
  expect(other.pets.seed(20)).toHaveLength(20);
  expect(one.pets.list()).toEqual(other.pets.list());
  expect(new Set(one.pets.list().map(({ name }) => name)).size).toBeGreaterThan(25);
  for (const { id, ...pet } of one.pets.list())
    expect([id > 0, NewPetSchema.safeParse(pet).success]).toEqual([true, true]);
  expect(one.pets.list().map(({ id }) => id)).toEqual(
    Array.from({ length: 30 }, (_, index) => index + 1),
  );
});

test('seed and add take pets of one’s own, with and without an id, and give out no id twice', async () => {
  const service = createMockService({ seed: [{ id: 900, name: 'Two', categoryId: 1 }] });
  expect(service.pets.add({ id: 1, name: 'One', categoryId: 1n, status: 'sold' })).toEqual({
    id: 1,
    name: 'One',
    categoryId: 1,
    status: 'sold',
  });
  expect(service.pets.add({ name: 'Three', categoryId: 1 }).id).toBe(901);
  const four = { name: 'Four', categoryId: 1 };
  expect((await call(service, '/pets', { body: four })).json.id).toBe(902);
  expect(service.pets.get(900n)).toEqual({ ...four, id: 900, name: 'Two', status: 'available' });
  expect(service.pets.list().map(({ name }) => name)).toEqual(['One', 'Two', 'Three', 'Four']);
});

test('update changes a pet by the hand of the service, and its place in the lists', async () => {
  const service = createMockService({ seed: 5 });
  expect(service.pets.update(1, { status: 'sold' })).toMatchObject({ id: 1, status: 'sold' });
  expect(
    (await call(service, '/pets?status=sold')).json.map(({ id }: { id: number }) => id),
  ).toEqual([1, 5]);
  expect(
    (await call(service, '/pets?status=available')).json.map(({ id }: { id: number }) => id),
  ).toEqual([2, 4]);
});

test('remove takes one pet out of the lists and out of every snapshot made after it, and gives its id to no other pet', async () => {
  const service = createMockService({ seed: 5 });
  const before = service.snapshot();
  expect([service.pets.remove(5), service.pets.remove(5n), service.pets.remove(99)]).toEqual([
    true,
    false,
    false,
  ]);
  expect((await call(service, '/pets?status=sold')).json).toEqual([]);
  expect((await call(service, '/pets/5')).status).toBe(404);
  expect(service.pets.add({ name: 'Rex', categoryId: 1 }).id).toBe(6);
  service.restore(before);
  expect(service.pets.get(5)?.status).toBe('sold');
});

test('clear removes all pets, and ids start from the first again', () => {
  const service = createMockService({ seed: 5 });
  service.pets.clear();
  expect([
    service.pets.size,
    service.pets.list(),
    service.pets.list({ status: 'sold' }),
    service.pets.get(1),
  ]).toEqual([0, [], [], undefined]);
  expect(service.pets.add({ name: 'Rex', categoryId: 1 }).id).toBe(1);
});

test('objects that the service returns are frozen or copies', () => {
  const service = createMockService({ seed: 2 });
  expect(() => Object.assign(service.pets.get(1)!, { name: 'Changed' })).toThrow(TypeError);
  (service.pets.list() as unknown[]).length = 0;
  expect(service.pets.size).toBe(2);
});

type Model = Map<bigint, { name: string; status: string }>;

test('the store does what a plain map would do, snapshots and restores included', () => {
  const id = fc.oneof(
    fc.bigInt({ min: 1n, max: 12n }),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  );
  const status = fc.constantFrom('available' as const, 'pending' as const, 'sold' as const);
  const step = fc.oneof(
    fc.record({ do: fc.constant('add' as const), id, status }),
    fc.record({ do: fc.constant('update' as const), id, status }),
    fc.record({ do: fc.constant('save' as const) }),
    fc.record({ do: fc.constant('load' as const) }),
    fc.record({ do: fc.constant('clear' as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const service = createMockService();
      let model: Model = new Map();
      let saved = { snapshot: service.snapshot(), model: new Map(model) };
      for (const [index, now] of steps.entries()) {
        if (now.do === 'save') saved = { snapshot: service.snapshot(), model: new Map(model) };
        else if (now.do === 'load') {
          service.restore(saved.snapshot);
          model = new Map(saved.model);
        } else if (now.do === 'clear') {
          service.pets.clear();
          model.clear();
        } else if (now.do === 'add' && !model.has(now.id)) {
          service.pets.add({ id: now.id, name: `n${index}`, categoryId: 1, status: now.status });
          model.set(now.id, { name: `n${index}`, status: now.status });
        } else if (now.do === 'update' && model.has(now.id)) {
          service.pets.update(now.id, { status: now.status });

          model.set(now.id, { name: model.get(now.id)!.name, status: now.status });
        }
        const sorted = [...model].sort(([a], [b]) => (a < b ? -1 : 1));
        const shown = (pets: ReturnType<MockService['pets']['list']>) =>
          pets.map((pet) => [BigInt(pet.id), pet.name, pet.status]);
        expect(shown(service.pets.list())).toEqual(
          sorted.map(([key, pet]) => [key, pet.name, pet.status]),
        );
        for (const wanted of ['available', 'pending', 'sold'] as const)
          expect(shown(service.pets.list({ status: wanted, limit: 3 }))).toEqual(
            sorted
              .filter(([, pet]) => pet.status === wanted)
              .slice(0, 3)
              .map(([key, pet]) => [key, pet.name, pet.status]),
          );
        for (const [key, pet] of model) expect(service.pets.get(key)?.name).toBe(pet.name);
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
