import { getEventListeners } from 'node:events';
import { beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/utils/clock.js';
import { TimeoutError, type ApiError, type PetStoreClient } from '../../src/index.js';
import {
  errorResponse,
  json,
  list,
  newPet,
  pet,
  quickClock,
  schemaBy,
  stalls,
  stubClient,
  stubFetch,
  type Reply,
} from '../support/stub.js';
import { never, rejection, turns } from '../support/world.js';

const timers = [
  ...(['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const),
  'performance' as const,
];
beforeEach(() => void vi.useFakeTimers({ toFake: timers }));

const headers = { 'Retry-After': '0' };
const settle = () => turns(50);

/** What a call ends with when `ms` of fake time have passed, and not before. */
async function outcomeAfter<T>(ms: number, call: Promise<T>): Promise<T> {
  let settled = false;
  const ended = call.finally(() => (settled = true));
  ended.catch(() => undefined);
  await settle();
  await vi.advanceTimersByTimeAsync(ms - 1);
  await settle();
  expect(settled, `before ${ms} ms`).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  return ended;
}
const errorAfter = <E = TimeoutError>(ms: number, call: Promise<unknown>): Promise<E> =>
  outcomeAfter(ms, rejection<E>(call));

const inDoubt = 'it may have been processed: check before you send it again';
const create = (client: PetStoreClient) => client.createPet(newPet);
const request = (client: PetStoreClient) =>
  client.request({ method: 'GET', path: '/x', schema: schemaBy(never) });
const whole = (ms: number) => ({ timeout: false, totalTimeout: ms }) as const;

const each = { timeout: 60 };
const total = whole(60);
const noResponse = `createPet on pets.test: no response within timeout (60 ms); ${inDoubt}`;
const noBody =
  'createPet on pets.test: 201, but no complete body within timeout (60 ms); the request took effect: do not send it again';
const raise = 'raise totalTimeout, or try again later';
const noList = `listPets on pets.test: no response within totalTimeout (60 ms); ${raise}`;
const noKey =
  'listPets on pets.test: no response within totalTimeout (60 ms); nothing was sent: raise totalTimeout, or try again later';
const noVerdict = `GET /x on pets.test: 200, but no verdict of the schema within totalTimeout (60 ms); ${raise}`;
const silent = { status: undefined, failure: 'timeout' };
/** A body that comes byte by byte, each of them quickly. */
const drips = () => {
  let timer: NodeJS.Timeout | undefined;
  const start = (to: ReadableStreamDefaultController) => {
    timer = setInterval(() => to.enqueue(new Uint8Array([32])), 10);
  };
  const cancel = () => clearInterval(timer);
  return new Response(new ReadableStream({ start, cancel }), { status: 201, headers });
};
const stalled = { status: 201, failure: 'timeout' };

test.each<[what: string, Reply, typeof list, object, says: string, sent: string, attempt?: object]>(
  [
    ['no headers come', never, create, each, noResponse, 'unknown', silent],
    ['the body stalls', stalls({ status: 201, headers }), create, each, noBody, 'yes', stalled],
    ['the body comes byte by byte', drips, create, each, noBody, 'yes', stalled],
    ['a GET is under way, and not sent again', never, list, total, noList, 'unknown', silent],
    ['a key function does not answer', json([]), list, { ...total, apiKey: never }, noKey, 'no'],
    ['a schema comes to no verdict', json({}), request, total, noVerdict, 'yes', { status: 200 }],
  ],
)(
  'the timeout of an attempt runs to the last byte: %s',
  async (_what, reply, call, options, says, requestSent, attempt) => {
    const client = stubClient(stubFetch(reply), options);
    const error = await errorAfter(60, call(client as PetStoreClient));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error.message).toBe(says);
    expect(error).toMatchObject({ requestSent, attempts: attempt === undefined ? [] : [attempt] });
  },
);

test('a timed-out GET is tried again within its limit, each attempt with the whole timeout', async () => {
  const fetch = stubFetch(never, never, json([]));
  const client = stubClient(fetch, { clock: quickClock() });
  const call = client.listPets({}, { timeout: 30 }).withResponse();
  for (const sent of [1, 2]) {
    await settle();
    await vi.advanceTimersByTimeAsync(29);
    expect(fetch.sent).toHaveLength(sent);
    await vi.advanceTimersByTimeAsync(1);
  }
  const { attempts } = await call;
  expect(attempts.map(({ status, failure }) => status ?? failure)).toEqual([
    'timeout',
    'timeout',
    200,
  ]);
});

test('after totalTimeout no other attempt follows, even where no time has passed on the clock of the client', async () => {
  // The shortest of all backoffs: 0.
  const dice = vi.spyOn(Math, 'random').mockReturnValue(0);
  const fetch = stubFetch(never);
  const client = stubClient(fetch, { clock: quickClock() });
  expect(await errorAfter(20, client.listPets({}, whole(20)))).toBeInstanceOf(TimeoutError);
  dice.mockRestore();
  expect(fetch.sent).toHaveLength(1);
});

test('a 429 was not processed, which an error after totalTimeout says', async () => {
  let keys = 0;
  const fetch = stubFetch(errorResponse(429, {}, { 'Retry-After': '0' }));
  const apiKey = () => (keys++ === 0 ? 'key-that-is-not-renewed' : never());
  const call = stubClient(fetch, { apiKey }).createPet(newPet, { totalTimeout: 5_000 });
  const error = await errorAfter(5_000, call);
  expect(error).toMatchObject({ requestSent: 'no', attempts: [{ status: 429 }] });
  expect(error.message).toBe(
    'createPet on pets.test: no response within totalTimeout (5000 ms); it was not processed: raise totalTimeout, or try again later',
  );
});

test.each<[timeout: number | false, totalTimeout: number | false, named: string]>([
  [20, 2_000, 'timeout'],
  [2_000, 20, 'totalTimeout'],
  [false, 20, 'totalTimeout'],
  [20, false, 'timeout'],
  [20, 20, 'totalTimeout'],
])(
  'of timeout (%s) and what is left of totalTimeout (%s) the one that passes first ends an attempt, and is named, also where there is a signal: %s',
  async (timeout, totalTimeout, named) => {
    const fetch = stubFetch(never);
    const client = stubClient(fetch, { clock: quickClock() });
    const { signal } = new AbortController();
    const call = client.createPet(newPet, { timeout, totalTimeout, signal });
    expect((await errorAfter(20, call)).message).toContain(`within ${named} (20 ms)`);
    expect(fetch.sent[0]!.signal.reason).toMatchObject({ message: `${named} passed` });
  },
);

test.each<object>([
  { timeout: false },
  { timeout: Infinity },
  // Longer than a timer can hold.
  { timeout: 2 ** 40, totalTimeout: 2 ** 40 },
])('the timeout of a call (%j) goes before that of its client', async (options) => {
  const slow = () => new Promise<Response>((resolve) => setTimeout(() => resolve(json([])), 60));
  const client = stubClient(stubFetch(slow), { timeout: 20, maxRetries: 0 });
  expect(await errorAfter(20, client.listPets())).toBeInstanceOf(TimeoutError);
  expect(await outcomeAfter(60, client.listPets({}, options))).toEqual([]);
});

test.each([400, 401, 500])(
  'a %i whose body stalls is the error of its status, also for createPet',
  async (status) => {
    const client = stubClient(stubFetch(stalls({ status, headers })), { timeout: 20 });
    const error = await errorAfter<ApiError>(20, client.createPet(newPet));
    expect([error.status, error.attempts.length]).toEqual([status, 1]);
    expect(error.message).toContain('with a body that is cut short');
  },
);

test('a 429 to createPet whose body stalls is retried: it was not processed', async () => {
  const fetch = stubFetch(stalls({ status: 429, headers }), json(pet(), { status: 201 }));
  const client = stubClient(fetch, { timeout: 20, clock: quickClock() });
  expect(await outcomeAfter(20, client.createPet(newPet))).toEqual(pet());
  expect(fetch.sent).toHaveLength(2);
});

test('the system clock waits the whole time, however long a timer may be', async () => {
  const days = 86_400_000;
  await outcomeAfter(60 * days, systemClock.sleep(60 * days));
  expect(vi.getTimerCount()).toBe(0);
});

test('where timers are faked and the time of performance is not, what a timer says has passed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const began = systemClock.monotonic();
  await outcomeAfter(60_000, systemClock.sleep(60_000));
  expect(systemClock.monotonic() - began).toBeGreaterThanOrEqual(60_000);
});

test('a sleep that is over leaves no listener at its signal, and moves no clock, one of nothing is over at once, and one that is aborted rejects', async () => {
  vi.useFakeTimers();
  const { signal } = new AbortController();
  const [now, began] = [performance.now(), systemClock.monotonic()];
  const sleep = systemClock.sleep(1_000, signal);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1_000);
  await sleep;
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(systemClock.monotonic() - began).toBeCloseTo(performance.now() - now, 6);
  await systemClock.sleep(0);
  for (const ms of [0, 10])
    expect(await rejection(systemClock.sleep(ms, AbortSignal.abort('why')))).toBe('why');
  expect(vi.getTimerCount()).toBe(0);
});
