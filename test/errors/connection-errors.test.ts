import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import {
  ConfigurationError,
  ConnectionError,
  GateRefusedError,
  PetStoreClient,
  RateLimitError,
  type PetStoreClientOptions,
} from '../../src/index.js';
import { createMockService } from '../../mocks/index.js';
import { singleton } from '../../src/utils/singleton.js';
import {
  brokenConnection,
  failureOf,
  json,
  list,
  stubClient,
  stubFetch,
  type Reply,
} from '../support/stub.js';
import { rejection } from '../support/world.js';

type Fetch = typeof globalThis.fetch;
const throwing = (error: unknown) => () => Promise.reject(error as Error);
const failing = (fields: object) =>
  throwing(
    new TypeError('fetch failed', { cause: Object.assign(new Error(), { stack: '' }, fields) }),
  );
const processed = 'it may have been processed: check before you send it again';
const unreached =
  'the service was not reached at https://pets.test/v1: check the address and the network';

test.each<[shown: string, Reply, requestSent: 'no' | 'unknown']>([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'].map(
    (code) => [code, failing({ code }), 'no'] as [string, Reply, 'no'],
  ),
  ['connect EHOSTUNREACH', failing({ code: 'EHOSTUNREACH', syscall: 'connect' }), 'no'],
  ['getaddrinfo ENOTFOUND', failing({ code: 'ENOTFOUND', syscall: 'getaddrinfo' }), 'no'],
  [
    'connect ENETUNREACH: v6',
    throwing({ errors: [{ message: 'v6', code: 'ENETUNREACH', syscall: 'connect' }] }),
    'no',
  ],
  ['read EHOSTUNREACH', failing({ code: 'EHOSTUNREACH', syscall: 'read' }), 'unknown'],
  ['write ECONNREFUSED', failing({ code: 'ECONNREFUSED', syscall: 'write' }), 'unknown'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'ECONNRESET', 'UND_ERR_SOCKET'].map(
    (code) => [code, failing({ code }), 'unknown'] as [string, Reply, 'unknown'],
  ),
  ['fetch failed', failing({}), 'unknown'],
  ['x'.repeat(200), throwing(new Error('x'.repeat(1_000))), 'unknown'],
  ...[undefined, 'text', null, Object.create(null)].map(
    (thrown) => ['no reason given', throwing(thrown), 'unknown'] as [string, Reply, 'unknown'],
  ),
])(
  'a connection that fails with %s (%o) has sent nothing, or leaves open whether it was processed: %s',
  async (shown, reply, requestSent) => {
    const error = await failureOf<ConnectionError>(reply);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({
      requestSent,
      attempts: [{ status: undefined, failure: 'connection' }],
    });
    expect(error.message).toBe(
      `createPet on pets.test: the connection failed (${shown}); ${requestSent === 'no' ? unreached : processed}`,
    );
  },
);

test('the code of a failed connection is found among the causes of its causes, five deep, and in no circle', async () => {
  const nested = (depth: number): Error =>
    depth === 0
      ? Object.assign(new Error('inmost'), { code: 'ECONNREFUSED' })
      : new Error(`outer ${depth}`, { cause: nested(depth - 1) });
  const sent = async (depth: number) =>
    (await failureOf<ConnectionError>(throwing(nested(depth)))).requestSent;
  expect([await sent(5), await sent(6)]).toEqual(['no', 'unknown']);
  const loop = new Error('loop');
  loop.cause = loop;
  expect((await failureOf(throwing(loop))).message).toContain('(loop)');
});

test('a GET of which one attempt may have been processed is not called unsent', async () => {
  const sentOf = async (first: string) => {
    const codes = [first, 'ECONNREFUSED', 'ECONNREFUSED'];
    const reply = () => brokenConnection(codes.shift())();
    const { requestSent, attempts } = await failureOf<ConnectionError>(reply, list);
    return [requestSent, attempts.length];
  };
  expect(await sentOf('ECONNRESET')).toEqual(['unknown', 3]);
  expect(await sentOf('ECONNREFUSED')).toEqual(['no', 3]);
});

