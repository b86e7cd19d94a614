import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { createMockService } from '../../mocks/index.js';
import {
  PetStoreClient,
  type GateResponse,
  type PetStoreClientOptions,
  type PetStoreEvent,
  type RateLimitGate,
} from '../../src/index.js';
import { json, quickClock, stubClient, stubFetch } from '../support/stub.js';
import { rejection } from '../support/world.js';

const reason = new Error('the user has left');
const never = () => new Promise<never>(() => undefined);
/** One turn of the event loop: time enough for every microtask, and for no timer of a millisecond. */
const turn = () => new Promise((resolve) => setImmediate(resolve));
const timers = () =>
  process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;

/** Aborts a call that waits, and shows that it rejects within a tick with the reason itself, leaving nothing behind. */
async function abortWhileWaiting(
  start: (signal: AbortSignal) => Promise<unknown>,
  ready: () => unknown = turn,
): Promise<void> {
  const timersBefore = timers();
  const controller = new AbortController();
  const call = start(controller.signal);
  let outcome: unknown = 'pending';
  call.catch((error: unknown) => (outcome = error));
  await ready();
  await turn();
  expect(outcome).toBe('pending');
  controller.abort(reason);
  await turn();
  expect(outcome).toBe(reason);
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  expect(timers()).toBeLessThanOrEqual(timersBefore);
}

/** A clock on which nothing ever comes to pass. */
const frozen = (): PetStoreClientOptions => ({
  clock: {
    now: () => 0,
    monotonic: () => 0,
    sleep: (_ms, signal) =>
      new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason as Error)),
      ),
  },
});

test('a call with a signal that is aborted already sends nothing and rejects with its reason', async () => {
  const fetch = stubFetch();
  expect(
    await rejection(stubClient(fetch).listPets({}, { signal: AbortSignal.abort(reason) })),
  ).toBe(reason);
  expect(fetch.sent).toEqual([]);
});

test.each([
  ['without a bound', {}],
  ['with maxWait', { maxWait: 90_000 }],
  ['with totalTimeout', { totalTimeout: 90_000 }],
])(
  'a call that waits at the gate %s rejects within a tick when it is aborted',
  async (_name, options) => {
    const service = createMockService();
    const client = new PetStoreClient({ apiKey: 'mock-free', fetch: service.fetch });
    service.keys.get('mock-free').exhaust('minute');
    const held = new AbortController();
    const holding = client.listPets({}, { signal: held.signal }).catch(() => undefined);
    await turn();
    await abortWhileWaiting((signal) => client.listPets({}, { signal, ...options }));
    expect(service.requests).toHaveLength(1);
    held.abort();
    await holding;
  },
);

test('a call that waits before a retry rejects within a tick when it is aborted', async () => {
  const client = stubClient(stubFetch(json({}, { status: 503, headers: { 'Retry-After': '60' } })));
  await abortWhileWaiting((signal) => client.listPets({}, { signal }));
});

test.each([
  ['without a bound', {}],
  ['with totalTimeout', { totalTimeout: 90_000 }],
])(
  'a call whose key function does not answer, %s, rejects within a tick when it is aborted',
  async (_name, options) => {
    const fetch = stubFetch();
    const client = stubClient(fetch, { apiKey: never });
    await abortWhileWaiting((signal) => client.listPets({}, { signal, ...options }));
    expect(fetch.sent).toEqual([]);
  },
);

test('a call in flight rejects within a tick when it is aborted, even where fetch ignores its signal', async () => {
  const client = stubClient(stubFetch(never));
  await abortWhileWaiting((signal) => client.listPets({}, { signal }));
});

test('fetch gets a signal that is aborted with the reason of the caller', async () => {
  const fetch = stubFetch(never);
  await abortWhileWaiting((signal) => stubClient(fetch).listPets({}, { signal }));
  expect(fetch.sent[0]!.signal.aborted).toBe(true);
  expect(fetch.sent[0]!.signal.reason).toBe(reason);
});

const stalledBody = (onCancel: () => void = () => undefined) =>
  new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('[')),
    cancel: onCancel,
  });

test('a call whose body is being read rejects within a tick when it is aborted, and the body is let go', async () => {
  let cancelled = false;
  const client = stubClient(stubFetch(() => new Response(stalledBody(() => (cancelled = true)))));
  await abortWhileWaiting((signal) => client.listPets({}, { signal }));
  expect(cancelled).toBe(true);
});

test('a call whose body of a stated length is being read rejects within a tick when it is aborted', async () => {
  const client = stubClient(
    stubFetch(() => new Response(stalledBody(), { headers: { 'Content-Length': '100' } })),
  );
  await abortWhileWaiting((signal) => client.listPets({}, { signal }));
});

test('a call whose schema does not come to a verdict rejects within a tick when it is aborted', async () => {
  const schema = { '~standard': { version: 1 as const, vendor: 'test', validate: never } };
  const client = stubClient(stubFetch(json({})));
  await abortWhileWaiting((signal) =>
    client.request({ method: 'GET', path: '/store/orders', schema }, { signal }),
  );
});

