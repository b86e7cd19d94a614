import { expect, test, vi } from 'vitest';
import {
  PetStoreClient,
  type Clock,
  type PetStoreClientOptions,
  type RateLimitError,
  type ServerError,
} from '../../src/index.js';
import { createMockService } from '../../mocks/index.js';
import { rejection, times, world } from '../support/world.js';

const epoch = Date.UTC(2026, 0, 1);

/** A clock that jumps at once to the end of every sleep, and a service on it that answers one response after the other. */
function stage(...answers: ((now: number) => Response)[]) {
  let elapsed = 0;
  const clock: Clock = {
    now: () => epoch + elapsed,
    monotonic: () => elapsed,
    sleep: (ms, signal) => (signal?.throwIfAborted(), (elapsed += ms), Promise.resolve()),
  };
  const sentAt: number[] = [];
  const fetch = () => {
    sentAt.push(elapsed);
    return Promise.resolve((answers.shift() ?? (() => Response.json([])))(epoch + elapsed));
  };
  const client = (options: PetStoreClientOptions = {}) =>
    new PetStoreClient({ apiKey: 'stage-key', fetch, clock, ...options });
  return { client, sentAt };
}

const refused = (headers: HeadersInit) => new Response('', { status: 429, headers });
const seconds = (ms: number) => String(Math.ceil(ms / 1_000));

test.each<[string, (now: number) => string]>([
  ['an HTTP-date', (now) => new Date(now + 60_000).toUTCString()],
  ['a Unix timestamp in seconds', (now) => seconds(now + 60_000)],
  ['a Unix timestamp in ms', (now) => String(now + 60_000)],
])(
  'Retry-After as %s is waited out also where no Date tells the time of the service',
  async (_form, form) => {
    const { client, sentAt } = stage((now) => refused({ 'Retry-After': form(now) }));
    await client().listPets();
    expect(sentAt[1]).toBeGreaterThanOrEqual(60_000);
    expect(sentAt[1]).toBeLessThanOrEqual(63_000);
  },
);

test('a Retry-After date beyond maxHold is a hold at once, also without a Date', async () => {
  const { client, sentAt } = stage((now) =>
    refused({ 'Retry-After': new Date(now + 3_600_000).toUTCString() }),
  );
  expect(await rejection<RateLimitError>(client().listPets())).toMatchObject({ reason: 'hold' });
  expect(await rejection<RateLimitError>(client().listPets())).toMatchObject({ reason: 'hold' });
  expect(sentAt).toEqual([0]);
});

test('a near Reset without a Date is exact to the second', async () => {
  const spent = (now: number) =>
    refused({
      'X-RateLimit-Limit': '60',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': seconds(now + 2_000),
    });
  const { client, sentAt } = stage(spent);
  await client({ rateLimit: { maxHold: 10_000 } }).listPets();
  expect(sentAt[1]).toBeGreaterThanOrEqual(2_000);
  expect(sentAt[1]).toBeLessThanOrEqual(4_000);
});

test.each([-120_000, -30_000, 30_000, 120_000])(
  'a local clock that is off by %i ms, and no Date, cost at most one request a key',
  async (skew) => {
    const service = createMockService({
      clock: 'virtual',
      assumptions: { dateHeader: false },
      latency: 100,
      now: '2026-01-01T00:00:20Z',
    });
    const { clock } = service;
    const skewed: Clock = {
      now: () => clock.now() + skew,
      monotonic: () => clock.monotonic(),
      sleep: (ms, signal) => clock.sleep(ms, signal),
    };
    const client = new PetStoreClient({ apiKey: 'mock-free', fetch: service.fetch, clock: skewed });
    await Promise.all(times(200, () => client.listPets()));
    expect(service.report().rateLimited).toBeLessThanOrEqual(1);
    expect(service.report()).toMatchObject({ duringCoolDown: 0, bans: 0 });
  },
);

test('a limit on the wait does not move a virtual clock', async () => {
  for (const options of [{ rateLimit: { maxWait: 60_000 } }, { totalTimeout: 60_000 }]) {
    const { client, sentAt } = stage();
    const bounded = client(options);
    await Promise.all(times(5, () => bounded.listPets()));
    expect(sentAt).toEqual([0, 0, 0, 0, 0]);
  }
});

test('the real time of a key function does not count on a virtual clock', async () => {
  const { client } = world();
  const apiKey = () => new Promise<string>((resolve) => setImmediate(() => resolve('mock-free')));
  await expect(client({ apiKey, totalTimeout: 60_000 }).listPets()).resolves.toEqual([]);
});

test.each([-120_000, 120_000])(
  "the Retry-After date of a 503 is read on the service's clock, which is off by %i ms",
  async (skew) => {
    const down = (now: number) => {
      const date = (ahead: number) => new Date(now + skew + ahead).toUTCString();
      return new Response('', {
        status: 503,
        headers: { Date: date(0), 'Retry-After': date(20_000) },
      });
    };
    const { client, sentAt } = stage(down);
    await client().listPets();
    expect(sentAt[1]).toBeGreaterThanOrEqual(20_000);
    expect(sentAt[1]).toBeLessThanOrEqual(24_000);
  },
);