const tls = (code: string) => ({ code, message: `40BD:error:0A00:SSL routines::${code}` });
const toPort = (problem: string) => ({
  message: `error sending request for url (https://127.0.0.1:4010/): ${problem}`,
});
const handshake = /the TLS handshake failed/;
const notReached = /the service was not reached/;
const inDoubt = /it may have been processed/;
const beforeTls = 'Client network socket disconnected before secure TLS connection was established';

type Known = [
  string,
  Partial<Error> & { code?: string },
  'no' | 'unknown',
  RegExp,
  attempts: 1 | 3,
];

test.each<Known>([
  ...['UND_ERR_CONNECT_TIMEOUT', 'EAI_AGAIN'].map((code): Known => [
    'Node',
    { code },
    'no',
    notReached,
    3,
  ]),
  ['Node', { code: 'ECONNRESET', message: beforeTls }, 'no', notReached, 3],
  ...[
    ...['SSL/TLS_ALERT_HANDSHAKE_FAILURE', 'WRONG_VERSION_NUMBER', 'TLSV1_UNRECOGNIZED_NAME'],
    ...['TLSV1_ALERT_PROTOCOL_VERSION', 'TLSV1_ALERT_INSUFFICIENT_SECURITY'],
    ...['TLSV1_ALERT_UNKNOWN_CA', 'TLSV13_ALERT_CERTIFICATE_REQUIRED'],
  ].map((problem): Known => ['Node', tls(`ERR_SSL_${problem}`), 'no', handshake, 1]),
  ['Node', tls('ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC'), 'unknown', inDoubt, 3],
  ...[
    ...['ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ...['SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'HOSTNAME_MISMATCH'],
  ].map((code): Known => ['Node', { code }, 'no', handshake, 1]),
  ['Node', { code: 'EPROTONOSUPPORT' }, 'unknown', inDoubt, 3],
  ['Bun', { code: 'ConnectionRefused' }, 'no', notReached, 3],
  ['Bun', { code: 'FailedToOpenSocket' }, 'no', notReached, 3],
  ['Bun', { message: 'EPROTO: The TLS handshake failed.' }, 'no', handshake, 1],
  ['Bun', { code: 'ERR_PROXY_TUNNEL' }, 'no', /the proxy refused to connect/, 3],
  ['Deno', { message: 'dns error: failed to lookup address' }, 'no', notReached, 3],
  ['Deno', toPort('client error (Connect): tcp connect error'), 'no', notReached, 3],
  ['Deno', toPort('client error (Connect): tls handshake eof'), 'no', notReached, 3],
  ['Deno', toPort('client error (Connect): invalid peer certificate: X'), 'no', handshake, 1],
  ['Deno', toPort('client error (SendRequest): connection closed'), 'unknown', inDoubt, 3],
])(
  'a failure of %s, %o, is known as a request that was not sent or may have been',
  async (_runtime, fields, requestSent, says, attempts) => {
    const reply = throwing(Object.assign(new TypeError(), fields));
    const error = await failureOf<ConnectionError>(reply);
    expect(error).toMatchObject({ name: 'ConnectionError', requestSent });
    expect(error.message).toMatch(says);
    expect((await failureOf<ConnectionError>(reply, list)).attempts).toHaveLength(attempts);
  },
);

test('an error of another realm says as much as one of this realm', async () => {
  const foreign = runInNewContext(
    `const cause = new Error('read ECONNRESET');
     Object.assign(new TypeError('fetch failed', { cause }), { code: 'ECONNRESET' })`,
  ) as Error;
  expect(foreign).not.toBeInstanceOf(Error);
  const lost = await failureOf<ConnectionError>(throwing(foreign));
  expect(lost.message).toContain('the connection failed (read ECONNRESET)');
  expect(lost).toMatchObject({
    code: 'ECONNRESET',
    cause: { name: 'TypeError', message: 'fetch failed', cause: { message: 'read ECONNRESET' } },
  });
  const shut = await failureOf(json([]), list, { gate: { acquire: throwing(foreign) } });
  expect(shut.message).toBe('listPets on pets.test: the option gate failed: fetch failed');
});

