import { once } from 'node:events';
import { Agent, get, request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { json as readJson } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { createMockService } from '../../../mocks/index.js';
import description from '../../../openapi.json' with { type: 'json' };
import type { CreateWorld } from '../../../mocks/server.js';
import type { MockService } from '../../../mocks/service/types.js';
import { PetStoreClient, RateLimitError } from '../../../src/index.js';
import { sendRaw, served, startServed } from '../../support/served.js';

const key = { Authorization: 'Bearer mock-free' };
const json = { ...key, 'Content-Type': 'application/json' };

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
  ['GET /v1/pets HTTP/1.1', 400],
  ['GET /v1/pets HTTP/1.1|Host: localhost/_mock/state?', 400],
  ['GET /v1/pets HTTP/1.1|Host: localhost@127.0.0.1', 400],
  ['GET /v1/pets HTTP/1.1|Host: localhost#', 400],
  ['GET /v1/pets HTTP/1.1|Host: a b', 400],
  ['GET /localhost/_mock/state HTTP/1.1|Host:', 400],
  ['GET * HTTP/1.1|Host: x', 400],
  ['GET HTTP://x/v1/pets HTTP/1.1|Host: y|Authorization: Bearer mock-free', 200],
  ['GET /../../etc/passwd HTTP/1.1|Host: x|Authorization: Bearer mock-free', 404],
  ['GET /v1/pets/%zz HTTP/1.1|Host: x|Authorization: Bearer mock-free', 404],
  ['GET / HTTP/1.1|Host: x|X: 100 kB', 431],
])('a request with the head %s is answered %i', async (head, status) => {
  const { port } = await startServed();
  const lines = head.replace('100 kB', long).split('|');
  const answer = await sendRaw(port, [...lines, 'Connection: close', '', ''].join('\r\n'));
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
});

test('an object around a service receives each request as a Request, with its body, and a signal that is aborted when the client leaves', async () => {
  const service = createMockService({ seed: 3 });
  const seen: string[] = [];
  const signals: AbortSignal[] = [];
  const handle: MockService['handle'] = async (incoming, options) => {
    const { method, url } = incoming;
    seen.push(`${method} ${new URL(url).pathname} ${await incoming.clone().text()}`);
    signals.push(incoming.signal);
    return service.handle(incoming, options);
  };
  const { url } = await served({ ...service, handle });
  const body = '{"name":"Rex","categoryId":1}';
  const post = await fetch(`${url}/v1/pets`, { method: 'POST', headers: json, body });
  expect(post.status).toBe(201);
  service.faults.add({ hang: true });
  const leave = new AbortController();
  const init = { headers: json, signal: leave.signal };
  const left = expect(fetch(`${url}/v1/pets/1`, init)).rejects.toThrow();
  await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  leave.abort();
  await left;
  await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([false, true]);
  expect(seen).toEqual([`POST /v1/pets ${body}`, 'GET /v1/pets/1 ']);
});

test('an object around a service that fails is answered 500, and the port goes on', async () => {
  const service = createMockService({ seed: 3 });
  const broken = ['throws', 'cannot be sent'];
  const handle: MockService['handle'] = async (...given) => {
    const now = broken.shift();
    if (now === 'throws') throw new Error('out of order');
    const response = await service.handle(...given);
    return now ? Object.defineProperty(response, 'status', { value: 1 }) : response;
  };
  const { url } = await served({ ...service, handle });
  const answers = [];
  for (let asked = 0; asked < 3; asked += 1) {
    const response = await fetch(`${url}/v1/pets`, { headers: key });
    answers.push([response.status, await response.text()]);
  }
  expect(answers).toEqual([
    [500, expect.stringContaining('The mock service itself failed: Error: out of order')],
    [500, expect.stringContaining('mock_failure')],
    [200, expect.stringContaining('"id":1')],
  ]);
});

test('a port serves production, also where PETSTORE_STAGING_BASE_URL names its address', async () => {
  const first = await startServed();
  await first.server.close();
  vi.stubEnv('PETSTORE_STAGING_BASE_URL', first.url);
  const { service, url } = await startServed({}, { port: first.port });
  expect((await fetch(`${url}/v1/pets`, { headers: key })).status).toBe(200);
  expect(service.requests).toMatchObject([{ environment: 'production' }]);
});

test('a long body of an override is read no faster than the client of the port reads it, and arrives whole', async () => {
  const { service, url } = await startServed();
  const [chunk, count] = [new Uint8Array(65_536), 1_000];
  let pulls = 0;
  service.override('listPets', () => {
    const pull = (body: ReadableStreamDefaultController) =>
      pulls++ < count ? body.enqueue(chunk) : body.close();
    return new Response(new ReadableStream({ pull }));
  });
  const [response] = (await once(get(`${url}/v1/pets`, { headers: key }), 'response')) as [
    IncomingMessage,
  ];
  // While nobody reads, the other requests have time enough for all of it.
  for (let asked = 0; asked < 20; asked += 1) await fetch(`${url}/v1/pets/1`, { headers: key });
  expect(pulls).toBeLessThan(count / 2);
  let length = 0;
  for await (const part of response) length += (part as Buffer).length;
  expect(length).toBe(count * chunk.length);
});

