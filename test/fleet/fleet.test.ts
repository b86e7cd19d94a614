import { expect, test, vi } from 'vitest';
import { createMockService } from '../../mocks/index.js';
import { ConfigurationError, PetStoreClient } from '../../src/index.js';
import { createFleetGate, memoryStore, type FleetEvent } from '../../src/fleet/index.js';
import { rejection, times, world, type World } from '../support/world.js';

const origin = 'https://api.petstore.example';

/** Clients of one key, each with a gate of its own as processes have, and one store. */
function fleet(here: World, count: number, apiKey = 'mock-free') {
  const { clock } = here.service;
  const store = memoryStore(() => clock.now() - 3_600_000);
  const events: FleetEvent[] = [];
  const gates = Array.from({ length: count }, () =>
    createFleetGate({ store, clock, onEvent: (event) => events.push(event) }),
  );
  const clients = gates.map((gate) => here.client({ apiKey, gate: gate({ origin, apiKey }) }));
  return { gates, clients, events };
}

test.each(
  (['fixed', 'sliding'] as const).flatMap((window) =>
    [1, 2, 7, 16].map((count) => [count, window] as const),
  ),
)(
  '%i processes that send three windows of calls at once meet no 429 on a %s window, and serve all',
  async (count, minuteWindow) => {
    const here = world({ assumptions: { minuteWindow } });
    const { clients, gates } = fleet(here, count);
    const calls = clients.flatMap((client) =>
      times(Math.floor(180 / count), () => client.listPets()),
    );
    await Promise.all(calls);
    expect(here.service.report().rateLimited).toBe(0);
    expect(here.elapsed()).toBeLessThan(185_000);
    await Promise.all(gates.map((gate) => gate.close()));
  },
);

test('a client takes the gate of a fleet as it is, and each key has its own state', async () => {
  const here = world();
  const { clock } = here.service;
  const store = memoryStore(() => clock.now());
  const gate = createFleetGate({ store, clock });
  await here.client({ gate }).listPets();
  await here.client({ apiKey: 'mock-pro', gate }).listPets();
  await here.client({ apiKey: 'mock-pro', gate }).listPets();
  const { keys } = await gate.status();
  expect(keys.map(({ limit }) => limit)).toEqual([60, 300]);
  expect(keys[0]?.state).toMatch(/^\{petstore:[0-9a-f]{64}\}:gate\.2$/);
});

test('a function that gives no gate is named in the error', async () => {
  const here = world();
  const gate = () => {
    throw new Error('no gate today');
  };
  const failure = await rejection<Error>(here.client({ gate }).listPets());
  expect(failure.message).toContain('the option gate failed');
});

test('without a clock of its own, a gate waits on the clock of its clients, whatever the clock of the store', async () => {
  for (const isVirtual of [false, true]) {
    const here = world();
    const store = memoryStore(isVirtual ? () => here.service.clock.now() : undefined);
    const gate = createFleetGate({ store });
    // One client gets the clock as an option, the other from its fetch.
    const clients = [{}, { clock: undefined }].map((options) => here.client({ gate, ...options }));
    await Promise.all(times(61, (index) => clients[index % 2]!.listPets()));
    expect(here.elapsed()).toBeGreaterThan(59_000);
    expect(here.service.report().rateLimited).toBe(0);
    const [key] = (await gate.status()).keys;
    expect(key?.resetAt?.getTime()).toBeGreaterThan(here.service.clock.now() - 1_000);
    await gate.close();
  }
});

test('a second client with another clock is refused for the same key, and has a state of its own for another', async () => {
  const [here, other] = [world(), world()];
  const gate = createFleetGate({ store: memoryStore() });
  await here.client({ gate }).listPets();
  const failure = await rejection<Error>(other.client({ gate }).listPets());
  expect(failure).toBeInstanceOf(ConfigurationError);
  expect(failure.message).toBe(
    'listPets on production: the option gate failed: two clients with one key have different clocks, and createFleetGate waits ' +
      'on one clock for each key: pass one clock to both clients, or create a gate for each',
  );
  expect(other.service.requests).toEqual([]);
  await other.client({ apiKey: 'mock-pro', gate }).listPets();
  const { clock } = here.service;
  const own = createFleetGate({ store: memoryStore(), clock });
  for (const each of [here, other]) await each.client({ gate: own }).listPets();
  await Promise.all([gate.close(), own.close()]);
});

test('clients on the system clock give a gate no clock', async () => {
  const service = createMockService();
  const gate = vi.fn(createFleetGate({ store: memoryStore() }));
  await new PetStoreClient({
    apiKey: 'mock-free',
    fetch: service.fetch,
    gate,
  }).listPets();
  expect(gate.mock.calls).toEqual([[{ origin, apiKey: 'mock-free', clock: undefined }]]);
});
