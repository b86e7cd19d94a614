import { runInNewContext } from 'node:vm';
import { afterEach, expect, test, vi } from 'vitest';
import {
  ConfigurationError,
  ConnectionError,
  GateRefusedError,
  PetStoreClient,
  RateLimitError,
  ResponseValidationError,
  type PetStoreClientOptions,
} from '../../src/index.js';
import {
  brokenConnection,
  errorResponse,
  json,
  quickClock,
  stubClient,
  stubFetch,
} from '../support/stub.js';
import { rejection } from '../support/world.js';

const newPet = { name: 'Rex', categoryId: 1 };
/** The options of a client that calls `fetch` of the runtime, which is a stub here. */
const globalFetch = (fetch: typeof globalThis.fetch): PetStoreClientOptions => {
  vi.stubGlobal('fetch', fetch);
  return { fetch: undefined, logLevel: 'off' };
};
afterEach(() => {
  vi.unstubAllGlobals();
});

test('a GET that was not answered can be tried again later', async () => {
  const error = await rejection<ConnectionError>(
    stubClient(stubFetch(brokenConnection('ECONNRESET')), { maxRetries: 0 }).listPets(),
  );
  expect(error.message).toBe(
    'listPets on pets.test: the connection failed (ECONNRESET); try again later',
  );
});

test('of what a runtime or a gate says the message keeps 200 characters', async () => {
  const long = 'x'.repeat(1_000);
  const fail = () => Promise.reject(new Error(long));
  const lost = await rejection<Error>(stubClient(stubFetch(fail)).createPet(newPet));
  expect(lost.message).toContain(`(${'x'.repeat(200)})`);
  const shut = await rejection<Error>(
    stubClient(stubFetch(), { gate: { acquire: fail } }).listPets(),
  );
  expect(shut.message).toMatch(/: x{200}$/);
});

test('a GET of which one attempt may have been processed is not called unsent', async () => {
  const sentOf = async (...codes: [string, ...string[]]) => {
    const fetch = stubFetch(...codes.map((code) => brokenConnection(code)));
    const client = stubClient(fetch, { clock: quickClock() });
    const { requestSent, attempts } = await rejection<ConnectionError>(client.listPets());
    return [requestSent, attempts.length];
  };
  expect(await sentOf('ECONNRESET', 'ECONNREFUSED', 'ECONNREFUSED')).toEqual(['unknown', 3]);
  expect(await sentOf('ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED')).toEqual(['no', 3]);
});

test('the code of a failed connection is found among the causes of its causes, five deep', async () => {
  const nested = (depth: number): Error =>
    depth === 0
      ? Object.assign(new Error('inmost'), { code: 'ECONNREFUSED' })
      : new Error(`outer ${depth}`, { cause: nested(depth - 1) });
  const sentOf = async (depth: number) =>
    (
      await rejection<ConnectionError>(
        stubClient(stubFetch(() => Promise.reject(nested(depth)))).createPet(newPet),
      )
    ).requestSent;
  expect([await sentOf(5), await sentOf(6)]).toEqual(['no', 'unknown']);
});

test('the code of a failed connection is found among several addresses that were tried', async () => {
  const failure = new AggregateError(
    [Object.assign(new Error('v6'), { code: 'ENETUNREACH', syscall: 'connect' })],
    'all failed',
  );
  const error = await rejection<ConnectionError>(
    stubClient(
      stubFetch(() => {
        throw new TypeError('fetch failed', { cause: failure });
      }),
    ).createPet(newPet),
  );
  expect([error.requestSent, error.message.includes('ENETUNREACH')]).toEqual(['no', true]);
});

