// Every option that is refused, once: of the client, of a call where a call has it, of a gate and of an import.
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createPets } from '../../src/bulk/index.js';
import { createFleetGate, memoryStore } from '../../src/fleet/index.js';
import { ConfigurationError, createRateLimitGate, PetStoreClient } from '../../src/index.js';
import { stubClient, stubFetch } from '../support/stub.js';
import { rejection } from '../support/world.js';

const tooMuch = 'baseUrl contains a user name, a password or a query: ';
const noUrl = 'baseUrl must be an absolute URL, such as https://api.petstore.example';
const noHttps =
  'baseUrl must begin with https://, because http:// does not encrypt the API key: it is for localhost, or with allowInsecureHttp: true';
const notSet = (name: string) =>
  `headers: ${name} cannot be set here: the client and the connection set it (the API key by the option apiKey)`;
const notSent = 'cannot be sent: its name or its value has characters that no header may have';

type Refused = readonly [options: object, message: string];

const got = (value: unknown): string => {
  // Only a short word is shown: another text may be the API key.
  if (typeof value === 'string') return /^[a-z]+$/i.test(value) ? `"${value}"` : 'a string';
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return `${value as number}`;
  return value.constructor === Object ? 'an object' : value.constructor.name;
};
/** Values that an option refuses, because it must be something else. */
const wrong = (name: string, mustBe: string, ...values: unknown[]) =>
  values.map((one): Refused => [{ [name]: one }, `${name} must be ${mustBe}, got ${got(one)}`]);
const aSignal = 'an AbortSignal (of an AbortController, pass its signal)';
const someHeaders = 'an object of names and values, Headers, or a function that returns them';
const aLogger = 'a logger: an object with debug(), info(), warn(), error()';
const aClock = 'a Clock: an object with now(), monotonic(), sleep()';
const aGate =
  'false, a RateLimitGate: an object with acquire(), or a function that returns one, as createFleetGate({ store })';
const time = 'a number of ms above 0, or false for none';
const bound = 'a number of ms from 0 up';
const isBoolean = 'true or false';

/** The options that a client and a call both have. */
const shared: readonly Refused[] = [
  ...wrong('timeout', time, 0, -1, NaN, true, '10s'),
  ...wrong('totalTimeout', time, -1, null),
  ...wrong('maxRetries', 'an integer from 0 to 10', 11, 1.5, -1, NaN, Infinity, '2'),
  ...wrong('maxHold', bound, -1, NaN),
  ...wrong('maxWait', bound, NaN, null),
  ...wrong('validation', 'one of tolerant, strict', 'lax'),
  ...wrong('signal', aSignal, { aborted: true }, new EventTarget(), new AbortController(), null),
  ...wrong('headers', someHeaders, 5, 'X-Y: 1'),
  [{ headers: null }, 'headers must be an object of names and values, or Headers'],
  [{ headers: [5] }, 'headers: an iterable must yield [name, value] pairs'],
  ...[{ 'X Y': '1' }, { 'X-Y': 'a\nb' }, { 'X-Y': 'a\x7fb' }, { 'X-Y': '€' }].map(
    (headers): Refused => [{ headers }, notSent],
  ),
  [{ headers: new Map([['X-Y', 'a\nb']]) }, notSent],
  [{ headers: { 'X-Y': 5 } }, 'headers: X-Y must be a string, got a number'],
  [{ headers: { 'X-Y': () => 'a' } }, 'headers: X-Y must be a string, got a function'],
  [{ headers: new Headers({ Authorization: 'Bearer x' }) }, notSet('authorization')],
  ...[
    ...['authorization', 'COOKIE', 'Connection', 'Content-Length', 'Expect', 'Host'],
    ...['Keep-Alive', 'TE', 'Trailer', 'Transfer-Encoding', 'Upgrade'],
  ].map((name): Refused => [{ headers: { [name]: '1' } }, notSet(name)]),
  ...['Accept', 'Content-Type'].map((name): Refused => [
    { headers: { [name]: 'text/plain' } },
    `headers: ${name} cannot be set here: only the options of a call of request() may set it, as a value`,
  ]),
  [{ retry: { limit: 2 } }, 'retry is unknown: use maxRetries, such as maxRetries: 2 (options of'],
  [{ rateLimit: {} }, 'rateLimit is unknown: use maxHold, maxWait and gate ('],
  [{ timeOut: 1 }, 'the option timeOut is unknown (options of the '],
  [{ toString: 1 }, 'the option toString is unknown (options of the '],
];

