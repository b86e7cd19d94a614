import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/utils/clock.js';
import { ConnectionError, RateLimitError, ServerError, TimeoutError } from '../../src/index.js';
import { errorResponse, json, quickClock, stubClient, stubFetch } from '../support/stub.js';
import { rejection, world } from '../support/world.js';

beforeEach(() => void vi.useFakeTimers({ toFake: [...timers] }));
afterEach(() => vi.useRealTimers());

const timers = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'performance',
] as const;

const never = () => new Promise<never>(() => undefined);
const newPet = { name: 'Rex', categoryId: 1 };
/** Sends its headers and a first byte, and no more. */
const stalls = () =>
  new Response(
    new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array([91])) }),
  );
/** Turns of the event loop, in which all is done that waits for no timer. */
async function turns(): Promise<void> {
  for (let n = 0; n < 50; n++) await new Promise((resolve) => setImmediate(resolve));
}

/** The error of a call that ends when `ms` of fake time have passed, and not before. */
async function errorAfter<E = Error>(ms: number, call: Promise<unknown>): Promise<E> {
  let settled = false;
  const error = rejection<E>(call).finally(() => (settled = true));
  await turns();
  await vi.advanceTimersByTimeAsync(ms - 1);
  await turns();
  expect(settled, `before ${ms} ms`).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  return error;
}

test.each([
  [
    'no headers come',
    never,
    'no response within timeout (60 ms); it may have been processed: check before you send it again',
    { requestSent: 'unknown', attempts: [{ status: undefined, failure: 'timeout' }] },
  ],
  [
    'the body stalls after its first byte',
    stalls,
    '200, but no complete body within timeout (60 ms); the request took effect: do not send it again',
    { requestSent: 'yes', attempts: [{ status: 200, failure: 'timeout' }] },
  ],
])('the timeout of an attempt runs to the last byte: %s', async (_name, reply, says, fields) => {
  const call = stubClient(stubFetch(reply)).createPet(newPet, { timeout: 60 });
  const error = await errorAfter<TimeoutError>(60, call);
  expect(error).toBeInstanceOf(TimeoutError);
  expect(error.message).toBe(`createPet on pets.test: ${says}`);
  expect(error).toMatchObject(fields);
});

test('a body that comes byte by byte is cut off by the timeout, though each byte is quick', async () => {
  let timer: NodeJS.Timeout | undefined;
  const drips = () =>
    new Response(
      new ReadableStream({
        start: (controller) =>
          void (timer = setInterval(() => controller.enqueue(new Uint8Array([32])), 10)),
        cancel: () => clearInterval(timer),
      }),
    );
  const error = await errorAfter(
    80,
    stubClient(stubFetch(drips)).listPets({}, { timeout: 80, maxRetries: 0 }),
  );
  expect(error).toBeInstanceOf(TimeoutError);
});

test('a timed-out GET is tried again within its limit, each attempt with the whole timeout', async () => {
  const fetch = stubFetch(never, never, json([]));
  const call = stubClient(fetch, { clock: quickClock() })
    .listPets({}, { timeout: 30 })
    .withResponse();
  for (const sent of [1, 2]) {
    await turns();
    await vi.advanceTimersByTimeAsync(29);
    expect(fetch.sent).toHaveLength(sent);
    await vi.advanceTimersByTimeAsync(1);
  }
  const { data, attempts } = await call;
  expect(data).toEqual([]);
  expect(attempts.map(({ status, failure }) => status ?? failure)).toEqual([
    'timeout',
    'timeout',
    200,
  ]);
});

test('totalTimeout ends an attempt in flight, and no other follows', async () => {
  const fetch = stubFetch(never);
  const error = await errorAfter<TimeoutError>(
    40,
    stubClient(fetch).listPets({}, { timeout: false, totalTimeout: 40 }),
  );
  expect(error).toBeInstanceOf(TimeoutError);
  expect(error.message).toBe(
    'listPets on pets.test: no response within totalTimeout (40 ms); raise totalTimeout, or try again later',
  );
  expect(fetch.sent).toHaveLength(1);
});