test('a server that listens on every address shows one that can be called', async () => {
  const { url } = await startServed({}, { host: '0.0.0.0' });
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect((await fetch(`${url}/v1/pets`, { headers: key })).status).toBe(200);
});

test('GET /openapi.json is the description of the service, for pages of any origin, and uses no quota; HEAD is answered there as GET, and under /_mock', async () => {
  const { service, url } = await startServed();
  const response = await fetch(`${url}/openapi.json`);
  expect(await response.json()).toEqual(description);
  expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
  for (const path of ['openapi.json', '_mock/', '_mock/state'])
    expect((await fetch(`${url}/${path}`, { method: 'HEAD' })).status).toBe(200);
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

const ofBytes = (bytes: number) => {
  const around = JSON.stringify({ name: '', categoryId: 1 }).length;
  return JSON.stringify({ name: 'x'.repeat(bytes - around), categoryId: 1 });
};

/** A server whose services read at most 1,000 bytes, and those of other worlds at most 3,000. */
async function start() {
  const createWorld: CreateWorld = ({ assumptions = { maxBodyBytes: 3_000 } }) =>
    createMockService({ assumptions });
  const { url } = await startServed({ assumptions: { maxBodyBytes: 1_000 } }, { createWorld });
  const post = async (bytes: number, world = '') => {
    const inWorld = { ...json, ...(world && { 'X-Mock-World': world }) };
    const init = { method: 'POST', headers: inWorld, body: ofBytes(bytes) };
    return (await fetch(`${url}/v1/pets`, init)).status;
  };
  const put = async (maxBodyBytes: number) => {
    const init = { method: 'PUT', headers: json, body: JSON.stringify({ maxBodyBytes }) };
    expect((await fetch(`${url}/_mock/assumptions`, init)).status).toBe(204);
  };
  return { url, post, put };
}

test('a port reads bodies as long as the assumptions in force allow, in each world as its own do', async () => {
  const { post, put } = await start();
  expect([await post(1_000), await post(1_001)]).toEqual([201, 413]);
  expect([await post(3_000, 'w'), await post(3_001, 'w')]).toEqual([201, 413]);
  await put(2_000);
  expect([await post(2_000), await post(2_001)]).toEqual([201, 413]);
  expect([await post(3_000, 'w'), await post(99, 'no world')]).toEqual([201, 400]);
  await put(10);
  expect([await post(2_000), await post(3_000, 'w')]).toEqual([413, 201]);
});

test('a body that was cut while its assumptions changed is too long, and is not read as if it were whole', async () => {
  const { url, put } = await start();
  const sent = request(`${url}/v1/pets`, {
    method: 'POST',
    headers: { ...json, Expect: '100-continue' },
  });
  sent.flushHeaders();
  await once(sent, 'continue');
  await put(2_000);
  const answered = once(sent.end(ofBytes(2_000)), 'response');
  expect(await readJson(((await answered) as [IncomingMessage])[0])).toMatchObject({ status: 413 });
});

test('an idle connection stays open for two minutes, so that the next request does not meet its end', async () => {
  const { url } = await startServed();
  const response = await fetch(`${url}/v1/pets`, { headers: key });
  expect(response.headers.get('Keep-Alive')).toBe('timeout=120');
});

test('without the option host, only this machine reaches the server', async () => {
  const { url, port } = await startServed();
  expect(url).toBe(`http://127.0.0.1:${port}`);
  // A server that listens on all addresses would accept it.
  await expect(once(connect(port, '127.0.0.2'), 'connect')).rejects.toThrow('ECONNREFUSED');
});

test.each(['::1%lo', '[::1]', 'http://localhost'])(
  'the host %s is refused before the server listens',
  async (host) => {
    const serving = startServed({}, { host });
    await expect(serving).rejects.toThrow(`No URL can have the host ${host}. Take a name, or an`);
  },
);

// The grace, and the two minutes for which the service would keep the idle connection, are longer than a test may take.
test('close() lets a request under way finish', { timeout: 100_000 }, async () => {
  const { service, server, url } = await startServed({}, { grace: 600_000 });
  const [began, finish] = [Promise.withResolvers(), Promise.withResolvers()];
  service.override('listPets', async (_input, next) => {
    began.resolve(undefined);
    await finish.promise;
    return next();
  });
  // An agent that keeps its connection for another request, as most do: no reason to wait for it.
  const sent = get(`${url}/v1/pets`, { agent: new Agent({ keepAlive: true }), headers: key });
  const answered = once(sent, 'response');
  await began.promise;
  const closed = server.close();
  finish.resolve(undefined);
  const [answer] = (await answered) as [IncomingMessage];
  expect(answer.resume().statusCode).toBe(200);
  await closed;
  await expect(fetch(`${url}/v1/pets`, { headers: key })).rejects.toThrow();
});

test('close() does not wait for idle connections, and cuts what hangs after the grace', async () => {
  const { service, server, url, port } = await startServed({}, { grace: 20 });
  const idle = connect(port, '127.0.0.1');
  await once(idle, 'connect');
  service.faults.add({ hang: true });
  const failed = expect(fetch(`${url}/v1/pets`, { headers: key })).rejects.toThrow();
  await expect.poll(() => service.faults.list()[0]?.hits).toBe(1);
  await server.close();
  await failed;
  idle.destroy();
});
