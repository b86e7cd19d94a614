import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { operations, type Operation } from '../../src/contract/index.js';
import { ApiError, PetStoreClient, type RateLimitGate, type WaitCause } from '../../src/index.js';
import { read } from '../support/documents.js';
import { failing } from '../support/recording-gate.js';
import { errorResponse, json, pet, stubClient, stubFetch } from '../support/stub.js';
import { never, rejection, world } from '../support/world.js';

/** A logger that keeps what it is given: its lines, without numbers that differ from run to run, and the types of the events. */
function keepingLogger() {
  const lines: [level: string, message: string][] = [];
  const types: string[] = [];
  const keep = (level: string) => (message: string, event: { type: string }) => {
    const known = message.replace(/call \d+/, 'call 1').replace(/\b\d+ ms/, '0 ms');
    lines.push([level, known.replace('petstore-client: ', '')]);
    types.push(event.type);
  };
  const [debug, info, warn, error] = ['debug', 'info', 'warn', 'error'].map(keep);
  return { logger: { debug, info, warn, error } as never, lines, types };
}

test('a logger is given a line for each event from its level on, with the event', async () => {
  const { logger, lines, types } = keepingLogger();
  const fetch = stubFetch(
    errorResponse(503, {}, { 'X-Request-Id': 'r-1' }),
    () => Promise.reject(new TypeError('fetch failed')),
    json([pet({ chip: 1 })]),
  );
  const client = stubClient(fetch, { logger, logLevel: 'debug' });
  await client.listPets();
  await rejection(client.listPets({ limit: 0 }));
  expect(lines).toEqual([
    ['debug', 'listPets (call 1): attempt 1, GET https://pets.test/v1/pets'],
    ['debug', 'listPets (call 1): attempt 1, 503 after 0 ms, request id r-1'],
    ['info', 'listPets (call 1): attempt 2 after 0 ms, because of 503'],
    ['debug', 'listPets (call 1): attempt 2, GET https://pets.test/v1/pets'],
    ['debug', 'listPets (call 1): attempt 2, failed: connection after 0 ms'],
    ['info', 'listPets (call 1): attempt 3 after 0 ms, because of connection'],
    ['debug', 'listPets (call 1): attempt 3, GET https://pets.test/v1/pets'],
    ['debug', 'listPets (call 1): attempt 3, 200 after 0 ms'],
    ['warn', 'listPets (call 1): the service sent an unknown field: chip'],
    ['debug', 'listPets (call 1): ok after 0 ms'],
    ['debug', 'listPets (call 1): RequestValidationError after 0 ms'],
  ]);
  const attempts = ['request', 'response', 'retry', 'request', 'response', 'retry', 'request'];
  expect(types).toEqual([...attempts, 'response', 'drift', 'call-end', 'call-end']);
});

test('a name or a status with a line break adds no line to the log', async () => {
  const { logger, lines } = keepingLogger();
  const odd = pet({ status: 'gone\nforged', 'chip\r\nforged': 1 });
  await stubClient(stubFetch(json([odd])), { logger }).listPets();
  expect(lines.map(([, line]) => line)).toEqual([
    'listPets (call 1): the service sent an unknown field: chip forged',
    'listPets (call 1): the service sent an unknown status: gone forged',
  ]);
});

test('the line of a response whose body did not arrive has the status and the failure', async () => {
  const { logger, lines } = keepingLogger();
  const { client, service } = world();
  service.faults.add({ 'drop-body': true });
  await rejection(client({ logger, logLevel: 'debug' }).listPets());
  expect(lines[1]?.[1]).toMatch(/: attempt 1, failed: body \(200\) after \d+ ms$/);
});

