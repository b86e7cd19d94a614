import { getEventListeners } from 'node:events';
import { expect, test, vi } from 'vitest';
import { ConfigurationError, type PetStoreEvent, type RequestOptions } from '../../src/index.js';
import { json, quickClock, schemaBy, stalls, stubClient, stubFetch } from '../support/stub.js';
import { never, rejection, times, turns } from '../support/world.js';

const reason = new Error('the user has left');
const timers = () =>
  process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;

/** Aborts a call that waits, and shows that it rejects within a tick with the reason itself, leaving nothing behind. */
async function abortWhileWaiting(
  start: (options: RequestOptions) => Promise<unknown>,
  options: RequestOptions = {},
  why: unknown = reason,
): Promise<void> {
  const timersBefore = timers();
  const controller = new AbortController();
  const call = start({ ...options, signal: controller.signal });
  let outcome: unknown = 'pending';
  call.catch((error: unknown) => (outcome = error));
  await turns(2);
  expect(outcome).toBe('pending');
  controller.abort(why);
  await turns();
  expect(outcome).toBe(why);
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  expect(timers()).toBeLessThanOrEqual(timersBefore);
}

/** The reason is passed on as it is, whatever its type. */
const bounds: [RequestOptions, reason?: unknown][] = [
  [{}],
  [{ maxWait: 90_000 }, 0],
  [{ totalTimeout: 90_000 }, null],
];

const schema = schemaBy(never);
const overloaded = json({}, { status: 503, headers: { 'Retry-After': '60' } });
const deaf = { ...quickClock(), sleep: never };
const limited = json({}, { status: 429, headers: { 'Retry-After': '60' } });

test.each<[string, Parameters<typeof stubFetch>[0], object, sent: number]>([
  ['before a retry', overloaded, {}, 1],
  ['before a retry on a clock that ignores its signal', overloaded, { clock: deaf }, 1],
  ['at the gate', limited, {}, 1],
  ['at a gate that ignores its signal', json([]), { gate: { acquire: never } }, 0],
  ['for a key function that does not answer', json([]), { apiKey: never }, 0],
  ['for a fetch that ignores its signal', never, {}, 1],
  ['for the rest of a body', stalls(), {}, 1],
  ['for a body of a stated length', stalls({ headers: { 'Content-Length': '100' } }), {}, 1],
  ['for the verdict of a schema', json({}), {}, 1],
])(
  'a call that waits %s rejects within a tick when it is aborted',
  async (name, reply, options, sent) => {
    const fetch = stubFetch(reply);
    const given = name.endsWith('schema') ? { schema } : {};
    const request = { method: 'GET', path: '/pets', ...given } as const;
    for (const [bound, why] of bounds) {
      const client = stubClient(fetch, options);
      await abortWhileWaiting((call) => client.request(request, call), bound, why);
    }
    expect(fetch.sent).toHaveLength(sent * bounds.length);
  },
);

test('an aborted call aborts the signal of its fetch with the reason, and lets its body go', async () => {
  let cancelled = 0;
  const cancel = () => void (cancelled += 1);
  const start = (to: ReadableStreamDefaultController) => to.enqueue(new Uint8Array([91]));
  const endless = () => new Response(new ReadableStream({ start, cancel }));
  const fetch = stubFetch(never, endless);
  const client = stubClient(fetch);
  await abortWhileWaiting((call) => client.listPets({}, call));
  expect(fetch.sent[0]!.signal.reason).toBe(reason);
  await abortWhileWaiting((call) => client.listPets({}, call));
  expect(cancelled).toBe(1);
});

test.each([
  ['plain', {}],
  ['bounded', { maxWait: 60_000, totalTimeout: 60_000 }],
])('1,000 %s calls on one signal leave no listener and no timer', async (_name, options) => {
  const { signal } = new AbortController();
  const timersBefore = timers();
  const statuses = [200, 503, 200, 400, 0];
  let at = 0;
  const fetch = stubFetch(() => {
    const status = statuses[at++ % statuses.length]!;
    if (status === 0) throw new TypeError('reset');
    return json([], { status });
  });
  const apiKey = async () => Promise.resolve('a-key');
  const client = stubClient(fetch, { clock: quickClock(), maxRetries: 1, apiKey });
  await Promise.allSettled(times(1_000, () => client.listPets({}, { signal, ...options })));
  expect(fetch.sent.length).toBeGreaterThan(1_000);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(timers()).toBeLessThanOrEqual(timersBefore);
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
  const types: string[] = [];
  const onEvent = (event: PetStoreEvent) => {
    types.push(event.type);
    if (event.type === type) controller.abort(reason);
  };
  const client = stubClient(fetch, { apiKey: () => 'a-key', clock: quickClock(), onEvent });
  expect(await rejection(client.getPet(1, { signal: controller.signal, ...options }))).toBe(reason);
  expect(fetch.sent.length).toBe(type === 'retry' || type === 'response' ? 1 : 0);
  // An attempt that is announced has a result.
  const after = type === 'request' ? ['response', 'call-end'] : ['call-end'];
  expect(types.slice(types.indexOf(type) + 1)).toEqual(after);
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
});

test('a function headers that aborts the call before a retry stops it there, and no retry is announced', async () => {
  const controller = new AbortController();
  const events: string[] = [];
  const fetch = stubFetch(json({}, { status: 503 }));
  const client = stubClient(fetch, {
    clock: quickClock(),
    headers: ({ attempt }) => (attempt === 2 && controller.abort(reason), {}),
    onEvent: ({ type }) => events.push(type),
  });
  expect(await rejection(client.listPets({}, { signal: controller.signal }))).toBe(reason);
  expect(events).toEqual(['request', 'response', 'call-end']);
});

test('of the signals of a client and of a call the first that is aborted ends the call, and leaves no listener, also one of another realm, whose headers are sent', async () => {
  // By a variable: its types do not fit those of Node.
  const name: string = 'happy-dom';
  const { Window } = (await import(name)) as { Window: new () => typeof globalThis };
  const [node, page] = [globalThis, new Window()];
  for (const [mine, other] of [
    [node, node],
    [node, page],
    [page, node],
  ] as const) {
    const [ofClient, ofCall] = [new mine.AbortController(), new other.AbortController()];
    const { signal } = ofCall;
    const signals = [ofClient.signal, signal];
    const added = signals.map((one) => vi.spyOn(one, 'addEventListener'));
    const removed = signals.map((one) => vi.spyOn(one, 'removeEventListener'));
    const fetch = stubFetch(json([]));
    const client = stubClient(fetch, { signal: ofClient.signal });
    const headers = new other.Headers({ 'X-Trace': '7' });
    expect(await client.listPets({}, { signal, headers })).toEqual([]);
    expect(fetch.sent[0]!.headers.get('x-trace')).toBe('7');
    await rejection(client.listPets({}, { signal, headers: { 'a b': '' } }), ConfigurationError);
    for (const [at, { mock }] of added.entries())
      expect(new Set(mock.calls)).toEqual(new Set(removed[at]!.mock.calls));
    const inFlight = rejection(
      stubClient(never, { signal: ofClient.signal }).listPets({}, { signal }),
    );
    await turns();
    ofCall.abort('this call');
    expect(await inFlight).toBe('this call');
    expect(await rejection(client.listPets({}, { signal }))).toBe('this call');
    expect(await client.listPets()).toEqual([]);
    ofClient.abort('all calls');
    const later = { signal: new other.AbortController().signal };
    const derived = client.withOptions({ timeout: 5 });
    expect(await rejection(derived.listPets({}, later))).toBe('all calls');
  }
});
