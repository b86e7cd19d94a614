import { connect } from 'node:net';
import { Agent, request, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { readBounded } from '../../../mocks/standalone/exchange.js';
import { createMockService } from '../../../mocks/index.js';
import { serve } from '../../../mocks/server.js';
import description from '../../../openapi.json' with { type: 'json' };
import type { MockService } from '../../../mocks/service/types.js';
import { PetStoreClient, RateLimitError } from '../../../src/index.js';
import { served, startServed } from '../../support/served.js';

const key = { Authorization: 'Bearer mock-free' };

/** Sends raw bytes, and gives back all that comes until the service ends the connection; `leave`: ends it from here. */
async function raw(port: number, bytes: string, leave = false): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString()));
  const over = new Promise<void>(
    (resolve) => void socket.on('close', () => resolve()).on('error', () => resolve()),
  );
  if (leave) socket.end(bytes);
  else socket.write(bytes);
  await over;
  return text;
}

test('a body of 20 MB is answered 413, or 401 where nobody reads it, and the connection stays open', async () => {
  const { url, service } = await startServed();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (method: string, body: string, own: object = key) =>
    new Promise<{ status: number | undefined; port: number | undefined }>((resolve, reject) => {
      const sent = request(
        `${url}/v1/pets`,
        { method, agent, headers: { ...own, 'Content-Type': 'application/json' } },
        (response) => {
          const port = response.socket.localPort;
          response.resume().on('end', () => resolve({ status: response.statusCode, port }));
        },
      ).on('error', reject);
      sent.end(body);
    });
  const long = `{"name":"${'x'.repeat(20_000_000)}","categoryId":1}`;
  const refused = await ask('POST', long);
  expect(refused.status).toBe(413);
  expect(await ask('POST', long, {})).toEqual({ status: 401, port: refused.port });
  expect(await ask('GET', '')).toEqual({ status: 200, port: refused.port });
  expect(service.pets.size).toBe(3);
  agent.destroy();
});

