// What is refused before the first request: arguments, options and rows.
import { expect, test } from 'vitest';
import {
  BulkValidationError,
  createPets,
  estimateDuration,
  type BulkProgress,
} from '../../src/bulk/index.js';
import { ConfigurationError, RateLimitError, type NewPet } from '../../src/index.js';
import { rejection, world } from '../support/world.js';

const rex: NewPet = { name: 'Rex', categoryId: 1 };

test.each([
  ['a promise', Promise.resolve([rex]), /it is a promise: await it first/],
  ['one pet', rex, /for one pet, pass \[pet\]/],
  ['a text', 'Rex', /must be an array of pets/],
  ['nothing', undefined, /must be an array of pets/],
  ['null', null, /must be an array of pets/],
])('%s instead of rows is refused with what to pass', async (_what, rows, message) => {
  const error = await rejection<BulkValidationError>(
    createPets(world().client(), rows as unknown as NewPet[]),
  );
  expect(error).toBeInstanceOf(BulkValidationError);
  expect(error.message).toMatch(message);
  expect(error.rows).toEqual([]);
});

test.each([undefined, null, {}, { createPet: 1 }, 'client'])(
  '%j instead of a client is refused',
  async (client) => {
    const error = await rejection<ConfigurationError>(createPets(client as never, [rex]));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toMatch(
      /^createPets needs a client with createPet: createPets\(new PetStoreClient\(\)/,
    );
  },
);

test.each([
  [{ plan: 'free' }, /^the option plan is unknown: the limits are learned from the responses/],
  [{ resolve: () => 'unsent' }, /^the option resolve is unknown: pass the function as unknown/],
  [{ concurency: 3 }, /concurency is unknown \(options of createPets: journal, unknown, /],
  [{ concurrency: 0 }, /^concurrency must be an integer from 1 to 100, got 0$/],
  [{ concurrency: 1.5 }, /an integer from 1 to 100/],
  [{ journal: {} }, /functions read and write/],
  [{ journal: ' ' }, /journal must be the path of a file, or a BulkJournal/],
  [{ journal: 'a\0b' }, /journal must be the path of a file/],
  [{ unknown: 'created' }, /unknown must be 'look' or a function/],
  [{ signal: new AbortController() }, /signal must be an AbortSignal/],
  [null, /^the options of createPets must be an object, got null$/],
])('the options %j are refused', async (options, message) => {
  const { client, service } = world();
  const error = await rejection<ConfigurationError>(createPets(client(), [rex], options as never));
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error.message).toMatch(message);
  expect(service.requests).toHaveLength(0);
});

test('a plan that does not exist has no duration', () => {
  expect(() => estimateDuration(1, 'gold' as never)).toThrow(ConfigurationError);
  expect(() => estimateDuration(1, { perMinute: NaN, perDay: 1 })).toThrow(/plan must be/);
});

test.each([
  [{ ...rex, age: 3 }, 'the value has an unknown field "age" (known: name, categoryId, status)'],
  [{ ...rex, id: 7 }, 'the value has an unknown field "id" (known: name, categoryId, status)'],
  [{ ...rex, categoryId: '1' }, 'got a string: convert it with Number() or BigInt()'],
  [{ ...rex, categoryId: NaN }, 'categoryId must be an integer (int64), got NaN'],
  [{ ...rex, status: '' }, 'got "": leave it out'],
  [{ ...rex, status: 'eaten' }, 'status must be one of available, pending, sold, got "eaten"'],
  [null, 'the value must be an object with name and categoryId'],
  [
    { ...rex, categoryId: 9_007_199_254_740_993n },
    "categoryId is 9007199254740993, which a number cannot hold exactly: set int64: 'bigint'",
  ],
])('the row %o is refused with what to do, and nothing is sent', async (row, message) => {
  const { client, service } = world();
  const error = await rejection<BulkValidationError>(createPets(client(), [rex, row] as NewPet[]));
  expect(error).toBeInstanceOf(BulkValidationError);
  expect(error.message).toContain('1 of 2 rows break the contract (row 2 (index 1): ');
  expect(error.message).toContain(message);
  expect(error.rows.map(({ index }) => index)).toEqual([1]);
  expect(service.requests).toHaveLength(0);
});

test("a large categoryId is sent by a client with int64: 'bigint'", async () => {
  const { client } = world();
  const rows = [{ ...rex, categoryId: 9_007_199_254_740_993n }];
  const one = client({ int64: 'bigint' });
  expect(one.int64).toBe('bigint');
  expect((await createPets(one, rows)).created).toHaveLength(1);
});

test.each([undefined, {}, { id: 'x' }, null])(
  'a stand-in whose createPet gives %j leaves the row unknown, with a reason that says so',
  async (data) => {
    const standIn = { createPet: async () => Promise.resolve(data) };
    const report = await createPets(standIn as never, [rex]);
    expect(report.unknown).toMatchObject(
      [{ reason: /gave no pet with an id/ }].map(() => ({
        reason: 'createPet of the client gave no pet with an id',
      })),
    );
  },
);

test.each([
  ['nothing is known of the quota', undefined, false],
  ['the quota was exhausted, and has reset', { remaining: 0, resetAt: new Date(0) }, false],
  ['requests are left', { remaining: 7, resetAt: new Date(Date.UTC(2100, 0)) }, false],
  ['the quota is exhausted', { remaining: 0, resetAt: new Date(Date.UTC(2100, 0)) }, true],
])(
  'a row that waits for a slow response while %s: it is a hold only if the quota is exhausted',
  async (_what, rateLimit, isHold) => {
    const { client } = world();
    const real = client();
    let isFirst = true;
    const standIn = {
      createPet: (...args: Parameters<typeof real.createPet>) => {
        if (!isFirst) return real.createPet(...args);
        isFirst = false;
        const details = { reason: 'wait', requestSent: 'no', retryAfter: 2_000, rateLimit };
        return Promise.reject(new RateLimitError('wait', details as never));
      },
    };
    const seen: BulkProgress[] = [];
    await createPets(standIn as never, [rex], {
      onProgress: (progress) => seen.push(progress),
    });
    expect(seen.some(({ heldUntil }) => heldUntil !== undefined)).toBe(isHold);
  },
);

test('an exhausted minute is shown as a hold until it ends', async () => {
  const { client, service } = world();
  const seen: BulkProgress[] = [];
  const rows = Array.from({ length: 70 }, (_, id) => ({ ...rex, categoryId: id }));
  const began = service.clock.now();
  await createPets(client(), rows, {
    onProgress: (progress) => seen.push(progress),
  });
  const held = seen.flatMap(({ heldUntil }) => (heldUntil === undefined ? [] : [heldUntil]));
  expect(held.length).toBeGreaterThan(0);
  for (const until of held) expect(Math.abs(until.getTime() - began - 60_000)).toBeLessThan(5_000);
});

test('the estimated end is that of all rows, also if the program is started again each day', async () => {
  const { client, service } = world();
  const seen: BulkProgress[] = [];
  const rows = Array.from({ length: 5_000 }, (_, id) => ({ ...rex, categoryId: id }));
  const report = await createPets(client(), rows, {
    onProgress: (progress) => seen.push(progress),
  });
  expect(report.stopped!.reason).toBe('quota');
  const finish = service.clock.now() + 4 * 86_400_000;
  const shown = seen.flatMap(({ estimatedEnd }) => estimatedEnd ?? []);
  expect(shown.length).toBeGreaterThan(900);
  for (const end of shown) expect(Math.abs(end.getTime() - finish)).toBeLessThan(20 * 60_000);
});

test.each([
  ['minute', 30, 120_000],
  ['day', 20, 2 * 86_400_000],
])(
  'a limit of a %s that no published plan has gives an estimate of the least time',
  async (window, limit, least) => {
    const length = 2 * limit + 1;
    const resetAt = new Date(Date.now() + (window === 'day' ? 18_000_000 : 60_000));
    const data = { ...rex, id: 1 };
    const withResponse = () =>
      Promise.resolve({ data, rateLimit: { limit, remaining: 5, resetAt }, response: undefined });
    const standIn = { createPet: () => Object.assign(Promise.resolve(data), { withResponse }) };
    const ends: number[] = [];
    const began = Date.now();
    await createPets(
      standIn as never,
      Array.from({ length }, () => rex),
      {
        onProgress: ({ estimatedEnd }) => estimatedEnd && ends.push(estimatedEnd.getTime()),
      },
    );
    expect(ends).toHaveLength(length);
    for (const end of ends) expect(Math.abs(end - began - least)).toBeLessThan(10_000);
  },
);