test('a refusal by a gate of another realm is a RateLimitError, and not a fault of the gate', async () => {
  const foreign = runInNewContext(
    `Object.assign(new Error('full'), { name: 'GateRefusedError', reason: 'queue' })`,
  ) as Error;
  expect(foreign).toBeInstanceOf(GateRefusedError);
  const gate = { acquire: throwing(foreign) };
  const error = await failureOf<RateLimitError>(json([]), list, { gate });
  expect(error).toBeInstanceOf(RateLimitError);
  expect(error.reason).toBe('queue');
  expect(Object.assign(new Error('full'), { name: 'GateRefusedError' })).not.toBeInstanceOf(
    GateRefusedError,
  );
});

test('an error of this package that the fetch of a caller throws is the cause of a failed connection, without the key', async () => {
  const apiKey = 'key-of-the-inner-client';
  const inner = new ConnectionError(`sent with ${apiKey}`, { requestSent: 'no' });
  const error = await failureOf<ConnectionError>(throwing(inner), undefined, { apiKey });
  expect(error).toMatchObject({ requestSent: 'unknown', operation: 'createPet' });
  const message = '[text withheld: it contains the API key]';
  expect(error.cause).toMatchObject({ name: 'ConnectionError', message });
  expect(inspect(error) + JSON.stringify(error)).not.toContain(apiKey);
});

test.each([
  [() => Promise.reject(new Error('vault is sealed')), 'failed (Error)'],
  [throwing(Object.assign(new TypeError('x'), { code: 'ENOENT' })), 'failed (TypeError ENOENT)'],
  [throwing('no error'), 'failed (with no error)'],
  // The file of a key, taken for JSON: the message of the parser shows a part of it.
  [() => JSON.parse('sk_live-S3cr3t/Key+9') as string, 'failed (SyntaxError)'],
  [() => ' ', 'gave a key that cannot be sent: it is empty'],
  [() => null as never, 'gave a key that cannot be sent: it must be a string, got null'],
  [() => undefined as never, 'gave a key that cannot be sent: it must be a string, got nothing'],
])(
  'a key function (%s) that fails, or gives what cannot be sent, is a ConfigurationError with the operation: %s',
  async (apiKey, says) => {
    const error = await failureOf<ConfigurationError>(json([]), list, { apiKey });
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ operation: 'listPets', attempts: [] });
    expect(error.cause).toBeUndefined();
    const unshown = '; its message is not shown, because it may contain the key';
    expect(error.message).toBe(
      `listPets on pets.test: the function apiKey ${says}${says.startsWith('failed') ? unshown : ''}`,
    );
  },
);

test('of what a gate says the message keeps 200 characters', async () => {
  const gate = { acquire: throwing(new Error('x'.repeat(1_000))) };
  expect((await failureOf(json([]), list, { gate })).message).toMatch(/: x{200}$/);
});

const started = 'if the mock should answer: is the mock started, and does its baseUrl hold this';

/** What a call says whose client calls `fetch` of the runtime, which is a stub. */
async function ofGlobalFetch(reply: Reply, options: PetStoreClientOptions): Promise<string> {
  vi.stubGlobal('fetch', stubFetch(reply));
  const all = { maxRetries: 0, logLevel: 'off', ...options, fetch: undefined } as const;
  return (await failureOf(reply, undefined, all)).message;
}

test.each([
  ['production', 'https://api.petstore.example/v1', 'PETSTORE_BASE_URL'],
  ['staging', 'https://staging.petstore.example/v1', 'PETSTORE_STAGING_BASE_URL'],
] as const)(
  'a connection failure on the placeholder of %s says that it is one',
  async (environment, address, variable) => {
    const options: PetStoreClientOptions = { environment, baseUrl: undefined };
    expect(await ofGlobalFetch(failing({ code: 'ENOTFOUND' }), options)).toBe(
      `createPet on ${environment}: the connection failed (ENOTFOUND); ${address} is only a placeholder: pass the option baseUrl, or set the variable ${variable}; ${started} address?`,
    );
    expect(await ofGlobalFetch(failing({}), options)).toContain(`${processed}; https://`);
  },
);

