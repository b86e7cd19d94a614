// @ts-nocheck
import { beforeEach, expect, test, vi, type MockInstance } from 'vitest';
import { PetStoreClient } from '../../../src/index.js';
import { createMockService, type MockServiceOptions } from '../../../mocks/index.js';
import { setupMockServer } from '../../../mocks/node.js';
import { call } from '../../support/raw.js';

let printed: MockInstance<typeof console.warn>;
beforeEach(() => void (printed = vi.spyOn(console, 'warn').mockReturnValue()));

const keys = { tiny: { plan: { perMinute: 2, perDay: 10 } } } satisfies MockServiceOptions['keys'];

let made = 0;

/** Behind a fetch of its own, a client of the same key and address would share the gate of an earlier one. */
function make(options: MockServiceOptions = {}) {
  const service = createMockService({ clock: 'virtual', keys, ...options });
  const fetch: typeof globalThis.fetch = (input, init) => service.fetch(input, init);
  const baseUrl = `https://host-${made++}.example/v1`;
  return { service, fetch, client: new PetStoreClient({ apiKey: 'tiny', fetch, baseUrl }) };
}

test('a client whose own fetch hides the virtual clock of its service is told so when the quota is used up, once', async () => {
  const { client, service, fetch } = make();
  await client.listPets();
  expect(printed).not.toHaveBeenCalled();
  await client.listPets();
  expect(printed.mock.calls).toEqual([
    [expect.stringMatching(/clock: 'virtual'.*pass clock: service\.clock to the client\.$/)],
  ]);
  await expect(client.listPets({}, { maxWait: 0 })).rejects.toThrow('maxWait');
  service.clock.advance('1m');
  await new PetStoreClient({ apiKey: 'tiny', fetch, gate: false }).listPets();
  expect(printed).toHaveBeenCalledTimes(1);
});

test('a clock that the client was given comes before the clock of its service', async () => {
  const { fetch } = createMockService({ clock: 'virtual', keys });
  const { clock } = createMockService({ clock: 'virtual', now: '2030-01-01' });
  const reads = vi.spyOn(clock, 'monotonic');
  await new PetStoreClient({ apiKey: 'tiny', fetch, clock }).listPets();
  expect(reads).toHaveBeenCalled();
});

test('a client behind msw is told so at a 429', async () => {
  const server = setupMockServer({ clock: 'virtual', keys });
  server.listen();
  server.service.keys.get('tiny').exhaust('minute');
  const client = new PetStoreClient({ apiKey: 'tiny', maxWait: 0 });
  await expect(client.listPets()).rejects.toThrow('maxWait');
  server.close();
  expect(printed).toHaveBeenCalledWith(expect.stringContaining('pass clock: service.clock'));
});

test('a client with service.fetch waits on the virtual clock of the service, given it or not, and nothing is printed', async () => {
  for (const isGiven of [false, true]) {
    const { fetch, clock } = createMockService({ clock: 'virtual', keys });
    const client = new PetStoreClient({ apiKey: 'tiny', fetch, ...(isGiven && { clock }) });
    const began = clock.now();
    await Promise.all([client.listPets(), client.listPets(), client.listPets()]);
    expect(clock.now() - began).toBeGreaterThan(30_000);
  }
  expect(printed).not.toHaveBeenCalled();
});

test('nothing is printed for another program, and on the clock of the system', async () => {
  const { service } = make();
  for (let n = 0; n < 4; n++) await call(service, '/pets', { key: 'tiny' });
  const onSystem = make({ clock: 'system' });
  await onSystem.client.listPets();
  await onSystem.client.listPets();
  expect(printed).not.toHaveBeenCalled();
});
