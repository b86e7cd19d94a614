import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import {
  BulkValidationError,
  createPets,
  estimateDuration,
  memoryJournal,
  type BulkProgress,
} from '../../src/bulk/index.js';
import { RateLimitError, type NewPet } from '../../src/index.js';
import { rejection, world } from '../support/world.js';

const day = 86_400_000;
const rowsOf = (count: number): NewPet[] =>
  Array.from({ length: count }, (_, index) => ({ name: `Pet ${index}`, categoryId: index }));

test('every row is added once, in pace with the rate limit', async () => {
  const { service, client, elapsed } = world();
  const report = await createPets(client(), rowsOf(150));
  expect(report).toMatchObject({
    total: 150,
    earlier: { length: 0 },
    unsent: 0,
    stopped: undefined,
  });
  expect(report.created.map(({ index }) => index)).toEqual(rowsOf(150).map((_, index) => index));
  expect(service.pets.size).toBe(150);
  expect(service.report()).toMatchObject({ rateLimited: 0, bans: 0 });
  expect(elapsed()).toBeLessThan(125_000);
});

test('rows come from any iterable, and equal rows are pets of their own', async () => {
  const { client } = world();
  async function* rows() {
    for (const name of ['Rex', 'Rex', 'Bella'])
      yield await Promise.resolve({ name, categoryId: 1 });
  }
  for (const given of [rows(), Readable.from(rows()), new Set(rowsOf(3)).values()])
    expect((await createPets(client(), given)).created).toHaveLength(3);
});

test('with acrossDays a job larger than a day goes on, without a 429', async () => {
  const { service, client, elapsed } = world();
  const seen: BulkProgress[] = [];
  const report = await createPets(client(), rowsOf(2_500), {
    acrossDays: true,
    onProgress: (progress) => seen.push(progress),
  });
  expect(report).toMatchObject({ unsent: 0, stopped: undefined });
  expect(service.pets.size).toBe(2_500);
  expect(service.report()).toMatchObject({ bans: 0 });
  expect(elapsed()).toBeGreaterThan(2 * day);
  expect(elapsed()).toBeLessThan(2.1 * day);
  // Also late on a day, when what is left would fit into the quota of one day.
  for (const { estimatedEnd } of seen.filter(({ estimatedEnd: end }) => end !== undefined))
    expect(Math.abs(estimatedEnd!.getTime() - service.clock.now())).toBeLessThan(0.1 * day);
  expect(seen.some(({ heldUntil }) => heldUntil !== undefined)).toBe(true);
  expect(seen.at(-1)).toMatchObject({ done: 2_500, total: 2_500, created: 2_500 });
});

test('a pet whose response cannot be read counts as created, now and in the next run', async () => {
  const { service, client } = world();
  service.faults.add({ operation: 'createPet', 'malformed-json': true, times: 1 });
  const options = { journal: memoryJournal(), concurrency: 1 };
  const first = await createPets(client(), rowsOf(2), options);
  expect(first.created.map(({ pet }) => pet?.id)).toEqual([undefined, 2]);
  expect(await createPets(client(), rowsOf(2), options)).toMatchObject({
    earlier: { length: 2 },
    created: [],
  });
  expect(service.pets.size).toBe(2);
});

test('what a stand-in throws that is no error makes the outcome unknown', async () => {
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- what is tested
  const odd = { createPet: async () => Promise.reject('odd') };
  const report = await createPets(odd as never, rowsOf(1));
  expect(report.unknown).toMatchObject([{ index: 0, reason: 'odd' }]);
});

test('a rate limit whose end is not known is tried again after a second', async () => {
  const { service, client, elapsed } = world();
  const real = client();
  let refused = false;
  const stub = {
    clock: service.clock,
    createPet: (...args: Parameters<typeof real.createPet>) => {
      if (refused) return real.createPet(...args);
      refused = true;
      return Promise.reject(
        new RateLimitError('wait', { reason: 'wait', requestSent: 'no' } as never),
      );
    },
  };
  const report = await createPets(stub as never, rowsOf(1));
  expect(report.created).toHaveLength(1);
  expect(elapsed()).toBe(1_000);
});

test("an entry `rejected` without a reason, of a journal of one's own, is reported all the same", async () => {
  const { client } = world();
  const journal = {
    read: () => [{ row: '["Pet 0","0",null]', state: 'rejected' as const }],
    write: () => undefined,
  };
  const report = await createPets(client(), rowsOf(1), { journal });
  expect(report.rejected).toMatchObject([{ index: 0, reason: 'rejected before' }]);
});

test('of many wrong rows, the message names five', async () => {
  const rows = [rowsOf(1)[0], ...Array.from({ length: 9 }, () => ({ name: 'Rex' }))];
  const error = await rejection<BulkValidationError>(createPets(world().client(), rows));
  expect(error).toBeInstanceOf(BulkValidationError);
  expect(error.message).toMatch(
    /^createPets: 9 of 10 rows break the contract \(row 2 \(index 1\): categoryId is required/,
  );
  expect(error.message).toMatch(/row 6 \(index 5\): [^;]*; and 4 more rows\)/);
  expect(error.rows.map(({ index }) => index)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('an id beyond 2^53 - 1 is in the journal with all its digits', async () => {
  const { client } = world({ assumptions: { ids: 9_007_199_254_740_993n } });
  const written: unknown[] = [];
  const journal = { read: () => [], write: (entry: unknown) => void written.push(entry) };
  await createPets(client({ int64: 'bigint' }), rowsOf(1), { journal });
  expect(written).toMatchObject([
    { state: 'sending' },
    { state: 'created', id: '9007199254740993' },
  ]);
});

test.each([
  [0, 'free', 0],
  [60, 'free', 0],
  [61, 'free', 60_000],
  [1_000, 'free', 16 * 60_000],
  [1_001, 'free', day],
  [5_000, 'free', 4 * day + 16 * 60_000],
  [10_001, 'pro', day],
] as const)('%i requests on %s take at least %i ms', (count, plan, expected) => {
  expect(estimateDuration(count, plan)).toBe(expected);
});
