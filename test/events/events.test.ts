import diagnostics from 'node:diagnostics_channel';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import {
  diagnosticsChannel,
  GateRefusedError,
  type PetStoreEvent,
  type RateLimitGate,
} from '../../src/index.js';
import { json, pet, quickClock, stubClient, stubFetch } from '../support/stub.js';
import { rejection, world } from '../support/world.js';

const broken = () => Promise.reject(new TypeError('reset'));

test('a call tells what it does: each request, its answer, and each retry', async () => {
  const events: PetStoreEvent[] = [];
  const headers = {
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': '59',
    'X-RateLimit-Reset': '1900000000',
  };
  const fetch = stubFetch(
    json({}, { status: 503, headers: { 'Retry-After': '2' } }),
    broken,
    json([], { headers }),
  );
  const client = stubClient(fetch, {
    clock: quickClock(),
    gate: false,
    onEvent: (event) => events.push(event),
  });
  await client.listPets({ limit: 1 });
  const { call } = events[0] as { call: number };
  const ids = { operation: 'listPets', call };
  const request = {
    type: 'request',
    ...ids,
    method: 'GET',
    url: 'https://pets.test/v1/pets?limit=1',
    waited: expect.any(Number),
    cause: undefined,
  };
  const response = {
    type: 'response',
    ...ids,
    took: expect.any(Number),
    status: undefined,
    failure: undefined,
    rateLimit: undefined,
  };
  expect(events).toEqual([
    { ...request, attempt: 1, waited: 0 },
    { ...response, attempt: 1, status: 503 },
    { type: 'retry', ...ids, attempt: 2, delay: expect.any(Number), reason: '503' },
    { ...request, attempt: 2 },
    { ...response, attempt: 2, failure: 'connection' },
    { type: 'retry', ...ids, attempt: 3, delay: expect.any(Number), reason: 'connection' },
    { ...request, attempt: 3 },
    {
      ...response,
      attempt: 3,
      status: 200,
      rateLimit: { limit: 60, remaining: 59, resetAt: new Date(1_900_000_000_000) },
    },
    {
      type: 'call-end',
      ...ids,
      outcome: 'ok',
      error: undefined,
      reason: undefined,
      took: expect.any(Number),
      attempts: 3,
    },
  ]);
  expect((events[2] as { delay: number }).delay).toBeGreaterThanOrEqual(2_000);
  expect((events[3] as { waited: number }).waited).toBeGreaterThanOrEqual(2_000);
  await client.listPets();
  expect((events.at(-1) as { call: number }).call).toBeGreaterThan(call);
});

test.each([
  ['a timeout', () => new Promise<never>(() => undefined), 'timeout'],
  [
    'a body cut short',
    () =>
      new Response(new ReadableStream({ pull: (controller) => controller.error(new Error('x')) })),
    'body',
  ],
] as const)('%s is told as such', async (_name, reply, failure) => {
  const events: PetStoreEvent[] = [];
  const client = stubClient(stubFetch(reply), {
    onEvent: (event) => events.push(event),
    timeout: failure === 'timeout' ? 20 : false,
    maxRetries: 0,
  });
  await rejection(client.listPets());
  expect(events.at(-2)).toMatchObject({ type: 'response', failure });
  expect(events.at(-1)).toMatchObject({ type: 'call-end', outcome: 'error' });
});

test('an abort in flight is told as such', async () => {
  const events: PetStoreEvent[] = [];
  const controller = new AbortController();
  const abort = () => new Promise<never>(() => queueMicrotask(() => controller.abort()));
  await rejection(
    stubClient(stubFetch(abort), { onEvent: (event) => events.push(event) }).listPets(
      {},
      { signal: controller.signal },
    ),
  );
  expect(
    events.map((event) => [event.type, 'failure' in event ? event.failure : undefined]),
  ).toEqual([
    ['request', undefined],
    ['response', 'aborted'],
    ['call-end', undefined],
  ]);
  expect(events.at(-1)).toMatchObject({ outcome: 'aborted', error: undefined, attempts: 1 });
});

test('a hold is told once however many calls wait, with its end, and so is its being over', async () => {
  const { service, client, events } = world();
  service.keys.get('mock-free').exhaust('minute');
  const pets = client();
  const began = service.clock.now();
  await Promise.all(Array.from({ length: 20 }, () => pets.listPets()));
  const holds = events.filter((event) => event.type === 'rate-limit-hold');
  expect(holds).toHaveLength(1);
  expect(holds[0]).toMatchObject({
    fromServer: true,
    cause: '429',
    until: new Date(began + holds[0]!.delay),
  });
  expect(holds[0]!.delay).toBeGreaterThan(0);
  expect(events.filter(({ type }) => type === 'rate-limit-resume')).toHaveLength(1);
  expect(events).toContainEqual(expect.objectContaining({ type: 'retry', reason: '429' }));
});

