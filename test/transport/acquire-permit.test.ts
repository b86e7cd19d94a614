import { afterEach, expect, test, vi } from 'vitest';
import {
  ConfigurationError,
  ConnectionError,
  PetStoreClient,
  RateLimitError,
  TimeoutError,
  type Clock,
  type GateCall,
  type GatePermit,
  type PetStoreClientOptions,
  type RateLimitGate,
  type RequestOptions,
} from '../../src/index.js';
import { createMockService } from '../../mocks/index.js';
import { json, quickClock, stubClient, stubFetch } from '../support/stub.js';
import { rejection } from '../support/world.js';

afterEach(() => vi.useRealTimers());

/** A clock that a test moves by hand, far from 0 as that of a machine that has been up for long. */
function handClock(): Clock & { pass: (ms: number) => void } {
  let elapsed = 5_000_000;
  return {
    now: () => Date.UTC(2026, 0, 1) + elapsed,
    monotonic: () => elapsed,
    sleep: () => Promise.reject(new Error('nothing here waits')),
    pass: (ms) => void (elapsed += ms),
  };
}

/** A gate that lets in at once whoever asks after the first, who waits for `wait` on the clock, and counts what becomes of its permits. */
function countingGate(clock: ReturnType<typeof handClock>, wait: number) {
  const counts = { acquired: 0, settled: 0, cancelled: 0, lost: 0 };
  const gate: RateLimitGate = {
    acquire() {
      if (counts.acquired === 0) clock.pass(wait);
      counts.acquired += 1;
      return Promise.resolve<GatePermit>({
        settle: () => (counts.settled += 1),
        cancel: () => (counts.cancelled += 1),
        lose: () => (counts.lost += 1),
      });
    },
  };
  return { gate, counts };
}

test.each([
  [999, 1],
  [1_000, 2],
])(
  'a key that waited %i ms at the gate is asked for %i times, and no permit is held meanwhile',
  async (wait, times) => {
    const clock = handClock();
    const { gate, counts } = countingGate(clock, wait);
    const apiKey = vi.fn(() => 'steady-key');
    await stubClient(stubFetch(json([])), { apiKey, clock, gate }).listPets();
    expect(apiKey).toHaveBeenCalledTimes(times);
    expect(counts).toEqual({ acquired: times, settled: 1, cancelled: times - 1, lost: 0 });
  },
);

