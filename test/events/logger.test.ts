import { readFileSync } from 'node:fs';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { operations, type Operation } from '../../src/contract/index.js';
import {
  PetStoreClient,
  type Logger,
  type RateLimitGate,
  type WaitCause,
} from '../../src/index.js';
import { json, pet, stubClient, stubFetch } from '../support/stub.js';
import { rejection, world } from '../support/world.js';

type Line = [level: string, message: string];

/** A logger that keeps what it is given. */
function keepingLogger(): { logger: Logger; lines: Line[]; details: unknown[] } {
  const lines: Line[] = [];
  const details: unknown[] = [];
  const keep =
    (level: string) =>
    (message: string, ...more: unknown[]) => {
      lines.push([
        level,
        message.replace(/call \d+/, 'call 1').replace(/\d+(?:\.\d+)? ms/, '0 ms'),
      ]);
      details.push(...more);
    };
  const logger = {
    debug: keep('debug'),
    info: keep('info'),
    warn: keep('warn'),
    error: keep('error'),
  };
  return { logger, lines, details };
}

beforeEach(() => {
  // As if no call of this process had waited yet.
  const slots = Object.getOwnPropertySymbols(globalThis);
  for (const slot of slots)
    if (slot.description?.includes('notices')) Reflect.deleteProperty(globalThis, slot);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

test('a logger is given a line for each event from its level on, with the event', async () => {
  const { logger, lines, details } = keepingLogger();
  const fetch = stubFetch(
    json({}, { status: 503, headers: { 'X-Request-Id': 'r-1' } }),
    json([pet({ chip: 1 })]),
  );
  await stubClient(fetch, { logger, logLevel: 'debug' }).listPets();
  expect(lines).toEqual([
    ['debug', 'petstore-client: listPets (call 1): attempt 1, GET https://pets.test/v1/pets'],
    ['debug', 'petstore-client: listPets (call 1): attempt 1, 503 after 0 ms, request id r-1'],
    ['info', 'petstore-client: listPets (call 1): attempt 2 after 0 ms, because of 503'],
    ['debug', 'petstore-client: listPets (call 1): attempt 2, GET https://pets.test/v1/pets'],
    ['debug', 'petstore-client: listPets (call 1): attempt 2, 200 after 0 ms'],
    ['warn', 'petstore-client: listPets (call 1): the service sent an unknown field: chip'],
    ['debug', 'petstore-client: listPets (call 1): ok after 0 ms'],
  ]);
  expect(details.map((event) => (event as { type: string }).type)).toEqual([
    'request',
    'response',
    'retry',
    'request',
    'response',
    'drift',
    'call-end',
  ]);
});

test('the default level of a logger is warn: waits, deprecations and unknown fields', async () => {
  const { logger, lines } = keepingLogger();
  const { client, service } = world({ seed: 1 });
  service.keys.get('mock-free').exhaust('minute');
  await client({ logger }).getPet(1);
  expect(lines.map(([level]) => level)).toEqual(['warn', 'warn']);
  expect(lines[0]![1]).toMatch(/getPet .*will be removed on 2030-12-05: use listPets/);
  expect(lines[1]![1]).toMatch(/calls wait \d+ s for the rate limit \(429\), until \d{4}-/);
});

test('a wait and its end are logged at the level info', async () => {
  const { logger, lines } = keepingLogger();
  const { client, service } = world({ seed: 1 });
  service.keys.get('mock-free').exhaust('minute');
  await client({ logger, logLevel: 'info' }).listPets();
  expect(lines.slice(1)).toEqual([
    ['info', 'petstore-client: calls no longer wait for the rate limit'],
    ['info', expect.stringMatching(/listPets \(call 1\): attempt 2 after 0 ms, because of 429$/)],
  ]);
});

test('a pino logger and its children write the fields of the event, and console methods receive the event last', async () => {
  const written: string[] = [];
  const root = pino({ level: 'debug' }, { write: (line: string) => void written.push(line) });
  for (const logger of [root, root.child({ route: '/pets' })])
    await stubClient(stubFetch(json([])), { logger, logLevel: 'debug' }).listPets();
  const lines = written.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(
    lines.map(({ type, operation, status, route }) => [type, operation, status, route]),
  ).toEqual(
    [undefined, '/pets'].flatMap((route) => [
      ['request', 'listPets', undefined, route],
      ['response', 'listPets', 200, route],
      ['call-end', 'listPets', undefined, route],
    ]),
  );
  expect(lines[1]!['msg']).toMatch(/^petstore-client: listPets \(call \d+\): attempt 1, 200 after/);
  const debug = vi.spyOn(console, 'debug').mockReturnValue(undefined);
  await stubClient(stubFetch(json([])), { logger: console, logLevel: 'debug' }).listPets();
  expect(debug.mock.calls[1]).toEqual([
    expect.stringMatching(/^petstore-client: listPets/),
    expect.objectContaining({ type: 'response', status: 200 }),
  ]);
});

test('a failed attempt is logged with its reason', async () => {
  const { logger, lines } = keepingLogger();
  const fetch = stubFetch(() => Promise.reject(new TypeError('fetch failed')));
  await rejection(stubClient(fetch, { logger, logLevel: 'debug', maxRetries: 0 }).listPets());
  expect(lines[1]).toEqual([
    'debug',
    'petstore-client: listPets (call 1): attempt 1, failed: connection after 0 ms',
  ]);
});

test('with a level and without a logger the console is used, and the variable PETSTORE_LOG sets the level', async () => {
  const info = vi.spyOn(console, 'info').mockReturnValue(undefined);
  const debug = vi.spyOn(console, 'debug').mockReturnValue(undefined);
  const call = (options = {}) =>
    stubClient(stubFetch(json({}, { status: 503 }), json([])), options).listPets();
  await call({ logLevel: 'info' });
  expect([info.mock.calls.length, debug.mock.calls.length]).toEqual([1, 0]);
  vi.stubEnv('PETSTORE_LOG', 'debug');
  await call();
  expect([info.mock.calls.length, debug.mock.calls.length]).toEqual([2, 5]);
  await call({ logLevel: 'off' });
  expect([info.mock.calls.length, debug.mock.calls.length]).toEqual([2, 5]);
});

test('a wrong value of PETSTORE_LOG is named once, and does not stop the program', () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
  vi.stubEnv('PETSTORE_LOG', 'verbose');
  for (let n = 0; n < 2; n += 1) new PetStoreClient({ apiKey: 'mock-free' });
  expect(warn.mock.calls).toEqual([
    [
      'petstore-client: the variable PETSTORE_LOG is "verbose", and is ignored: it must be one of debug, info, warn, error, off',
    ],
  ]);
});

test('a logger that throws or rejects changes nothing of a call', async () => {
  const fail = () => {
    throw new Error('disk full');
  };
  for (const write of [fail, () => Promise.reject(new Error('disk full'))]) {
    const logger = { debug: write, info: write, warn: write, error: write } as unknown as Logger;
    const fetch = stubFetch(json([]));
    expect(await stubClient(fetch, { logger, logLevel: 'debug' }).listPets()).toEqual([]);
  }
});

/** A client on real time, for whose first call the rate limit leaves `seconds` to wait. */
function waitingClient(seconds: number, options: object = {}) {
  const headers = { 'Retry-After': String(seconds) };
  const fetch = stubFetch(json({}, { status: 429, headers }), json([]));
  return new PetStoreClient({
    apiKey: `k-${Math.random()}`,
    baseUrl: 'https://pets.test',
    fetch,
    ...options,
  });
}

test('a call that has waited 5 s for the rate limit is mentioned on the console, once in a process', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
  vi.useFakeTimers();
  const short = waitingClient(2).listPets();
  await vi.advanceTimersByTimeAsync(10_000);
  await short;
  expect(warn).not.toHaveBeenCalled();
  const calls = [waitingClient(61).listPets(), waitingClient(61).listPets()];
  await vi.advanceTimersByTimeAsync(70_000);
  await Promise.all(calls);
  const later = waitingClient(61).listPets();
  await vi.advanceTimersByTimeAsync(70_000);
  await later;
  expect(warn.mock.calls).toHaveLength(1);
  expect(warn.mock.calls[0]![0]).toMatch(
    /^petstore-client: listPets on pets\.test has waited 5 s for the rate limit \(429\)/,
  );
});

