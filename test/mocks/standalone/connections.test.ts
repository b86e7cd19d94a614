import { connect } from 'node:net';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { expect, test } from 'vitest';
import { startServed } from '../../support/served.js';

const key = { Authorization: 'Bearer mock-free' };

test('an idle connection stays open for two minutes, so that the next request does not meet its end', async () => {
  const { url } = await startServed();
  const response = await fetch(`${url}/v1/pets`, { headers: key });
  expect(response.headers.get('Keep-Alive')).toBe('timeout=120');
});

test('a client that leaves ends the request that hangs for it', async () => {
  const { service, url } = await startServed();
  service.faults.add({ hang: true, times: 1 });
  const left = new AbortController();
  const hanging = fetch(`${url}/v1/pets`, { headers: key, signal: left.signal });
  await expect.poll(() => service.faults.list()[0]?.hits ?? 1).toBe(1);
  left.abort();
  await expect(hanging).rejects.toThrow();
  expect((await fetch(`${url}/v1/pets`, { headers: key })).status).toBe(200);
});

// The grace, and the two minutes for which the service would keep the idle connection, are longer than a test may take.
test('close() lets a request under way finish', { timeout: 100_000 }, async () => {
  const { service, server, url } = await startServed({}, { grace: 600_000 });
  let finish = () => {};
  const gate = new Promise<void>((resolve) => (finish = resolve));
  let began = () => {};
  const beginning = new Promise<void>((resolve) => (began = resolve));
  service.override('listPets', async (_input, next) => {
    began();
    await gate;
    return next();
  });
  // An agent that keeps its connection for another request, as most do: no reason to wait for it.
  const agent = new Agent({ keepAlive: true });
  const answer = new Promise<number | undefined>((resolve, reject) => {
    request(`${url}/v1/pets`, { agent, headers: key }, (response) =>
      resolve(response.resume().statusCode),
    )
      .on('error', reject)
      .end();
  });
  await beginning;
  const closed = server.close();
  finish();
  expect(await answer).toBe(200);
  await closed;
  await expect(fetch(`${url}/v1/pets`, { headers: key })).rejects.toThrow();
});

test('close() does not wait for idle connections, and cuts what hangs after the grace', async () => {
  const { service, server, url, port } = await startServed({}, { grace: 20 });
  const idle = connect(port, '127.0.0.1');
  await once(idle, 'connect');
  service.faults.add({ hang: true });
  const hanging = fetch(`${url}/v1/pets`, { headers: key });
  const failed = expect(hanging).rejects.toThrow();
  await expect.poll(() => service.faults.list()[0]?.hits).toBe(1);
  await server.close();
  await failed;
  idle.destroy();
});
