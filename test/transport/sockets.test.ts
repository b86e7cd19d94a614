import { createServer as createHttpServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { expect, test } from 'vitest';
import { Agent, fetch as undiciFetch, ProxyAgent, type Dispatcher } from 'undici';
import type { ConnectionError } from '../../src/index.js';
import { PetStoreClient, type PetStoreClientOptions } from '../../src/index.js';
import { selfSigned } from '../support/certificate.js';
import { answering, hostileServer } from '../support/hostile.js';
import { newPet, pet } from '../support/stub.js';
import { rejection } from '../support/world.js';

type Fetch = typeof globalThis.fetch;

const sane = answering('[]');

let keys = 0;
const clientOf = (url: string, options: PetStoreClientOptions = {}) =>
  new PetStoreClient({ apiKey: `sockets-${++keys}`, baseUrl: url, ...options });

/** Listens on a port of the loopback, until the end of the block. */
async function listening(server: Server): Promise<{ port: number } & AsyncDisposable> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** What a call through this `fetch`, or to this address, fails with: nothing was sent, and no second attempt is made where it would fail as well. */
async function unsent(url: string, fetch?: Fetch, attempts = 1): Promise<string> {
  const client = clientOf(url, { fetch });
  const { requestSent } = await rejection<ConnectionError>(client.createPet(newPet));
  const error = await rejection<ConnectionError>(client.listPets({}, { maxRetries: 1 }));
  expect([requestSent, error.requestSent, error.attempts.length]).toEqual(['no', 'no', attempts]);
  return error.message;
}

test.each([
  [407, 'Proxy Authentication Required'],
  [502, 'Bad Gateway'],
])(
  'a proxy that refuses to connect is named with its %i, and nothing was sent',
  async (status, text) => {
    const proxy = createHttpServer().on('connect', (_request, socket) =>
      socket.end(`HTTP/1.1 ${status} ${text}\r\nContent-Length: 0\r\n\r\n`),
    );
    await using at = await listening(proxy);
    await using server = await hostileServer(sane);
    const dispatcher = new ProxyAgent({ uri: `http://127.0.0.1:${at.port}`, proxyTunnel: true });
    const fetch = withDispatcher(undiciFetch as unknown as Fetch, dispatcher);
    expect(await unsent(server.url, fetch, 2)).toMatch(
      new RegExp(`\\(${status}\\).*the proxy refused to connect`),
    );
    expect(server.requests).toEqual([]);
    await dispatcher.close();
  },
);

test('a dispatcher of another undici than that of fetch is named as the reason, and nothing was sent', async () => {
  await using server = await hostileServer(sane);
  const fetch = withDispatcher(globalThis.fetch, new Agent());
  expect(await unsent(server.url, fetch)).toContain('are of different versions of undici');
  expect(server.requests).toEqual([]);
});

const ciphers = { ciphers: 'ECDHE-RSA-AES128-GCM-SHA256', maxVersion: 'TLSv1.2' as const };

test.each<[string, () => Server]>([
  ['http: instead', createHttpServer],
  ['TLS with a certificate that is not trusted', () => createTlsServer(selfSigned)],
  ['TLS with other ciphers', () => createTlsServer({ ...selfSigned, ...ciphers })],
])('a port that speaks %s is told by its error, and nothing was sent', async (_name, serverOf) => {
  await using at = await listening(serverOf());
  expect(await unsent(`https://127.0.0.1:${at.port}`)).toMatch(
    /the TLS handshake failed: .* speaks https:.* set NODE_EXTRA_CA_CERTS/,
  );
});

test.each([350, 600])(
  'answers that arrived while the event loop was blocked for %i ms, longer than timeout, are taken, also those to a POST',
  async (blocked) => {
    let requests = 0;
    await using server = await hostileServer((socket, request) => {
      sane(socket, request);
      const until = performance.now() + blocked;
      // All answers are written: none is read before the timeouts of all calls are over.
      if (++requests === 3) while (performance.now() < until);
    });
    const client = clientOf(server.url, { gate: false, timeout: 300, maxRetries: 0 });
    const calls = [client.listPets(), client.createPet(newPet), client.createPet(newPet)];
    expect(await Promise.all(calls)).toEqual([[], pet(), pet()]);
    expect(requests).toBe(3);
  },
);

function withDispatcher(fetch: Fetch, dispatcher: Dispatcher): Fetch {
  return (url, init) => fetch(url, { ...init, dispatcher } as RequestInit);
}
