import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { PetStoreClient } from '../../src/index.js';
import { pet } from '../support/stub.js';

/** A service in a thread of its own, which answers after 50 ms, whatever the thread of the client does. */
const service = `
  const { parentPort } = require('node:worker_threads');
  const server = require('node:http').createServer((request, response) => {
    const body = request.method === 'POST' ? '${JSON.stringify(pet())}' : '[]';
    setTimeout(() => response.writeHead(body === '[]' ? 200 : 201).end(body), 50);
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`;

test('answers of 50 ms are taken after the event loop was blocked for 1.5 s, half a second longer than timeout', async () => {
  const worker = new Worker(service, { eval: true });
  const [port] = (await once(worker, 'message')) as [number];
  const baseUrl = `http://127.0.0.1:${port}`;
  const options = {
    apiKey: 'blocked',
    baseUrl,
    gate: false,
    timeout: 1_000,
    maxRetries: 0,
  } as const;
  const client = new PetStoreClient(options);
  const newPet = { name: 'Rex', categoryId: 1 };
  const calls = [client.listPets(), client.createPet(newPet), client.createPet(newPet)];
  // The requests are on their way.
  await sleep(30);
  // From here on, timers run before anything that has arrived is read.
  await new Promise((resolve) => setImmediate(resolve));
  const until = performance.now() + 1_500;
  while (performance.now() < until);
  expect(await Promise.all(calls)).toEqual([[], pet(), pet()]);
  await worker.terminate();
});
