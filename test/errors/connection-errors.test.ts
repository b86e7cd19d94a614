import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { ConnectionError, GateRefusedError, PetStoreClient } from '../../src/index.js';
import { createMockService } from '../../mocks/index.js';
import { failureOf, json, list, stubClient, stubFetch, type Reply } from '../support/stub.js';
import { rejection } from '../support/world.js';

type Fetch = typeof globalThis.fetch;
const throwing = (error: unknown) => () => Promise.reject(error as Error);
/** As the fetch of Node fails. */
const failed = (fields: object) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(), { stack: '' }, fields) });
const failing = (fields: object) => throwing(failed(fields));
const processed = 'it may have been processed: check before you send it again';
const unreached =
  'the service was not reached at https://pets.test/v1: check the address and the network';
const handshake =
  'the TLS handshake failed: check that the port speaks https:, the TLS versions, and the certificates (for one of your own, set NODE_EXTRA_CA_CERTS)';
const proxy =
  'the proxy refused to connect: check its address and credentials (407: it asks for credentials)';

type Failure = [shown: string, thrown: unknown, next?: string];
const each = (make: (shown: string) => unknown, next: string, ...all: string[]) =>
  all.map((shown): Failure => [shown, make(shown), next]);
const ofCode = (code: string) => failed({ code });
const ofCall = (call: string) => failed({ syscall: call.split(' ')[0], code: call.split(' ')[1] });
/** As Bun and Deno fail, whose errors have no cause. */
const ofMessage = (message: string) => new TypeError(message);
/** As OpenSSL words it. */
const tls = (...problems: string[]) =>
  problems.map((problem) => `40BD:error:0A00:SSL routines::ERR_SSL_${problem}`);
const ofTls = (message: string) => failed({ message, code: message.split('::')[1] });
const ofDeno = (problem: string) =>
  `error sending request for url (https://127.0.0.1:4010/): client error ${problem}`;
const beforeTls = 'Client network socket disconnected before secure TLS connection was established';
const off = { code: 'ENETUNREACH', syscall: 'connect' };
const noReason = 'no reason given';
const refused = 'connect ECONNREFUSED 127.0.0.1:4010';