test('a listener that throws changes nothing', async () => {
  const client = stubClient(stubFetch(json([])), {
    onEvent: () => {
      throw new Error('bug');
    },
  });
  expect(await client.listPets()).toEqual([]);
});

test('every event of every client is published on the diagnostics channel while somebody listens', async () => {
  const heard: unknown[] = [];
  const events: PetStoreEvent[] = [];
  const listen = (message: unknown) => void heard.push(message);
  const silent = stubClient(stubFetch(json([])));
  const client = stubClient(stubFetch(json([])), { onEvent: (event) => events.push(event) });
  diagnostics.subscribe(diagnosticsChannel, listen);
  await client.listPets();
  expect(heard).toEqual(events);
  await silent.listPets();
  expect(heard.slice(3)).toMatchObject(
    ['request', 'response', 'call-end'].map((type) => ({ type })),
  );
  diagnostics.unsubscribe(diagnosticsChannel, listen);
  await silent.listPets();
  expect(heard).toHaveLength(6);
});

test('what drifted while nobody listened is told to the first who does', async () => {
  const client = stubClient(stubFetch(json([pet({ born: 2020 })])));
  await client.listPets();
  const heard: PetStoreEvent[] = [];
  const listen = (message: unknown) => void heard.push(message as PetStoreEvent);
  diagnostics.subscribe(diagnosticsChannel, listen);
  await client.listPets();
  diagnostics.unsubscribe(diagnosticsChannel, listen);
  expect(heard.filter(({ type }) => type === 'drift')).toMatchObject([
    { kind: 'field', value: 'born' },
  ]);
});

test('a call that goes back to the gate after a 429 sleeps nowhere else', async () => {
  const clock = quickClock();
  const fetch = stubFetch(json({}, { status: 429, headers: { 'Retry-After': '1' } }), json([]));
  await stubClient(fetch, { clock }).listPets();
  expect(clock.waits).toHaveLength(1);
  expect(clock.waits[0]).toBeGreaterThanOrEqual(1_000);
});

test('a listener whose promise of another realm rejects leaves no rejection that nobody handles', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  try {
    const onEvent = runInNewContext('() => Promise.reject(new Error("later"))') as () => void;
    expect(await stubClient(stubFetch(json([])), { onEvent }).listPets()).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', note);
  }
});

test('a process that offers no channel of diagnostics is no obstacle, with a listener or without', async () => {
  const missing = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
  const events: PetStoreEvent[] = [];
  try {
    const clients = [
      stubClient(stubFetch(json([]))),
      stubClient(stubFetch(json([])), { onEvent: (event) => events.push(event) }),
    ];
    for (const client of clients) expect(await client.listPets()).toEqual([]);
  } finally {
    missing.mockRestore();
  }
  expect(events.map(({ type }) => type)).toEqual(['request', 'response', 'call-end']);
});

test('every call ends in one event, its last, whatever becomes of it', async () => {
  const { service, client, events } = world();
  service.keys.get('mock-free').exhaust('day');
  const controller = new AbortController();
  const aborted = rejection(
    client({ maxHold: Infinity }).listPets({}, { signal: controller.signal }),
  );
  const refused = rejection(client().listPets());
  const wrong = rejection(client().listPets({ limit: 500 }));
  const option = rejection(client().listPets({}, { timeout: 0 }));
  await Promise.all([refused, wrong, option]);
  controller.abort(new Error('shutdown'));
  await aborted;
  const ends = events.filter((event) => event.type === 'call-end');
  expect(new Set(ends.map(({ call }) => call)).size).toBe(4);
  expect(ends.map(({ outcome, error, reason }) => [outcome, error, reason])).toEqual([
    ['error', 'RequestValidationError', undefined],
    ['error', 'ConfigurationError', undefined],
    ['error', 'RateLimitError', 'hold'],
    ['aborted', undefined, undefined],
  ]);
  for (const { call } of ends)
    expect(events.findLast((event) => 'call' in event && event.call === call)).toMatchObject({
      type: 'call-end',
    });
});

test('a retry is told when it is sent, so that none is announced that the gate refuses', async () => {
  const events: PetStoreEvent[] = [];
  const settle = () => undefined;
  let asked = 0;
  const gate: RateLimitGate = {
    acquire: () =>
      asked++ === 0
        ? Promise.resolve({ settle, lose: settle, cancel: settle })
        : Promise.reject(new GateRefusedError('wait', 1_000)),
  };
  const options = {
    gate,
    clock: quickClock(),
    onEvent: (event: PetStoreEvent) => events.push(event),
  };
  await rejection(stubClient(stubFetch(json({}, { status: 503 })), options).listPets());
  expect(events.map(({ type }) => type)).toEqual(['request', 'response', 'call-end']);
});