test('after totalTimeout no other attempt follows, even where no time has passed on the clock of the client', async () => {
  // The shortest of all backoffs: 0.
  const dice = vi.spyOn(Math, 'random').mockReturnValue(0);
  const fetch = stubFetch(never);
  const call = stubClient(fetch, { clock: quickClock() }).listPets(
    {},
    { timeout: false, totalTimeout: 20 },
  );
  expect(await errorAfter(20, call)).toBeInstanceOf(TimeoutError);
  dice.mockRestore();
  expect(fetch.sent).toHaveLength(1);
});

test('by default fetch has the time to say that connecting took too long, and that nothing was sent', async () => {
  const cause = Object.assign(new Error('Connect Timeout Error'), {
    code: 'UND_ERR_CONNECT_TIMEOUT',
  });
  const unreachable = () =>
    new Promise<never>((_resolve, reject) =>
      setTimeout(() => reject(new TypeError('fetch failed', { cause })), 11_000),
    );
  const error = await errorAfter<ConnectionError>(
    11_000,
    stubClient(stubFetch(unreachable)).createPet(newPet),
  );
  expect(error).toMatchObject({ name: 'ConnectionError', requestSent: 'no' });
});

test('the signal of fetch is aborted with the timeout that has passed', async () => {
  const fetch = stubFetch(never);
  await errorAfter(20, stubClient(fetch).createPet(newPet, { timeout: 20 }));
  expect(fetch.sent[0]!.signal.reason).toMatchObject({ message: 'timeout passed' });
});

test('totalTimeout bounds a key function that does not answer: nothing was sent', async () => {
  const error = await errorAfter<TimeoutError>(
    30,
    stubClient(stubFetch(), { apiKey: never }).listPets({}, { totalTimeout: 30 }),
  );
  expect(error).toBeInstanceOf(TimeoutError);
  expect(error.message).toBe(
    'listPets on pets.test: no response within totalTimeout (30 ms); nothing was sent',
  );
  expect(error.requestSent).toBe('no');
  expect(error.attempts).toEqual([]);
});

test('a 429 was not processed, which an error after totalTimeout says', async () => {
  let keys = 0;
  const fetch = stubFetch(() => errorResponse(429, {}, { 'Retry-After': '0' }));
  const apiKey = () => (keys++ === 0 ? 'key-that-is-not-renewed' : never());
  const error = await errorAfter<TimeoutError>(
    5_000,
    stubClient(fetch, { apiKey }).createPet(newPet, { totalTimeout: 5_000 }),
  );
  expect(error).toMatchObject({ name: 'TimeoutError', requestSent: 'no' });
  expect(error.attempts.map(({ status }) => status)).toEqual([429]);
  expect(error.message).toBe(
    'createPet on pets.test: no response within totalTimeout (5000 ms); it was not processed: raise totalTimeout, or try again later',
  );
});

test('totalTimeout bounds a schema that does not come to a verdict', async () => {
  const schema = { '~standard': { version: 1 as const, vendor: 'test', validate: never } };
  const call = stubClient(stubFetch(json({}))).request(
    { method: 'GET', path: '/x', schema },
    { totalTimeout: 30 },
  );
  expect(await errorAfter(30, call)).toBeInstanceOf(TimeoutError);
});

test('a wait for the rate limit that would pass totalTimeout is not begun', async () => {
  const { service, client, elapsed } = world();
  service.keys.get('mock-free').exhaust('minute');
  const error = await rejection<RateLimitError>(client().listPets({}, { totalTimeout: 5_000 }));
  expect(error).toBeInstanceOf(RateLimitError);
  expect(error.reason).toBe('deadline');
  expect(elapsed()).toBeLessThan(5_000);
});

test('a wait before a retry that would pass totalTimeout is not begun: the call rejects with the failure itself', async () => {
  const clock = quickClock();
  const fetch = stubFetch(json({}, { status: 503, headers: { 'Retry-After': '20' } }));
  const error = await rejection(
    stubClient(fetch, { clock }).listPets({}, { totalTimeout: 10_000 }),
  );
  expect(error).toBeInstanceOf(ServerError);
  expect(fetch.sent).toHaveLength(1);
  expect(clock.waits.filter((ms) => ms > 10_000)).toEqual([]);
  expect(
    await rejection(stubClient(fetch, { clock }).listPets({}, { totalTimeout: 20_000 })),
  ).toBeInstanceOf(ServerError);
  expect(fetch.sent, 'there would be no time left for the attempt').toHaveLength(2);
});

