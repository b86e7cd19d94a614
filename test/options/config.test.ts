import { afterEach, expect, test, vi } from 'vitest';
import { PetStoreClient, type PetStoreClientOptions } from '../../src/index.js';
import { json, stubClient, stubFetch } from '../support/stub.js';
import { refusal } from '../support/refusal.js';

afterEach(() => vi.unstubAllEnvs());

test.each([
  ['', 'it is empty'],
  ['   ', 'it is empty'],
  ['\n', 'it is empty'],
  ['sk-live-1\n', 'it holds a line break: was it read from a file? trim it'],
  ['sk-\r\nX-Evil: 1', 'it holds a line break: was it read from a file? trim it'],
  [' sk-live-1', 'it holds white space: trim it'],
  ['sk live 1', 'it holds white space: trim it'],
  ['sk-live\u00a01', 'it holds white space: trim it'],
  ['"sk-live-1"', 'it holds quotes or a backslash: pass the key without them'],
  ["'sk-live-1'", 'it holds quotes or a backslash: pass the key without them'],
  ['“sk-live-1”', 'it holds quotes or a backslash: pass the key without them'],
  ['sk\\live', 'it holds quotes or a backslash: pass the key without them'],
  ['Bearer sk-live-1', 'it begins with "Bearer ": pass the key alone'],
  [' bearer\tsk-live-1', 'it begins with "Bearer ": pass the key alone'],
  ['sk-lïve-1', 'it holds characters outside printable ASCII'],
  ['sk-live-\u0007', 'it holds characters outside printable ASCII'],
  ['sk-🔑', 'it holds characters outside printable ASCII'],
  [5, 'it must be a string, got a number'],
  [{}, 'it must be a string, got an object'],
])('the malformed key %j is refused, and not repeated', (apiKey, problem) => {
  const { message } = refusal({ apiKey });
  expect(message).toBe(`the API key cannot be sent: ${problem}`);
  for (const part of ['sk', 'live', 'Evil']) expect(message).not.toContain(part);
});

test('an environment that may not be read is an environment without variables', () => {
  const { env } = process;
  Object.defineProperty(process, 'env', {
    configurable: true,
    get: () => {
      throw new Error('not granted');
    },
  });
  try {
    expect(new PetStoreClient({ apiKey: 'k' }).baseUrl).toBe('https://api.petstore.example/v1');
  } finally {
    Object.defineProperty(process, 'env', { configurable: true, writable: true, value: env });
  }
});

test.each([
  [{}, {}, 'https://api.petstore.example/v1'],
  [{ environment: 'staging' }, {}, 'https://staging.petstore.example/v1'],
  [{}, { PETSTORE_BASE_URL: 'https://pets.test' }, 'https://pets.test/v1'],
  [
    { environment: 'staging' },
    { PETSTORE_STAGING_BASE_URL: 'https://stage.test/api/' },
    'https://stage.test/api/v1',
  ],
  [
    { environment: 'staging' },
    { PETSTORE_BASE_URL: 'https://pets.test' },
    'https://staging.petstore.example/v1',
  ],
  [
    { baseUrl: 'https://own.test' },
    { PETSTORE_BASE_URL: 'https://pets.test' },
    'https://own.test/v1',
  ],
  [{ baseUrl: 'https://own.test/v1' }, {}, 'https://own.test/v1'],
  [{ baseUrl: 'https://own.test/v1/' }, {}, 'https://own.test/v1'],
  [{ baseUrl: 'https://own.test/apiv1' }, {}, 'https://own.test/apiv1/v1'],
  [{ baseUrl: new URL('https://own.test/a//?q=1#f') }, {}, 'https://own.test/a/v1'],
  [{ baseUrl: 'http://localhost:4010' }, {}, 'http://localhost:4010/v1'],
  [{ baseUrl: 'http://app.localhost' }, {}, 'http://app.localhost/v1'],
  [{ baseUrl: 'http://127.1.2.3' }, {}, 'http://127.1.2.3/v1'],
  [{ baseUrl: 'http://[::1]:80' }, {}, 'http://[::1]/v1'],
  [{ baseUrl: 'http://pets.test', allowInsecureHttp: true }, {}, 'http://pets.test/v1'],
])('with %j and the variables %j the address is %s', (options, variables, expected) => {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  expect(new PetStoreClient({ apiKey: 'k', ...(options as PetStoreClientOptions) }).baseUrl).toBe(
    expected,
  );
});

const insecure =
  'plain http:, which would send the API key unencrypted: use https:, or in development set allowInsecureHttp: true';