test('the default level of a logger is warn: waits, deprecations and unknown fields; their end is at the level info', async () => {
  const { logger, lines } = keepingLogger();
  const { client, service } = world({ seed: 1 });
  service.keys.get('mock-free').exhaust('minute');
  await client({ logger }).getPet(1);
  expect(lines.map(([level]) => level)).toEqual(['warn', 'warn']);
  expect(lines[0]![1]).toMatch(/getPet .*will be removed on 2030-12-05: use listPets/);
  expect(lines[1]![1]).toMatch(
    /calls wait 6[12] s for the rate limit \(429\), until 2026-01-01T00:01:01\./,
  );
  service.keys.get('mock-free').exhaust('minute');
  await client({ logger, logLevel: 'info' }).listPets();
  expect(lines.slice(3)).toEqual([
    ['info', 'calls no longer wait for the rate limit'],
    ['info', 'listPets (call 1): attempt 2 after 0 ms, because of 429'],
  ]);
  service.keys.get('mock-free').exhaust('minute');
  await client({ logger, logLevel: 'debug' }).listPets();
  const waited = /attempt 2 after a wait of \d+ ms \(429\), GET /;
  expect(lines.map(([, line]) => line)).toContainEqual(expect.stringMatching(waited));
});

test('a child of a pino logger writes the fields of the event, and console methods receive the event last', async () => {
  const written: string[] = [];
  const root = pino({ level: 'debug' }, { write: (line: string) => void written.push(line) });
  const logger = root.child({ route: '/pets' });
  await stubClient(stubFetch(json([])), { logger, logLevel: 'debug' }).listPets();
  const line = JSON.parse(written[1]!) as object;
  expect(line).toMatchObject({
    type: 'response',
    operation: 'listPets',
    status: 200,
    route: '/pets',
  });
  const msg = /^petstore-client: listPets \(call \d+\): attempt 1, 200 after/;
  expect(line).toMatchObject({ msg: expect.stringMatching(msg) as string });
  const debug = vi.spyOn(console, 'debug').mockReturnValue(undefined);
  await stubClient(stubFetch(json([])), { logger: console, logLevel: 'debug' }).listPets();
  expect(debug.mock.calls[1]).toEqual([
    expect.stringMatching(msg),
    expect.objectContaining({ type: 'response', status: 200 }),
  ]);
});

test('with a level and without a logger the console is used, and the variable PETSTORE_LOG sets the level', async () => {
  const [info, debug] = (['info', 'debug'] as const).map((level) =>
    vi.spyOn(console, level).mockReturnValue(undefined),
  );
  const linesAfter = async (options: object) => {
    await stubClient(stubFetch(errorResponse(503), json([])), options).listPets();
    return [info!.mock.calls.length, debug!.mock.calls.length];
  };
  expect(await linesAfter({ logLevel: 'info' })).toEqual([1, 0]);
  vi.stubEnv('PETSTORE_LOG', 'debug');
  expect(await linesAfter({})).toEqual([2, 5]);
  expect(await linesAfter({ logLevel: 'off' })).toEqual([2, 5]);
});

test('a wrong value of PETSTORE_LOG is named once, and does not stop the program', () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
  vi.stubEnv('PETSTORE_LOG', 'verbose');
  for (let n = 0; n < 2; n += 1) new PetStoreClient({ apiKey: 'mock-free' });
  expect(warn.mock.calls.flat()).toEqual([
    'petstore-client: the variable PETSTORE_LOG is "verbose", and is ignored: it must be one of debug, info, warn, error, off. It is shown once.',
  ]);
});

/** Makes calls in fake time, for whose first attempt the rate limit leaves `seconds` to wait, and returns what the console was told. */
async function toldOfWaits(seconds: number, ...all: object[]) {
  const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
  vi.useFakeTimers();
  const calls = all.map((options) => {
    const busy = errorResponse(429, {}, { 'Retry-After': String(seconds) });
    const client = stubClient(stubFetch(busy, json([])), options);
    return client.listPets().catch(() => []);
  });
  await vi.advanceTimersByTimeAsync(70_000);
  await Promise.all(calls);
  return warn.mock.calls.map(([line]) => line as string);
}

test('a call that has waited 5 s for the rate limit is mentioned on the console, once in a process, but not where something else shows it, or where that is switched off', async () => {
  const { logger } = keepingLogger();
  const ungated = { gate: false, maxRetries: 0 } as const;
  const shown = [{ onEvent: () => undefined }, { logger }, { logLevel: 'off' as const }, ungated];
  expect(await toldOfWaits(61, ...shown)).toEqual([]);
  expect(await toldOfWaits(2, {})).toEqual([]);
  await toldOfWaits(61, {}, {});
  expect(await toldOfWaits(61, {})).toEqual([
    expect.stringMatching(
      /^petstore-client: listPets on pets\.test has waited 5 s for the rate limit \(429\)/,
    ),
  ]);
});