test('of timeout and what is left of totalTimeout the shorter one ends an attempt, and is named', async () => {
  const named = async (timeout: number | false, totalTimeout: number | false) =>
    (
      await errorAfter(
        20,
        stubClient(stubFetch(never)).createPet(newPet, { timeout, totalTimeout }),
      )
    ).message.match(/within (\w+)/)?.[1];
  expect(await named(20, 2_000)).toBe('timeout');
  expect(await named(2_000, 20)).toBe('totalTimeout');
  expect(await named(false, 20)).toBe('totalTimeout');
  const both = stubClient(stubFetch(never), { clock: quickClock() }).createPet(newPet, {
    timeout: 20,
    totalTimeout: 20,
  });
  expect((await errorAfter(20, both)).message).toContain('within totalTimeout');
  expect(await named(20, false)).toBe('timeout');
});

test('the timeout of a call goes before that of its client, and false or Infinity is none', async () => {
  const slow = () => new Promise<Response>((resolve) => setTimeout(() => resolve(json([])), 60));
  const client = stubClient(stubFetch(slow), { timeout: 20, maxRetries: 0 });
  expect(await errorAfter(20, client.listPets())).toBeInstanceOf(TimeoutError);
  for (const timeout of [false, Infinity] as const) {
    const call = client.listPets({}, { timeout });
    await turns();
    await vi.advanceTimersByTimeAsync(60);
    expect(await call).toEqual([]);
  }
});

test('a timeout longer than a timer can hold is not a timeout at once', async () => {
  const slow = () => new Promise<Response>((resolve) => setTimeout(() => resolve(json([])), 30));
  const options = { timeout: 2 ** 40, totalTimeout: 2 ** 40 };
  const call = stubClient(stubFetch(slow)).listPets({}, options);
  await turns();
  await vi.advanceTimersByTimeAsync(30);
  expect(await call).toEqual([]);
});

test('a failure that comes after the timeout changes nothing', async () => {
  const late = () =>
    new Promise<Response>((_resolve, reject) => setTimeout(() => reject(new Error('late')), 40));
  const call = stubClient(stubFetch(late)).createPet(newPet, { timeout: 10 });
  expect(await errorAfter(10, call)).toBeInstanceOf(TimeoutError);
  await vi.advanceTimersByTimeAsync(60);
  await turns();
});

test('an error response of fetch is a ConnectionError', async () => {
  expect(
    await rejection(stubClient(stubFetch(() => Response.error())).createPet(newPet)),
  ).toBeInstanceOf(ConnectionError);
});

test('the system clock waits the whole time, however long a timer may be', async () => {
  vi.useFakeTimers();
  let over = false;
  const days = 86_400_000;
  void systemClock.sleep(60 * days).then(() => (over = true));
  await vi.advanceTimersByTimeAsync(60 * days - 1);
  expect([over, vi.getTimerCount()]).toEqual([false, 1]);
  await vi.advanceTimersByTimeAsync(1);
  expect([over, vi.getTimerCount()]).toEqual([true, 0]);
});

test('where timers are faked and the time of performance is not, what a timer says has passed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const began = systemClock.monotonic();
  let over = false;
  void systemClock.sleep(60_000).then(() => (over = true));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(over).toBe(true);
  expect(systemClock.monotonic() - began).toBeGreaterThanOrEqual(60_000);
});

test('a sleep that is over leaves no listener at its signal, and moves no clock', async () => {
  vi.useFakeTimers();
  const { signal } = new AbortController();
  const [now, began] = [performance.now(), systemClock.monotonic()];
  const sleep = systemClock.sleep(1_000, signal);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1_000);
  await sleep;
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(systemClock.monotonic() - began).toBeCloseTo(performance.now() - now, 6);
});

test('a sleep of nothing is over at once, and one with an aborted signal rejects with its reason', async () => {
  vi.useFakeTimers();
  await systemClock.sleep(0);
  await systemClock.sleep(-5);
  expect(await rejection(systemClock.sleep(10, AbortSignal.abort('why')))).toBe('why');
  expect(vi.getTimerCount()).toBe(0);
});
