import { connect } from 'node:net';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { createMockService } from '../../../mocks/index.js';
import { served, startServed } from '../../support/served.js';

const headers = { Authorization: 'Bearer mock-free' };

test('an idle connection stays open for two minutes, so that the next request does not meet its end', async () => {
  const { url } = await startServed();
  const response = await fetch(`${url}/v1/pets`, { headers });
  expect(response.headers.get('Keep-Alive')).toBe('timeout=120');
});

test('a client that leaves aborts the signal of its request', async () => {
  let signal: AbortSignal | undefined;
  const handle = (request: Request) => {
    ({ signal } = request);
    return new Promise<Response>(() => undefined);
  };
  const { url } = await served({ ...createMockService(), handle });
  const leave = new AbortController();
  const left = expect(fetch(url, { signal: leave.signal })).rejects.toThrow();
  await expect.poll(() => signal).toBeDefined();
  leave.abort();
  await left;
  await expect.poll(() => signal?.aborted).toBe(true);
});

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
  const sent = get(`${url}/v1/pets`, { agent: new Agent({ keepAlive: true }), headers });
  const answered = once(sent, 'response');
  await began.promise;
  const closed = server.close();
  finish.resolve(undefined);
  const [answer] = (await answered) as [IncomingMessage];
  expect(answer.resume().statusCode).toBe(200);
  await closed;
  await expect(fetch(`${url}/v1/pets`, { headers })).rejects.toThrow();
});

test('close() does not wait for idle connections, and cuts what hangs after the grace', async () => {
  const { service, server, url, port } = await startServed({}, { grace: 20 });
  const idle = connect(port, '127.0.0.1');
  await once(idle, 'connect');
  service.faults.add({ hang: true });
  const failed = expect(fetch(`${url}/v1/pets`, { headers })).rejects.toThrow();
  await expect.poll(() => service.faults.list()[0]?.hits).toBe(1);
  await server.close();
  await failed;
  idle.destroy();
});
