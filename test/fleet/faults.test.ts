import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/index.js';
import {
  createFleetGate,
  memoryStore,
  type FleetEvent,
  type FleetGate,
  type FleetGateOptions,
  type FleetStore,
} from '../../src/fleet/index.js';
import type { FleetOperation } from '../../src/fleet/rules/operations.js';
import { tap } from '../support/fleet-tap.js';
import { times, world, type World } from '../support/world.js';

const origin = 'https://api.petstore.example';
const apiKey = 'mock-pro';

/** A store that can fail, and forget, as told. */
class FaultyStore {
  #inner: FleetStore;
  readonly #clock: Clock;
  /** While it returns something else than undefined, that happens instead. */
  fault: (operation: FleetOperation) => Promise<never> | undefined = () => undefined;
  operations = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#inner = this.#empty();
  }

  async run(key: string, text: string) {
    this.operations += 1;
    await this.#clock.sleep(1);
    return tap(this.#inner, async (operation, run) => {
      await this.fault(operation);
      return run();
    }).run(key, text);
  }

  wipe(): void {
    this.#inner = this.#empty();
  }

  #empty(): FleetStore {
    return memoryStore(() => this.#clock.now() - 3_600_000);
  }
}

const hangs = () => new Promise<never>(() => undefined);
const breaks = () =>
  Promise.reject(new Error('READONLY  You cannot write\nagainst a read only replica.'));

interface Fleet {
  readonly here: World;
  readonly store: FaultyStore;
  readonly gates: readonly FleetGate[];
  readonly events: FleetEvent[];
  /** Each process makes so many calls at once. */
  call: (each: number) => Promise<PromiseSettledResult<unknown>[]>;
}

/** Processes on the Pro plan, with a latency of 50 ms. */
function fleet(count: number, options: Partial<FleetGateOptions> = {}): Fleet {
  // The first window lasts 24 s: what happens at whole minutes of the test happens within a window.
  const here = world({ now: Date.UTC(2026, 0, 1, 0, 0, 36) });
  here.service.faults.add({ delay: 50 });
  const { clock } = here.service;
  const store = new FaultyStore(clock);
  const events: FleetEvent[] = [];
  const gates = Array.from({ length: count }, () =>
    createFleetGate({ store, clock, onEvent: (event) => events.push(event), ...options }),
  );
  const clients = gates.map((gate) => here.client({ apiKey, gate }));
  const call = (each: number) =>
    Promise.allSettled(clients.flatMap((client) => times(each, () => client.listPets())));
  return { here, store, gates, events, call };
}

const served = (results: readonly PromiseSettledResult<unknown>[]) =>
  results.filter(({ status }) => status === 'fulfilled').length;
const typesOf = (events: readonly FleetEvent[]) => [...new Set(events.map(({ type }) => type))];

describe.each([
  ['does not answer', hangs],
  ['fails', breaks],
])('a store that %s', (_, fault) => {
  test('from the start is no error to a call: each process has its own gate', async () => {
    const { here, store, call, events } = fleet(2);
    store.fault = fault;
    expect(served(await call(20))).toBe(40);
    expect(here.service.report().bans).toBe(0);
    expect(typesOf(events)).toEqual(['fleet-lost']);
    expect(events[0]).toMatchObject({ share: undefined });
  });

  test('later lets each process send its share, without a 429, and is used again', async () => {
    const { here, store, call, events } = fleet(4);
    await call(5);
    store.fault = fault;
    expect(served(await call(150))).toBe(600);
    expect(here.service.report().rateLimited).toBe(0);
    expect(events.find(({ type }) => type === 'fleet-lost')).toMatchObject({ share: 1 / 4 });
    store.fault = () => undefined;
    // It is tried again every 4 s, while there are calls.
    await here.service.clock.sleep(4_000);
    expect(served(await call(20))).toBe(80);
    expect(typesOf(events)).toEqual(['fleet-joined', 'fleet-lost', 'fleet-rejoined']);
    expect(here.service.report().rateLimited).toBe(0);
  });

  test("with fallback: 'hold' makes calls wait until it answers", async () => {
    const { here, store, call } = fleet(2, { fallback: 'hold' });
    await call(1);
    const before = here.service.report().requests;
    store.fault = fault;
    const calls = call(10);
    await here.service.clock.sleep(30_000);
    // A lease that was granted before may be used up.
    expect(here.service.report().requests).toBe(before);
    store.fault = () => undefined;
    expect(served(await calls)).toBe(20);
    expect(here.service.report().rateLimited).toBe(0);
  });
});

test('the reason of a loss is one short line', async () => {
  const { store, call, events } = fleet(1);
  store.fault = breaks;
  await call(1);
  expect(events[0]).toMatchObject({
    reason: 'READONLY You cannot write against a read only replica.',
  });
});

test('a store that is wiped in the middle of a burst costs at most three 429s and no ban', async () => {
  const { here, store, call, events } = fleet(8);
  const calls = call(75);
  for (const at of [20_000, 40_000, 70_000])
    void here.service.clock.sleep(at).then(() => store.wipe());
  expect(served(await calls)).toBe(600);
  const { rateLimited, bans } = here.service.report();
  expect(rateLimited).toBeLessThanOrEqual(3);
  expect(bans).toBe(0);
  expect(typesOf(events)).toContain('fleet-state-lost');
});

test('permits that a process took with it when it was killed come back after their lease', async () => {
  const { here, store, call } = fleet(2);
  await call(20);
  // The third process is granted permits, and never sends, settles or answers again.
  const frozen = createFleetGate({
    store,
    clock: {
      ...here.service.clock,
      monotonic: () => here.service.clock.monotonic(),
      now: () => here.service.clock.now(),
      sleep: () => hangs(),
    },
  });
  const gate = frozen({ origin, apiKey });
  const base = { signal: undefined, priority: 'normal', waitUntil: Infinity } as const;
  const bounds = { maxHold: Infinity, onHold: undefined };
  for (const place of Array.from({ length: 100 }, (_, at) => at))
    void gate.acquire({ ...base, ...bounds, place, isRetry: false });
  expect(served(await call(280))).toBe(560);
  expect(here.service.report().rateLimited).toBe(0);
});

test('200 processes that join while the window is nearly spent meet no 429', async () => {
  const { here, call } = fleet(200);
  expect(served(await call(2))).toBe(400);
  expect(here.service.report().rateLimited).toBe(0);
});

test('a listener that throws harms no call', async () => {
  const { call } = fleet(1, {
    onEvent: () => {
      throw new Error('a listener of somebody');
    },
  });
  expect(served(await call(3))).toBe(3);
});

test('processes that come back to the store one after another get nothing until all have reported what they sent without it', async () => {
  const { here, store, call, events } = fleet(4);
  const { clock } = here.service;
  const began = clock.monotonic();
  const members: string[] = [];
  store.fault = (operation) => {
    if (!members.includes(operation.member)) members.push(operation.member);
    const passed = clock.monotonic() - began;
    const isAway = passed > 60_000 && passed < 90_000 + 7_000 * members.indexOf(operation.member);
    return isAway ? hangs() : undefined;
  };
  expect(served(await call(247))).toBe(988);
  expect(typesOf(events)).toEqual(['fleet-joined', 'fleet-lost', 'fleet-rejoined']);
  expect(here.service.report().rateLimited).toBe(0);
});
