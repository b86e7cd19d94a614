import { expect, test } from 'vitest';
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
  const clients = gates.map((gate) =>
    here.client({ apiKey, rateLimit: { gate: gate({ origin, apiKey }) } }),
  );
  return { gates, clients, events };
}

test.each([1, 2, 7, 16])(
  '%i processes that send three windows of calls at once meet no 429, and serve all',
  async (count) => {
    const here = world();
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
  await here.client({ rateLimit: { gate } }).listPets();
  await here.client({ apiKey: 'mock-pro', rateLimit: { gate } }).listPets();
  await here.client({ apiKey: 'mock-pro', rateLimit: { gate } }).listPets();
  const { keys } = await gate.status();
  expect(keys.map(({ limit }) => limit)).toEqual([60, 300]);
  expect(keys[0]?.state).toMatch(/^\{petstore:[0-9a-f]{64}\}:gate$/);
});

test('a function that gives no gate is named in the error', async () => {
  const here = world();
  const gate = () => {
    throw new Error('no gate today');
  };
  const failure = await rejection<Error>(here.client({ rateLimit: { gate } }).listPets());
  expect(failure.message).toContain('rateLimit.gate failed');
});
