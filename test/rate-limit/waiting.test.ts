import { getEventListeners } from 'node:events';
import { expect, test, vi } from 'vitest';
import { memoryStore } from '../../src/fleet/index.js';
import { createRateLimitGate } from '../../src/index.js';
import { GateCalls } from '../../src/rate-limit/gate-calls.js';
import { patientCall } from '../support/gate-call.js';
import { fleetOver } from '../support/gate-contract.js';
import { askMany, minute, refused, stage, type Stage } from '../support/gate-stage.js';
import { rejection, times, turns, world } from '../support/world.js';

test('calls are sent in the order in which they were made, and a rate-limited one returns to its place', async () => {
  const { service, client } = world({ latency: 100 });
  const order = client();
  await order.listPets();
  service.faults.add({ operation: 'createPet', sequence: ['pass', 'pass', { 'retry-after': 2 }] });
  await Promise.all(times(12, (index) => order.createPet({ name: `pet ${index}`, categoryId: 1 })));
  const served = service.pets.list().map(({ name }) => Number(name.slice(4)));
  expect(served.indexOf(2)).toBeLessThan(5);
  expect(served.filter((index) => index !== 2)).toEqual([0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

test('calls keep their order at the gate of a new key, however the key rotates', async () => {
  const { service, client } = world();
  service.keys.add('old', { plan: 'free' });
  service.keys.add('new', { plan: 'free' });
  service.keys.get('old').exhaust('minute');
  let key = 'old';
  const calls = client({ apiKey: () => key });
  const order: number[] = [];
  const waiting = times(3, (n) => calls.listPets().then(() => void order.push(n)));
  await new Promise((resolve) => setImmediate(resolve));
  key = 'new';
  // Longer than the minute that the older calls wait for.
  service.keys.get('new').ban('100s');
  const later = times(3, (n) => calls.listPets().then(() => void order.push(n + 3)));
  await Promise.all([...waiting, ...later]);
  expect(order).toEqual([0, 1, 2, 3, 4, 5]);
});

test.each([
  ['a key', 'mock-free'],
  ['a key function', () => Promise.resolve('mock-free')],
] as const)(
  'with %s, a call that is made while a permit is on its way to a waiting call does not overtake it',
  async (_name, apiKey) => {
    for (let turns = 0; turns < 60; turns += 1) {
      const { service, client } = world();
      const caller = client({ apiKey });
      const create = (name: string) => caller.createPet({ name, categoryId: 1 });
      const calls = [create('first'), create('second')];
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      await Promise.all([...calls, create('third')]);
      const names = service.pets.list().map(({ name }) => name);
      expect(names, `after ${turns} turns`).toEqual(['first', 'second', 'third']);
    }
  },
);

const noStore = { update: () => Promise.reject(new Error('no store')) };

test.each([
  ['of one process', createRateLimitGate],
  ['of a fleet', () => fleetOver(memoryStore())],
  ['of a fleet without its store', () => fleetOver(noStore)],
])(
  '10,000 calls that wait at a gate have one listener on the signal that they share, and leave none: %s',
  async (_name, create) => {
    for (const leave of ['one by one', 'all at once']) {
      const gate = create();
      const stop = new AbortController();
      const added = vi.spyOn(stop.signal, 'addEventListener');
      const first = await gate.acquire(patientCall);
      const calls = times(10_000, (place) =>
        gate.acquire({ ...patientCall, isRetry: true, place, signal: stop.signal }).then(
          (permit) => permit.cancel(),
          () => undefined,
        ),
      );
      await turns(20);
      expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
      if (leave === 'one by one') first.cancel();
      else stop.abort();
      await Promise.all(calls);
      await turns();
      expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
      // A signal compares each listener with all others, so that one a call would take minutes.
      expect(added.mock.calls.length).toBeLessThan(10);
    }
  },
);

test('10,000 calls may wait at a gate, retries beside them, and one more is rejected', async () => {
  const at = stage();
  const first = await at.ask();
  await askMany(at, 10_000, { maxHold: Infinity });
  const [more, retry] = [await at.ask(), await at.ask({ isRetry: true })];
  expect(more.refusal).toMatchObject({ reason: 'queue', retryAfter: undefined });
  expect(retry.refusal).toBeUndefined();
  await first.answer(200, { limit: 60, remaining: 0, resetIn: 30_000 });
  const { refusal } = await at.ask({ maxHold: Infinity });
  // It may come back as soon as the first calls are sent, not when it would be its turn.
  expect(refusal).toMatchObject({ reason: 'queue', retryAfter: 31_000 });
});

test('a gate takes calls that all have the same place in their order', async () => {
  const at = stage();
  const all = await askMany(at, 4);
  for (let sent = 1; sent <= 4; sent += 1) {
    expect(all.map(({ permit }) => permit !== undefined)).toEqual(all.map((_, n) => n < sent));
    all[sent - 1]!.permit!.cancel();
    await at.pass(1);
  }
});

/** A window of 60 is open, then a 429 or 503 says how long to wait. */
async function held(at: Stage, status: number, resetIn?: number): Promise<void> {
  await at.send(200, { limit: 60, remaining: 40, resetIn: minute });
  const remaining = status === 429 ? 0 : 37;
  for (const one of await askMany(at, 3))
    await one.answer(status, { limit: 60, remaining, retryAfter: 30, resetIn });
}

/** A window in which 10 requests are left. */
const open = (at: Stage) => at.send(200, { limit: 60, remaining: 10, resetIn: minute });

test.each<[string, (at: Stage) => Promise<unknown>, before: number, wait: number]>([
  ['the hold, and one window, if it ends at the reset', (at) => held(at, 429, 30_000), 60, 91_000],
  ['the hold, where no limit is known', (at) => at.send(429, { retryAfter: 30 }), 200, 31_000],
  ['the hold, which may end late in a window', (at) => held(at, 503), 119, 31_000],
  ['the hold, and one window more', (at) => held(at, 503), 120, 91_000],
  ['the hold, and two windows more', (at) => held(at, 503), 180, 151_000],
  ['a window, behind what is left but for the call in flight', open, 70, 60_000],
  ['that window, for as many calls as it has', open, 129, 60_000],
  ['429s out of an open window halve the share once', (at) => held(at, 429), 100, 91_000],
])(
  'a call knows beforehand how long it waits at the least: %s',
  async (_name, begin, before, wait) => {
    for (const late of [0, 1]) {
      const at = stage();
      await begin(at);
      await askMany(at, before);
      expect(refused([await at.ask({ waitUntil: at.now() + wait - late })])).toBe(late);
    }
  },
);

test('when a hold begins, calls that cannot be sent before their deadline reject', async () => {
  const at = stage();
  await at.send(200, { limit: 60, remaining: 15, resetIn: minute });
  const first = await at.ask();
  const waiting = await askMany(at, 131, { waitUntil: at.now() + 90_000 });
  const before = refused(waiting);
  await first.answer(503, { retryAfter: 30 });
  // 31 s, and a whole minute for who stands behind two windows of 60.
  expect(refused(waiting.slice(0, 120))).toBe(0);
  expect([before, refused(waiting.slice(120))]).toEqual([0, 11]);
});

test('without others the gate permits a call whose time is over: the caller decides', async () => {
  const at = stage();
  expect((await at.ask({ waitUntil: at.now() - 1 })).permit).toBeDefined();
});

test('a call that is aborted after it was taken from the line is rejected, and the others stay', async () => {
  const { clock } = world().service;
  const calls = new GateCalls(clock, {
    pump: () => undefined,
    sendable: () => [Infinity, Infinity, false],
    cause: () => 'fleet',
  });
  const abort = new AbortController();
  const taken = rejection(calls.acquire({ ...patientCall, signal: abort.signal }));
  void calls.acquire(patientCall);
  calls.shift();
  abort.abort('enough');
  expect(await taken).toBe('enough');
  expect(calls.waiting).toBe(1);
});
