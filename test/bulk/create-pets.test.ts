// What a run does, shows and estimates.
import { Readable } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createPets, estimateDuration, memoryJournal } from '../../src/bulk/index.js';
import type { BulkProgress } from '../../src/bulk/index.js';
import { ConfigurationError, RateLimitError } from '../../src/index.js';
import { quickClock } from '../support/stub.js';
import { rowsOf, world } from '../support/world.js';

const [minute, day] = [60_000, 86_400_000];

test.each([0, -5, 5])(
  'every row is added once, in pace with the rate limit, and an exhausted minute is shown as a hold, with the estimated end, also where the clock of the service is %i minutes ahead',
  async (ahead) => {
    const { service, client, elapsed } = world();
    const began = service.clock.now();
    if (ahead !== 0) service.faults.add({ 'clock-skew': ahead * minute });
    const held: number[] = [];
    const ends: number[] = [];
    const report = await createPets(client(), rowsOf(150), {
      onProgress({ heldUntil, estimatedEnd }) {
        if (heldUntil) held.push(heldUntil.getTime() - began);
        if (estimatedEnd) ends.push(estimatedEnd.getTime() - began);
      },
    });
    const empty = { earlier: [], found: [], rejected: [], unknown: [], unrecorded: [] };
    expect(report).toMatchObject({ ...empty, total: 150, unsent: 0, stopped: undefined });
    expect(report.created.map(({ index }) => index)).toEqual(rowsOf(150).map((_, index) => index));
    expect(service.pets.size).toBe(150);
    expect(service.report()).toMatchObject({ rateLimited: 0, bans: 0 });
    expect(elapsed()).toBeLessThan(125_000);
    expect(Math.abs(held[0]! - minute)).toBeLessThan(5_000);
    for (const end of [held.at(-1)!, ...ends])
      expect(Math.abs(end - 2 * minute)).toBeLessThan(5_000);
  },
);

test('a hold ends with its window, also for rows that wait for several windows behind others', async () => {
  const { service, client, elapsed } = world({
    keys: { small: { plan: { perMinute: 10, perDay: 1_000_000 } } },
  });
  const began = service.clock.now();
  const beyond: number[] = [];
  await createPets(client({ apiKey: 'small' }), rowsOf(60), {
    concurrency: 50,
    onProgress({ heldUntil, estimatedEnd }) {
      const held = heldUntil ? heldUntil.getTime() - service.clock.now() : 0;
      const end = estimatedEnd ? estimatedEnd.getTime() - began : 0;
      if (held > 62_000 || end > 305_000) beyond.push(held, end);
    },
  });
  expect(beyond).toEqual([]);
  expect(Math.abs(elapsed() - 300_000)).toBeLessThan(10_000);
});