test('the reason is passed on as it is, whatever its type', async () => {
  for (const why of ['text', 0, null, { code: 1 }]) {
    const controller = new AbortController();
    const call = stubClient(stubFetch(never)).listPets({}, { signal: controller.signal });
    await turn();
    controller.abort(why);
    expect(await rejection(call)).toBe(why);
  }
});

test("AbortSignal.timeout of the caller is an abort: its own TimeoutError, never the client's", async () => {
  const error = await rejection<DOMException>(
    stubClient(stubFetch(never)).listPets({}, { signal: AbortSignal.timeout(20) }),
  );
  expect(error).toBeInstanceOf(DOMException);
  expect(error.name).toBe('TimeoutError');
});

test('a signal does not take the place of the timeout: both work together', async () => {
  const { signal } = new AbortController();
  const error = await rejection<Error>(
    stubClient(stubFetch(never)).createPet({ name: 'x', categoryId: 1 }, { signal, timeout: 20 }),
  );
  expect(error.name).toBe('TimeoutError');
  expect(error.message).toContain('no response within timeout (20 ms)');
});

test.each([
  ['plain', {}],
  ['bounded', { maxWait: 60_000, totalTimeout: 60_000 }],
])('1,000 %s calls on one signal leave no listener and no timer', async (_name, options) => {
  const { signal } = new AbortController();
  const timersBefore = timers();
  const replies = [
    json([]),
    json({}, { status: 503 }),
    json([]),
    json({}, { status: 400 }),
    () => Promise.reject(new TypeError('reset')),
  ];
  let at = 0;
  const fetch = stubFetch(() => {
    const reply = replies[at++ % replies.length]!;
    return typeof reply === 'function' ? reply() : reply.clone();
  });
  const client = stubClient(fetch, {
    clock: quickClock(),
    maxRetries: 1,
    apiKey: async () => Promise.resolve('a-key'),
  });
  await Promise.allSettled(
    Array.from({ length: 1_000 }, () => client.listPets({}, { signal, ...options })),
  );
  expect(fetch.sent.length).toBeGreaterThan(1_000);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(timers()).toBeLessThanOrEqual(timersBefore);
});

test('an aborted call gives its place at the gate back', async () => {
  const client = stubClient(stubFetch(never, json([])));
  const controller = new AbortController();
  const first = client.listPets({}, { signal: controller.signal });
  const second = client.listPets();
  await turn();
  controller.abort(reason);
  expect(await rejection(first)).toBe(reason);
  expect(await second).toEqual([]);
});

test('a permit is given back when the key function fails while it is held', async () => {
  const permits = { cancelled: 0, settled: 0, lost: 0 };
  let now = 0;
  const gate: RateLimitGate = {
    async acquire() {
      now += 5_000;
      return Promise.resolve({
        settle: () => permits.settled++,
        lose: () => permits.lost++,
        cancel: () => permits.cancelled++,
      });
    },
  };
  let asked = 0;
  const apiKey = () => {
    if (asked++ === 0) return 'first-key';
    throw new Error('vault is sealed');
  };
  const clock = { ...frozen().clock!, monotonic: () => now };
  const error = await rejection<Error>(stubClient(stubFetch(), { apiKey, clock, gate }).listPets());
  expect(error.message).toContain('the function apiKey failed (Error)');
  expect(permits).toEqual({ cancelled: 1, settled: 0, lost: 0 });
});

test('of the methods of a permit exactly one is called', async () => {
  const called: string[] = [];
  const gate: RateLimitGate = {
    acquire: () =>
      Promise.resolve({
        settle: ({ status }: GateResponse) => called.push(`settle ${status}`),
        lose: () => called.push('lose'),
        cancel: () => called.push('cancel'),
      } as never),
  };
  const fetch = stubFetch(json([]), json({}, { status: 404 }), () =>
    Promise.reject(new TypeError('reset')),
  );
  const client = stubClient(fetch, { gate, maxRetries: 0 });
  for (let i = 0; i < 3; i++) await client.listPets().catch(() => undefined);
  expect(called).toEqual(['settle 200', 'settle 404', 'lose']);
});

test.each([
  ['before the first request', 'request', {}],
  ['before the first request, with a bound', 'request', { maxWait: 60_000 }],
  ['before a retry', 'retry', {}],
  ['before a retry, with a bound', 'retry', { maxWait: 60_000 }],
  ['before a key function is asked', 'deprecated', {}],
  ['before a key function is asked, with a bound', 'deprecated', { totalTimeout: 60_000 }],
  ['when the answer is here', 'response', {}],
])('a listener of events that aborts %s stops the call there', async (_name, type, options) => {
  const controller = new AbortController();
  const fetch = stubFetch(json({}, { status: 429, headers: { 'Retry-After': '0' } }));
  const onEvent = (event: PetStoreEvent) => event.type === type && controller.abort(reason);
  const client = stubClient(fetch, { apiKey: () => 'a-key', clock: quickClock(), onEvent });
  expect(await rejection(client.getPet(1, { signal: controller.signal, ...options }))).toBe(reason);
  expect(fetch.sent.length).toBe(type === 'retry' || type === 'response' ? 1 : 0);
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
});
