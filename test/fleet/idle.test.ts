import { expect, test, vi } from 'vitest';
import { createFleetGate, memoryStore, type FleetGateOptions } from '../../src/fleet/index.js';
import { tap } from '../support/fleet-tap.js';
import { patientCall } from '../support/gate-call.js';
import { answer, key, open, process, type Member } from '../support/fleet-member.js';
import { rejection, settled, turns } from '../support/world.js';

const broken = () => Promise.reject(new Error('no store'));
const stateOf = async ({ fleetGate }: Member) => (await fleetGate.status()).keys[0];
/** Asks for a permit that must be there at once. */
const askNow = ({ acquire, clock }: Member) => acquire({ waitUntil: clock.monotonic() });

/** A process, and another one of its fleet, which the faults of the store do not reach. */
function beside(options: Partial<FleetGateOptions> = {}) {
  const here = process(options);
  return { here, other: process({ clock: here.clock, store: here.inner }) };
}

test('status tells what this process holds now, and not at its newest operation', async () => {
  const here = await open(process());
  const permits = [await here.acquire(), await here.acquire()];
  const { unsent } = (await stateOf(here))!;
  expect(await stateOf(here)).toMatchObject({ inFlight: 2, leases: 1 });
  permits[0]!.settle(answer(here.clock, 49));
  expect(await stateOf(here)).toMatchObject({ inFlight: 1, leases: 1 });
  permits[1]!.cancel();
  expect(await stateOf(here)).toMatchObject({ inFlight: 0, unsent: unsent + 1, leases: 1 });
  // The store has the clock of the service.
  const { low, high } = here.operations.at(-1)!.clock!;
  expect([Math.abs(low) < 1_000, high - low < 1_000]).toEqual([true, true]);
});

test('status counts what another process holds until its lease and its requests are surely over, and each process until it leaves', async () => {
  const { here, other } = beside();
  await open(here);
  await here.fleetGate.close();
  const permits = [await other.acquire(), await other.acquire(), await other.acquire()];
  // The store is asked for a permit for the next call.
  await rejection(askNow(here));
  expect(await stateOf(here)).toMatchObject({ processes: 2, inFlight: 1, leases: 2 });
  await here.clock.sleep(70_000);
  expect(await stateOf(here)).toMatchObject({ processes: 2, inFlight: 0, unsent: 0, leases: 0 });
  await here.clock.sleep(150_000);
  expect(await stateOf(here)).toMatchObject({ processes: 1 });
  for (const permit of permits) permit.cancel();
  expect(await stateOf(other)).toMatchObject({ processes: 2 });
  await here.fleetGate.close();
  expect(await stateOf(other)).toMatchObject({ processes: 1 });
});

test('a process that has left says nothing of what the others hold', async () => {
  const { here, other } = beside();
  await open(here);
  (await other.acquire()).settle(answer(here.clock, 49));
  await other.acquire();
  expect(await stateOf(here)).toMatchObject({ store: 'joined', processes: 2, limit: 60 });
  await here.fleetGate.close();
  expect(await stateOf(here)).toEqual(await stateOf(process()));
  expect(await stateOf(other)).toMatchObject({ store: 'joined', processes: 1, leases: 1 });
});

test('permits that nobody uses are returned after two seconds without a call', async () => {
  const here = await open(process());
  const before = here.operations.length;
  await here.clock.sleep(1_990 - 20);
  expect(here.operations).toHaveLength(before);
  await here.clock.sleep(20);
  expect(here.operations.slice(before)).toMatchObject([{ need: 0, unsent: 0 }]);
  expect(await stateOf(here)).toMatchObject({ unsent: 0, leases: 0 });
});

test('a permit whose lease has ended while the process stood still is not used: the store is asked', async () => {
  const { acquire, clock, operations } = await open(process());
  const before = operations.length;
  clock.advance('2m');
  (await acquire()).cancel();
  expect(operations[before]).toMatchObject({ unsent: 0, need: 1 });
});

test('responses that a stopped process reads late do not count as a slow service, however many they are', async () => {
  const { acquire, clock, operations } = await open(process());
  const permits = await Promise.all([acquire(), acquire(), acquire(), acquire()]);
  clock.advance('2m');
  for (const permit of permits) permit.settle(answer(clock, 59));
  (await acquire()).cancel();
  // The fleet waits for several round trips, such as for a turn in the next window.
  expect(operations.at(-1)!.rtt).toBe(5_000);
});

