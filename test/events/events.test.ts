import { AsyncLocalStorage } from 'node:async_hooks';
import diagnostics from 'node:diagnostics_channel';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { diagnosticsChannel, type Logger, type PetStoreEvent } from '../../src/index.js';
import { unhandledDuring } from '../support/listeners.js';
import { failing, refusing } from '../support/recording-gate.js';
import {
  brokenConnection,
  errorResponse,
  json,
  pet,
  quickClock,
  stubClient,
  stubFetch,
  type Reply,
  quotaHeaders,
} from '../support/stub.js';
import { never, rejection, turns, world } from '../support/world.js';

/** A client of these replies, and the events that it tells. */
function told(replies: Reply[], options: object = {}) {
  const events: PetStoreEvent[] = [];
  const onEvent = (event: PetStoreEvent) => events.push(event);
  const client = stubClient(stubFetch(...replies), { clock: quickClock(), onEvent, ...options });
  const types = () => events.map((event) => ('failure' in event && event.failure) || event.type);
  return { client, events, types };
}

test('a call tells what it does: each request, its answer, and each retry', async () => {
  const headers = quotaHeaders(60, 59, 1_900_000_000);
  const replies = [
    errorResponse(503, {}, { 'Retry-After': '2' }),
    brokenConnection(),
    json([], { headers }),
  ];
  const { client, events } = told(replies, { gate: false });
  await client.listPets({ limit: 1 });
  const { call } = events[0] as { call: number };
  const ids = { operation: 'listPets', call };
  const request = {
    type: 'request',
    ...ids,
    method: 'GET',
    url: 'https://pets.test/v1/pets?limit=1',
    waited: expect.any(Number),
  };
  const response = { type: 'response', ...ids, took: expect.any(Number) };
  const rateLimit = { limit: 60, remaining: 59, resetAt: new Date(1_900_000_000_000) };
  expect(events).toEqual([
    { ...request, attempt: 1, waited: 0 },
    { ...response, attempt: 1, status: 503 },
    { type: 'rate-limit-wait', ...ids, cause: 'overload' },
    { type: 'retry', ...ids, attempt: 2, delay: expect.any(Number), reason: '503' },
    { ...request, attempt: 2, cause: 'overload' },
    { ...response, attempt: 2, failure: 'connection' },
    { type: 'retry', ...ids, attempt: 3, delay: expect.any(Number), reason: 'connection' },
    { ...request, attempt: 3 },
    { ...response, attempt: 3, status: 200, rateLimit },
    { type: 'call-end', ...ids, outcome: 'ok', took: expect.any(Number), attempts: 3 },
  ]);
  const { delay } = events[3] as { delay: number };
  expect(delay).toBeGreaterThanOrEqual(2_000);
  expect(delay).toBeLessThan(20_000);
  expect((events[4] as { waited: number }).waited).toBeGreaterThanOrEqual(2_000);
  await client.listPets();
  expect((events.at(-1) as { call: number }).call).toBeGreaterThan(call);
});

const cutShort = () => new Response(new ReadableStream({ pull: (to) => to.error(new Error('x')) }));

test.each<[failure: string, Reply, outcome: string]>([
  ['timeout', never, 'error'],
  ['body', cutShort, 'error'],
  ['aborted', never, 'aborted'],
  ['aborted', never, 'aborted by the client'],
])('an attempt without a usable response is told as such: %s', async (failure, reply, outcome) => {
  const timeout = failure === 'timeout' ? 20 : false;
  const controller = new AbortController();
  const signals = [new AbortController().signal, controller.signal];
  if (outcome === 'aborted by the client') signals.reverse();
  const options = { timeout, maxRetries: 0, signal: signals[0] } as const;
  const { client, events, types } = told([reply], options);
  const ended = rejection(client.listPets({}, { signal: signals[1] }));
  await turns();
  if (failure === 'aborted') controller.abort();
  await ended;
  expect(types()).toEqual(['request', failure, 'call-end']);
  const error = outcome === 'error' ? expect.any(String) : undefined;
  expect(events.at(-1)).toMatchObject({ outcome: outcome.split(' ')[0], error, attempts: 1 });
});

const foreign = runInNewContext('() => Promise.reject(new Error("later"))') as () => void;

test.each<[string, () => void]>([
  ['throws', failing.throws],
  ['gives a promise of another realm that rejects', foreign],
])('a listener or a logger that %s changes nothing', async (_name, fail) => {
  const logger: Logger = { debug: fail, info: fail, warn: fail, error: fail };
  const options = { onEvent: fail, logger, logLevel: 'debug' } as const;
  const client = stubClient(stubFetch(json([])), options);
  const unhandled = await unhandledDuring(async () => expect(await client.listPets()).toEqual([]));
  expect(unhandled).toEqual([]);
});