test('a failed connection with a key of the mock asks whether the mock is started', async () => {
  for (const apiKey of ['mock-free', 'mock-enterprise', () => 'mock-pro'])
    for (const code of [undefined, 'ECONNREFUSED'])
      expect(await ofGlobalFetch(brokenConnection(code), { apiKey })).toContain(`; ${started}`);
  for (const apiKey of ['mock-of-my-own', () => 'sk-live-1'])
    expect(await ofGlobalFetch(brokenConnection('ECONNREFUSED'), { apiKey })).toMatch(/network$/);
});

test('with a fetch of its own a failed connection names neither a placeholder nor an unstarted mock', async () => {
  const options = { apiKey: 'mock-free', baseUrl: undefined, maxRetries: 0 };
  const messageOf = async (code: string) =>
    (await failureOf(failing({ code }), list, options)).message;
  expect(await messageOf('ECONNRESET')).toMatch(/\(ECONNRESET\); try again later$/);
  expect(await messageOf('ENOTFOUND')).toMatch(/example\/v1: check the address and the network$/);
});

test('a port that fetch refuses is named as such, and nothing was sent', async () => {
  const options = { apiKey: 'mock-free', baseUrl: 'http://127.0.0.1:6000', fetch: undefined };
  const error = await failureOf<ConnectionError>(json([]), undefined, options);
  expect(error.message).toBe(
    'createPet on 127.0.0.1:6000: the connection failed (bad port); ' +
      `fetch never connects to this port: check the address; ${started} address?`,
  );
  expect(error.requestSent).toBe('no');
});

/** As in a page of a browser, where there are no environment variables and no codes of failed connections. */
function asPage(): void {
  vi.stubGlobal('window', { document: {} });
  vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0' });
  vi.stubGlobal('process', undefined);
}
const failToFetch = throwing(new TypeError('Failed to fetch'));
const visitor = { apiKey: () => 'key-of-a-visitor', maxRetries: 0 };

test('a failed connection without a code names CORS in a page, and nowhere else', async () => {
  const messageOf = async (reply: Reply) => (await failureOf(reply, list, visitor)).message;
  asPage();
  expect(await messageOf(failToFetch)).toBe(
    'listPets on pets.test: the connection failed (Failed to fetch), or the browser blocked it (CORS): see the console; try again later',
  );
  expect(await messageOf(failing({ code: 'ECONNREFUSED' }))).not.toContain('CORS');
  expect(await messageOf(throwing(new Error('my own')))).not.toContain('CORS');
  vi.unstubAllGlobals();
  expect(await messageOf(failToFetch)).not.toContain('CORS');
});

test('where there are no environment variables, messages name the options alone', async () => {
  asPage();
  const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
  singleton('placeholders', () => new Set<string>()).clear();
  expect(() => new PetStoreClient()).toThrow(/^no API key: pass the option apiKey$/);
  const client = new PetStoreClient(visitor);
  expect(client.baseUrl).toBe('https://api.petstore.example/v1');
  expect(warn.mock.calls).toEqual([[expect.stringContaining('pass the option baseUrl')]]);
  const options = { apiKey: 'mock-free', baseUrl: undefined };
  const message = await ofGlobalFetch(failToFetch, options);
  expect(message).toContain('is only a placeholder: pass the option baseUrl');
  expect([warn.mock.calls, message].join()).not.toMatch(/PETSTORE_|variable/);
});

test('a 404 of the development server, or to a key of the mock, asks whether the mock is started', async () => {
  const messageOf = async (apiKey: string, baseUrl: string, fetch: Fetch = stubFetch(empty)) => {
    const client = stubClient(fetch, { apiKey: () => apiKey, baseUrl });
    return (await rejection<Error>(client.listPets())).message;
  };
  const empty = new Response(null, { status: 404 });
  const local = 'http://localhost:5173/api';
  const hint = `check baseUrl and the path; ${started} address?`;
  expect(await messageOf('not-a-key', local)).toContain(`/api/v1/pets: ${hint}`);
  expect(await messageOf('mock-pro', 'https://pets.test')).toContain(hint);
  expect(await messageOf('not-a-key', 'https://pets.test')).toMatch(/check baseUrl and the path$/);
  const service = createMockService();
  expect(await messageOf('mock-pro', `${local}/v1/x`, service.fetch)).toMatch(
    /path_not_found.*check baseUrl and the path$/,
  );
});
