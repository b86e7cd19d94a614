// Every option that is refused, once: by the client, and by a call where a call has it.
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { ConfigurationError, PetStoreClient, type RequestOptions } from '../../src/index.js';
import { refusal } from '../support/refusal.js';
import { json, stubClient, stubFetch } from '../support/stub.js';
import { rejection } from '../support/world.js';

const tooMuch = 'baseUrl holds a user name, a password or a query: ';
const noUrl = 'baseUrl must be an absolute URL, such as https://api.petstore.example';
const noHttps = `${noUrl} (http:// does not encrypt the API key: it is for localhost, or with allowInsecureHttp: true)`;
const notSet = (name: string) =>
  `headers: ${name} cannot be set here: the client and the connection set it (the API key by the option apiKey)`;
const noTime = (name: string, got: string) =>
  `${name} must be a number of ms above 0, or false for none, got ${got}`;
const noRetries = (got: string) => `maxRetries must be an integer from 0 to 10, got ${got}`;
const noHeaders =
  'headers must be an object of names and values, Headers, or a function that returns them, got ';
const noSignal = 'signal must be an AbortSignal (of an AbortController, pass its signal), got ';
const noClock = 'clock must be a Clock: an object with now(), monotonic(), sleep(), got ';
const noGate =
  'gate must be false, a RateLimitGate: an object with acquire(), or a function that returns one, got ';
const noLogger = 'logger must be a logger: an object with debug(), info(), warn(), error(), got ';

type Refused = readonly [options: object, message: string];

/** The options that a client and a call both have. */
const shared: readonly Refused[] = [
  ...[0, -1, NaN, true].map((value): Refused => [
    { timeout: value },
    noTime('timeout', `${value}`),
  ]),
  [{ timeout: '10s' }, noTime('timeout', 'a string')],
  [{ totalTimeout: -1 }, noTime('totalTimeout', '-1')],
  [{ totalTimeout: null }, noTime('totalTimeout', 'null')],
  ...[11, 1.5, -1, NaN, Infinity].map((value): Refused => [
    { maxRetries: value },
    noRetries(`${value}`),
  ]),
  [{ maxRetries: '2' }, noRetries('a string')],
  [{ maxHold: -1 }, 'maxHold must be a number of ms from 0 up, got -1'],
  [{ maxHold: NaN }, 'maxHold must be a number of ms from 0 up, got NaN'],
  [{ maxWait: NaN }, 'maxWait must be a number of ms from 0 up, got NaN'],
  [{ maxWait: null }, 'maxWait must be a number of ms from 0 up, got null'],
  [{ validation: 'lax' }, 'validation must be one of tolerant, strict, got a string'],
  [{ signal: { aborted: true } }, noSignal],
  [{ signal: new EventTarget() }, noSignal],
  [{ signal: new AbortController() }, noSignal],
  [{ signal: null }, `${noSignal}null`],
  [{ headers: 5 }, `${noHeaders}5`],
  [{ headers: 'X-Y: 1' }, `${noHeaders}a string`],
  [{ headers: null }, 'headers must be an object of names and values, or Headers'],
  [{ headers: [5] }, 'headers: an iterable must yield [name, value] pairs'],
  ...[{ 'X Y': '1' }, { 'X-Y': 'a\nb' }, { 'X-Y': '€' }, new Map([['X-Y', 'a\nb']])].map(
    (headers): Refused => [
      { headers },
      'cannot be sent: its name or its value has characters that no header may have',
    ],
  ),
  [{ headers: { 'X-Y': 5 } }, 'headers: X-Y must be a string, got a number'],
  [{ headers: { 'X-Y': () => 'a' } }, 'headers: X-Y must be a string, got a function'],
  [{ headers: new Headers({ Authorization: 'Bearer x' }) }, notSet('authorization')],
  ...[
    ...['authorization', 'COOKIE', 'Connection', 'Content-Length', 'Expect', 'Host'],
    ...['Keep-Alive', 'TE', 'Trailer', 'Transfer-Encoding', 'Upgrade'],
  ].map((name): Refused => [{ headers: { [name]: '1' } }, notSet(name)]),
  ...['Accept', 'Content-Type'].map((name): Refused => [
    { headers: { [name]: 'text/plain' } },
    `headers: ${name} cannot be set here: only the options of a call of request() may hold it`,
  ]),
  [
    { retry: { limit: 2 } },
    'the option retry is unknown: use maxRetries, such as maxRetries: 2 (options of the ',
  ],
  [
    { rateLimit: { maxWait: 1 } },
    'the option rateLimit is unknown: its options are flat: maxHold, maxWait and gate (gate: false for none) (options of the ',
  ],
  [{ timeOut: 1 }, 'the option timeOut is unknown (options of the '],
  [{ toString: 1 }, 'the option toString is unknown (options of the '],
];

