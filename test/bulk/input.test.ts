// What is refused before the first request: arguments, options and rows.
import { expect, test } from 'vitest';
import { BulkValidationError, createPets } from '../../src/bulk/index.js';
import { ConfigurationError, type NewPet } from '../../src/index.js';
import { petFields, rejection, world } from '../support/world.js';

const rex: NewPet = { name: 'Rex', categoryId: 1 };

test.each([
  ['a promise', Promise.resolve([rex]), '; it is a promise: await it first'],
  ['one pet', rex, '; for one pet, pass [pet]'],
  ['a text', 'Rex', ''],
  ['nothing', undefined, ''],
  ['null', null, ''],
])('%s instead of rows is refused with what to pass', async (_what, rows, hint) => {
  const error = await rejection(createPets(world().client(), rows as never), BulkValidationError);
  expect(error.message).toBe(
    `createPets: rows must be an array of pets, or another iterable of them, such as a stream${hint}. Nothing was sent.`,
  );
  expect(error).toMatchObject({ name: 'BulkValidationError', operation: 'createPet', rows: [] });
});

test.each([undefined, null, {}, { createPet: 1 }, 'client'])(
  '%j instead of a client is refused, also for a search',
  async (client) => {
    const create = (own: unknown, options = {}) => createPets(own as never, [rex], options);
    const error = await rejection(create(client), ConfigurationError);
    expect(error.message).toMatch(
      /^createPets needs a client with createPet: createPets\(new PetStoreClient\(\)/,
    );
    await expect(create({ createPet: () => rex }, { unknown: 'look' })).rejects.toThrow(
      /needs a client with createPet and request/,
    );
  },
);

const noText = 'categoryId must be an integer (int64), got a string';
const noNumber = "beyond 2^53 - 1: set int64: 'bigint' on the client";
const noStatus = 'status must be one of available, pending, sold, got';

test.each([
  [{ ...rex, age: 3 }, `the value has an unknown field "age" (known: ${petFields})`],
  [{ ...rex, id: 7 }, `the value has an unknown field "id" (known: ${petFields})`],
  [{ ...rex, categoryId: '1' }, `${noText}: convert it with Number() or BigInt()`],
  [{ ...rex, categoryId: NaN }, 'categoryId must be an integer (int64), got NaN'],
  [{ ...rex, status: '' }, `${noStatus} "": leave it out`],
  [{ ...rex, status: 'eaten' }, `${noStatus} "eaten"`],
  [null, 'the value must be an object with name and categoryId'],
  [{ ...rex, categoryId: 2n ** 60n }, `categoryId is ${2n ** 60n}, ${noNumber}`],
])('the row %o is refused with what to do, and nothing is sent', async (row, message) => {
  const { client, service } = world();
  const error = await rejection(createPets(client(), [rex, row as NewPet]), BulkValidationError);
  expect(error.message).toBe(
    `createPets: 1 of 2 rows break the contract (row 2 (index 1): ${message}). Nothing was sent.`,
  );
  expect(error.rows.map(({ index }) => index)).toEqual([1]);
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ rows: [{ index: 1 }] });
  expect(service.requests).toHaveLength(0);
});

test.each([
  [9, /row 6 \(index 5\): [^;]*; and 4 more rows\)/],
  [5, /row 6 \(index 5\): [^;]*\)\. Nothing/],
])('of %i wrong rows, the message names five', async (count, end) => {
  const wrong = Array.from({ length: count }, () => ({ name: 'Rex' }) as NewPet);
  const error = await rejection<BulkValidationError>(createPets(world().client(), [rex, ...wrong]));
  expect(error.message).toContain(
    `createPets: ${count} of ${count + 1} rows break the contract (row 2 (index 1): categoryId is required`,
  );
  expect(error.message).toMatch(end);
  expect(error.rows.map(({ index }) => index)).toEqual(wrong.map((_, index) => index + 1));
});