const addresses = (message: string, ...all: string[]) =>
  all.map((baseUrl): Refused => [{ baseUrl }, message]);

const ofClient: readonly Refused[] = [
  [{ baseUrl: '/', environment: 'staging' }, 'baseUrl and environment are both set: pass one'],
  ...wrong('environment', 'one of production, staging', 'Production', 'sk_live', null),
  [{ baseUrl: Object.create(null) as string }, `${noUrl}, got an object`],
  [{ baseUrl: 5 }, `${noUrl}, got 5`],
  ...addresses(noUrl, '', 'pets.test', 'ftp://pets.test', 'localhost:4010'),
  ...addresses(`${noUrl} (in a page: location.origin + "/api")`, '/api', './api'),
  ...addresses(tooMuch, 'https://me:pw@pets.test', 'https://:pw@pets.test'),
  ...addresses(tooMuch, 'https://pets.test/?tenant=1'),
  ...addresses(noHttps, 'http://pets.test', 'http://localhost.evil.test', 'http://notlocalhost'),
  ...addresses(noHttps, 'http://128.0.0.1', 'http://127.0.0.1.evil.test', 'http://10.0.0.1:5173'),
  [{ baseUrl: 'http://pets.test', allowInsecureHttp: false }, noHttps],
  ...wrong('allowInsecureHttp', isBoolean, 'false'),
  ...wrong('dangerouslyAllowBrowser', isBoolean, null),
  ...wrong('int64', 'one of number, bigint', 'string'),
  ...wrong('fetch', 'a function', {}),
  ...wrong('onEvent', 'a function', 'log'),
  ...wrong('logLevel', 'one of debug, info, warn, error, off', 'loud'),
  ...wrong('logger', aLogger, { warn: () => undefined }),
  ...wrong('clock', aClock, {}, null, { now: () => 0, monotonic: () => 0 }),
  ...wrong('gate', aGate, null, 5, {}),
  [{ priority: 'high' }, 'the option priority is unknown (options of the client: '],
  [{ baseURL: '' }, 'baseURL is unknown (options of the client: apiKey, environment, baseUrl, '],
];

const ofCall: readonly Refused[] = [
  ...wrong('priority', 'one of normal, high', 'low'),
  [{ apiKey: 'k' }, 'the option apiKey is unknown (options of the call: timeout, totalTimeout'],
];

test.each([...shared, ...ofClient])(
  'the client refuses the options %j with a message that names the option',
  (options, message) => {
    const create = () => new PetStoreClient({ apiKey: 'k', logLevel: 'off', ...options });
    expect(create).toThrow(ConfigurationError);
    expect(create).toThrow(message);
    const derive = () => stubClient(stubFetch()).withOptions(options);
    if (!('baseUrl' in options)) expect(derive).toThrow(message);
  },
);

test.each([...shared, ...ofCall])(
  'a call refuses the options %j with a message that names the option, and sends nothing',
  async (options, message) => {
    const fetch = stubFetch();
    const error = await rejection(
      stubClient(fetch).listPets({}, options as never),
      ConfigurationError,
    );
    expect(error.operation).toBe('listPets');
    expect(error.message).toMatch(/^listPets on pets\.test: /);
    expect(error.message).toContain(message);
    expect(fetch.sent).toEqual([]);
  },
);

const ofGate: readonly Refused[] = [
  [{ max: 1 }, 'the option max is unknown (options of createRateLimitGate: clock, random)'],
  ...wrong('clock', aClock, Date),
];

const aStore = 'a FleetStore, such as redisStore(…) or sqliteStore(…): an object with update()';
const store = memoryStore();
const inFleet = (refused: readonly Refused[]) =>
  refused.map(([options, message]): Refused => [{ store, ...options }, message]);

const ofFleet: readonly Refused[] = [
  [undefined as never, 'the options of createFleetGate must be an object, got nothing'],
  [{}, 'createFleetGate needs a store: createFleetGate({ store })'],
  ...wrong('store', aStore, { update: 5 }),
  [{ stores: 1 }, 'the option stores is unknown (options of createFleetGate: store, name'],
  ...inFleet([
    ...wrong('name', '1 to 40 letters, digits, "-", "_" or "."', '', 'a b'),
    ...wrong('perDay', '1 to 1e12 requests', 0, '100'),
    ...wrong('storeTimeout', '1 to 60,000 ms', NaN),
    ...wrong('fallback', 'one of share, hold', 'wait'),
    ...wrong('onEvent', 'a function', new Map()),
    ...wrong('clock', aClock, Date),
  ]),
];

