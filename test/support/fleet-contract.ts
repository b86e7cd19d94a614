import { expect } from 'vitest';
import { createMockService } from '../../mocks/index.js';
import {
  checkFleetStore,
  createFleetGate,
  type FleetEvent,
  type FleetGateOptions,
  type FleetStore,
} from '../../src/fleet/index.js';
import { probeTimeout } from '../../src/fleet/rules/constants.js';
import type { FleetOperation } from '../../src/fleet/rules/operations.js';
import { PetStoreClient } from '../../src/index.js';
import { operationOf } from './fleet-state.js';
import { times } from './world.js';
import { runOperation } from '../../src/fleet/stores/run-operation.js';

/** What the fleet expects of every store, whoever applies the rules. Expects keys of its own for each run. */
export async function storeContract(store: FleetGateOptions['store']): Promise<void> {
  const run = crypto.randomUUID();
  const ask = (member: string, sequence: number, more: Partial<FleetOperation> = {}, key = 'one') =>
    runOperation(store, `{${run}:${key}}`, {
      ...operationOf(member, sequence),
      ...{ need: 1, newGeneration: `generation-of-${member}`, clock: undefined },
      ...more,
    });

  const first = await ask('a', 1);
  expect(first).toMatchObject({ decision: 'probe', granted: 1, generation: 'generation-of-a' });
  expect(await ask('a', 1)).toMatchObject({ decision: 'stale', granted: 0 });
  expect(await ask('b', 1)).toMatchObject({ decision: 'probing', generation: first.generation });
  expect(await ask('b', 1, {}, 'two')).toMatchObject({ decision: 'probe', members: 1 });

  const observation = { limit: 300, remaining: 299, reset: first.now + 60_000, sentAt: 0 };
  const answered = { probeDone: true, successes: 1, total: 1, rtt: 80.25, rate: 0.0123 };
  const times: FleetOperation['times'] = [[Math.floor(first.now / 1_000), 1]];
  const clock = { low: -0.5, high: 999.5 };
  const open = await ask('a', 2, { ...answered, times, observation, clock });
  expect(open).toMatchObject({ decision: 'grant', limit: 300, prompt: true, members: 2 });
  expect(await ask('b', 2, { leaves: true, need: 0 })).toMatchObject({ members: 2 });
  expect(await ask('a', 3, { total: 1 })).toMatchObject({ members: 1, unsent: 0 });

  const members = Array.from({ length: 40 }, (_, index) => `member-${index}`);
  const together = await Promise.all(members.map((member) => ask(member, 1, {}, 'three')));
  const probes = together.filter(({ granted }) => granted === 1).map(({ now }) => now);
  const [, second = Infinity] = probes.sort((one, other) => one - other);
  // On a very busy machine, the time of the first probe may pass: then another member gets one.
  expect(second - probes[0]!).toBeGreaterThanOrEqual(probeTimeout);

  await new Promise((resolve) => setTimeout(resolve, 40));
  const passed = (await ask('a', 4)).now - first.now;
  expect(passed).toBeGreaterThanOrEqual(30);
  expect(passed).toBeLessThan(60_000);
}

/** What a store must do whose transactions are its own, new and empty. */
export async function testStore(store: FleetStore): Promise<void> {
  expect(await checkFleetStore(store)).toEqual([]);
  await storeContract(store);
  // Closed twice, and used again.
  await store.close?.();
  await store.close?.();
  expect(await checkFleetStore(store)).toEqual([]);
  await store.close?.();
}

/** A process in real time with a gate over a real server, what it was told, and many calls of it at once. */
export function processOn(store: FleetGateOptions['store']) {
  const service = createMockService();
  service.faults.add({ delay: 10 });
  const events: FleetEvent[] = [];
  const gate = createFleetGate({ store, onEvent: (event) => events.push(event) });
  const client = new PetStoreClient({ apiKey: 'mock-pro', fetch: service.fetch, gate });
  const call = (count: number) => Promise.all(times(count, () => client.listPets()));
  const typesOfEvents = () => events.map(({ type }) => type);
  return { service, gate, events, typesOfEvents, call };
}
