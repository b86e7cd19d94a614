import { createHash } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect, test, vi } from 'vitest';
import {
  createFleetGate,
  fleetDiagnosticsChannel,
  memoryStore,
  sqliteStore,
  type FleetGateOptions,
} from '../../src/fleet/index.js';
import { stateKey } from '../../src/fleet/stores/state-key.js';
import { tap } from '../support/fleet-tap.js';
import { rejection, times, world } from '../support/world.js';

const origin = 'https://api.petstore.example';

test('the name of a state is SHA-256 of address and key, on every runtime: no part of the key is in it', async () => {
  const hash = createHash('sha256').update(`${origin} ä-key`).digest('hex');
  const name = `{shop:${hash}}:gate.2`;
  expect(stateKey('shop', origin, 'ä-key')).toBe(name);
  // The longest one, for which a column must have room.
  expect(stateKey('n'.repeat(40), origin, 'ä-key')).toHaveLength(114);
  vi.stubGlobal('process', undefined);
  const later = stateKey('shop', origin, 'ä-key');
  vi.unstubAllGlobals();
  expect(later).toBeInstanceOf(Promise);
  expect(await later).toBe(name);
});

/** A world, and a fleet gate on its clock, with a store of its own. */
function fleet(options: Partial<FleetGateOptions> = {}) {
  const here = world();
  const { clock } = here.service;
  return { here, gate: createFleetGate({ store: memoryStore(), clock, ...options }) };
}

test('status tells what the fleet holds of each key, with the store and without it', async () => {
  let isDown = false;
  // Its clock is an hour ahead.
  const inner = memoryStore(() => here.service.clock.now() + 3_600_000);
  const { here, gate } = fleet({
    store: tap(inner, (_, run) => (isDown ? Promise.reject(new Error('down')) : run())),
    onEvent: () => undefined,
  });
  expect(await gate.status()).toEqual({ keys: [] });
  const idle = gate({ origin, apiKey: 'mock-pro' });
  expect(gate({ origin, apiKey: 'mock-pro' })).toBe(idle);
  const unknown = { limit: undefined, remaining: undefined, resetAt: undefined };
  expect((await gate.status()).keys).toMatchObject([{ store: 'unused', processes: 1, ...unknown }]);
  const client = here.client({ gate });
  await Promise.all(times(20, () => client.listPets()));
  const [unused, used] = (await gate.status()).keys;
  expect(used).toMatchObject({
    ...{ store: 'joined', processes: 1, limit: 60, waiting: 0, inFlight: 0, hold: 0 },
    state: expect.stringMatching(/^\{petstore:[0-9a-f]{64}\}:gate\.2$/) as string,
  });
  expect(used!.state).not.toBe(unused!.state);
  expect(used!.remaining).toBeLessThan(60);
  // In this minute, by the clock of this process.
  expect(Math.ceil((used!.resetAt!.getTime() - here.service.clock.now()) / 60_000)).toBe(1);
  isDown = true;
  expect((await gate.status()).keys).toMatchObject([
    { store: 'unused', processes: 1, leases: 0, ...unknown },
    { store: 'lost', processes: 1, ...unknown, limit: 60 },
  ]);
  await gate.close();
});

test('close closes the store, never rejects, and waits no longer for it than for an operation', async () => {
  const failure = new Error('closed already');
  const close = vi.fn<() => Promise<void>>();
  // The third one returns no promise, and that of the fourth never ends.
  close.mockRejectedValueOnce(failure).mockImplementationOnce(() => {
    throw failure;
  });
  for (const count of [1, 2, 3, 4]) {
    if (count === 4) close.mockReturnValue(new Promise(() => {}));
    const store = { update: () => Promise.reject(failure), close };
    const gate = createFleetGate({ store, storeTimeout: 20 });
    gate({ origin, apiKey: 'a' });
    await gate.close();
    expect(close).toHaveBeenCalledTimes(count);
  }
});

test('events go to node:diagnostics_channel as well, and hold no key', async () => {
  const seen: unknown[] = [];
  const listen = (event: unknown) => seen.push(event);
  subscribe(fleetDiagnosticsChannel, listen);
  const { here, gate } = fleet();
  await here.client({ gate }).listPets();
  unsubscribe(fleetDiagnosticsChannel, listen);
  expect(seen).toMatchObject([{ type: 'fleet-joined', processes: 1 }]);
  expect(JSON.stringify(seen)).not.toContain('mock-free');
});

test('a store that fails is printed once where nobody listens, and never where an option does', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const store = sqliteStore('/missing/folder/fleet.db');
  const call = async (options: Partial<FleetGateOptions>, apiKey = 'mock-free') => {
    const { here, gate } = fleet(options);
    await here.client({ apiKey, gate }).listPets();
  };
  await call({ store, onEvent: () => undefined });
  await call({});
  expect(warn).not.toHaveBeenCalled();
  await call({ store });
  await call({ store }, 'mock-pro');
  expect(warn.mock.calls).toEqual([
    [expect.stringMatching(/the store of the fleet failed: unable to open .* It is shown once\./)],
  ]);
});

test('when the probe of a fleet is lost, another process sends the next one at once', async () => {
  const { service, client } = world({ latency: 100 });
  const { clock, faults } = service;
  const store = memoryStore();
  const join = () => client({ gate: createFleetGate({ store, clock }), maxRetries: 0 });
  faults.add({ 'network-error': true, times: 1 });
  await rejection(join().listPets());
  const began = clock.now();
  await join().listPets();
  expect(clock.now() - began).toBeLessThan(1_000);
});

test('a call that waits because the service is overloaded is told so, and not that there was a 429', async () => {
  const { here, gate } = fleet();
  const client = here.client({ gate, maxRetries: 0 });
  await client.listPets();
  here.service.faults.add({ status: 503, 'retry-after': '30', times: 1 });
  await rejection(client.listPets());
  const { message } = await rejection<Error>(client.listPets({}, { maxWait: 5_000 }));
  expect(message).toContain('the wait for the rate limit (overload) would pass maxWait');
  const { attempts } = await client.listPets().withResponse();
  expect(attempts[0]).toMatchObject({ cause: 'overload' });
  expect(here.events).toContainEqual(
    expect.objectContaining({ type: 'rate-limit-hold', cause: 'overload' }),
  );
});

test('without a Date, a fleet learns the clock of the service from the minutes alone: after a day that was used up, no request is refused', async () => {
  const assumptions = { dateHeader: false } as const;
  const { service, client } = world({ now: '2026-06-01T23:40:00Z', assumptions });
  service.keys.get('mock-free').setRemaining('day', 300);
  const { clock } = service;
  const gate = createFleetGate({ store: memoryStore(() => clock.now()), clock });
  const pets = client({ gate, maxHold: Infinity });
  await Promise.all(times(900, () => pets.listPets()));
  expect(service.report()).toMatchObject({ requests: 900, rateLimited: 0 });
});
