import { createHash } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect, test, vi } from 'vitest';
import { ConfigurationError } from '../../src/index.js';
import {
  createFleetGate,
  fleetDiagnosticsChannel,
  memoryStore,
  sqliteStore,
  type FleetGateOptions,
  type FleetStore,
} from '../../src/fleet/index.js';
import { stateKey } from '../../src/fleet/stores/state-key.js';
import { times, world } from '../support/world.js';

const origin = 'https://api.petstore.example';

const store = memoryStore();

test.each<[string, unknown]>([
  ['the options of createFleetGate must be an object, got nothing', undefined],
  ['the options of createFleetGate must be an object, got null', null],
  ['createFleetGate needs a store: createFleetGate({ store })', {}],
  ['store must be a FleetStore', { store: { update: 5 } }],
  ['the option stores is unknown (options of createFleetGate: store, name', { stores: 1 }],
  ['name must be 1 to 40 letters', { store, name: '' }],
  ['name must be 1 to 40 letters', { store, name: 'a b' }],
  ['name must be 1 to 40 letters', { store, name: null }],
  ['perDay must be 1 to 1e12 requests, got 0', { store, perDay: 0 }],
  ['perDay must be 1 to 1e12 requests, got a string', { store, perDay: '100' }],
  ['storeTimeout must be 1 to 60,000 ms, got NaN', { store, storeTimeout: NaN }],
  ['storeTimeout must be 1 to 60,000 ms, got null', { store, storeTimeout: null }],
  ['fallback must be one of share, hold, got', { store, fallback: 'wait' }],
  ['onEvent must be a function, got', { store, onEvent: console }],
  ['clock must be a Clock: an object with now(), monotonic(), sleep()', { store, clock: Date }],
])('a wrong option is an error at once: %s', (message, options) => {
  const create = () => createFleetGate(options as FleetGateOptions);
  expect(create).toThrow(ConfigurationError);
  expect(create).toThrow(message);
});

test('the name of a state is SHA-256 of address and key, on every runtime: no part of the key is in it', async () => {
  const hash = createHash('sha256').update(`${origin} ä-key`).digest('hex');
  const name = `{shop:${hash}}:gate.2`;
  expect(stateKey('shop', origin, 'ä-key')).toBe(name);
  vi.stubGlobal('process', undefined);
  const later = stateKey('shop', origin, 'ä-key');
  vi.unstubAllGlobals();
  expect(later).toBeInstanceOf(Promise);
  expect(await later).toBe(name);
});

test('status tells what the fleet holds, with the store and without it', async () => {
  const here = world();
  const { clock } = here.service;
  const inner = memoryStore(() => clock.now() + 60_000);
  let isDown = false;
  const store: FleetStore = {
    update: (key, change) =>
      isDown ? Promise.reject(new Error('down')) : inner.update(key, change),
  };
  const gate = createFleetGate({ store, clock, name: 'shop' });
  expect(await gate.status()).toEqual({ keys: [] });
  const idle = gate({ origin, apiKey: 'mock-pro' });
  expect((await gate.status()).keys[0]).toMatchObject({
    store: 'unused',
    processes: 1,
    limit: undefined,
    remaining: undefined,
    resetAt: undefined,
  });
  expect(gate({ origin, apiKey: 'mock-pro' })).toBe(idle);
  const client = here.client({ gate });
  await Promise.all(times(20, () => client.listPets()));
  const [, used] = (await gate.status()).keys;
  expect(used).toMatchObject({
    store: 'joined',
    processes: 1,
    limit: 60,
    waiting: 0,
    inFlight: 0,
    hold: 0,
  });
  expect(used!.remaining).toBeLessThan(60);
  expect(used!.resetAt!.getTime() - here.service.clock.now()).toBeLessThanOrEqual(60_000);
  isDown = true;
  expect((await gate.status()).keys).toMatchObject([
    { store: 'unused', processes: 1, limit: undefined, leases: 0 },
    { store: 'lost', processes: 1, limit: 60, remaining: undefined, resetAt: undefined },
  ]);
  await gate.close();
});

test('a process that leaves is gone from the fleet, and may come back', async () => {
  const here = world();
  const { clock } = here.service;
  const store = memoryStore(() => clock.now());
  const gates = times(2, () => Promise.resolve(createFleetGate({ store, clock })));
  const [one, two] = await Promise.all(gates);
  for (const gate of [one!, two!]) await here.client({ gate }).listPets();
  expect((await one!.status()).keys[0]?.processes).toBe(2);
  await two!.close();
  expect((await one!.status()).keys[0]?.processes).toBe(1);
  await here.client({ gate: two! }).listPets();
  expect((await one!.status()).keys[0]?.processes).toBe(2);
});

test('close closes the store, and never rejects', async () => {
  let closed = 0;
  const store: FleetStore = {
    update: () => Promise.reject(new Error('down')),
    close: () => {
      closed += 1;
      return Promise.reject(new Error('closed already'));
    },
  };
  const gate = createFleetGate({ store });
  gate({ origin, apiKey: 'a' });
  await gate.close();
  expect(closed).toBe(1);
});

test('events go to node:diagnostics_channel as well, and hold no key', async () => {
  const here = world();
  const { clock } = here.service;
  const seen: unknown[] = [];
  const listen = (event: unknown) => seen.push(event);
  subscribe(fleetDiagnosticsChannel, listen);
  const gate = createFleetGate({ store: memoryStore(() => clock.now()), clock });
  await here.client({ gate }).listPets();
  unsubscribe(fleetDiagnosticsChannel, listen);
  expect(seen).toMatchObject([{ type: 'fleet-joined', processes: 1 }]);
  expect(JSON.stringify(seen)).not.toContain('mock-free');
});

test('a store that fails is printed once where nobody listens, and never where an option does', async () => {
  vi.stubGlobal(Symbol.for('petstore-client.notices') as unknown as string, undefined);
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const here = world();
  const { clock } = here.service;
  const store = sqliteStore('/missing/folder/fleet.db');
  const listening = createFleetGate({ store, clock, onEvent: () => undefined });
  await here.client({ gate: listening }).listPets();
  expect(warn).not.toHaveBeenCalled();
  const joins = createFleetGate({ store: memoryStore(() => clock.now()), clock });
  await here.client({ gate: joins }).listPets();
  expect(warn).not.toHaveBeenCalled();
  for (const apiKey of ['mock-free', 'mock-pro']) {
    const gate = createFleetGate({ store, clock });
    await here.client({ apiKey, gate }).listPets();
  }
  expect(warn.mock.calls).toEqual([
    [expect.stringMatching(/the store of the fleet failed: unable to open .* It is shown once\./)],
  ]);
});

test.each([
  ['mock-free', [20, 60, 60]],
  ['mock-free', [50, 50, 50, 50]],
  ['mock-pro', [100, 200, 200, 200]],
])(
  'processes with the key %s that close after %o calls leave what they have sent in the count',
  async (apiKey, counts) => {
    const here = world({ latency: 60 });
    const { clock } = here.service;
    const store = memoryStore(() => clock.now());
    const work = async (count: number) => {
      const gate = createFleetGate({ store, clock });
      const client = here.client({ apiKey, gate });
      await Promise.all(times(count, () => client.listPets()));
      await gate.close();
    };
    await Promise.all(counts.map(work));
    expect(here.service.report().rateLimited).toBe(0);
  },
);