test('a key that has changed during the wait goes to its own gate, and the permit of the old one is given back', async () => {
  const clock = handClock();
  const { gate, counts } = countingGate(clock, 1_000);
  const keys = ['old-key', 'new-key'];
  const fetch = stubFetch(json([]));
  await stubClient(fetch, {
    apiKey: () => keys.shift() ?? 'new-key',
    clock,
    gate: () => ({ ...gate }),
  }).listPets();
  expect(fetch.sent.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer new-key']);
  expect(counts).toEqual({ acquired: 2, settled: 1, cancelled: 1, lost: 0 });
});

/** Makes one call with a new key at each request of it, and returns what was sent as the number of the key and its age. */
async function sentKey(clock: ReturnType<typeof handClock>, gate: PetStoreClientOptions['gate']) {
  const made: number[] = [];
  const apiKey = () => `key-${made.push(clock.monotonic())}`;
  const fetch = stubFetch(json([]));
  await stubClient(fetch, { apiKey, clock, gate }).listPets();
  const number = Number(/\d+$/.exec(fetch.sent[0]!.headers.get('authorization')!)![0]);
  return { number, age: clock.monotonic() - made[number - 1]! };
}

test.each(['the gate of the option', 'a function that returns one gate'])(
  'a new key is sent with a new permit, where one gate serves all keys: %s',
  async (name) => {
    const clock = handClock();
    const { gate, counts } = countingGate(clock, 60_000);
    const option = name === 'the gate of the option' ? gate : () => gate;
    expect(await sentKey(clock, option)).toEqual({ number: 2, age: 0 });
    expect(counts).toEqual({ acquired: 2, settled: 1, cancelled: 1, lost: 0 });
  },
);

test('a key is never sent 60 s old: while its gate makes it wait, a newer one is asked for', async () => {
  const clock = handClock();
  const waits = [60_000, 60_000, 60_000, 0];
  const gate = () => countingGate(clock, waits.shift()!).gate;
  expect(await sentKey(clock, gate)).toEqual({ number: 4, age: 0 });
});

test('where each new key waits at a gate of its own, the thousandth is sent', async () => {
  const clock = handClock();
  const gate = () => countingGate(clock, 1_000).gate;
  expect(await sentKey(clock, gate)).toEqual({ number: 1_000, age: 1_000 });
});

test('the age of a key counts from its arrival: a key function that takes long is asked once', async () => {
  const clock = handClock();
  const slowly =
    (...keys: (string | Error)[]) =>
    () => {
      clock.pass(1_000);
      const key = keys.shift()!;
      if (key instanceof Error) throw key;
      return key;
    };
  const fetch = stubFetch(json([]));
  await stubClient(fetch, {
    apiKey: slowly('old-key', 'new-key'),
    clock,
    gate: false,
  }).listPets();
  expect(fetch.sent.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer old-key']);
  const sealed = stubClient(fetch, {
    apiKey: slowly(new Error('vault is sealed')),
    clock,
    gate: false,
  });
  const error = await rejection<ConfigurationError>(sealed.listPets());
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error.message).toContain('the function apiKey failed (Error)');
});

test('a custom gate that never settles is aborted by its signal after maxWait', async () => {
  let signal: AbortSignal | undefined;
  const gate: RateLimitGate = {
    acquire(call: GateCall) {
      signal = call.signal;
      return new Promise<never>((_resolve, reject) =>
        call.signal?.addEventListener('abort', () => reject(call.signal?.reason as Error)),
      );
    },
  };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const call = rejection<RateLimitError>(
    stubClient(stubFetch(), { clock: handClock(), gate, maxWait: 20 }).listPets(),
  );
  while (signal === undefined) await new Promise((resolve) => setImmediate(resolve));
  await vi.advanceTimersByTimeAsync(19);
  expect(signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  const error = await call;
  expect(error).toBeInstanceOf(RateLimitError);
  expect(error).toMatchObject({ reason: 'wait', requestSent: 'no', retryAfter: undefined });
  expect(signal?.aborted).toBe(true);
});

test('maxWait bounds the waits of all attempts of a call together', async () => {
  const busy = () => json({}, { status: 429, headers: { 'Retry-After': '60' } });
  const sentWith = async (maxWait: number) => {
    const fetch = stubFetch(busy, busy, json([]));
    const error = await stubClient(fetch, { clock: quickClock(), maxWait })
      .listPets()
      .catch((failure: unknown) => failure as RateLimitError);
    return [fetch.sent.length, error instanceof RateLimitError ? error.reason : 'answered'];
  };
  expect(await sentWith(100_000)).toEqual([2, 'wait']);
  expect(await sentWith(200_000)).toEqual([3, 'answered']);
});

test('maxHold of a call takes the place of that of the client, for a 429 and for a Retry-After of the 503', async () => {
  const busy = (status: number) => () => json({}, { status, headers: { 'Retry-After': '3600' } });
  const sentWith = async (status: number, client: number, call?: number) => {
    const fetch = stubFetch(busy(status), json([]));
    const options = { clock: quickClock(), maxHold: client };
    const error = await stubClient(fetch, options)
      .listPets({}, { maxHold: call })
      .catch((failure: unknown) => failure as Error);
    return [fetch.sent.length, error instanceof Error ? error.message : 'answered'];
  };
  for (const status of [429, 503]) {
    expect(await sentWith(status, 1_000)).toEqual([1, expect.any(String)]);
    expect(await sentWith(status, 1_000, Infinity)).toEqual([2, 'answered']);
    expect(await sentWith(status, Infinity, 1_000)).toEqual([1, expect.any(String)]);
  }
  const [, message] = await sentWith(429, Infinity, 1_000);
  expect(message).toContain('longer than maxHold (1000 ms)');
});

test.each([
  ['false', { timeout: false, totalTimeout: false }],
  ['Infinity', { timeout: Infinity, totalTimeout: Infinity }],
] as const)('a call whose bounds are %s arms no timer but for its waits', async (_name, bounds) => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  try {
    const timers: number[] = [];
    const client = stubClient(() => (timers.push(vi.getTimerCount()), Promise.resolve(json([]))), {
      apiKey: () => (timers.push(vi.getTimerCount()), 'unbound-key'),
      ...bounds,
      maxWait: Infinity,
    });
    await client.listPets();
    expect(timers).toEqual([0, 0]);
  } finally {
    vi.useRealTimers();
  }
});

test.each<[string, RateLimitGate['acquire'], string]>([
  [
    'rejects',
    () => Promise.reject(Object.assign(new Error('Redis is down'), { code: 'ECONNREFUSED' })),
    'Redis is down',
  ],
  [
    'throws',
    () => {
      throw new Error('no such bucket');
    },
    'no such bucket',
  ],
])(
  'a gate of one’s own that %s is a ConfigurationError: nothing was sent, and the service is not to blame',
  async (_name, acquire, said) => {
    const fetch = stubFetch();
    const error = await rejection<ConfigurationError>(
      stubClient(fetch, { gate: { acquire } }).listPets(),
    );
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toBe(`listPets on pets.test: the option gate failed: ${said}`);
    expect((error.cause as Error).message).toBe(said);
    expect(fetch.sent).toEqual([]);
  },
);

test.each([
  [() => undefined, 'got nothing'],
  [() => null, 'got null'],
  [() => ({}), 'got an object'],
])(
  'a gate function that returns no gate (%s) is a ConfigurationError, and nothing is sent past it',
  async (gate, got) => {
    const fetch = stubFetch(json([]));
    const error = await rejection<ConfigurationError>(
      stubClient(fetch, { gate: gate as never }).listPets(),
    );
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toBe(
      `listPets on pets.test: the option gate failed: its result must be a RateLimitGate: an object with a function acquire, ${got}`,
    );
    expect(fetch.sent).toEqual([]);
  },
);

/** A gate that grants every call, and whose permits fail, whatever is called. */
const brokenGate: RateLimitGate = {
  acquire() {
    const fail = () => {
      throw new Error('Redis is down');
    };
    return Promise.resolve({ settle: fail, lose: fail, cancel: fail });
  },
};

test('a request that was sent counts as sent, also if the gate fails when it hears that there was no response', async () => {
  const fetch = stubFetch(() => {
    throw new TypeError('connection lost');
  });
  const call = stubClient(fetch, { gate: brokenGate }).createPet({
    name: 'Rex',
    categoryId: 1,
  });
  const error = await rejection<ConnectionError>(call);
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error.requestSent).toBe('unknown');
  expect(error.attempts).toHaveLength(1);
  expect(error.message).toContain('connection lost');
});