test.each<Failure>([
  ...each(ofCode, unreached, 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'),
  ...each(ofCall, unreached, 'connect EHOSTUNREACH', 'getaddrinfo ENOTFOUND'),
  ['connect ENETUNREACH: v6', { errors: [{ ...off, message: 'v6' }] }, unreached],
  [refused, failed({ ...off, message: refused, code: 'ECONNREFUSED' }), unreached],
  [`ECONNRESET: ${beforeTls}`, failed({ code: 'ECONNRESET', message: beforeTls }), unreached],
  ...each(ofCall, processed, 'read EHOSTUNREACH', 'write ECONNREFUSED'),
  ...each(ofCode, processed, 'EHOSTUNREACH', 'ENETUNREACH', 'ECONNRESET', 'UND_ERR_SOCKET'),
  ...each(ofCode, processed, 'EPROTONOSUPPORT'),
  ['fetch failed', failed({})],
  ['x'.repeat(200), new Error('x'.repeat(1_000))],
  ...[undefined, 'text', null, Object.create(null)].map((thrown): Failure => [noReason, thrown]),
  ...each(ofTls, handshake, ...tls('SSL/TLS_ALERT_HANDSHAKE_FAILURE', 'WRONG_VERSION_NUMBER')),
  ...each(ofTls, handshake, ...tls('TLSV1_ALERT_PROTOCOL_VERSION', 'TLSV1_UNRECOGNIZED_NAME')),
  ...each(ofTls, handshake, ...tls('TLSV1_ALERT_INSUFFICIENT_SECURITY', 'TLSV1_ALERT_UNKNOWN_CA')),
  ...each(ofTls, handshake, ...tls('TLSV13_ALERT_CERTIFICATE_REQUIRED')),
  ...each(ofTls, processed, ...tls('DECRYPTION_FAILED_OR_BAD_RECORD_MAC')),
  ...each(ofCode, handshake, 'ERR_TLS_CERT_ALTNAME_INVALID', 'DEPTH_ZERO_SELF_SIGNED_CERT'),
  ...each(ofCode, handshake, 'CERT_HAS_EXPIRED', 'HOSTNAME_MISMATCH', 'SELF_SIGNED_CERT_IN_CHAIN'),
  ...each(ofCode, handshake, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
  // Bun.
  ...each(ofCode, unreached, 'ConnectionRefused', 'FailedToOpenSocket'),
  ...each(ofMessage, handshake, 'EPROTO: The TLS handshake failed.'),
  ...each(ofCode, proxy, 'ERR_PROXY_TUNNEL'),
  // Deno.
  ...each(ofMessage, unreached, 'dns error: failed to lookup address'),
  ...each(ofMessage, unreached, ofDeno('(Connect): tcp connect error')),
  ...each(ofMessage, unreached, ofDeno('(Connect): tls handshake eof')),
  ...each(ofMessage, handshake, ofDeno('(Connect): invalid peer certificate: X')),
  ...each(ofMessage, processed, ofDeno('(SendRequest): connection closed')),
])(
  'a connection that fails with %s (%o) has sent nothing, or leaves open whether it was processed: %s',
  async (shown, thrown, next = processed) => {
    const error = await failureOf<ConnectionError>(throwing(thrown));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({
      requestSent: next === processed ? 'unknown' : 'no',
      attempts: [{ status: undefined, failure: 'connection' }],
    });
    expect(error.message).toBe(`createPet on pets.test: the connection failed (${shown}); ${next}`);
    const { attempts } = await failureOf<ConnectionError>(throwing(thrown), list);
    expect(attempts).toHaveLength(next === handshake ? 1 : 3);
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
    const reply = () => failing({ code: codes.shift() })();
    const { requestSent, attempts } = await failureOf<ConnectionError>(reply, list);
    return [requestSent, attempts.length];
  };
  expect(await sentOf('ECONNRESET')).toEqual(['unknown', 3]);
  expect(await sentOf('ECONNREFUSED')).toEqual(['no', 3]);
});

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
  const error = await failureOf(json([]), list, { gate });
  expect(error).toMatchObject({ name: 'RateLimitError', reason: 'queue' });
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

const coded = (code: unknown) => throwing(Object.assign(new Error('x'), { code }));

test.each([
  [() => Promise.reject(new Error('vault is sealed')), 'failed (Error)'],
  [throwing(Object.assign(new TypeError('x'), { code: 'ENOENT' })), 'failed (TypeError ENOENT)'],
  [coded('ERR_INVALID_URL'), 'failed (Error ERR_INVALID_URL)'],
  [coded('a key, ENOENT'), 'failed (Error)'],
  [coded('ENOENT, a key'), 'failed (Error)'],
  [coded(['ENOENT']), 'failed (Error)'],
  [throwing('no error'), 'failed (unusual error)'],
  // The file of a key, taken for JSON: the message of the parser shows a part of it.
  [() => JSON.parse('sk_live-S3cr3t/Key+9') as string, 'failed (SyntaxError)'],
  [() => ' ', 'gave a key that cannot be sent: it is empty'],
  [() => null as never, 'gave a key that cannot be sent: it must be a string, got null'],
])(
  'a key function (%s) that fails, or gives what cannot be sent, is a ConfigurationError with the operation: %s',
  async (apiKey, says) => {
    const error = await failureOf(json([]), list, { apiKey });
    const name = 'ConfigurationError';
    expect(error).toMatchObject({ name, operation: 'listPets', attempts: [] });
    expect(error.cause).toBeUndefined();
    const unshown = '; its message is not shown, because it may contain the key';
    expect(error.message).toBe(
      `listPets on pets.test: the function apiKey ${says}${says.startsWith('failed') ? unshown : ''}`,
    );
  },
);

const started =
  'if the mock should answer: is the mock started, and does its option baseUrl name this';

/** What a call says whose client calls `fetch` of the runtime, which is a stub. */
async function ofGlobalFetch(reply: Reply, options: object): Promise<string> {
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
    const options = { environment, baseUrl: undefined };
    expect(await ofGlobalFetch(failing({ code: 'ENOTFOUND' }), options)).toBe(
      `createPet on ${environment}: the connection failed (ENOTFOUND); ${address} is only a placeholder: pass the option baseUrl, or set the variable ${variable}; ${started} address?`,
    );
    expect(await ofGlobalFetch(failing({}), options)).toContain(`${processed}; https://`);
  },
);

test('a failed connection with a key of the mock asks whether the mock is started', async () => {
  for (const apiKey of ['mock-free', 'mock-enterprise', () => 'mock-pro'])
    for (const code of [undefined, 'ECONNREFUSED'])
      expect(await ofGlobalFetch(failing({ code }), { apiKey })).toContain(`; ${started}`);
  for (const apiKey of ['mock-of-my-own', () => 'sk-live-1'])
    expect(await ofGlobalFetch(failing({ code: 'ECONNREFUSED' }), { apiKey })).toMatch(/network$/);
});

test('with a fetch of its own a failed connection names no unstarted mock, and a placeholder only where it is certain that nothing was sent', async () => {
  const options = { apiKey: 'mock-free', baseUrl: undefined, maxRetries: 0 };
  const messageOf = async (code: string) =>
    (await failureOf(failing({ code }), list, options)).message;
  expect(await messageOf('ECONNRESET')).toMatch(/\(ECONNRESET\); try again later$/);
  expect(await messageOf('ENOTFOUND')).toMatch(
    /\/v1 is only a placeholder: pass the option baseUrl, or set the variable PETSTORE_BASE_URL$/,
  );
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
  const other = stubFetch(new Response(null, { status: 400 }));
  expect(await messageOf('mock-pro', local, other)).toMatch(/fix the argument$/);
  const service = createMockService();
  expect(await messageOf('mock-pro', `${local}/v1/x`, service.fetch)).toMatch(
    /path_not_found.*check baseUrl and the path$/,
  );
});