test.each([
  ['connect', 'EHOSTUNREACH', 'no'],
  ['getaddrinfo', 'ENOTFOUND', 'no'],
  ['read', 'EHOSTUNREACH', 'unknown'],
  ['write', 'ECONNREFUSED', 'unknown'],
  [undefined, 'EHOSTUNREACH', 'unknown'],
  [undefined, 'ENETUNREACH', 'unknown'],
] as const)(
  'nothing was sent only if it was the connecting that failed: %s %s',
  async (syscall, code, sent) => {
    const cause = Object.assign(new Error(), { code, syscall });
    const fetch = stubFetch(() => Promise.reject(new TypeError('fetch failed', { cause })));
    const error = await rejection<ConnectionError>(stubClient(fetch).createPet(newPet));
    expect(error.requestSent).toBe(sent);
    expect(error.message).toContain(`(${syscall === undefined ? '' : `${syscall} `}${code})`);
    expect(error.message.includes('it may have been processed')).toBe(sent === 'unknown');
  },
);

const tls = (code: string) => ({ code, message: `40BD:error:0A00:SSL routines::${code}` });
const toPort = (problem: string) => ({
  message: `error sending request for url (https://127.0.0.1:4010/): ${problem}`,
});
const certificate = /NODE_EXTRA_CA_CERTS/;
const handshake = /the TLS handshake failed/;
const notReached = /the service was not reached/;
const inDoubt = /it may have been processed/;

test.each<[string, Partial<Error> & { code?: string }, 'no' | 'unknown', RegExp, attempts: 1 | 3]>([
  ['Node', { code: 'UND_ERR_CONNECT_TIMEOUT' }, 'no', notReached, 3],
  ['Node', tls('ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE'), 'no', handshake, 1],
  ['Node', tls('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'), 'no', handshake, 1],
  ['Node', tls('ERR_SSL_WRONG_VERSION_NUMBER'), 'no', /may speak http:/, 3],
  ['Node', tls('ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC'), 'unknown', inDoubt, 3],
  ['Node', tls('ERR_TLS_CERT_ALTNAME_INVALID'), 'no', certificate, 1],
  ['Node', { code: 'CERT_HAS_EXPIRED' }, 'no', certificate, 1],
  ['Bun', { code: 'ConnectionRefused' }, 'no', notReached, 3],
  ['Bun', { message: 'EPROTO: The TLS handshake failed.' }, 'no', /may speak http:/, 3],
  ['Bun', { code: 'ERR_PROXY_TUNNEL' }, 'no', /the proxy refused to connect/, 3],
  ['Deno', toPort('client error (Connect): tcp connect error'), 'no', notReached, 3],
  ['Deno', toPort('client error (Connect): tls handshake eof'), 'no', notReached, 3],
  [
    'Deno',
    toPort('client error (Connect): invalid peer certificate: UnknownIssuer'),
    'no',
    certificate,
    1,
  ],
  ['Deno', toPort('client error (SendRequest): connection closed'), 'unknown', inDoubt, 3],
])(
  'a failure of %s, %o, is known as a request that was not sent or may have been',
  async (_runtime, fields, requestSent, says, attempts) => {
    const fetch = stubFetch(() => Promise.reject(Object.assign(new TypeError(), fields)));
    const client = stubClient(fetch, { clock: quickClock() });
    const error = await rejection<ConnectionError>(client.createPet(newPet));
    expect(error).toMatchObject({ name: 'ConnectionError', requestSent });
    expect(error.message).toMatch(says);
    const { length } = (await rejection<ConnectionError>(client.listPets())).attempts;
    expect(length).toBe(attempts);
  },
);

test('an error of another realm says as much as one of this realm', async () => {
  const foreign = runInNewContext(
    `const cause = new Error('read ECONNRESET');
     Object.assign(new TypeError('fetch failed', { cause }), { code: 'ECONNRESET' })`,
  ) as Error;
  expect(foreign).not.toBeInstanceOf(Error);
  const fail = () => Promise.reject(foreign);
  const lost = await rejection<ConnectionError>(stubClient(stubFetch(fail)).createPet(newPet));
  expect(lost.message).toContain('the connection failed (read ECONNRESET)');
  expect(lost).toMatchObject({
    code: 'ECONNRESET',
    cause: { name: 'TypeError', message: 'fetch failed', cause: { message: 'read ECONNRESET' } },
  });
  const gate = { acquire: fail };
  const shut = await rejection<Error>(stubClient(stubFetch(), { gate }).listPets());
  expect(shut.message).toBe('listPets on pets.test: the option gate failed: fetch failed');
});

