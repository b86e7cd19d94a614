import { expect, test } from 'vitest';
import { GateRefusedError, RateLimitError, type RateLimitGate } from '../../src/index.js';
import { errorResponse, quickClock, stubClient, stubFetch } from '../support/stub.js';
import { rejection, world } from '../support/world.js';

const newPet = { name: 'Rex', categoryId: 1 };

test.each([
  [
    'hold',
    { maxHold: 1_000 },
    {},
    'the rate limit holds this key for longer than maxHold (1000 ms)',
    ', or set maxHold: Infinity to wait',
  ],
  [
    'wait',
    {},
    { maxWait: 1_000 },
    'the wait for the rate limit would pass maxWait or totalTimeout',
    '',
  ],
  ['queue', { maxQueue: 0 }, {}, 'the queue for the rate limit is full (maxQueue: 0)', ''],
] as const)(
  'a call stopped at the gate for %s was not sent, and knows when to try again',
  async (reason, rateLimit, options, because, advice) => {
    const { service, client } = world();
    service.keys.get('mock-free').exhaust('minute');
    let stopped: Promise<RateLimitError> | undefined;
    const stop = () => (stopped ??= rejection(client({ rateLimit }).createPet(newPet, options)));
    await client({ onEvent: ({ type }) => void (type === 'rate-limit-hold' && stop()) }).listPets();
    const error = (await stopped)!;
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({
      name: 'RateLimitError',
      reason,
      status: 429,
      code: undefined,
      requestSent: 'no',
      attempts: [],
    });
    expect(error.message).toBe(
      `createPet on production: ${because}; it was not processed: try again after ${error.retryAt!.toISOString()}${advice}`,
    );
    expect(error.retryAt!.getTime() - error.retryAfter!).toBeLessThan(service.clock.now());
  },
);

test('a 429 with a time beyond all dates is a readable error', async () => {
  const headers = {
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': '8640000000000',
  };
  for (const rateLimit of [false, {}] as const) {
    const fetch = stubFetch(() => errorResponse(429, {}, headers));
    const error = await rejection<RateLimitError>(
      stubClient(fetch, { rateLimit, clock: quickClock() }).listPets(),
    );
    expect(error).toBeInstanceOf(RateLimitError);
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ name: 'RateLimitError' });
  }
});

test('a 429 without Retry-After says to try again later', async () => {
  const client = stubClient(
    stubFetch(() => errorResponse(429)),
    { rateLimit: false },
  );
  const error = await rejection<RateLimitError>(client.listPets());
  expect(error).toMatchObject({
    retryAfter: undefined,
    retryAt: undefined,
    code: 'some_code',
    requestSent: 'yes',
  });
  expect(error.message).toMatch(/it was not processed: try again later$/);
});

test('a 429 is placed by its own Date header, however wrong the local clock', async () => {
  const now = Date.UTC(2031, 0, 1);
  const headers = {
    Date: new Date(now).toUTCString(),
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': String(now / 1_000 + 40),
  };
  const client = stubClient(
    stubFetch(() => errorResponse(429, {}, headers)),
    { rateLimit: false, clock: quickClock() },
  );
  const error = await rejection<RateLimitError>(client.listPets());
  expect(error.retryAfter).toBe(40_000);
  expect(error.retryAt).toEqual(new Date(Date.UTC(2026, 0, 1, 0, 0, 40)));
});

test('a reset that has passed already means now', async () => {
  const headers = {
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': '1700000000',
  };
  const client = stubClient(
    stubFetch(() => errorResponse(429, {}, headers)),
    { rateLimit: false, clock: quickClock() },
  );
  expect((await rejection<RateLimitError>(client.listPets())).retryAfter).toBe(0);
});

test('a call that the gate stops before its retry may have been processed, as far as its first attempt goes', async () => {
  let asked = 0;
  const settle = () => undefined;
  const gate: RateLimitGate = {
    acquire: () =>
      asked++ === 0
        ? Promise.resolve({ settle, lose: settle, cancel: settle })
        : Promise.reject(new GateRefusedError('queue', undefined)),
  };
  const client = stubClient(
    stubFetch(() => errorResponse(503)),
    { rateLimit: { gate }, clock: quickClock() },
  );
  const error = await rejection<RateLimitError>(client.listPets());
  expect(error).toMatchObject({ reason: 'queue', requestSent: 'unknown', retryAt: undefined });
  expect(error.message).toBe(
    'listPets on pets.test: the queue for the rate limit is full (maxQueue: 10000); an attempt before may have been processed: try again later',
  );
});

test.each([
  ['day', {}, 'the quota of the day (1000 requests) is used up, and the rate limit holds this key'],
  [
    'minute',
    { maxHold: 1_000 },
    'the quota of the minute (60 requests) is used up, and the rate limit holds this key',
  ],
  [
    'minute',
    { maxWait: 1_000 },
    'the quota of the minute (60 requests) is used up, and the wait for the rate limit would pass maxWait',
  ],
] as const)(
  'the error of a call that the quota of the %s stops with %j says which quota is used up, and until when',
  async (quota, rateLimit, because) => {
    const { service, client } = world({ now: '2026-06-01T22:00:30Z' });
    service.keys.get('mock-free').exhaust(quota);
    const error = await rejection<RateLimitError>(client({ rateLimit }).listPets());
    expect(error.message).toContain(`listPets on production: ${because}`);
    const reset = quota === 'day' ? '2026-06-02T00:00:00' : '2026-06-01T22:01:0';
    expect(error.message).toContain(`it was not processed: try again after ${reset}`);
  },
);

test('the error of a banned key names no quota', async () => {
  const { service, client } = world({ now: '2026-06-01T22:00:30Z' });
  service.keys.get('mock-free').exhaust('minute');
  service.keys.get('mock-free').ban('10m');
  const error = await rejection<RateLimitError>(client().listPets());
  expect(error.message).toMatch(
    /^listPets on production: the rate limit holds this key for longer than maxHold \(120000 ms\) \("The API key is banned temporarily"\); .*, or set maxHold: Infinity to wait$/,
  );
});
