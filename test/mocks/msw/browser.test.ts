// Runs inside Chromium: the worker of the msw that this project has, and the same behaviour as everywhere else.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setupMockWorker } from '../../../mocks/browser.js';
import { createMockService } from '../../../mocks/index.js';
import { createHandlers } from '../../../mocks/msw.js';
import { optionsOf, play, scenarios } from '../../support/behaviour.js';
import { verified, verifiedServices } from '../../support/verified.js';

const address = 'https://api.petstore.example';
const worker = setupMockWorker({ seed: 2 });

beforeAll(async () => {
  await worker.start({ quiet: true });
});

afterAll(async () => {
  await worker.stop();
});

test('the worker of setupMockWorker answers with its own service', async () => {
  const response = await fetch(`${address}/v1/pets`, {
    headers: { Authorization: 'Bearer mock-free' },
  });
  expect(await response.json()).toHaveLength(2);
  expect(worker.service.requests).toHaveLength(1);
});

test('a second worker does not switch the first one off', async () => {
  const second = setupMockWorker({});
  await expect(second.start({ quiet: true })).rejects.toThrow('Another mock service worker');
  const response = await fetch(`${address}/v1/pets`, {
    headers: { Authorization: 'Bearer mock-free' },
  });
  expect(await response.json()).toHaveLength(2);
});

for (const scenario of scenarios) {
  test(`through the service worker, the service ${scenario.title}, byte for byte as in process`, async () => {
    const [reached, inProcess] = [
      createMockService(optionsOf(scenario)),
      createMockService(optionsOf(scenario)),
    ];
    scenario.prepare?.(reached);
    scenario.prepare?.(inProcess);
    worker.resetHandlers(...createHandlers(reached));
    const seen = await play(scenario, address, fetch);
    expect(seen.map(({ status }) => status)).toEqual(scenario.expected);
    expect(seen).toEqual(await play(scenario, address, inProcess.fetch));
  });
}

for (const { title, options } of verifiedServices) {
  test(`through the service worker, every case of the verification is answered as in process, ${title}`, async () => {
    const [reached, inProcess] = [createMockService(options), createMockService(options)];
    worker.resetHandlers(...createHandlers(reached));
    const { recording } = await verified(reached, address, fetch);
    const { recording: expected } = await verified(inProcess, address, inProcess.fetch);
    expect(recording.exchanges).toEqual(expected.exchanges);
  });
}