test('a 503 with Retry-After holds the other calls of the key too', async () => {
  const { client, sentAt } = stage(
    () => new Response('', { status: 503, headers: { 'Retry-After': '5' } }),
  );
  const calls = client();
  expect(
    await rejection<ServerError>(calls.createPet({ name: 'Rex', categoryId: 1 })),
  ).toMatchObject({ status: 503 });
  await calls.listPets();
  expect(sentAt[1]).toBeGreaterThanOrEqual(5_000);
});

test('retry-after-ms is exact', async () => {
  const { client, sentAt } = stage(() =>
    refused({ 'Retry-After-Ms': '2500', 'Retry-After': '900' }),
  );
  await client().listPets();
  expect(sentAt[1]).toBeGreaterThanOrEqual(2_500);
  expect(sentAt[1]).toBeLessThanOrEqual(3_700);
});

test('maxQueue: 0 permits a call that need not wait, and rejects one that would', async () => {
  const { client } = world({ latency: 100 });
  const calls = client({ rateLimit: { maxQueue: 0 } });
  const [first, second] = [calls.listPets(), rejection<RateLimitError>(calls.listPets())];
  expect(await second).toMatchObject({ reason: 'queue' });
  await expect(first).resolves.toEqual([]);
});

test('a rate-limited call returns to its place, even when the queue is full', async () => {
  const { service, client } = world({ latency: 100 });
  service.keys.get('mock-free').exhaust('minute');
  const calls = client({ rateLimit: { maxQueue: 2 } });
  await Promise.all(times(3, () => calls.listPets()));
  expect(service.requests).toHaveLength(4);
});

test('a hold passes under faked timers that run all of them', async () => {
  vi.useFakeTimers();
  try {
    const service = createMockService();
    service.faults.add({ 'retry-after': 3, times: 1 });
    const call = new PetStoreClient({ apiKey: 'mock-free', fetch: service.fetch }).listPets();
    const done = vi.fn();
    void call.then(done);
    for (let turn = 0; turn < 50 && done.mock.calls.length === 0; turn += 1)
      await vi.runAllTimersAsync();
    await expect(call).resolves.toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});

test('a listener that fails later changes nothing', async () => {
  const { client } = world();
  const onEvent = () => Promise.reject(new Error('too late')) as unknown as undefined;
  await expect(client({ onEvent }).listPets()).resolves.toEqual([]);
});

test('with a clock whose sleep ignores its signal, a canceled wait has no effect', async () => {
  let elapsed = 0;
  const sleeps: { readonly until: number; readonly wake: () => void }[] = [];
  const clock: Clock = {
    now: () => epoch + elapsed,
    monotonic: () => elapsed,
    sleep: (ms) => new Promise((wake) => void sleeps.push({ until: elapsed + ms, wake })),
  };
  let sent = 0;
  const fetch = () =>
    Promise.resolve(sent++ === 0 ? refused({ 'Retry-After': '60' }) : Response.json([]));
  const client = new PetStoreClient({ apiKey: 'deaf-clock', fetch, clock });
  const stop = new AbortController();
  const given = client.listPets({}, { signal: stop.signal });
  await expect.poll(() => sleeps).toHaveLength(1);
  stop.abort(new Error('given up'));
  await expect(given).rejects.toThrow('given up');
  elapsed = 1_000;
  const patient = client.listPets();
  await expect.poll(() => sleeps).toHaveLength(2);
  sleeps[0]!.wake();
  await Promise.resolve();
  expect([sleeps.length, sent]).toEqual([2, 1]);
  elapsed = sleeps[1]!.until;
  sleeps[1]!.wake();
  expect(await patient).toEqual([]);
});

test('a listener that aborts the call permitted after a hold does not block the key', async () => {
  const { service, client } = world();
  service.keys.get('mock-free').exhaust('minute');
  const stop = new AbortController();
  const onEvent = ({ type }: { type: string }) =>
    type === 'rate-limit-resume' && stop.abort(new Error('cancel the batch'));
  // Alone: no other call may take the place that it has lost.
  await expect(client({ onEvent }).listPets({}, { signal: stop.signal })).rejects.toThrow(
    'cancel the batch',
  );
  expect(await client({ totalTimeout: 5_000 }).listPets()).toEqual([]);
  expect(await Promise.all(times(5, () => client().listPets()))).toHaveLength(5);
});

test('a request that was given up and reaches the service later than the others costs no 429', async () => {
  const { service, client } = world();
  const [late, sent] = [Promise.withResolvers(), Promise.withResolvers()];
  let inFlight = 0;
  const caller = client({
    rateLimit: { plan: 'free' },
    fetch: async (input, init) => {
      inFlight += 1;
      if (new Headers(init?.headers).has('x-late')) {
        await late.promise;
        // The request is on the wire: its signal stops it no longer.
        const { signal: _signal, ...rest } = init!;
        return service.fetch(input, rest);
      }
      await sent.promise;
      return service.fetch(input, init);
    },
  });
  const stop = new AbortController();
  const given = rejection(caller.listPets({}, { signal: stop.signal, headers: { 'X-Late': '1' } }));
  const others = times(3, () => caller.listPets());
  await vi.waitFor(() => expect(inFlight).toBe(4));
  stop.abort();
  await given;
  sent.resolve(undefined);
  await Promise.all(others);
  late.resolve(undefined);
  await Promise.all(times(80, () => caller.listPets()));
  expect(service.report()).toMatchObject({ requests: 84, rateLimited: 0 });
});