test('a refusal by a gate of another realm is a RateLimitError, and not a fault of the gate', async () => {
  const foreign = runInNewContext(
    `Object.assign(new Error('full'), { name: 'GateRefusedError', reason: 'queue' })`,
  ) as Error;
  expect(foreign).toBeInstanceOf(GateRefusedError);
  const gate = { acquire: () => Promise.reject(foreign) };
  const error = await rejection<RateLimitError>(stubClient(stubFetch(), { gate }).listPets());
  expect(error).toBeInstanceOf(RateLimitError);
  expect(error.reason).toBe('queue');
  expect(Object.assign(new Error('full'), { name: 'GateRefusedError' })).not.toBeInstanceOf(
    GateRefusedError,
  );
});

test.each([
  [undefined],
  ['text'],
  [null],
  [Object.assign(Object.create(null) as object, {})],
  [Object.assign(new Error('loop'), {})],
])('a fetch that throws %s is a ConnectionError all the same', async (thrown) => {
  if (thrown instanceof Error) thrown.cause = thrown;
  const error = await rejection<ConnectionError>(
    stubClient(
      stubFetch(() => {
        throw thrown;
      }),
    ).createPet(newPet),
  );
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error.message).toContain(thrown instanceof Error ? '(loop)' : '(no reason given)');
});

test.each([
  ['production', 'https://api.petstore.example/v1', 'PETSTORE_BASE_URL'],
  ['staging', 'https://staging.petstore.example/v1', 'PETSTORE_STAGING_BASE_URL'],
] as const)(
  'a connection failure on the placeholder of %s says that it is one',
  async (environment, address, variable) => {
    const options: PetStoreClientOptions = { environment, baseUrl: undefined };
    const clientOf = (code?: string) =>
      stubClient(stubFetch(), { ...options, ...globalFetch(stubFetch(brokenConnection(code))) });
    const notFound = await rejection<Error>(clientOf('ENOTFOUND').createPet(newPet));
    expect(notFound.message).toBe(
      `createPet on ${environment}: the connection failed (ENOTFOUND); ${address} is only a placeholder: pass the option baseUrl, or set the variable ${variable}; if the mock should answer: is the mock started, and does its baseUrl hold this address?`,
    );
    const reset = await rejection<Error>(clientOf().createPet(newPet));
    expect(reset.message).toContain(
      'it may have been processed: check before you send it again; https://',
    );
  },
);

test.each([
  ['{"id":1,', 'the body is JSON that breaks off or is malformed'],
  [
    '<html>Sign in to the Wi-Fi</html>',
    'the body is an HTML page, from a proxy or a captive portal perhaps',
  ],
  ['', 'the body is empty'],
  ['OK', 'the body is not JSON'],
  [
    '[]',
    'the body is not what the contract says: the value must be a pet: an object with id, name and categoryId',
  ],
  [
    '{"name":"x","categoryId":"1"}',
    'the body is not what the contract says: id is required: an integer (int64); categoryId must be an integer (int64), got a string',
  ],
])(
  'a 201 with the body %j says what is wrong, and that the request took effect',
  async (text, problem) => {
    const error = await rejection<ResponseValidationError>(
      stubClient(stubFetch(json(text, { status: 201 }))).createPet(newPet),
    );
    expect(error).toBeInstanceOf(ResponseValidationError);
    expect(error.message).toBe(
      `createPet on pets.test: 201, but ${problem}; the request took effect: do not send it again`,
    );
    expect(error).toMatchObject({ status: 201, text, attempts: [{ status: 201 }] });
    const get = await rejection<Error>(stubClient(stubFetch(json(text))).getPet(1));
    expect(get.message).toBe(`getPet on pets.test: 200, but ${problem}`);
  },
);

