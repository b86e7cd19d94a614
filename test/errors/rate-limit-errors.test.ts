import { expect, test, vi } from 'vitest';
import {
  GateRefusedError,
  RateLimitError,
  type Clock,
  type RateLimitGate,
} from '../../src/index.js';
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
    'the wait for the rate limit would pass maxWait (1000 ms): the call would need at least NEEDED ms',
    '',
  ],
] as const)(
  'a call stopped at the gate for %s was not sent, and knows when to try again',
  async (reason, clientOptions, options, because, advice) => {
    const { service, client } = world();
    service.keys.get('mock-free').exhaust('minute');
    let stopped: Promise<RateLimitError> | undefined;
    const stop = () => (stopped ??= rejection(client(clientOptions).createPet(newPet, options)));
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
    const numbered = because.replace('NEEDED', String(Math.ceil(error.retryAfter!)));
    expect(error.message).toBe(
      `createPet on production: ${numbered}; it was not processed: try again after ${error.retryAt!.toISOString()}${advice}`,
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
  for (const gate of [false, undefined] as const) {
    const fetch = stubFetch(() => errorResponse(429, {}, headers));
    const error = await rejection<RateLimitError>(
      stubClient(fetch, { gate, clock: quickClock() }).listPets(),
    );
    expect(error).toBeInstanceOf(RateLimitError);
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ name: 'RateLimitError' });
  }
});

test('a 429 without Retry-After says to try again later', async () => {
  const client = stubClient(
    stubFetch(() => errorResponse(429)),
    { gate: false },
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
    { gate: false, clock: quickClock() },
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
    { gate: false, clock: quickClock() },
  );
  expect((await rejection<RateLimitError>(client.listPets())).retryAfter).toBe(0);
});

test('a call that the gate stops before its retry is one that changes nothing, so nothing was changed', async () => {
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
    { gate, clock: quickClock() },
  );
  const error = await rejection<RateLimitError>(client.listPets());
  expect(error).toMatchObject({ reason: 'queue', requestSent: 'unknown', retryAt: undefined });
  expect(error.message).toBe(
    'listPets on pets.test: the queue for the rate limit is full (10,000 calls); nothing was changed: try again later',
  );
});

test('a POST whose fetch fails with the refusal of a gate may have been processed', async () => {
  const fetch = stubFetch(() => {
    throw new GateRefusedError('queue', undefined);
  });
  const error = await rejection<RateLimitError>(stubClient(fetch).createPet(newPet));
  expect(error).toMatchObject({ reason: 'queue', requestSent: 'unknown' });
  expect(error.message).toBe(
    'createPet on pets.test: the queue for the rate limit is full (10,000 calls); it may have been processed: check before you send it again',
  );
});

test.each([
  ['day', {}, 'the rate limit holds this key'],
  ['minute', { maxHold: 1_000 }, 'the rate limit holds this key'],
  ['minute', { maxWait: 1_000 }, 'the wait for the rate limit would pass maxWait'],
] as const)(
  'the error of a call that the quota of the %s stops with %j says until when',
  async (quota, options, because) => {
    const { service, client } = world({ now: '2026-06-01T22:00:30Z' });
    service.keys.get('mock-free').exhaust(quota);
    const error = await rejection<RateLimitError>(client(options).listPets());
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

test.each([
  [{ maxWait: 5_000, totalTimeout: 20_000 }, 'wait', 'maxWait'],
  [{ maxWait: 20_000, totalTimeout: 5_000 }, 'deadline', 'totalTimeout'],
  [{ maxWait: 5_000, totalTimeout: 5_000 }, 'wait', 'maxWait'],
  [{ totalTimeout: 5_000 }, 'deadline', 'totalTimeout'],
] as const)(
  'the error of a call with %j has the reason %s, and names %s, which would be passed first, with both numbers',
  async (options, reason, option) => {
    const { service, client } = world();
    service.keys.get('mock-free').exhaust('minute');
    const error = await rejection<RateLimitError>(client().listPets({}, options));
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ reason });
    const needed = Number(/at least (\d+) ms/.exec(error.message)?.[1]);
    // The reset of the minute, at most 1 s for the clock of the service, and at most 100 ms of jitter.
    expect(needed).toBeGreaterThanOrEqual(60_000);
    expect(needed).toBeLessThan(61_200);
    expect(error.message).toContain(
      `the wait for the rate limit would pass ${option} (5000 ms): the call would need at least ${needed} ms`,
    );
  },
);