test('a long wait is not mentioned where something else shows it, or where that is switched off', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
  vi.useFakeTimers();
  const options = [
    { onEvent: () => undefined },
    { logger: keepingLogger().logger },
    { logLevel: 'off' },
    { gate: false, maxRetries: 0 },
  ];
  const calls = options.map((option) =>
    waitingClient(61, option)
      .listPets()
      .catch(() => []),
  );
  await vi.advanceTimersByTimeAsync(70_000);
  await Promise.all(calls);
  expect(warn).not.toHaveBeenCalled();
});

test('the reference shows a badge for each operation that is less than stable, and for no other', () => {
  const source = readFileSync(new URL('../../src/client.ts', import.meta.url), 'utf8');
  for (const { name, stability } of Object.values<Operation>(operations)) {
    const before = source.slice(0, source.indexOf(`\n  ${name}(`));
    const comment = before.slice(before.lastIndexOf('/**'));
    const badges = [...comment.matchAll(/@(beta|experimental)\b/g)].map(([, badge]) => badge);
    expect(badges, name).toEqual(stability === 'stable' ? [] : [stability]);
  }
});

test('the event of a response has the request id of the service, without the key', async () => {
  const ids: (string | undefined)[] = [];
  const answers = [
    json([], { headers: { 'X-Request-Id': 'r-1', 'Request-Id': 'r-2' } }),
    json([], { headers: { 'Request-Id': 'r-2' } }),
    json([], { headers: { 'X-Request-Id': 'for sk_live_0123456789' } }),
    json([]),
  ];
  const client = stubClient(stubFetch(...answers), {
    apiKey: 'sk_live_0123456789',
    onEvent: (event) => {
      if (event.type === 'response') ids.push(event.requestId);
    },
  });
  for (const _ of answers) await client.listPets();
  expect(ids).toEqual(['r-1', 'r-2', '[text withheld: it contains the API key]', undefined]);
});

