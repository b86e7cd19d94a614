// Runs inside Chromium: the worker of the msw that this project has, and the same behaviour as everywhere else.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PetStoreClient, RateLimitError } from '../../../src/index.js';
import { setupMockWorker } from '../../../mocks/browser.js';
import { createHandlers } from '../../../mocks/msw.js';
import { scenarios } from '../../support/behaviour.js';

const address = 'https://api.petstore.example';
const worker = setupMockWorker({ seed: 2 });

beforeAll(async () => {
  await worker.start({ quiet: true });
});

afterAll(async () => {
  await worker.stop();
});

test('the client carries no hold of the time before a reset, so that one story does not break the next', async () => {
  const client = new PetStoreClient({ apiKey: 'mock-business' });
  worker.service.faults.add({ 'retry-after': '60' });
  await expect(client.listPets({}, { maxWait: 0 })).rejects.toThrow(RateLimitError);
  worker.service.reset();
  expect(await client.listPets({}, { maxWait: 0 })).toHaveLength(2);
});

test('a worker starts once, a second one only when it was stopped, and again after a stop or a failure', async () => {
  const other = setupMockWorker({ seed: 3 });
  const count = async () => (await new PetStoreClient({ apiKey: 'mock-pro' }).listPets()).length;
  await worker.start({ quiet: true });
  await expect(other.start({ quiet: true })).rejects.toThrow(
    'Another mock service worker is started in this page',
  );
  expect(await count()).toBe(2);
  await worker.stop();
  await other.start({ quiet: true });
  expect(await count()).toBe(3);
  await other.stop();
  let isFound = false;
  const findWorker = (url: string) => isFound && url.endsWith('mockServiceWorker.js');
  for (const how of [{ serviceWorker: { url: '/nope.js' } }, { findWorker }, { findWorker }])
    await expect(worker.start({ quiet: true, ...how })).rejects.toThrow(
      /^The mock service worker did not start: .*Failed to (register|locate) .*npx msw init public --save$/s,
    );
  isFound = true;
  await Promise.all([1, 2].map(() => worker.start({ quiet: true, findWorker })));
  expect(await count()).toBe(2);
});

for (const { title, create, play, expected } of scenarios)
  test(`through the service worker, the answers to ${title} are those in process, byte for byte`, async () => {
    const [reached, inProcess] = [create(), create()];
    worker.resetHandlers(...createHandlers(reached));
    const seen = await play(reached, address, fetch);
    if (expected) expect(seen.map(({ status }) => status)).toEqual(expected);
    expect(seen).toEqual(await play(inProcess, address, inProcess.fetch));
  });