const ofClient: readonly Refused[] = [
  [
    { baseUrl: 'https://own.test', environment: 'staging' },
    'baseUrl and environment are both set: pass one of them',
  ],
  [{ environment: 'Production' }, 'environment must be one of production, staging, got a string'],
  [{ environment: null }, 'environment must be one of production, staging, got null'],
  [{ baseUrl: Object.create(null) as string }, `${noUrl}, got an object`],
  [{ baseUrl: 5 }, `${noUrl}, got 5`],
  [{ baseUrl: 'pets.test' }, noUrl],
  [{ baseUrl: '' }, noUrl],
  [{ baseUrl: '/api' }, `${noHttps} (in a page: location.origin + "/api")`],
  [{ baseUrl: './api' }, `${noHttps} (in a page: location.origin + "/api")`],
  [{ baseUrl: 'ftp://pets.test' }, noHttps],
  [{ baseUrl: 'localhost:4010' }, noHttps],
  [{ baseUrl: 'https://me:pw@pets.test' }, tooMuch],
  [{ baseUrl: 'https://:pw@pets.test' }, tooMuch],
  [{ baseUrl: 'https://pets.test/?tenant=1' }, tooMuch],
  ...[
    ...['pets.test', 'localhost.evil.test', 'notlocalhost', '128.0.0.1', '127.0.0.1.evil.test'],
    '192.168.1.20:5173/api',
  ].map((host): Refused => [{ baseUrl: `http://${host}` }, noHttps]),
  [{ baseUrl: 'http://pets.test', allowInsecureHttp: false }, noHttps],
  [{ allowInsecureHttp: 'false' }, 'allowInsecureHttp must be true or false, got a string'],
  [{ dangerouslyAllowBrowser: null }, 'dangerouslyAllowBrowser must be true or false, got null'],
  [{ int64: 'string' }, 'int64 must be one of number, bigint, got a string'],
  [{ fetch: {} }, 'fetch must be a function, got an object'],
  [{ onEvent: 'log' }, 'onEvent must be a function, got a string'],
  [{ logLevel: 'loud' }, 'logLevel must be one of debug, info, warn, error, off, got a string'],
  [{ logger: { warn: () => undefined } }, noLogger],
  ...[{}, null, { now: () => 0, monotonic: () => 0 }].map((clock): Refused => [{ clock }, noClock]),
  ...[null, 5, {}].map((gate): Refused => [{ gate }, noGate]),
  [{ priority: 'high' }, 'the option priority is unknown (options of the client: '],
  [
    { baseURL: 'https://x.test' },
    'the option baseURL is unknown (options of the client: apiKey, environment, baseUrl, timeout',
  ],
];

const ofCall: readonly Refused[] = [
  [{ priority: 'low' }, 'priority must be one of normal, high, got a string'],
  [{ apiKey: 'k' }, 'the option apiKey is unknown (options of the call: timeout, totalTimeout'],
];

test.each([...shared, ...ofClient])(
  'the client refuses the options %j with a message that names the option',
  (options, message) => {
    expect(refusal({ apiKey: 'k', ...options }).message).toContain(message);
    const derive = () => stubClient(stubFetch()).withOptions(options);
    if (!('baseUrl' in options)) expect(derive).toThrow(message);
  },
);

test.each([...shared, ...ofCall])(
  'a call refuses the options %j with a message that names the option, and sends nothing',
  async (options, message) => {
    const fetch = stubFetch();
    const error = await rejection(
      stubClient(fetch).listPets({}, options as RequestOptions),
      ConfigurationError,
    );
    expect(error.operation).toBe('listPets');
    expect(error.message).toMatch(/^listPets on pets\.test: /);
    expect(error.message).toContain(message);
    expect(fetch.sent).toEqual([]);
  },
);

test('an undefined option, and one that is given as its default, are as good as left out', async () => {
  const fetch = stubFetch(json([]));
  const options = {
    int64: 'number',
    validation: 'tolerant',
    timeout: Infinity,
    maxRetries: 2,
    maxWait: Infinity,
    gate: undefined,
    headers: new Map([['X-Trace', '7']]),
  };
  expect(await stubClient(fetch, options as object).listPets({}, { timeout: undefined })).toEqual(
    [],
  );
  expect(fetch.sent[0]!.headers.get('x-trace')).toBe('7');
});

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
  '%s in place of options is an error, and nothing is sent',
  async (kind, value) => {
    const fetch = stubFetch();
    const client = stubClient(fetch);
    for (const call of [
      () => client.listPets({}, value as never),
      () => client.createPet({ name: 'Rex', categoryId: 1 }, value as never),
      () => client.request({ method: 'GET', path: '/pets' }, value as never),
    ]) {
      const error = await rejection(call(), ConfigurationError);
      expect(error.message).toContain(`the options of the call must be an object, got ${kind}`);
    }
    expect(fetch.sent).toEqual([]);
    for (const [owner, make] of [
      ['the client', () => new PetStoreClient(value as never)],
      ['withOptions', () => client.withOptions(value as never)],
    ] as const)
      expect(make).toThrow(`the options of ${owner} must be an object, got ${kind}`);
  },
);

const { null: _null, 'a string': _string, 5: _number, ...objects } = opaque;

test.each(Object.entries(objects))(
  '%s in place of a query is an error that says where options belong, and nothing is sent',
  async (got, value) => {
    const fetch = stubFetch();
    const { message } = await rejection<Error>(stubClient(fetch).listPets(value as never));
    expect(message).toBe(
      `listPets: the argument must be an object of query parameters, got ${got}: options are the second argument. Nothing was sent.`,
    );
    expect(fetch.sent).toEqual([]);
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
class Getters {
  get timeout(): number {
    return 5_000;
  }
}

test.each([
  ...[{}, Object.create(null), new Fields(), new Getters()],
  ...['({ timeout: 5000 })', '({})'].map((code) => runInNewContext(code) as object),
] as object[])(
  'options without a prototype, of another realm, empty, or of a class with fields are accepted: %o',
  async (options) => {
    await expect(stubClient(stubFetch()).listPets({}, options)).resolves.toEqual([]);
  },
);