test('a response counts, also if the gate fails when it arrives', async () => {
  const fetch = stubFetch(json([]));
  expect(await stubClient(fetch, { gate: brokenGate }).listPets()).toEqual([]);
});

test('a permit whose settle fails is not used a second time', async () => {
  const uses: string[] = [];
  const permit: GatePermit = {
    settle: () => {
      uses.push('settle');
      throw new Error('Redis is down');
    },
    lose: () => uses.push('lose'),
    cancel: () => uses.push('cancel'),
  };
  const gate = { acquire: () => Promise.resolve(permit) };
  await stubClient(stubFetch(json([])), { gate }).listPets();
  expect(uses).toEqual(['settle']);
});

test('an async method of a permit that rejects is no unhandled rejection', async () => {
  const clock = handClock();
  const uses: string[] = [];
  const failing = (name: string) => () => {
    uses.push(name);
    return Promise.reject(new Error(`${name}: Redis is down`));
  };
  const gate: RateLimitGate = {
    acquire() {
      clock.pass(50);
      return Promise.resolve({
        settle: failing('settle'),
        lose: failing('lose'),
        cancel: failing('cancel'),
      });
    },
  };
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  try {
    const lost = () => {
      throw new TypeError('connection lost');
    };
    const client = stubClient(stubFetch(json([]), lost), {
      clock,
      gate,
      maxRetries: 0,
    });
    expect(await client.listPets()).toEqual([]);
    expect(await rejection(client.listPets())).toBeInstanceOf(ConnectionError);
    expect(await rejection(client.listPets({}, { totalTimeout: 40 }))).toBeInstanceOf(TimeoutError);
    // The event comes after the microtasks of the turn.
    await new Promise((resolve) => setImmediate(resolve));
    expect(uses).toEqual(['settle', 'lose', 'cancel']);
    expect(unhandled).not.toHaveBeenCalled();
  } finally {
    process.off('unhandledRejection', unhandled);
  }
});