test('a key function that fails, or gives what cannot be sent, is a ConfigurationError with the operation', async () => {
  const failing = await rejection<ConfigurationError>(
    stubClient(stubFetch(), {
      apiKey: () => Promise.reject(new Error('vault is sealed')),
    }).listPets(),
  );
  expect(failing).toBeInstanceOf(ConfigurationError);
  expect(failing).toMatchObject({
    name: 'ConfigurationError',
    operation: 'listPets',
    attempts: [],
  });
  expect(failing.cause).toBeUndefined();
  expect(failing.message).toBe(
    'listPets on pets.test: the function apiKey failed (Error); its message is not shown, because it may contain the key',
  );
  const coded = await rejection<Error>(
    stubClient(stubFetch(), {
      apiKey: () => Promise.reject(Object.assign(new TypeError('x'), { code: 'ENOENT' })),
    }).listPets(),
  );
  expect(coded.message).toContain('the function apiKey failed (TypeError ENOENT); its message');
  const words = await rejection<Error>(
    stubClient(stubFetch(), {
      apiKey: () => Promise.reject('no error' as unknown as Error),
    }).listPets(),
  );
  expect(words.message).toContain('the function apiKey failed (with no error); its message');
  const empty = await rejection<Error>(stubClient(stubFetch(), { apiKey: () => ' ' }).listPets());
  expect(empty.message).toBe(
    'listPets on pets.test: the function apiKey gave a key that cannot be sent: it is empty',
  );
});

test('a HEAD that failed can be tried again like a GET', async () => {
  const client = stubClient(
    stubFetch(() => errorResponse(503)),
    { maxRetries: 0 },
  );
  const error = await rejection<Error>(client.request({ method: 'HEAD', path: '/x' }));
  expect(error.message).toBe('HEAD /x on pets.test: 503 some_code: Some message; try again later');
});

test('a failed connection with a key of the mock asks whether the mock is started', async () => {
  const messageOf = async (apiKey: string | (() => string), code?: string) => {
    const options = {
      apiKey,
      maxRetries: 0,
      ...globalFetch(stubFetch(brokenConnection(code))),
    };
    return (await rejection<Error>(stubClient(stubFetch(), options).createPet(newPet))).message;
  };
  for (const apiKey of ['mock-free', 'mock-enterprise', () => 'mock-pro'])
    for (const code of [undefined, 'ECONNREFUSED'])
      expect(await messageOf(apiKey, code)).toMatch(
        /; if the mock should answer: is the mock started, and does its baseUrl hold this address\?$/,
      );
  for (const apiKey of ['mock-of-my-own', () => 'sk-live-1'])
    expect(await messageOf(apiKey, 'ECONNREFUSED')).toBe(
      'createPet on pets.test: the connection failed (ECONNREFUSED); the service was not reached at https://pets.test/v1: check the address and the network',
    );
});

test('with a fetch of its own a failed connection names neither a placeholder nor an unstarted mock', async () => {
  const messageOf = async (code: string) => {
    const options = { apiKey: 'mock-free', baseUrl: undefined, maxRetries: 0 };
    return (
      await rejection<Error>(stubClient(stubFetch(brokenConnection(code)), options).listPets())
    ).message;
  };
  expect(await messageOf('ECONNRESET')).toBe(
    'listPets on production: the connection failed (ECONNRESET); try again later',
  );
  expect(await messageOf('ENOTFOUND')).toBe(
    'listPets on production: the connection failed (ENOTFOUND); the service was not reached at https://api.petstore.example/v1: check the address and the network',
  );
});

test('a port that fetch refuses is named as such, and nothing was sent', async () => {
  const client = new PetStoreClient({
    apiKey: 'mock-free',
    baseUrl: 'http://127.0.0.1:6000',
    maxRetries: 0,
  });
  const error = await rejection<ConnectionError>(client.createPet(newPet));
  expect(error.message).toBe(
    'createPet on 127.0.0.1:6000: the connection failed (bad port); ' +
      'fetch never connects to this port: check the address; ' +
      'if the mock should answer: is the mock started, and does its baseUrl hold this address?',
  );
  expect(error.requestSent).toBe('no');
});