test('a call that gives up at once, or gets its permit at once, asks for none', async () => {
  const here = process();
  const given = rejection(here.acquire({ signal: AbortSignal.abort() }));
  const abort = new AbortController();
  const aborted = rejection(here.acquire({ signal: abort.signal }));
  abort.abort();
  await Promise.all([given, aborted]);
  expect(here.operations).toEqual([]);
  await open(here);
  const before = here.operations.length;
  (await askNow(here)).cancel();
  await here.clock.sleep(100);
  expect(here.operations).toHaveLength(before);
});

test('without the store the headers that were seen before count', async () => {
  const { here, other } = beside({ onEvent: () => undefined });
  await open(here);
  (await other.acquire()).cancel();
  (await here.acquire()).settle(answer(here.clock, 1));
  await here.clock.sleep(5_000);
  here.now.fault = broken;
  (await here.acquire()).cancel();
  expect(here.clock.monotonic()).toBeGreaterThanOrEqual(60_000);
});

test('a process without calls leaves a store that fails alone, and reports with its next call', async () => {
  const here = process({ fallback: 'hold' });
  // Other processes wait for what this one has sent.
  here.now.fault = async (_, run) => ({ ...(await run()), eager: true });
  await open(here);
  const last = await here.acquire();
  here.now.fault = broken;
  here.operations.splice(0);
  last.settle(answer(here.clock, 49));
  await here.clock.sleep(60_000);
  expect(here.operations.length).toBeLessThanOrEqual(1);
  here.now.fault = undefined;
  (await here.acquire()).cancel();
  expect(here.operations.at(-1)).toMatchObject({ total: 11 });
});

test('a 429 that arrives while the process leaves is reported', async () => {
  const here = await open(process());
  const permit = await here.acquire();
  here.now.fault = ({ leaves }, run) => {
    if (leaves) permit.settle(answer(here.clock, 0, { 'Retry-After': '50' }, 429));
    return run();
  };
  await here.fleetGate.close();
  await here.clock.sleep(10);
  expect(here.operations.at(-1)).toMatchObject({ rateLimited: { status: 429 } });
  expect((await stateOf(here))!.hold).toBeGreaterThan(50_000);
});

test('a process that is closed several times at once, also while it leaves, leaves once', async () => {
  const { fleetGate, operations, now } = await open(process());
  let again: Promise<void> | undefined;
  now.fault = ({ leaves }, run) => {
    if (leaves) again ??= fleetGate.close();
    return run();
  };
  await Promise.all([fleetGate.status(), fleetGate.close(), fleetGate.close()]);
  await again;
  await fleetGate.close();
  const last = operations.findIndex(({ leaves }) => leaves);
  expect(operations.slice(last)).toHaveLength(1);
});

test('a process that has left without an answer of the store joins again like a new one, and the fleet does not rest', async () => {
  const { fleetGate, acquire, clock, now } = await open(process());
  now.fault = async ({ leaves }, run) => {
    const reply = await run();
    return leaves ? broken() : reply;
  };
  await fleetGate.close();
  const before = clock.monotonic();
  (await acquire()).cancel();
  expect(clock.monotonic() - before).toBeLessThan(1_000);
});

test('a 429 that the store did not take holds at once, also in a window that is used up, and is reported again during the hold', async () => {
  const here = await open(process());
  const [permit, last] = [await here.acquire(), await here.acquire()];
  last.settle(answer(here.clock, 0));
  const waiting = here.acquire();
  const impatient = rejection(here.acquire({ maxHold: 70_000 }));
  await here.clock.sleep(1);
  here.now.fault = broken;
  permit.settle(answer(here.clock, 0, { 'Retry-After': '90' }, 429));
  expect(await settled(impatient)).toBe(true);
  await here.clock.sleep(100);
  here.now.fault = undefined;
  here.operations.splice(0);
  await here.clock.sleep(500);
  expect(here.operations).toMatchObject([{ rateLimited: { status: 429 } }]);
  const state = (await stateOf(here))!;
  expect(state).toMatchObject({ store: 'joined', waiting: 1 });
  expect(state.hold).toBeGreaterThan(89_000);
  expect(state.hold).toBeLessThan(93_000);
  (await waiting).cancel();
});

