import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createMockService } from '../../mocks/index.js';
import { ConfigurationError } from '../../src/index.js';
import { createFleetGate, memoryStore, redisStore, sqliteStore } from '../../src/fleet/index.js';
import type { FleetOperation } from '../../src/fleet/rules/operations.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { runOperation } from '../../src/fleet/stores/run-operation.js';
import { tap } from '../support/fleet-tap.js';
import { never, rejection, times, world } from '../support/world.js';

/** Processes of one key, with a latency of 50 ms. */
function fleet(count: number) {
  // The first window lasts 24 s: what happens at whole minutes of the test happens within a window.
  const here = world({ now: Date.UTC(2026, 0, 1, 0, 0, 36) });
  here.service.faults.add({ delay: 50 });
  const { clock } = here.service;
  const empty = () => memoryStore(() => clock.now() - 3_600_000);
  let inner = empty();
  const now = {
    /** While it returns something else than undefined, that happens instead. */
    fault: (_operation: FleetOperation): Promise<never> | undefined => undefined,
    loseState: () => void (inner = empty()),
  };
  const store = tap({ update: (...args) => inner.update(...args) }, async (operation, run) => {
    await clock.sleep(1);
    await now.fault(operation);
    return run();
  });
  const events: { type: string; share?: number | undefined }[] = [];
  const gates = Array.from({ length: count }, () =>
    createFleetGate({ store, clock, onEvent: (event) => events.push(event) }),
  );
  /** Each process makes so many calls at once, and all are served. */
  const caller = (processes: typeof gates) => {
    const clients = processes.map((gate) => here.client({ apiKey: 'mock-pro', gate }));
    return (each: number) =>
      Promise.all(clients.flatMap((client) => times(each, () => client.listPets())));
  };
  return { here, store, now, gates, events, caller, call: caller(gates) };
}

test('200 processes that join while the window is nearly spent meet no 429', async () => {
  const { here, call } = fleet(200);
  await call(2);
  expect(here.service.report().rateLimited).toBe(0);
});

test.each(['fixed', 'sliding'] as const)(
  'where minutes roll, the end of a day (%s) that the headers announce meets no 429',
  async (dayWindow) => {
    const here = world({
      keys: { small: { plan: { perMinute: 10, perDay: 40 } } },
      assumptions: { minuteWindow: 'token-bucket', announcedWindow: 'binding', dayWindow },
      latency: 50,
    });
    const { clock } = here.service;
    const store = memoryStore(() => clock.now());
    const calls = times(3, () => {
      const gate = createFleetGate({ store, clock });
      const client = here.client({ apiKey: 'small', gate });
      return Promise.allSettled(times(20, () => client.listPets()));
    });
    const ends = (await Promise.all(calls)).flat();
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(40);
    expect(here.service.report().rateLimited).toBe(0);
  },
);

test('processes that come back to the store one after another get nothing until all have reported what they sent without it', async () => {
  const { here, now, call, events } = fleet(4);
  const { clock } = here.service;
  const began = clock.monotonic();
  const members: string[] = [];
  now.fault = (operation) => {
    if (!members.includes(operation.member)) members.push(operation.member);
    const passed = clock.monotonic() - began;
    const isAway = passed > 60_000 && passed < 90_000 + 7_000 * members.indexOf(operation.member);
    return isAway ? never() : undefined;
  };
  await call(247);
  const types = new Set(events.map(({ type }) => type));
  expect([...types]).toEqual(['fleet-joined', 'fleet-lost', 'fleet-rejoined']);
  expect(here.service.report().rateLimited).toBe(0);
});

test('a store that restarts empty, and again before the fleet is complete, leaves each process the share that it had', async () => {
  const { here, now, call, events } = fleet(16);
  const { clock } = here.service;
  const began = clock.monotonic();
  let restarts = 0;
  now.fault = () => {
    const passed = clock.monotonic() - began - 57_000;
    if (passed > 10_000 * restarts && restarts < 9) {
      now.loseState();
      restarts += 1;
    }
    return passed > 0 && passed < 90_000 && passed % 10_000 < 9_000 ? never() : undefined;
  };
  await call(100);
  const shares = events.flatMap(({ share }) => share ?? []);
  expect(shares.length).toBeGreaterThan(16);
  expect(new Set(shares)).toEqual(new Set([1 / 16]));
  expect(here.service.report().rateLimited).toBe(0);
});