test.each(['maxWait', 'totalTimeout'] as const)(
  'what a call needs includes the time that it has taken, in the error about %s',
  async (option) => {
    const { service, client, elapsed } = world();
    // The call waits for one minute, and meets a second limit then.
    service.keys.get('mock-free').exhaust('minute');
    const exhaust = vi.fn((): void => service.keys.get('mock-free').exhaust('minute'));
    const error = await rejection<RateLimitError>(
      client({
        onEvent({ type }) {
          if (type === 'rate-limit-resume') exhaust();
        },
      }).listPets({}, { [option]: 90_000 }),
    );
    expect(exhaust).toHaveBeenCalledOnce();
    expect(elapsed()).toBeGreaterThan(59_000);
    const needed = Math.ceil(elapsed() + error.retryAfter!);
    expect(error.message).toContain(
      `${option} (90000 ms): the call would need at least ${needed} ms`,
    );
  },
);

test('a call that may not wait at all says so without a number, when the wait has no known length', async () => {
  const { client } = world();
  const both = [client().listPets(), client().listPets({}, { maxWait: 0 })] as const;
  const error = await rejection<RateLimitError>(both[1]);
  await both[0];
  expect(error).toMatchObject({ retryAfter: undefined, retryAt: undefined });
  expect(error.message).toContain(
    'would pass maxWait (0 ms); it was not processed: try again later',
  );
});

test('a custom gate that names no time has an error without a number', async () => {
  const gate: RateLimitGate = {
    acquire: () => Promise.reject(new GateRefusedError('wait', undefined)),
  };
  const client = stubClient(stubFetch(), { gate, clock: quickClock() });
  const bounded = await rejection<RateLimitError>(client.listPets({}, { totalTimeout: 700 }));
  expect(bounded.reason).toBe('deadline');
  expect(bounded.message).toContain('would pass totalTimeout (700 ms); it was not processed');
  const unbounded = await rejection<RateLimitError>(client.listPets());
  expect(unbounded.reason).toBe('wait');
  expect(unbounded.message).toBe(
    'listPets on pets.test: the option gate refused the wait; it was not processed: try again later',
  );
});

test.each([Number.NaN, -5, Infinity])(
  'a custom gate that names a time of %d has named no time',
  async (wait) => {
    const gate: RateLimitGate = {
      acquire: () => Promise.reject(new GateRefusedError('hold', wait)),
    };
    const error = await rejection<RateLimitError>(stubClient(stubFetch(), { gate }).listPets());
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfter: undefined, retryAt: undefined });
    expect(error.message).toContain('try again later');
  },
);

test.each(['retryAt', 'retryAfter'] as const)(
  'a call that was refused is not refused again when it is repeated at %s',
  async (field) => {
    const { client: clientWith, service } = world({ now: '2026-01-01T00:00:00Z' });
    // Its dates have parts of a ms.
    const clock: Clock = {
      now: () => service.clock.now() + 0.4,
      monotonic: () => service.clock.monotonic(),
      sleep: (ms, signal) => service.clock.sleep(ms, signal),
    };
    const client = clientWith({ maxWait: 0, clock });
    for (let n = 0; n < 60; n += 1) await client.listPets();
    const { retryAt, retryAfter } = await rejection<RateLimitError>(client.listPets());
    expect(Number.isInteger(retryAfter)).toBe(true);
    const wait = { retryAt: retryAt!.getTime() - clock.now(), retryAfter: retryAfter! };
    await clock.sleep(wait[field]);
    expect(await client.listPets()).toEqual([]);
  },
);