const aJournal = 'the path of a file, or a BulkJournal: an object with read(), write()';

const ofImport: readonly Refused[] = [
  [{ concurency: 3 }, 'the option concurency is unknown (options of createPets: journal, '],
  ...wrong('concurrency', 'an integer from 1 to 100', 0),
  ...wrong('journal', aJournal, {}, ' ', 'a\0b'),
  ...wrong('unknown', "'look' or a function", 'created'),
  [{ signal: new AbortController() }, 'signal must be an AbortSignal: an object with addEventLi'],
];

const fetch = stubFetch();
const makers: readonly [string, readonly Refused[], (options: object) => unknown][] = [
  ['createRateLimitGate', ofGate, (options) => createRateLimitGate(options)],
  ['createFleetGate', ofFleet, (options) => createFleetGate(options as never)],
  ['createPets', ofImport, (options) => createPets(stubClient(fetch), [], options)],
];

test.each(makers.flatMap(([name, all, make]) => all.map((one) => [name, ...one, make] as const)))(
  '%s refuses the options %o with a message that names the option, and sends nothing',
  async (_name, options, message, make) => {
    const made = () => Promise.resolve(options).then(make);
    await expect(made).rejects.toThrow(ConfigurationError);
    await expect(made).rejects.toThrow(message);
    expect(fetch.sent).toEqual([]);
  },
);

// Objects without fields of their own would pass for an empty object of options.
const opaque = {
  AbortSignal: AbortSignal.abort(),
  Headers: new Headers({ limit: '5' }),
  URLSearchParams: new URLSearchParams('limit=5'),
  Map: new Map([['signal', AbortSignal.abort()]]),
  Date: new Date(),
  Array: [],
  null: null,
  'a string': 'k',
  '5': 5,
} as const;

test.each(Object.entries(opaque))(
  '%s in place of options, or of a query, is an error that says where options belong, and nothing is sent',
  async (kind, value) => {
    const fetch = stubFetch();
    const client = stubClient(fetch);
    const isOpaque = typeof value === 'object' && value !== null;
    await expect(client.listPets(value as never)).rejects.toThrow(
      `the argument must be an object ${isOpaque ? `of query parameters, got ${kind}: options are the second argument` : 'with limit and status'}; nothing was sent`,
    );
    for (const call of [
      () => client.listPets({}, value as never),
      () => client.createPet({ name: 'Rex', categoryId: 1 }, value as never),
      () => client.request({ method: 'GET', path: '/pets' }, value as never),
    ]) {
      const error = await rejection(call(), ConfigurationError);
      expect(error.message).toContain(`the options of the call must be an object, got ${kind}`);
    }
    await expect(createPets(client, [], value as never)).rejects.toThrow(
      `the options of createPets must be an object, got ${kind}`,
    );
    expect(fetch.sent).toEqual([]);
    for (const [owner, make] of [
      ['the client', () => new PetStoreClient(value as never)],
      ['withOptions', () => client.withOptions(value as never)],
      ['createRateLimitGate', () => createRateLimitGate(value as never)],
      ['createFleetGate', () => createFleetGate(value as never)],
    ] as const)
      expect(make).toThrow(`the options of ${owner} must be an object, got ${kind}`);
  },
);

test('an AbortController as options cancels the call, because it has a signal, and nothing is sent', async () => {
  const controller = new AbortController();
  controller.abort('the user left');
  const fetch = stubFetch();
  expect(await rejection(stubClient(fetch).listPets({}, controller))).toBe('the user left');
  expect(fetch.sent).toEqual([]);
});

class Fields {
  timeout = 5_000;
}

test.each([
  ...[{}, Object.create(null), new Fields(), Object.create({ timeout: 5_000 })],
  ...['({ timeout: 5000 })', '({})'].map((code) => runInNewContext(code) as object),
] as object[])(
  'options without a prototype, of another realm, empty, or of a class with fields are accepted: %o',
  async (options) => {
    await expect(stubClient(stubFetch()).listPets({}, options)).resolves.toEqual([]);
  },
);
