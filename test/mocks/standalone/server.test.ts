import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { readBounded } from '../../../mocks/standalone/exchange.js';
import { createMockService } from '../../../mocks/index.js';
import description from '../../../openapi.json' with { type: 'json' };
import type { MockService } from '../../../mocks/service/types.js';
import { PetStoreClient, RateLimitError } from '../../../src/index.js';
import { sendRaw, served, startServed } from '../../support/served.js';

const key = { Authorization: 'Bearer mock-free' };

test('a body of 20 MB is answered 413, or 401 where nobody reads it, and the connection stays open', async () => {
  const { url, service } = await startServed();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async (method: string, body: string, own: object = key) => {
    const headers = { ...own, 'Content-Type': 'application/json' };
    const sent = request(`${url}/v1/pets`, { method, agent, headers }).end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const port = response.socket.localPort;
    await once(response.resume(), 'end');
    return { status: response.statusCode, port };
  };
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
      yield Buffer.alloc(65_536, 'x').subarray(0, 1);
      if (count % 100 === 0) {
        peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }
  expect(await readBounded(chunks(), blocks)).toBe('x'.repeat(blocks));
  // All blocks together are 524 MB.
  expect(peak).toBeLessThan(300_000_000);
});

test('a slow body comes in pieces', async () => {
  const { service, url } = await startServed({ clock: 'virtual' });
  service.faults.add({ 'slow-body': 500, times: 1 });
  const response = await fetch(`${url}/v1/pets`, { headers: key });
  let pieces = 0;
  for await (const piece of response.body ?? []) pieces += piece.length > 0 ? 1 : 0;
  expect(pieces).toBeGreaterThan(1);
});

const long = 'x'.repeat(100_000);
test.each([
  ['garbage', 400],
  ['GET', 400],
  ['GET / HTTP/1.1|Host localhost', 400],
  ['GET /v1/pets HTTP/1.1', 400],
  ['GET /v1/pets HTTP/1.1|Host: localhost/_mock/state?', 400],
  ['GET /v1/pets HTTP/1.1|Host: localhost@127.0.0.1', 400],
  ['GET /v1/pets HTTP/1.1|Host: localhost#', 400],
  ['GET /v1/pets HTTP/1.1|Host: a b', 400],
  ['GET * HTTP/1.1|Host: x', 400],
  ['GET http://x/v1/pets HTTP/1.1|Host: y|Authorization: Bearer mock-free', 200],
  ['GET /../../etc/passwd HTTP/1.1|Host: x|Authorization: Bearer mock-free', 404],
  ['GET /v1/pets/%zz HTTP/1.1|Host: x|Authorization: Bearer mock-free', 404],
  ['POST /v1/pets HTTP/1.1|Host: x|Content-Length: 1|Content-Length: 2', 400],
  ['GET / HTTP/1.1|Host: x|X: 100 kB', 431],
])('a request with the head %s is answered %i', async (head, status) => {
  const { port } = await startServed();
  const lines = head.replace('100 kB', long).split('|');
  const answer = await sendRaw(port, [...lines, 'Connection: close', '', ''].join('\r\n'));
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
});

test('an object around a service receives each request as a Request, with its body and a signal', async () => {
  const service = createMockService({ seed: 3 });
  const seen: unknown[] = [];
  const handle: MockService['handle'] = async (incoming, options) => {
    const { method, url, signal } = incoming;
    const body = await incoming.clone().text();
    seen.push(`${method} ${new URL(url).pathname} ${body}`, signal.aborted);
    return service.handle(incoming, options);
  };
  const { url } = await served({ ...service, handle });
  const body = '{"name":"Rex","categoryId":1}';
  const headers = { ...key, 'Content-Type': 'application/json' };
  expect((await fetch(`${url}/v1/pets`, { method: 'POST', headers, body })).status).toBe(201);
  expect((await fetch(`${url}/v1/pets/1`, { headers })).status).toBe(200);
  expect(seen).toEqual([`POST /v1/pets ${body}`, false, 'GET /v1/pets/1 ', false]);
});

test('a body of many chunks arrives whole', async () => {
  const { service, url } = await startServed();
  let produced = 0;
  service.override('GET /large', () => {
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      controller.enqueue(new Uint8Array(100_000).fill(97));
      if (++produced === 40) controller.close();
    };
    return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
  });
  expect(await (await fetch(`${url}/v1/large`, { headers: key })).text()).toHaveLength(4_000_000);
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
