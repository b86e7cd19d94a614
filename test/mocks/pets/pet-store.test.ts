import { expect, test } from 'vitest';
import { defaultAssumptions } from '../../../mocks/assumptions/assumptions.js';
import type { MockPet } from '../../../mocks/pets/pet.js';
import { Store } from '../../../mocks/pets/pet-store.js';
import { Random } from '../../../mocks/utils/random.js';

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

test('a store copies its pets only when it is written to after a save or load', () => {
  const store = new Store(defaultAssumptions);
  const rex = store.put({ id: 1, name: 'Rex', categoryId: 1, status: 'sold' });
  const saved = store.save();
  expect(store.save()).toBe(saved);
  store.put({ id: 2, name: 'Mia', categoryId: 1 });
  expect(store.save()).not.toBe(saved);
  store.load(saved);
  expect(store.save()).toBe(saved);
  expect(store.list('sold', 1, new Random(1))[0]).toBe(rex);
});
