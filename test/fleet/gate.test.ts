import { createHash } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { systemClock } from '../../src/utils/clock.js';
import { ClockBounds } from '../../src/fleet/clock-bounds.js';
import {
  createFleetGate,
  fleetDiagnosticsChannel,
  memoryStore,
  sqliteStore,
  type FleetGateOptions,
  type FleetStore,
} from '../../src/fleet/index.js';
import { idleSleep } from '../../src/fleet/member/timer.js';
import { sha256 } from '../../src/fleet/stores/state-key.js';
import { times, world } from '../support/world.js';

const origin = 'https://api.petstore.example';

test.each<[string, unknown]>([
  ['createFleetGate needs options: createFleetGate({ store })', undefined],
  ['createFleetGate needs options', null],
  ['store must be a FleetStore', {}],
  ['store must be a FleetStore', { store: { run: 5 } }],
  ['createFleetGate has no option stores: the options are store, name', { stores: 1 }],
  ['name must be 1 to 40 letters', { store: memoryStore(), name: '' }],
  ['name must be 1 to 40 letters', { store: memoryStore(), name: 'a b' }],
  ['perDay must be 1 to 1000000000000 requests, got 0', { store: memoryStore(), perDay: 0 }],
  ['storeTimeout must be 1 to 60000 ms, got NaN', { store: memoryStore(), storeTimeout: NaN }],
  ["fallback must be 'share' or 'hold', got wait", { store: memoryStore(), fallback: 'wait' }],
  ['name must be 1 to 40 letters', { store: memoryStore(), name: null }],
  [
    'perDay must be 1 to 1000000000000 requests, got string',
    { store: memoryStore(), perDay: '100' },
  ],
  ['storeTimeout must be 1 to 60000 ms, got object', { store: memoryStore(), storeTimeout: null }],
  ['onEvent must be a function, got object', { store: memoryStore(), onEvent: console }],
  ['clock must be a Clock: an object with the', { store: memoryStore(), clock: Date }],
  ['clock must be a Clock: an object with the', { store: memoryStore(), clock: null }],
])('a wrong option is an error at once: %s', (message, options) => {
  expect(() => createFleetGate(options as FleetGateOptions)).toThrow(message);
});

test('the name of a state is SHA-256 of address and key: no part of the key is in it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      expect(sha256(text)).toBe(createHash('sha256').update(text).digest('hex'));
    }),
  );
});

test('status tells what the fleet holds, with the store and without it', async () => {
  const here = world();
  const { clock } = here.service;
  const inner = memoryStore(() => clock.now() + 60_000);
  let isDown = false;
  const store: FleetStore = {
    run: (key, operation) =>
      isDown ? Promise.reject(new Error('down')) : inner.run(key, operation),
  };
  const gate = createFleetGate({ store, clock, name: 'shop' });
  expect(await gate.status()).toEqual({ keys: [] });
  const idle = gate({ origin, apiKey: 'mock-pro' });
  expect((await gate.status()).keys[0]).toMatchObject({
    store: 'unused',
    processes: 0,
    limit: undefined,
    remaining: undefined,
    resetAt: undefined,
  });
  expect(gate({ origin, apiKey: 'mock-pro' })).toBe(idle);
  const client = here.client({ rateLimit: { gate } });
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
  for (const gate of [one!, two!]) await here.client({ rateLimit: { gate } }).listPets();
  expect((await one!.status()).keys[0]?.processes).toBe(2);
  await two!.close();
  expect((await one!.status()).keys[0]?.processes).toBe(1);
  await here.client({ rateLimit: { gate: two! } }).listPets();
  expect((await one!.status()).keys[0]?.processes).toBe(2);
});

test('close closes the store, and never rejects', async () => {
  let closed = 0;
  const store: FleetStore = {
    run: () => Promise.reject(new Error('down')),
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
  await here.client({ rateLimit: { gate } }).listPets();
  unsubscribe(fleetDiagnosticsChannel, listen);
  expect(seen).toMatchObject([{ type: 'fleet-joined', processes: 1 }]);
  expect(JSON.stringify(seen)).not.toContain('mock-free');
});

test('the bounds of a clock narrow down, and begin anew where they contradict', () => {
  const bounds = new ClockBounds();
  expect(bounds.known).toBe(false);
  bounds.observe(0, 1_000, 0);
  bounds.observe(400, 1_400, 10);
  expect([bounds.low, bounds.high]).toEqual([400, 1_000.001]);
  bounds.observe(5_000, 6_000, 20);
  expect([bounds.low, bounds.high]).toEqual([5_000, 6_000]);
  bounds.observe(1_000, 2_000, 30);
  expect([bounds.low, bounds.high]).toEqual([1_000, 2_000]);
  bounds.forget();
  expect(bounds.known).toBe(false);
});

test('an idle wait on the clock of the system ends, and can be aborted', async () => {
  await idleSleep(systemClock, 2, new AbortController().signal);
  const abort = new AbortController();
  const waiting = idleSleep(systemClock, 60_000, abort.signal);
  abort.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
});

test('a fleet on the clock of the system joins and leaves', async () => {
  const here = world({ clock: 'system' });
  const gate = createFleetGate({ store: memoryStore() });
  const client = here.client({ clock: systemClock, rateLimit: { gate } });
  await Promise.all(times(12, () => client.listPets()));
  expect(here.service.report().rateLimited).toBe(0);
  await gate.close();
});

test('a store that fails is printed once where nobody listens, and never where an option does', async () => {
  vi.stubGlobal(Symbol.for('petstore-client.notices') as unknown as string, undefined);
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const here = world();
  const { clock } = here.service;
  const store = sqliteStore('/missing/folder/fleet.db');
  const listening = createFleetGate({ store, clock, onEvent: () => undefined });
  await here.client({ rateLimit: { gate: listening } }).listPets();
  expect(warn).not.toHaveBeenCalled();
  const joins = createFleetGate({ store: memoryStore(() => clock.now()), clock });
  await here.client({ rateLimit: { gate: joins } }).listPets();
  expect(warn).not.toHaveBeenCalled();
  for (const apiKey of ['mock-free', 'mock-pro']) {
    const gate = createFleetGate({ store, clock });
    await here.client({ apiKey, rateLimit: { gate } }).listPets();
  }
  expect(warn.mock.calls).toEqual([
    [expect.stringMatching(/the store of the fleet failed: unable to open .* It is shown once\./)],
  ]);
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});
