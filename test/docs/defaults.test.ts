// The defaults in the tables of the guides, each held by what the code does without the option.
import { expect, test, vi } from 'vitest';
import { createMockService, type MockService } from '../../mocks/index.js';
import { createPets } from '../../src/bulk/index.js';
import { createFleetGate, type FleetGateOptions } from '../../src/fleet/index.js';
import { PetStoreClient, TimeoutError, type GateCall } from '../../src/index.js';
import { read } from '../support/documents.js';
import { recordingGate } from '../support/recording-gate.js';
import { errorResponse, json, pet, quickClock, stubClient, stubFetch } from '../support/stub.js';
import { never, rejection, rowsOf } from '../support/world.js';

/** Shows that the code has the default. `text` is the default as the guide has it. */
type Check = (text: string) => unknown;

const unquoted = (text: string) => text.replaceAll(/[`']/g, '');
const number = (text: string) => Number(unquoted(text).replaceAll(/[_,]/g, ''));
const { gate: openGate } = recordingGate();

/** The call as a gate receives it when nothing is set. */
async function gateCall(): Promise<GateCall> {
  const { gate, calls } = recordingGate();
  await stubClient(stubFetch(), { gate }).listPets();
  return calls[0]!;
}

/** The lines that a logger without a level, or the console, receives of a call of a deprecated operation. */
async function linesOf(options: object): Promise<string[]> {
  const levels = ['debug', 'info', 'warn', 'error'] as const;
  const seen: string[] = [];
  const logger = Object.fromEntries(levels.map((level) => [level, () => void seen.push(level)]));
  for (const level of levels)
    vi.spyOn(console, level).mockImplementation(() => void seen.push(level));
  vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  await stubClient(stubFetch(json(pet())), 'logger' in options ? { logger } : options).getPet(1);
  return seen;
}

const client: Record<string, Check> = {
  async apiKey(text) {
    vi.stubEnv(unquoted(text), 'key-of-environment');
    const fetch = stubFetch();
    await new PetStoreClient({ fetch, gate: openGate }).listPets();
    expect(fetch.sent[0]!.headers.get('authorization')).toBe('Bearer key-of-environment');
  },
  environment(text) {
    const baseUrl = (environment?: 'production') =>
      new PetStoreClient({ apiKey: 'a-key', logLevel: 'off', environment }).baseUrl;
    expect(baseUrl()).toBe(baseUrl(unquoted(text) as 'production'));
  },
  async timeout(text) {
    vi.useFakeTimers();
    const began = Date.now();
    const call = stubClient(never).createPet({ name: 'Rex', categoryId: 1 });
    const ended = rejection(call, TimeoutError).then(() => Date.now() - began);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(await ended, 'ms, as set in src/options/config.ts').toBe(number(text));
  },
  async maxWait(text) {
    expect((await gateCall()).waitUntil).toBe(number(text));
  },
  async maxHold(text) {
    const ms = number(text);
    const call = (seconds: number) => {
      const refused = errorResponse(429, undefined, { 'Retry-After': String(seconds) });
      return stubClient(stubFetch(refused, json([])), { clock: quickClock() }).listPets();
    };
    expect(await call(ms / 1_000)).toEqual([]);
    await expect(call(ms / 1_000 + 1)).rejects.toMatchObject({ reason: 'hold' });
  },
  async maxRetries(text) {
    const fetch = stubFetch(errorResponse(503));
    await expect(stubClient(fetch, { clock: quickClock() }).listPets()).rejects.toThrow();
    expect(fetch.sent).toHaveLength(1 + number(text));
  },
  int64: (text) => expect(stubClient(stubFetch()).int64).toBe(unquoted(text)),
  async priority(text) {
    expect((await gateCall()).priority).toBe(unquoted(text));
  },
  async logLevel(text) {
    expect([await linesOf({}), await linesOf({ logger: true })]).toEqual([[], ['warn']]);
    vi.stubEnv(unquoted(text), 'debug');
    expect(await linesOf({})).toEqual(['warn', 'debug', 'debug', 'debug']);
  },
};

const mock: Record<string, Check> = {
  now(text) {
    const [, start] = text.split('virtual: ');
    expect(createMockService({ clock: 'virtual' }).clock.now()).toBe(Date.parse(start!));
  },
  async latency(text) {
    const { fetch, clock } = createMockService({ clock: 'virtual' });
    const began = clock.now();
    await fetch('https://pets.test/v1/pets');
    expect(clock.now() - began).toBe(number(text));
  },
  async journalLimit(text) {
    const service = createMockService({ limits: 'off' });
    for (let n = 0; n <= number(text); n += 1) await service.fetch('https://pets.test/v1/pets');
    expect(service.requests).toHaveLength(number(text));
  },
  random(text) {
    const added = (random: object = {}) =>
      createMockService({ assumptions: { ids: 'random' }, seed: 3, ...random }).pets.list();
    expect(added()).toEqual(added({ random: number(text) }));
    expect(added()).not.toEqual(added({ random: number(text) + 1 }));
  },
};

/** ms until a call is sent by a gate whose store never answers; `Infinity`: not within a minute. */
async function sentAfter(options: Partial<FleetGateOptions> = {}): Promise<number> {
  vi.useFakeTimers();
  const began = Date.now();
  let sentAt = Infinity;
  const fetch = () => ((sentAt = Date.now()), Promise.resolve(json([])));
  const store = { update: never };
  const gate = createFleetGate({ store, onEvent: () => undefined, ...options });
  const stop = new AbortController();
  const call = stubClient(fetch, { gate, signal: stop.signal, logLevel: 'off' }).listPets();
  const ended = call.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(60_000);
  stop.abort();
  await ended;
  return sentAt - began;
}

const fleet: Record<string, Check> = {
  async name(text) {
    const update = () => Promise.resolve();
    const gate = createFleetGate({ store: { update }, onEvent: () => undefined });
    void gate({ origin: 'https://pets.test', apiKey: 'a-key' });
    expect((await gate.status()).keys[0]!.state).toContain(unquoted(text));
  },
  async storeTimeout(text) {
    const storeTimeout = number(text);
    expect(await sentAfter()).toBe(await sentAfter({ storeTimeout }));
    expect(await sentAfter()).not.toBe(await sentAfter({ storeTimeout: storeTimeout + 1 }));
  },
  async fallback(text) {
    expect(await sentAfter()).toBe(await sentAfter({ fallback: unquoted(text) as 'share' }));
    expect(await sentAfter({ fallback: 'hold' })).toBe(Infinity);
  },
};

/** The report of a run at a mock, in which something went wrong before. */
async function runAfter(prepare: (service: MockService) => void) {
  const service = createMockService({ clock: 'virtual' });
  prepare(service);
  return createPets(stubClient(service.fetch, { apiKey: 'mock-free' }), rowsOf(9));
}

const bulk: Record<string, Check> = {
  async unknown() {
    const { unknown, found } = await runAfter(({ faults }) => {
      faults.add({ operation: 'createPet', 'network-error': 'after', times: 1 });
    });
    expect([unknown.length, found.length]).toEqual([1, 0]);
  },
  async concurrency(text) {
    let [inFlight, most] = [0, 0];
    const fetch = async () => {
      most = Math.max(most, ++inFlight);
      await new Promise(setImmediate);
      inFlight -= 1;
      return json(pet(), { status: 201 });
    };
    await createPets(stubClient(fetch, { gate: openGate }), rowsOf(9));
    expect(most).toBe(number(text));
  },
  async acrossDays() {
    const report = await runAfter(({ keys }) => keys.get('mock-free').exhaust('day'));
    expect([report.created.length, report.unsent]).toEqual([0, 9]);
  },
};

/** Options without a default, or with one that is no value to measure: their rooms have a test for each. */
const elsewhere: Record<string, string> = {
  'docs/configuration.md':
    'baseUrl totalTimeout gate validation headers signal fetch clock onEvent logger allowInsecureHttp dangerouslyAllowBrowser',
  'docs/testing.md': 'clock seed keys limits faults assumptions',
  'docs/fleet.md': 'store perDay onEvent clock',
  'docs/bulk.md': 'journal ignoreHold onProgress signal',
};

/** The table of options in a guide: the name, the default and the third cell of each. */
function tableIn(path: string): [name: string, text: string, third: string][] {
  const lines = read(path).split('\n');
  const from = lines.findIndex((line) => /^\| option .*\| default \|/.test(line)) + 2;
  const length = lines.slice(from).findIndex((line) => !line.startsWith('|'));
  return lines.slice(from, length < 0 ? undefined : from + length).map((line) => {
    const [, name, text, third] = line.split('|').map((cell) => cell.trim());
    return [unquoted(name!), text!, third!];
  });
}

const guides: readonly [path: string, checks: Record<string, Check>, source: string][] = [
  ['docs/configuration.md', client, 'src/options/options.ts'],
  ['docs/testing.md', mock, 'mocks/service/types.ts'],
  ['docs/fleet.md', fleet, 'src/fleet/types.ts'],
  ['docs/bulk.md', bulk, 'src/bulk/options.ts'],
];
const options = guides.flatMap(([path, checks, source]) =>
  tableIn(path).map(([name, text]) => ({ name, path, text, check: checks[name], source })),
);

const literal = /^`?(\d[\d_,]*|'\w+'|false|Infinity|\/v1)`?$/;

test.each(options.filter(({ text }) => literal.test(text)))(
  'the docstring of $name has the default that $path states: $text',
  ({ name, text, source }) => {
    const before = read(source).split(new RegExp(`\\b${name}(?:\\?:|: z\\._default)`))[0]!;
    const docstring = before.slice(before.lastIndexOf('/**')).replaceAll(/[`',]/g, '');
    const value = unquoted(text).replaceAll(/[_,]/g, '');
    expect(docstring).toMatch(new RegExp(`[dD]efault:? ${value}\\b|\\b${value} \\(default\\)`));
  },
);