test('the reference shows a badge for each operation that is less than stable, and for no other', () => {
  const source = read('src/client.ts');
  for (const { name, stability } of Object.values<Operation>(operations)) {
    const before = source.slice(0, source.indexOf(`\n  ${name}(`));
    const comment = before.slice(before.lastIndexOf('/**'));
    const badges = [...comment.matchAll(/@(beta|experimental)\b/g)].map(([, badge]) => badge);
    expect(badges, name).toEqual(stability === 'stable' ? [] : [stability]);
  }
});

test.each([
  [{ 'X-Request-Id': 'r-1', 'Request-Id': 'r-2' }, 'r-1'],
  [{ 'Request-Id': 'r-2' }, 'r-2'],
  [{ 'X-Request-Id': 'for sk_live_0123456789' }, '[text withheld: it contains the API key]'],
  [{}, undefined],
])(
  'the event of a response with %j, and its error, have the request id %s, without the key',
  async (headers, id) => {
    const ids: (string | undefined)[] = [];
    const reply = json({}, { status: 400, headers: headers as HeadersInit });
    const client = stubClient(stubFetch(reply), {
      apiKey: 'sk_live_0123456789',
      onEvent: (event) => event.type === 'response' && ids.push(event.requestId),
    });
    const { requestId } = await rejection(client.listPets(), ApiError);
    expect([...ids, requestId]).toEqual([id, id]);
  },
);

/** A gate that says why a call waits, if it says so, and never lets it in. */
const closed = (cause?: WaitCause): RateLimitGate => ({
  acquire: (call) => (cause !== undefined && call.onWait?.(cause), never()),
});

test('a wait of a second, and a call that the rate limit stops, are logged with their cause', async () => {
  const { logger, lines } = keepingLogger();
  await toldOfWaits(0, { logger, logLevel: 'debug', gate: closed('queue'), maxWait: 2_000 });
  expect(lines).toEqual([
    ['info', 'listPets (call 1): has waited 1 s for the rate limit (queue)'],
    ['debug', 'listPets (call 1): RateLimitError (wait) after 0 ms'],
  ]);
});

test('a long wait at a gate that says no cause is mentioned as one of that gate', async () => {
  const [line] = await toldOfWaits(0, { gate: closed(), maxWait: 6_000 });
  expect(line).toContain('has waited 5 s for the rate limit (the option gate)');
});

const words =
  'getPet is deprecated and will be removed on 5 December 2030: use listPets with the status filter.';

test('the first getPet of a process warns, once, with a code and the replacement', async () => {
  const { client: clientOf, events } = world({ seed: 1 });
  const client = clientOf();
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  const emit = vi.spyOn(process, 'emitWarning').mockReturnValue();
  await client.listPets();
  await client.createPet({ name: 'x', categoryId: 1 });
  expect(emit).not.toHaveBeenCalled();
  for (let n = 0; n < 2; n += 1) await client.getPet(1);
  const filter = { type: 'DeprecationWarning', code: 'PETSTORE_DEP_GETPET' };
  expect(emit.mock.calls).toEqual([[words, filter]]);
  expect(warn).not.toHaveBeenCalled();
  // Each call emits an event.
  const told = { type: 'deprecated', operation: 'getPet', call: expect.any(Number) as number };
  expect(events.filter(({ type }) => type === 'deprecated')).toEqual(
    Array(2).fill({ ...told, removedOn: '2030-12-05', replacement: 'listPets' }),
  );
});

test.each([
  ['there is no process', undefined],
  ['the process cannot warn', {}],
  ['the process throws at what it does not support', { emitWarning: failing.throws }],
])('where %s, the console warns of getPet, once', async (_name, process) => {
  const client = world({ seed: 1 }).client();
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  vi.stubGlobal('process', process);
  for (let n = 0; n < 2; n += 1) await client.getPet(1);
  expect(warn.mock.calls).toEqual([[`[PETSTORE_DEP_GETPET] DeprecationWarning: ${words}`]]);
});