test('without a clock of its own, a gate waits on the clock of its clients, and no longer than the service asks for, whatever the clock of the store', async () => {
  const inRedis = memoryStore();
  // The script in a real Redis takes the time from the same place: test/fleet/script.slow.test.ts.
  const redis = redisStore(([, , , key, text, time]) =>
    runOperation(inRedis, key!, JSON.parse(text!) as FleetOperation, Number(time ?? Date.now())),
  );
  for (const store of [memoryStore(), sqliteStore(join(temporaryFolder(), 'fleet.db')), redis]) {
    const here = world();
    here.service.faults.add({ status: 429, 'retry-after': '30', times: 1 });
    const gate = createFleetGate({ store });
    // One client gets the clock as an option, the other from its fetch.
    const clients = [{}, { clock: undefined }].map((options) => here.client({ gate, ...options }));
    await Promise.all(times(61, (index) => clients[index % 2]!.listPets()));
    expect(here.elapsed()).toBe(61_000);
    expect(here.service.report().rateLimited).toBe(1);
    await gate.close();
  }
});

test('a second client with another clock is refused for the same key, and has a state of its own for another', async () => {
  const [here, other] = [world(), world()];
  const gate = createFleetGate({ store: memoryStore() });
  await here.client({ gate }).listPets();
  const failure = await rejection(other.client({ gate }).listPets(), ConfigurationError);
  expect(failure.message).toBe(
    'listPets on production: the option gate failed: two clients with one key have different clocks, and createFleetGate waits ' +
      'on one clock for each key: pass one clock to both clients, or create a gate for each',
  );
  expect(other.service.requests).toEqual([]);
  await other.client({ apiKey: 'mock-pro', gate }).listPets();
  const own = createFleetGate({ store: memoryStore(), clock: here.service.clock });
  for (const each of [here, other]) await each.client({ gate: own }).listPets();
});

test('gates on clocks minutes apart, over one store, soon send without it, and say why', async () => {
  const store = memoryStore();
  const reasons: unknown[] = [];
  const onEvent = (event: object) => 'reason' in event && reasons.push(event.reason);
  const worlds = [world(), world({ now: '2026-01-01T00:03:00Z' })];
  const clients = worlds.map(({ client }) => client({ gate: createFleetGate({ store, onEvent }) }));
  await Promise.all(clients.flatMap((client) => times(4, () => client.listPets())));
  const reason = '10 states were lost: do all clients of the store have one clock?';
  expect(reasons).toEqual([reason, reason]);
});

test('clients on the system clock give a gate no clock', async () => {
  const gate = vi.fn(createFleetGate({ store: memoryStore() }));
  const { fetch } = createMockService();
  await world().client({ fetch, clock: undefined, gate }).listPets();
  const origin = 'https://api.petstore.example';
  expect(gate.mock.calls).toEqual([[{ origin, apiKey: 'mock-free', clock: undefined }]]);
});

test('processes whose package has another version of the state are another fleet: all are served, beside each other as gates that share a key', async () => {
  const { here, store, gates, caller, call } = fleet(2);
  const { clock } = here.service;
  // As the package before this one names the state.
  const applyOperation = (key: string, text: string) =>
    store.applyOperation(key.replace(/2$/, '1'), text);
  const older = { ...store, applyOperation };
  const others = [1, 2].map(() => createFleetGate({ store: older, clock }));
  await Promise.all([call(150), caller(others)(150)]);
  const { rateLimited, bans } = here.service.report();
  expect(rateLimited).toBeLessThanOrEqual(1);
  expect(bans).toBe(0);
  for (const gate of [...gates, ...others]) {
    const { keys } = await gate.status();
    expect(keys).toMatchObject([{ store: 'joined', processes: 2, waiting: 0 }]);
  }
});
