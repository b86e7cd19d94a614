import { createServer as createHttpServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Server } from 'node:net';
import { expect, test } from 'vitest';
import { Agent, fetch as undiciFetch, ProxyAgent, type Dispatcher } from 'undici';
import { ApiError, ConnectionError, ResponseValidationError } from '../../src/index.js';
import { answering, hostileServer, http, listening, type Conduct } from '../support/hostile.js';
import { newPet, pet, stubClient } from '../support/stub.js';
import { block, rejection, turns } from '../support/world.js';

const pets = JSON.stringify([{ id: 1, name: 'Rex', categoryId: 1 }]);
const sane = answering(pets);
const write =
  (text: string, then?: 'end' | 'reset'): Conduct =>
  (socket) =>
    void socket.write(text, 'latin1', () => {
      if (then === 'end') socket.end();
      // After some turns, so that what was written has been read: a reset discards what has not.
      if (then === 'reset') void turns(20).then(() => socket.resetAndDestroy());
    });
const chunked = { 'Content-Length': '', 'Transfer-Encoding': 'chunked' };
const firstChunk = http(`5\r\n${pets.slice(0, 5)}\r\n`, { headers: chunked });

const clientOf = ({ url }: { url: string }, options: object = {}) =>
  stubClient(fetch, { baseUrl: url, timeout: 20_000, maxRetries: 0, ...options });

type ErrorClass = abstract new (...args: never[]) => Error & { attempts: readonly object[] };

const withLength = (length: number | string) => ({ headers: { 'Content-Length': String(length) } });
const redirect = (status: string, Location: string) =>
  write(http('', { status, headers: { Location } }));

type Outcome = readonly [ErrorClass, message: RegExp];
const lost: Outcome = [ConnectionError, /ECONNRESET|UND_ERR_SOCKET/];
const garbled: Outcome = [ConnectionError, /HPE_|connection failed/];
const cutShort: Outcome = [ResponseValidationError, /cut short/];
const redirected: Outcome = [ApiError, /30[28] with a body that is empty; redirects are refused/];

const gzip = { headers: { 'Content-Encoding': 'gzip' } };

/** What the network does, and the error that it gives. */
test.each<[name: string, Conduct, Outcome]>([
  ['resets the connection before the headers', (socket) => socket.resetAndDestroy(), lost],
  ['closes the connection before the headers', (socket) => socket.end(), lost],
  ['sends garbage', write('\u0000\u0001garbage\r\n\r\n', 'end'), garbled],
  ['resets after the headers', write(http('', withLength(100)), 'reset'), cutShort],
  ['sends half a body', write(http(pets.slice(0, 20), withLength(100)), 'end'), cutShort],
  ['sends half a body in chunks and resets', write(firstChunk, 'reset'), cutShort],
  ['says that the content is gzip, and it is not', write(http(pets, gzip)), cutShort],
  ['redirects to another host', redirect('302 Found', 'http://127.0.0.2:1/'), redirected],
  ['redirects with 308 to itself', redirect('308 Permanent', '/v1/pets'), redirected],
])(
  'when the service %s, the call gives the named error, createPet is sent once, and the next call works',
  async (_name, conduct, [type, message]) => {
    await using server = await hostileServer(conduct, sane, conduct, sane);
    const client = clientOf(server, { maxRetries: 5 });
    for (const isWrite of [false, true]) {
      const call = isWrite ? client.createPet(newPet) : client.listPets({}, { maxRetries: 0 });
      const error = await rejection(call, type);
      expect(error.message).toMatch(message);
      expect(error.message).toMatch(/^(?:listPets|createPet) on 127\.0\.0\.1:\d+: [^\n]+$/);
      // Where the service may have added the pet.
      const isInDoubt = isWrite && !(error instanceof ApiError);
      expect(/check before you send it again|took effect/.test(error.message)).toBe(isInDoubt);
      expect(error.attempts).toHaveLength(1);
      expect(await client.listPets()).toEqual(JSON.parse(pets));
      expect(server.requests).toHaveLength(isWrite ? 4 : 2);
    }
    expect(server.requests[2]).toMatch(
      /^POST \/v1\/pets HTTP\/1\.1\r\n[^]*\{"name":"Rex","categoryId":1\}$/,
    );
  },
);

type Fetch = typeof globalThis.fetch;

/** What a call through this `fetch`, or to this address, fails with: nothing was sent, and no second attempt is made where it would fail as well. */
async function unsent(url: string, fetch?: Fetch, attempts = 1): Promise<string> {
  const client = stubClient(fetch ?? globalThis.fetch, { baseUrl: url });
  const { requestSent } = await rejection<ConnectionError>(client.createPet(newPet));
  const error = await rejection<ConnectionError>(client.listPets({}, { maxRetries: 1 }));
  expect([requestSent, error.requestSent, error.attempts.length]).toEqual(['no', 'no', attempts]);
  return error.message;
}

test('a proxy that refuses to connect is named, and nothing was sent', async () => {
  const proxy = createHttpServer().on('connect', (_request, socket) =>
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n'),
  );
  await using at = await listening(proxy);
  await using server = await hostileServer(sane);
  const dispatcher = new ProxyAgent({ uri: `http://127.0.0.1:${at.port}`, proxyTunnel: true });
  const fetch = withDispatcher(undiciFetch as unknown as Fetch, dispatcher);
  expect(await unsent(server.url, fetch, 2)).toMatch(/\(407\).*the proxy refused to connect/);
  expect(server.requests).toEqual([]);
  await dispatcher.close();
});

test('a dispatcher of another undici than that of fetch is named as the reason, and nothing was sent', async () => {
  await using server = await hostileServer(answering('[]'));
  const fetch = withDispatcher(globalThis.fetch, new Agent());
  expect(await unsent(server.url, fetch)).toContain('are of different versions of undici');
  expect(server.requests).toEqual([]);
});

test.each<[string, () => Server]>([
  ['http: instead', createHttpServer],
  // It has no cipher that needs no certificate.
  ['TLS with other ciphers', createTlsServer],
])('a port that speaks %s is told by its error, and nothing was sent', async (_name, serverOf) => {
  await using at = await listening(serverOf());
  expect(await unsent(`https://127.0.0.1:${at.port}`)).toMatch(
    /the TLS handshake failed: .* speaks https:.* set NODE_EXTRA_CA_CERTS/,
  );
});

test.each([50, 300])(
  'answers that arrived while the event loop was blocked until %i ms after timeout are taken, also those to a POST',
  async (late) => {
    // Long enough for three requests to arrive on a busy machine.
    const timeout = 2_000;
    let requests = 0;
    await using server = await hostileServer((socket, request) => {
      answering('[]')(socket, request);
      // All answers are written: none is read before the timeouts of all calls are over.
      if (++requests === 3) block(timeout + late);
    });
    const client = clientOf(server, { gate: false, timeout });
    const calls = [client.listPets(), client.createPet(newPet), client.createPet(newPet)];
    expect(await Promise.all(calls)).toEqual([[], pet(), pet()]);
    expect(requests).toBe(3);
  },
);

function withDispatcher(fetch: Fetch, dispatcher: Dispatcher): Fetch {
  return (url, init) => fetch(url, { ...init, dispatcher } as RequestInit);
}
