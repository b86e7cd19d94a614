import { setupServer } from 'msw/node';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PetStoreClient, RateLimitError, type PetStoreClientOptions } from '../../../src/index.js';
import { createMockService, type MockService } from '../../../mocks/index.js';
import { createHandlers } from '../../../mocks/msw.js';
import { setupMockServer } from '../../../mocks/node.js';
import { serve } from '../../../mocks/server.js';

test.for([
  ['system', 'reset'],
  ['system', 'restore'],
  ['virtual', 'reset'],
  ['virtual', 'restore'],
] as const)(
  'on a %s clock, a client carries no hold of the time before %s()',
  async ([kind, back]) => {
    const service = createMockService({ clock: kind, seed: 2 });
    const client = new PetStoreClient({
      apiKey: 'mock-free',
      fetch: service.fetch,
      ...(kind === 'virtual' && { clock: service.clock }),
    });
    const start = service.snapshot();
    // A quarter of a day at least, whatever time it is.
    service.clock.set('2026-03-01T06:00:00Z');
    service.keys.get('mock-free').exhaust('day');
    await expect(client.listPets()).rejects.toThrow(RateLimitError);
    await expect(client.listPets()).rejects.toMatchObject({ requestSent: 'no' });
    if (back === 'reset') service.reset();
    else service.restore(start);
    expect(await client.listPets()).toHaveLength(2);
    // A restore leaves the report as it is.
    expect(service.report().requests).toBe(back === 'reset' ? 1 : 2);
  },
);

test('two clients of one service still share what they learn after a reset', async () => {
  const service = createMockService({ clock: 'virtual' });
  const client = () =>
    new PetStoreClient({ apiKey: 'mock-free', fetch: service.fetch, clock: service.clock });
  const [one, other] = [client(), client()];
  service.reset();
  service.keys.get('mock-free').exhaust('day');
  await expect(one.listPets()).rejects.toThrow(RateLimitError);
  await expect(other.listPets()).rejects.toThrow(RateLimitError);
  expect(service.report().requests).toBe(1);
});

/** A key that is exhausted for the day holds the client; after `back` of the service, nothing does. */
async function expectNoHoldAfter(
  back: (service: MockService) => unknown,
  service: MockService,
  options: PetStoreClientOptions = {},
) {
  const client = new PetStoreClient({ apiKey: 'mock-free', ...options });
  // A quarter of a day at least, whatever time it is.
  service.clock.set('2026-03-01T06:00:00Z');
  service.keys.get('mock-free').exhaust('day');
  await expect(client.listPets()).rejects.toThrow(RateLimitError);
  await expect(client.listPets()).rejects.toMatchObject({ requestSent: 'no' });
  await back(service);
  const { requests } = service.report();
  expect(await client.listPets()).toHaveLength(2);
  expect(service.report().requests).toBe(requests + 1);
}

test.for(['reset', 'restore'] as const)(
  'through msw, a client carries no hold of the time before %s()',
  async (back) => {
    const server = setupMockServer({ seed: 2 });
    const start = server.service.snapshot();
    server.listen();
    onTestFinished(() => server.close());
    await expectNoHoldAfter(
      (service) => (back === 'reset' ? service.reset() : service.restore(start)),
      server.service,
    );
  },
);

test('through handlers in a server of msw, below a folder, a client carries no hold of the time before a reset', async () => {
  const baseUrl = 'https://shop.test:8443/api';
  const service = createMockService({ seed: 2 });
  const server = setupServer(...createHandlers(service, { baseUrl }));
  server.listen();
  onTestFinished(() => server.close());
  await expectNoHoldAfter(() => service.reset(), service, { baseUrl });
});

test('on a port, a client carries no hold of the time before a reset through the control API', async () => {
  const service = createMockService({ seed: 2 });
  const server = await serve(service);
  onTestFinished(() => server.close());
  await expectNoHoldAfter(() => fetch(`${server.url}/_mock/reset`, { method: 'POST' }), service, {
    baseUrl: server.url,
  });
});

test('with the fetch of the service in place of the global one, a client carries no hold of the time before a reset', async () => {
  const service = createMockService({ seed: 2 });
  vi.stubGlobal('fetch', service.fetch);
  onTestFinished(() => void vi.unstubAllGlobals());
  await expectNoHoldAfter(() => service.reset(), service);
});

test('a reset of one service keeps the holds of clients at other addresses', async () => {
  const [reset, kept] = [createMockService(), createMockService()];
  const server = setupServer(
    ...createHandlers(reset, { baseUrl: 'https://one.test' }),
    ...createHandlers(kept, { baseUrl: 'https://other.test' }),
  );
  server.listen();
  onTestFinished(() => server.close());
  kept.clock.set('2026-03-01T06:00:00Z');
  kept.keys.get('mock-pro').exhaust('day');
  const [one, other] = ['https://one.test', 'https://other.test'].map(
    (baseUrl) => new PetStoreClient({ apiKey: 'mock-pro', baseUrl }),
  ) as [PetStoreClient, PetStoreClient];
  await one.listPets();
  await expect(other.listPets()).rejects.toThrow(RateLimitError);
  reset.reset();
  await expect(other.listPets()).rejects.toMatchObject({ requestSent: 'no' });
});

test.for(['PUT assumptions', 'DELETE worlds'] as const)(
  'through a port, a client carries no hold of the time before a reset after %s',
  async (change) => {
    const createWorld = () => createMockService({ seed: 2 });
    const server = await serve(createWorld(), { createWorld });
    onTestFinished(() => server.close());
    const world = { 'X-Mock-World': change === 'DELETE worlds' ? 'w' : '' };
    const ask = (method: string, path: string, body?: object) =>
      fetch(`${server.url}/_mock/${path}`, {
        method,
        headers: { 'Content-Type': 'application/json', ...world },
        ...(body && { body: JSON.stringify(body) }),
      });
    const client = new PetStoreClient({
      apiKey: 'mock-free',
      baseUrl: server.url,
      headers: world,
    });
    await ask('POST', 'clock', { set: '2026-03-01T06:00:00Z' });
    await ask('PUT', 'keys/mock-free', { exhaust: 'day' });
    await expect(client.listPets()).rejects.toThrow(RateLimitError);
    if (change === 'DELETE worlds') await ask('DELETE', 'worlds/w');
    else await ask('PUT', 'assumptions', {});
    if (change === 'PUT assumptions') {
      await expect(client.listPets()).rejects.toMatchObject({ requestSent: 'no' });
      await ask('POST', 'reset');
    }
    expect(await client.listPets()).toHaveLength(2);
  },
);