test.each(options.filter(({ name, path }) => !elsewhere[path]!.split(' ').includes(name)))(
  'without the option $name, the default that $path states holds: $text',
  async ({ text, check }) => {
    await check!(text);
  },
);

/** The names that the message about an unknown option lists. */
async function known(fail: (options: object) => unknown): Promise<string[]> {
  const call = Promise.resolve({ anotherOption: 1 }).then(fail);
  const { message } = await rejection<Error>(call);
  expect(message).toContain('anotherOption');
  return /(\w+(?:, \w+)+)\W*$/.exec(message)![1]!.split(', ').sort();
}

test.each<[string, (options: object) => unknown, third?: RegExp]>([
  ['docs/configuration.md', (options) => stubClient(stubFetch(), options), /^(?!only$)/],
  ['docs/configuration.md', (options) => stubClient(stubFetch()).listPets({}, options), /yes|only/],
  ['docs/testing.md', (options) => createMockService(options)],
  ['docs/fleet.md', (options) => createFleetGate(options as FleetGateOptions)],
  ['docs/bulk.md', (options) => createPets(stubClient(stubFetch()), rowsOf(9), options)],
])('the table of %s has every option', async (path, fail, which = /^/) => {
  const names = tableIn(path).flatMap(([name, , third]) => (which.test(third) ? [name] : []));
  expect(names.sort()).toEqual(await known(fail));
});