test('a gate that fails when a permit is cancelled hides neither a new key nor the failure of its function', async () => {
  const clock = handClock();
  const late: RateLimitGate = {
    acquire(call) {
      // Every second permit is granted at once.
      clock.pass(waits.shift()!);
      return brokenGate.acquire(call);
    },
  };
  const waits = [1_000, 0, 1_000, 0];
  const keys: (string | Error)[] = ['old-key', 'new-key', 'other-key', new Error('no key')];
  const fetch = stubFetch(json([]));
  const apiKey = () => {
    const key = keys.shift()!;
    if (key instanceof Error) throw key;
    return key;
  };
  const client = stubClient(fetch, { apiKey, clock, gate: late });
  expect(await client.listPets()).toEqual([]);
  expect(fetch.sent.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer new-key']);
  const error = await rejection<ConfigurationError>(client.listPets());
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error.message).toContain('the function apiKey failed');
});

test('a gate that fails when a request was never sent does not hide why', async () => {
  const clock = handClock();
  const slow: RateLimitGate = {
    acquire(call) {
      clock.pass(50);
      return brokenGate.acquire(call);
    },
  };
  const fetch = stubFetch();
  const client = stubClient(fetch, { clock, gate: slow });
  const error = await rejection<TimeoutError>(client.listPets({}, { totalTimeout: 40 }));
  expect(error).toBeInstanceOf(TimeoutError);
  expect(fetch.sent).toEqual([]);
});

const unbounded = { totalTimeout: false, maxWait: Infinity } as const;

test.each<[string, () => RequestOptions]>([
  ['totalTimeout', () => ({ totalTimeout: 20, maxWait: Infinity })],
  ['maxWait', () => ({ totalTimeout: false, maxWait: 20 })],
  ['the signal of the caller', () => ({ ...unbounded, signal: AbortSignal.timeout(20) })],
])(
  'a gate of one’s own that ignores its signal holds no call beyond %s, and gets a late permit back',
  async (_name, options) => {
    let cancelled = 0;
    let grant: ((permit: GatePermit) => void) | undefined;
    const gate: RateLimitGate = { acquire: () => new Promise((resolve) => (grant = resolve)) };
    const fetch = stubFetch();
    // Nothing else would end the call.
    await rejection(stubClient(fetch, { gate }).listPets({}, options()));
    grant!({ settle: () => undefined, lose: () => undefined, cancel: () => (cancelled += 1) });
    await expect.poll(() => cancelled).toBe(1);
    expect(fetch.sent).toEqual([]);
  },
);

test('calls that wait through many windows ask a function that has its key at hand twice at most', async () => {
  const service = createMockService({
    clock: 'virtual',
    keys: { 'key-of-today': { plan: 'free' } },
  });
  const apiKey = vi.fn(() => Promise.resolve('key-of-today'));
  const client = new PetStoreClient({ apiKey, fetch: service.fetch });
  await Promise.all(Array.from({ length: 300 }, () => client.listPets()));
  expect(apiKey.mock.calls.length).toBeLessThanOrEqual(600);
  expect(service.report().rateLimited).toBe(0);
});

test('a clock whose sleep fails ends the calls that wait for it with a ConfigurationError', async () => {
  const clock = {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    sleep: () => Promise.reject(new Error('the clock is broken')),
  };
  const waits = { maxWait: 60_000 };
  for (const status of [429, 503]) {
    const headers = { 'Retry-After': '1' };
    const fetch = stubFetch(json({}, { status, headers }));
    for (const options of [{ clock }, { clock, ...waits }]) {
      const error = await rejection<ConfigurationError>(stubClient(fetch, options).listPets());
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error.message).toContain('the option clock failed: the clock is broken');
    }
  }
});