test.each([
  [
    { baseUrl: 'https://own.test', environment: 'staging' },
    'baseUrl and environment are both set: pass one of them',
  ],
  [{ environment: 'Production' }, 'environment must be one of production, staging, got a string'],
  [{ environment: null }, 'environment must be one of production, staging, got null'],
  [{ baseUrl: Object.create(null) as string }, 'baseUrl must be an absolute URL'],
  [{ baseUrl: 5 }, 'baseUrl must be an absolute URL'],
  [
    { baseUrl: 'http://pets.test', allowInsecureHttp: 'false' },
    'allowInsecureHttp must be true or false, got a string',
  ],
  [{ allowInsecureHttp: null }, 'allowInsecureHttp must be true or false, got null'],
  [{ baseUrl: 'http://pets.test', allowInsecureHttp: false }, `baseUrl is ${insecure}`],
  [
    { baseUrl: 'pets.test' },
    'baseUrl must be an absolute URL, such as https://api.petstore.example',
  ],
  [{ baseUrl: '' }, 'baseUrl must be an absolute URL, such as https://api.petstore.example'],
  [{ baseUrl: 'ftp://pets.test' }, 'baseUrl must begin with https:, got ftp:'],
  [
    { baseUrl: 'https://me:pw@pets.test' },
    'baseUrl holds a user name or password: the service takes the API key alone',
  ],
  [
    { baseUrl: 'https://:pw@pets.test' },
    'baseUrl holds a user name or password: the service takes the API key alone',
  ],
  [{ baseUrl: 'http://pets.test' }, `baseUrl is ${insecure}`],
  [{ baseUrl: 'http://localhost.evil.test' }, `baseUrl is ${insecure}`],
  [{ baseUrl: 'http://notlocalhost' }, `baseUrl is ${insecure}`],
  [{ baseUrl: 'http://128.0.0.1' }, `baseUrl is ${insecure}`],
  [{ baseUrl: 'http://127.0.0.1.evil.test' }, `baseUrl is ${insecure}`],
  [{ timeout: 0 }, 'timeout must be a number of ms above 0, or false for none, got 0'],
  [{ timeout: -1 }, 'timeout must be a number of ms above 0, or false for none, got -1'],
  [{ timeout: NaN }, 'timeout must be a number of ms above 0, or false for none, got NaN'],
  [{ timeout: '10s' }, 'timeout must be a number of ms above 0, or false for none, got a string'],
  [{ timeout: true }, 'timeout must be a number of ms above 0, or false for none, got true'],
  [
    { totalTimeout: null },
    'totalTimeout must be a number of ms above 0, or false for none, got null',
  ],
  [{ retry: { limit: 11 } }, 'retry.limit must be an integer from 0 to 10, got 11'],
  [{ retry: { limit: 1.5 } }, 'retry.limit must be an integer from 0 to 10, got 1.5'],
  [{ retry: { limit: -1 } }, 'retry.limit must be an integer from 0 to 10, got -1'],
  [{ retry: { limit: '2' } }, 'retry.limit must be an integer from 0 to 10, got a string'],
  [{ retry: { limits: 2 } }, 'unknown option of retry: limits; known: limit'],
  [{ retry: 2 }, 'retry must be an object of options, such as { limit: 2 }; got 2'],
  [{ validation: 'lax' }, 'validation must be one of tolerant, strict, got a string'],
  [{ int64: 'string' }, 'int64 must be one of number, bigint, got a string'],
  [{ fetch: {} }, 'fetch must be a function, got an object'],
  [{ onEvent: 'log' }, 'onEvent must be a function, got a string'],
  [{ clock: {} }, 'clock must be a Clock: an object with the functions now, monotonic and sleep'],
  [{ clock: null }, 'clock must be a Clock'],
  [{ clock: { now: () => 0, monotonic: () => 0 } }, 'clock must be a Clock'],
  [{ baseURL: 'https://x.test' }, 'unknown option: baseURL: did you mean baseUrl?'],
  [{ api_key: 'k' }, 'unknown option: api_key: did you mean apiKey?'],
  [{ timout: 1 }, 'unknown option: timout: did you mean timeout?'],
  [{ tmeot: 1 }, 'unknown option: tmeot; known'],
  [{ key: 'k' }, 'unknown option: key; known: apiKey, environment, baseUrl, timeout'],
  [{ rateLimit: { maxHold: -1 } }, 'rateLimit.maxHold must be a number of ms from 0 up, got -1'],
  [{ rateLimit: { maxWait: NaN } }, 'rateLimit.maxWait must be a number of ms from 0 up, got NaN'],
  [
    { rateLimit: { maxQueue: -1 } },
    'rateLimit.maxQueue must be a number of calls from 0 up, got -1',
  ],
  [
    { rateLimit: { maxConcurrency: 0 } },
    'rateLimit.maxConcurrency must be a number of requests from 1 up, got 0',
  ],
  [
    { rateLimit: { plan: 'gold' } },
    'rateLimit.plan must be one of free, pro, business, got a string',
  ],
  [{ rateLimit: { plan: null } }, 'rateLimit.plan must be one of free, pro, business, got null'],
  [
    { rateLimit: { plan: { perMinute: 0, perDay: 1 } } },
    'rateLimit.plan.perMinute must be a number of requests from 1 up, got 0',
  ],
  [
    { rateLimit: { plan: { perMinute: 1, perDay: 0 } } },
    'rateLimit.plan.perDay must be a number of requests from 1 up, got 0',
  ],
  [
    { rateLimit: { plan: {} } },
    'rateLimit.plan.perMinute must be a number of requests from 1 up, got nothing',
  ],
  [{ rateLimit: { plan: [] } }, 'rateLimit.plan must be an object; got Array'],
  [
    { rateLimit: { plan: { perMin: 60 } } },
    'unknown option of rateLimit.plan: perMin; known: perMinute, perDay',
  ],
  [
    { rateLimit: null },
    'rateLimit must be false, or an object of options, such as { maxWait: 30000 }; got null',
  ],
  [
    { rateLimit: { gate: null } },
    'rateLimit.gate must be a RateLimitGate: an object with a function acquire',
  ],
  [
    { rateLimit: { gate: 5 } },
    'rateLimit.gate must be a RateLimitGate: an object with a function acquire',
  ],
  [
    { rateLimit: { gate: {} } },
    'rateLimit.gate must be a RateLimitGate: an object with a function acquire',
  ],
  [{ rateLimit: { maxhold: 1 } }, 'unknown option of rateLimit: maxhold: did you mean maxHold?'],
  [
    { rateLimit: true },
    'rateLimit must be false, or an object of options, such as { maxWait: 30000 }; got true',
  ],
  [
    { headers: { authorization: 'Bearer x' } },
    'headers: authorization cannot be set here: use the option apiKey',
  ],
  [
    { headers: new Headers({ Authorization: 'Bearer x' }) },
    'headers: authorization cannot be set here: use the option apiKey',
  ],
  [{ headers: { COOKIE: 'a=1' } }, 'headers: cookie cannot be set here'],
  [{ headers: { 'X Y': '1' } }, 'headers: "X Y" is not a valid header name'],
  [{ headers: { 'X-Y': 'a\nb' } }, 'headers: the value of X-Y cannot be sent'],
  [{ headers: { 'X-Y': '€' } }, 'headers: the value of X-Y cannot be sent'],
  [{ headers: { 'X-Y': 5 } }, 'headers: the value of X-Y cannot be sent'],
  [{ headers: null }, 'headers must be an object of names and values, or Headers, got null'],
  [{ headers: 5 }, 'headers must be an object of names and values, or Headers, got 5'],
  [
    { headers: 'X-Y: 1' },
    'headers must be an object of names and values, or Headers, got a string',
  ],
  [{ headers: new Map([['X-Y', 'a\nb']]) }, 'headers: the value of X-Y cannot be sent'],
])('the options %j are refused with a message that names the option', (options, message) => {
  expect(refusal({ apiKey: 'k', ...options }).message).toContain(message);
});

