import { expect, test } from 'vitest';
import { createFleetGate, memoryStore, type FleetEvent } from '../../src/fleet/index.js';
import { times, world, type World } from '../support/world.js';

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