/** A gate of the caller, which lets a call wait for ever. */
const closedGate = (cause?: WaitCause): RateLimitGate => ({
  acquire(call) {
    if (cause !== undefined) call.onWait?.(cause);
    return new Promise(() => undefined);
  },
});

test('a wait of a second, and a call that the rate limit stops, are logged with their cause', async () => {
  vi.useFakeTimers();
  const { logger, lines } = keepingLogger();
  const client = stubClient(stubFetch(), { logger, logLevel: 'debug', gate: closedGate('queue') });
  const stopped = rejection(client.listPets({}, { maxWait: 2_000 }));
  await vi.advanceTimersByTimeAsync(2_000);
  await stopped;
  expect(lines).toEqual([
    ['info', 'petstore-client: listPets (call 1): has waited 1 s for the rate limit (queue)'],
    ['debug', 'petstore-client: listPets (call 1): RateLimitError (wait) after 0 ms'],
  ]);
});

test('a long wait at a gate that says no cause is mentioned as one of that gate', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
  vi.useFakeTimers();
  const stopped = rejection(
    stubClient(stubFetch(), { gate: closedGate() }).listPets({}, { maxWait: 6_000 }),
  );
  await vi.advanceTimersByTimeAsync(6_000);
  await stopped;
  expect(warn.mock.calls[0]![0]).toContain('has waited 5 s for the rate limit (the option gate)');
});
