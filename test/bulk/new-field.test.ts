// A field that was added to the schema of a pet, as CONTRIBUTING.md describes it.
import { expect, test } from 'vitest';
import { optional, string } from 'zod/mini';
import { createPets, memoryJournal } from '../../src/bulk/index.js';
import { NewPetSchema } from '../../src/contract/schemas.js';
import { world } from '../support/world.js';

Object.assign(NewPetSchema.shape, { tag: optional(string()) });

test('rows that differ only in a new field are pets of their own, also when they are looked for, and a journal from before the field is continued', async () => {
  const { service, client } = world();
  const rex = { name: 'Rex', categoryId: 1 };
  const rows = [{ ...rex, tag: undefined }, rex, { ...rex, tag: 'a b' }, { ...rex, tag: 'c' }];
  const entries = ['["Rex","1",null]', '["Rex","1",null,2]'] as const;
  const journal = memoryJournal(
    entries.map((row, at) => ({ row, state: 'created', id: `${8 + at}` })),
  );
  const add = () => createPets(client(), rows, { journal, concurrency: 1, unknown: 'look' });
  service.faults.add({ operation: 'createPet', 'network-error': 'before' });
  service.pets.add({ ...rex, id: 5 });
  service.override('getPet', async (_input, next) => ({ ...(await next()), tag: 'c' }));
  expect(await add()).toMatchObject({
    ...{ earlier: [{ index: 0 }, { index: 1 }], unknown: [{ index: 2 }] },
    found: [{ index: 3, pet: { tag: 'c' } }],
  });
  rows.reverse();
  expect(await add()).toMatchObject({ earlier: { length: 3 }, unknown: [{ index: 1 }] });
});