test('a message does not show a name of more than 40 characters, which may hold the key, and says no more than it must', () => {
  const long = 'x'.repeat(100);
  const says = (options: object) => refusal({ apiKey: 'k', ...options }).message;
  expect(says({ [long]: 1 })).toMatch(/^unknown option: a name of 100 characters; known/);
  expect(says({ headers: { [`${long} `]: '1' } })).toBe(
    'headers: "a name of 101 characters" is not a valid header name',
  );
  expect(says({ headers: { cookie: 'a=1' } })).toBe('headers: cookie cannot be set here');
});

test('what is given as the default is as good as left out', async () => {
  const fetch = stubFetch(json([]));
  const options = {
    int64: 'number',
    validation: 'tolerant',
    retry: {},
    timeout: Infinity,
    rateLimit: {},
    headers: new Map([['X-Trace', '7']]),
  };
  expect(await stubClient(fetch, options as object).listPets()).toEqual([]);
  expect(fetch.sent[0]!.headers.get('x-trace')).toBe('7');
});

test.each([null, 'k', 5])('options that are no object (%j) are refused', (options) => {
  if (options === null)
    expect(refusal(options).message).toBe(
      "the options of the client must be an object, such as { apiKey: 'my-key' }; got null",
    );
  else
    expect(refusal(options as unknown as object).message).toMatch(
      /^the options of the client must be an object, such as \{ apiKey: 'my-key' \}; got (a string|5)$/,
    );
});