test('in a window that is used up a call that may not wait for its end is rejected at once, also while the store fails', async () => {
  const here = await open(process({ fallback: 'hold', onEvent: () => undefined }));
  (await here.acquire()).settle(answer(here.clock, 0));
  const abort = new AbortController();
  const given = [rejection(here.acquire({ signal: abort.signal }))];
  await here.clock.sleep(100);
  here.now.fault = broken;
  // It asks the store at once, in vain.
  given.push(rejection(here.acquire({ signal: abort.signal, priority: 'high' })));
  await here.clock.sleep(100);
  abort.abort();
  await Promise.all(given);
  await here.clock.sleep(10_000);
  here.operations.splice(0);
  const impatient = rejection(here.acquire({ maxHold: 5_000 }));
  expect(await settled(impatient)).toBe(true);
  expect(await impatient).toMatchObject({ reason: 'hold' });
  expect(here.operations).toEqual([]);
});

test('a failure of the store that is no Error, or no text at all, is told in one line', async () => {
  const events: object[] = [];
  const here = process({ onEvent: (event) => events.push(event) });
  const failures: unknown[] = [Object.create(null)];
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as a client of somebody may
  here.now.fault = () => Promise.reject(failures.pop() ?? 'no  store');
  (await here.acquire()).cancel();
  expect(events[0]).toMatchObject({ type: 'fleet-lost', reason: 'no store' });
});

test('on the clock of the system a permit that is asked for after a refusal does not keep the process alive', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const store = memoryStore();
  const [other, gate] = [createFleetGate({ store })(key), createFleetGate({ store })(key)];
  await other.acquire(patientCall);
  for (let call = 0; call < 2; call += 1) {
    await rejection(gate.acquire({ ...patientCall, waitUntil: 0 }));
    await settled(Promise.resolve());
  }
  const set = timers.mock.results.map(({ value }) => value as NodeJS.Timeout);
  expect(set.length).toBeGreaterThan(0);
  expect(set.filter((timer) => timer.hasRef())).toEqual([]);
  set.forEach(clearTimeout);
});

test('on the clock of the system a call that waits for its share without the store keeps the process alive', async () => {
  vi.useFakeTimers();
  const inner = memoryStore();
  let isDown = false;
  const store = tap(inner, (_, run) => (isDown ? broken() : run()));
  const gate = createFleetGate({ store, onEvent: () => undefined })(key);
  for (const each of [createFleetGate({ store: inner })(key), gate])
    (await each.acquire(patientCall)).settle(answer(Date, 59));
  isDown = true;
  const waiting = gate.acquire(patientCall);
  await vi.advanceTimersByTimeAsync(400);
  const timers = vi.spyOn(globalThis, 'setTimeout');
  await vi.advanceTimersByTimeAsync(200);
  const set = timers.mock.results.map(({ value }) => value as NodeJS.Timeout);
  expect(set.filter((timer) => timer.hasRef())).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(60_000);
  (await waiting).cancel();
});

test('a clock that fails while no call waits is left alone', async () => {
  const { clock, acquire } = await open(process());
  const sleep = vi.spyOn(clock, 'sleep').mockRejectedValue(new Error('no time'));
  (await acquire()).cancel();
  await turns(20);
  expect(sleep.mock.calls.length).toBeLessThan(5);
});

test.each([
  ['takes ten seconds', 9_500, false],
  ['comes after the process that sent it has left', 1_500, true],
])('while the first answer %s, no other process asks', async (_what, latency, leaves) => {
  const { here, other } = beside();
  const first = await here.acquire();
  if (leaves) await here.fleetGate.close();
  const second = other.acquire();
  await here.clock.sleep(latency);
  expect(await settled(second)).toBe(false);
  first.settle(answer(here.clock, 49));
});

test.each([
  ['with the store', undefined],
  ['while the store fails', broken],
])(
  'when the last call that waits for the end of a hold is aborted, %s, no timer is left',
  async (_, fault) => {
    const here = await open(process());
    here.now.fault = fault;
    const permits = [await here.acquire(), await here.acquire()];
    const sleeps = vi.spyOn(here.clock, 'sleep');
    const waits = () => sleeps.mock.calls.filter(([, signal]) => signal?.aborted === false);
    for (const permit of permits)
      permit.settle(answer(here.clock, 0, { 'Retry-After': '40' }, 429));
    const stop = new AbortController();
    const aborted = rejection(here.acquire({ signal: stop.signal }));
    await turns(2);
    expect(waits()).toHaveLength(1);
    stop.abort();
    await aborted;
    await turns(2);
    expect(waits()).toEqual([]);
  },
);