test('two ids are two rows, also where a program writes a bigint as a number', async () => {
  const { client } = world();
  const journal = memoryJournal();
  const add = (categoryId: bigint) =>
    createPets(client({ int64: 'bigint' }), [{ name: 'Rex', categoryId }], { journal });
  const prototype = BigInt.prototype as { toJSON?: unknown };
  prototype.toJSON = function (this: bigint) {
    return Number(this);
  };
  onTestFinished(() => {
    delete prototype.toJSON;
  });
  await add(9_007_199_254_740_993n);
  expect(await add(9_007_199_254_740_992n)).toMatchObject({ created: [{}], earlier: [] });
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

test.each([
  ['goes on with acrossDays, without a 429', true, 2_500, 2],
  ['ends, and is started again each day', false, 5_000, 4],
])('a job larger than a day %s, always as estimated', async (_what, acrossDays, count, days) => {
  const { service, client } = world();
  const finish = service.clock.now() + days * day;
  const seen: BulkProgress[] = [];
  const onProgress = (progress: BulkProgress) => seen.push(progress);
  const report = await createPets(client(), rowsOf(count), { acrossDays, onProgress });
  const added = acrossDays ? count : 1_000;
  expect(report).toMatchObject({ created: { length: added }, unsent: count - added });
  expect(report.stopped?.reason).toBe(acrossDays ? undefined : 'quota');
  expect(service.pets.size).toBe(added);
  expect(service.report()).toMatchObject({ bans: 0 });
  expect(seen.at(-1)).toMatchObject({ done: added, total: count, created: added });
  expect(seen.some(({ heldUntil }) => heldUntil !== undefined)).toBe(true);
  // Also late on a day, when what is left would fit into the quota of one day.
  const ends = seen.flatMap(({ estimatedEnd }) => estimatedEnd?.getTime() ?? []);
  expect(ends.length).toBeGreaterThan(900);
  for (const end of ends) expect(Math.abs(end - finish)).toBeLessThan(0.1 * day);
});

test.each<[string, limits: number[], resetIn: number, pace: number, ends: unknown[]]>([
  ['0', [0], minute, 0, [undefined, undefined]],
  ['30 a minute', [30], 2 * minute, 0, Array(61).fill(2 * minute)],
  ['20 a day', [20], 2 * minute + 1, 0, Array(41).fill(2 * day)],
  ['1 a minute', [1], minute, 10 * minute, [11, 20, 30].map((end) => end * minute)],
  // Where the day of Free ends, its limit of 1,000 looks as that of a minute.
  ['1,000 and 60 by turns', [1_000, 60], minute, 0, [0, ...Array(120).fill(2 * minute)]],
])(
  'the estimated end is the least time, and never past, for a limit of %s',
  async (_what, limits, resetIn, pace, expected) => {
    const clock = quickClock();
    const began = clock.now();
    const data = { name: 'Rex', categoryId: 1, id: 1 };
    let count = 0;
    const withResponse = () => {
      const limit = limits[count++ % limits.length]!;
      const resetAt = new Date(clock.now() + pace + resetIn);
      clock.pass(pace);
      return Promise.resolve({ data, rateLimit: { limit, remaining: 5, resetAt } });
    };
    const createPet = () => Object.assign(Promise.resolve(data), { withResponse });
    const ends: unknown[] = [];
    const report = await createPets({ createPet, clock } as never, rowsOf(expected.length), {
      concurrency: 1,
      onProgress: ({ estimatedEnd: end }) => ends.push(end && end.getTime() - began),
    });
    expect(ends).toEqual([undefined, ...expected]);
    expect(report).toMatchObject({ created: { length: expected.length }, stopped: undefined });
  },
);

test.each([
  ['a second, where its end is not known', undefined, undefined, false],
  ['as it says', 2_000, undefined, false],
  ['where the quota has reset', 2_000, { remaining: 0, resetAt: new Date(0) }, false],
  ['where requests are left', 2_000, { remaining: 7, resetAt: new Date('2100-01-01') }, false],
  ['the quota is exhausted', 2_000, { remaining: 0, resetAt: new Date('2100-01-01') }, true],
])(
  'a refusal of the gate is waited for: %s. It is shown as a hold only if the quota is exhausted',
  async (_what, retryAfter, rateLimit, isHold) => {
    const { service, client, elapsed } = world();
    const real = client();
    const details = { reason: 'wait', requestSent: 'no', retryAfter, rateLimit } as never;
    const refusal = new RateLimitError('wait', details);
    const createPet = vi.fn(real.createPet.bind(real)).mockRejectedValueOnce(refusal);
    const standIn = { clock: service.clock, createPet };
    const seen: BulkProgress[] = [];
    const onProgress = (progress: BulkProgress) => seen.push(progress);
    const report = await createPets(standIn as never, rowsOf(1), { onProgress });
    expect(report.created).toHaveLength(1);
    expect(elapsed()).toBe(retryAfter ?? 1_000);
    expect(seen.some(({ heldUntil }) => heldUntil !== undefined)).toBe(isHold);
  },
);

test('while one row waits, the end of the shorter wait of another one does not look like the end of the hold', async () => {
  const { service, client, elapsed } = world();
  const { clock } = service;
  const began = clock.now();
  const rateLimit = { limit: 60, remaining: 0, resetAt: new Date('2100-01-01') };
  const refusal = (retryAfter: number) =>
    new RateLimitError('wait', {
      reason: 'wait',
      requestSent: 'no',
      retryAfter,
      rateLimit,
    } as never);
  const real = client();
  const createPet = vi.fn(real.createPet.bind(real));
  for (const delay of [60_000, 20_000, 40_000]) createPet.mockRejectedValueOnce(refusal(delay));
  const held: unknown[] = [];
  await createPets({ clock, createPet } as never, rowsOf(2), {
    concurrency: 2,
    onProgress: ({ heldUntil }) => held.push([elapsed(), heldUntil && heldUntil.getTime() - began]),
  });
  expect(held.slice(0, -4)).toEqual([
    [0, undefined],
    ...[0, 0, 20_000, 20_000].map((at) => [at, 60_000]),
  ]);
  expect(held.slice(-4)).toEqual(Array(4).fill([60_000, undefined]));
});

test('the end of a wait is shown, also of a wait before the first row, and of a search', async () => {
  const { service, client } = world();
  const reason = new Date(service.clock.now() + 60_000).toISOString();
  const row = JSON.stringify(['Rex', '1', null]);
  const journal = memoryJournal([
    { row: JSON.stringify(['Old', '1', null]), state: 'created', id: '1' },
    { row, state: 'sending' },
    { row: '', state: 'held', reason },
  ]);
  const held: boolean[] = [];
  const onProgress = ({ heldUntil }: BulkProgress) => {
    held.push(heldUntil !== undefined);
    // In the minute of the search, nothing is left.
    if (held.length === 3) service.keys.get('mock-free').exhaust('minute');
  };
  const options = { journal, onProgress, acrossDays: true, unknown: 'look' } as const;
  const report = await createPets(client(), [{ name: 'Rex', categoryId: 1 }], options);
  expect(report).toMatchObject({ unknown: [{ index: 0 }], stopped: undefined });
  expect(held).toEqual([false, true, false, true, false]);
});

test("an entry `rejected` without a reason, of a journal of one's own, is reported all the same, also for a name of megabytes", async () => {
  const name = '"Rex"'.repeat(3_000_000);
  const row = JSON.stringify([name, '0', null]);
  const journal = memoryJournal([{ row, state: 'rejected' }]);
  const report = await createPets(world().client(), [{ name, categoryId: 0 }], { journal });
  expect(report.rejected).toMatchObject([{ index: 0, reason: 'rejected before' }]);
});

test.each([
  [0, 'free', 0],
  [60, 'free', 0],
  [61, 'free', minute],
  [1_000, 'free', 16 * minute],
  [1_001, 'free', day],
  [10_001, 'pro', day],
  [3, { perMinute: 1, perDay: 1 }, 2 * day],
] as const)('%i requests on %o take at least %i ms', (count, plan, expected) => {
  expect(estimateDuration(count, plan)).toBe(expected);
});

test.each<readonly [count: unknown, plan: unknown, says: RegExp]>([
  [1, 'gold', /and free, pro, business/],
  [1, { perMinute: NaN, perDay: 1 }, /and free, pro, business/],
  [1, { perMinute: 1, perDay: 0 }, /and free, pro, business/],
  ...[NaN, -1, Infinity, undefined].map((count) => [count, 'free', /takes a count/] as const),
])('%o requests on %o have no duration', (count, plan, says) => {
  const estimate = () => estimateDuration(count as number, plan as 'free');
  expect(estimate).toThrow(ConfigurationError);
  expect(estimate).toThrow(says);
});