/** What the diagnostics channel publishes during some work. */
async function heardDuring(work: () => Promise<unknown>): Promise<PetStoreEvent[]> {
  const heard: PetStoreEvent[] = [];
  const listen = (message: unknown) => void heard.push(message as PetStoreEvent);
  diagnostics.subscribe(diagnosticsChannel, listen);
  await work();
  diagnostics.unsubscribe(diagnosticsChannel, listen);
  return heard;
}

test('every event of every client is published on the diagnostics channel while somebody listens', async () => {
  const { client, events } = told([json([])]);
  const heard = await heardDuring(() => client.listPets());
  expect(heard).toEqual(events);
  const silent = stubClient(stubFetch(json([pet({ born: 2020 })])));
  await silent.listPets();
  const more = await heardDuring(() => silent.listPets());
  expect(more.map(({ type }) => type)).toEqual(['request', 'response', 'drift', 'call-end']);
  // What drifted while nobody listened is told to the first who does.
  expect(more[2]).toMatchObject({ kind: 'field', value: 'born' });
  await silent.listPets();
  expect(more).toHaveLength(4);
});

test.each([
  undefined,
  () => undefined,
  // As Next's edge runtime.
  failing.throws,
])(
  'a process that offers no channel of diagnostics (%o) is no obstacle, with a listener or without',
  async (getBuiltinModule) => {
    vi.stubGlobal('process', { getBuiltinModule, env: {}, versions: {} });
    const { client, types } = told([json([])]);
    const silent = stubClient(stubFetch(json([])));
    vi.unstubAllGlobals();
    for (const one of [silent, client]) expect(await one.listPets()).toEqual([]);
    expect(types()).toEqual(['request', 'response', 'call-end']);
  },
);

test('every call ends in one event under its own name, its last, whatever becomes of it', async () => {
  const { service, client, events } = world();
  service.keys.get('mock-free').exhaust('day');
  const controller = new AbortController();
  const { signal } = controller;
  const aborted = rejection(client({ maxHold: Infinity }).listPets({}, { signal }));
  await Promise.all([
    rejection(client().listPets()),
    rejection(client().listPets({ limit: 500 })),
    rejection(client().listPets({}, { timeout: 0 })),
    rejection(client({ signal: AbortSignal.abort('over') }).request({ method: 'GET', path: '/x' })),
  ]);
  controller.abort(new Error('shutdown'));
  await aborted;
  const ends = events.filter((event) => event.type === 'call-end');
  expect(ends).toMatchObject([
    { outcome: 'error', error: 'RequestValidationError', reason: undefined, attempts: 0 },
    { outcome: 'error', error: 'ConfigurationError', reason: undefined, attempts: 0 },
    { outcome: 'aborted', error: undefined, operation: 'GET /x', attempts: 0 },
    { outcome: 'error', error: 'RateLimitError', reason: 'hold', attempts: 0 },
    { outcome: 'aborted', error: undefined, reason: undefined, attempts: 1 },
  ]);
  const last = new Map(events.flatMap((event) => ('call' in event ? [[event.call, event]] : [])));
  expect([...last.values()].toSorted((a, b) => events.indexOf(a) - events.indexOf(b))).toEqual(
    ends,
  );
});

test.each<[string, object]>([
  ['the gate refuses', { gate: refusing(1, 'wait', 1_000) }],
  [
    'has no headers',
    { headers: ({ attempt }: { attempt: number }) => (attempt > 1 ? expect.unreachable() : {}) },
  ],
])('a retry is told when it is sent, so that none is announced that %s', async (_what, options) => {
  const { client, types } = told([errorResponse(503)], options);
  await rejection(client.listPets());
  expect(types()).toEqual(['request', 'response', 'call-end']);
});

test('a call whose error cannot be made ends with an error all the same', async () => {
  const { client, events } = told([], { gate: refusing(0, 'hold', 5n as never) });
  await rejection(client.listPets());
  expect(events).toMatchObject([{ type: 'call-end', outcome: 'error' }]);
});

test('each event of a call is told in the async context of the call, also after a wait for the rate limit and a retry', async () => {
  const storage = new AsyncLocalStorage<number>();
  const told = new Map<number, (number | undefined)[]>();
  const { client: make } = world({ faults: [{ status: 503, probability: 0.3 }] });
  const client = make({
    onEvent: (event) =>
      'call' in event &&
      told.set(event.call, [...(told.get(event.call) ?? []), storage.getStore()]),
  });
  const call = async () => client.listPets().catch(() => undefined);
  await Promise.all(Array.from({ length: 100 }, (_, n) => storage.run(n, call)));
  const contexts = [...told.values()].map((seen) => new Set(seen));
  expect(contexts.map(({ size }) => size)).toEqual(Array(100).fill(1));
  expect(new Set(contexts.flatMap((seen) => [...seen]))).toEqual(new Set(Array(100).keys()));
});
