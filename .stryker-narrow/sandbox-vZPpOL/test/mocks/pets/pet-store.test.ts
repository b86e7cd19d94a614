// @ts-nocheck
import { expect, test } from 'vitest';
import { createMockService } from '../../../mocks/index.js';
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
});