test('a body that comes in chunks of one byte does not keep the blocks alive that they are views of', async () => {
  const blocks = 8_000;
  const before = process.memoryUsage().arrayBuffers;
  let peak = 0;
  async function* chunks() {
    for (let count = 0; count < blocks; count++) {
      yield Buffer.alloc(65_536).subarray(0, 1);
      if (count % 100 === 0) {
        peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }
  const body = await readBounded(Readable.from(chunks()) as unknown as IncomingMessage, 1e6);
  expect(body).toHaveLength(blocks);
  // All blocks together are 524 MB.
  expect(peak).toBeLessThan(300_000_000);
});

test('of a body that is too long, one byte beyond the bound is held, whatever pieces it comes in', async () => {
  const pieces = (...sizes: number[]) =>
    Readable.from(sizes.map((size) => Buffer.alloc(size, 'x'))) as unknown as IncomingMessage;
  expect(await readBounded(pieces(3, 4, 3), 10)).toHaveLength(10);
  expect(await readBounded(pieces(3, 400, 3, 500), 10)).toHaveLength(11);
  expect(await readBounded(pieces(11, 1), 10)).toHaveLength(11);
});

test('a network-error fault is a reset of the real connection', async () => {
  const { service, url } = await startServed();
  service.faults.add({ 'network-error': true, times: 1 });
  await expect(fetch(`${url}/v1/pets`, { headers: key })).rejects.toMatchObject({
    cause: { code: 'ECONNRESET' },
  });
  expect((await fetch(`${url}/v1/pets`, { headers: key })).status).toBe(200);
});

test('a body that is cut off ends before its Content-Length', async () => {
  const { service, port } = await startServed();
  service.faults.add({ 'drop-body': true, times: 1 });
  const text = await raw(
    port,
    'GET /v1/pets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer mock-free\r\n\r\n',
  );
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const promised = Number(/content-length: (\d+)/i.exec(head)?.[1]);
  expect(head).toMatch(/^HTTP\/1\.1 200 /);
  expect(body.length).toBeGreaterThan(0);
  expect(Buffer.byteLength(body)).toBeLessThan(promised);
});

test('a slow body comes in pieces', async () => {
  const { service, url } = await startServed({ clock: 'virtual' });
  service.faults.add({ 'slow-body': 500, times: 1 });
  const response = await fetch(`${url}/v1/pets`, { headers: key });
  let pieces = 0;
  for await (const piece of response.body ?? []) pieces += piece.length > 0 ? 1 : 0;
  expect(pieces).toBeGreaterThan(1);
});

test.each([
  ['garbage', 'garbage\r\n\r\n', 400],
  ['a bad request line', 'GET\r\n\r\n', 400],
  ['a header without a colon', 'GET / HTTP/1.1\r\nHost localhost\r\n\r\n', 400],
  ['no host', 'GET /v1/pets HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
  ...['localhost/_mock/state?', 'localhost@127.0.0.1', 'localhost#'].map(
    (host): [string, string, number] => [
      `the host ${host}`,
      `GET /v1/pets HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      400,
    ],
  ),
  ['a target that is no path', 'GET * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
  [
    'a whole address',
    'GET http://x/v1/pets HTTP/1.1\r\nHost: y\r\nAuthorization: Bearer mock-free\r\nConnection: close\r\n\r\n',
    200,
  ],
  ['a host that is none', 'GET /v1/pets HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', 400],
  [
    'a path that climbs',
    'GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer mock-free\r\nConnection: close\r\n\r\n',
    404,
  ],
  [
    'a bad escape',
    'GET /v1/pets/%zz HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer mock-free\r\nConnection: close\r\n\r\n',
    404,
  ],
  [
    'two lengths',
    'POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    400,
  ],
  [
    'a header beyond all bounds',
    `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`,
    431,
  ],
])('%s is answered, and the service continues', async (_what, bytes, status) => {
  const { port, url } = await startServed();
  expect(await raw(port, bytes)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect((await fetch(`${url}/v1/pets`, { headers: key })).status).toBe(200);
});

test.each([
  ['half a head', 'GET /v1/pets HTT'],
  ['half a body', 'POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"name"'],
  ['CONNECT', 'CONNECT example.test:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['TRACE', 'TRACE / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
])('%s leaves the service unharmed', async (_what, bytes) => {
  const { port, url } = await startServed();
  await raw(port, bytes, true);
  expect((await fetch(`${url}/v1/pets`, { headers: key })).status).toBe(200);
});

test('an object around a service receives each request as a Request, with its body and a signal', async () => {
  const service = createMockService({ seed: 3 });
  const seen: [string, string, boolean][] = [];
  const handle: MockService['handle'] = async (incoming, options) => {
    const { method, url, signal } = incoming;
    seen.push([
      `${method} ${new URL(url).pathname}`,
      await incoming.clone().text(),
      signal.aborted,
    ]);
    return service.handle(incoming, options);
  };
  const server = await served({ ...service, handle });
  const body = '{"name":"Rex","categoryId":1}';
  const headers = { ...key, 'Content-Type': 'application/json' };
  expect((await fetch(`${server.url}/v1/pets`, { method: 'POST', headers, body })).status).toBe(
    201,
  );
  expect((await fetch(`${server.url}/v1/pets/1`, { headers })).status).toBe(200);
  expect(seen).toEqual([
    ['POST /v1/pets', body, false],
    ['GET /v1/pets/1', '', false],
  ]);
});

test('a body of many chunks waits for a client that reads slowly, and arrives whole', async () => {
  const size = 4_000_000;
  const chunks = 40;
  const { service, url } = await startServed();
  let produced = 0;
  service.override('GET /large', () => {
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      controller.enqueue(new Uint8Array(size / chunks).fill(97));
      if (++produced === chunks) controller.close();
    };
    return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
  });
  const response = await fetch(`${url}/v1/large`, { headers: key });
  expect(await response.text()).toHaveLength(size);
});

test('a port in use is an error that names the port', async () => {
  const { port } = await startServed();
  await expect(serve(createMockService(), { port })).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is in use`,
  );
});

test('a server that listens on every address shows one that can be called', async () => {
  const { url } = await startServed({}, { host: '0.0.0.0' });
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect((await fetch(`${url}/v1/pets`, { headers: key })).status).toBe(200);
});

test('GET /openapi.json is the description of the service, for pages of any origin, and uses no quota', async () => {
  const { service, url } = await startServed();
  const response = await fetch(`${url}/openapi.json`);
  expect(await response.json()).toEqual(description);
  expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
  expect(service.requests).toHaveLength(0);
});

test('a fresh service on a port begins with fresh gates: a ban in one test does not reach the next', async () => {
  const { service, server, url, port } = await startServed();
  const client = new PetStoreClient({ apiKey: 'mock-free', baseUrl: url });
  service.keys.get('mock-free').ban('1d');
  for (let call = 0; call < 2; call++)
    await expect(client.listPets()).rejects.toBeInstanceOf(RateLimitError);
  expect(service.requests).toHaveLength(1);
  await server.close();
  await startServed({ seed: 2 }, { port });
  expect(await client.listPets()).toHaveLength(2);
});

test('two services in one process share nothing', async () => {
  const [one, two] = [await startServed(), await startServed()];
  await fetch(`${one.url}/v1/pets`, { headers: key });
  expect(one.service.requests).toHaveLength(1);
  expect(two.service.requests).toHaveLength(0);
});
