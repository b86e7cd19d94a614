import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { createMockService } from '../../mocks/index.js';
import type { Clock, GatePermit } from '../../src/index.js';
import { Fallback, RecentTraffic } from '../../src/fleet/member/fallback.js';
import { shortLease as begin } from '../../src/fleet/rules/constants.js';
import { pad } from '../../src/rate-limit/rules/hold-rule.js';
import { answer, open, process } from '../support/fleet-member.js';
import { patientCall } from '../support/gate-call.js';

/** The minute of the service ends at this moment of its clock. */
const reset = 60_000;
/** One of three processes on the Pro plan: 100 requests a minute each. */
const fleet = { limit: 300, members: 3, rank: 0, notBefore: -Infinity };

/** What a process knows when it has no store, and what it sent and saw at `begin` or so long after. */
interface Known {
  /** `null`: it has never known a limit. */
  readonly fleet?: Partial<typeof fleet> | null;
  readonly sent?: number;
  /** Of those sent, permits that were given back. */
  readonly unused?: number;
  /** Remaining, by the ms when it was seen. */
  readonly seen?: Readonly<Record<number, number | undefined>>;
  readonly inFlight?: number;
  readonly serviceNow?: number;
}

/** How many calls may be sent `passed` ms after the leases of the others have ended, and when to look again. */
function bound(known: Known, passed: number) {
  const { sent = 0, unused = 0, seen = {}, inFlight = 0, serviceNow = 0 } = known;
  let now = 0;
  const clock: Clock = { now: () => now, monotonic: () => now, sleep: () => Promise.resolve() };
  const traffic = new RecentTraffic();
  const last = known.fleet === null ? undefined : { ...fleet, ...known.fleet };
  const own = new Fallback(clock, last, traffic, 0);
  for (let count = 0; count < sent; count += 1) traffic.add(begin);
  for (let count = 0; count < unused; count += 1) traffic.remove(begin);
  for (const [at, remaining] of Object.entries(seen))
    traffic.learn({ limit: 300, remaining, reset }, begin + Number(at));
  now = begin + passed;
  return { left: own.left(inFlight, serviceNow), retryIn: own.retryIn() };
}

test.each<[what: string, Known, passed: number, left: number, retryIn?: number]>([
  ['nothing until the leases of the others have ended', {}, -begin, 0, begin],
  ['nothing until then, and it looks again then', {}, -1, 0, 1],
  ['its share of a minute while it has seen no response', {}, 0, 100, 5_000],
  ['less what it has sent', { sent: 3 }, 58_000, 97, 3_001],
  ['a request counts for 61 s', { sent: 3 }, 60_950, 97, 100],
  ['and no longer', { sent: 3 }, 61_000, 100],
  ['nor where it was not sent', { sent: 3, unused: 4 }, 0, 100],
  ['all that its own gate allows where no limit is known', { fleet: null }, 0, Infinity],
  ['the whole limit, at once, where it is alone', { fleet: { members: 1 } }, -begin, 300],
  ['nothing beyond its share', { sent: 100 }, 0, 0],
  ['one beyond it while the headers show plenty', { sent: 100, seen: { 0: 200 } }, 5_000, 1],
  ['the older they are, the less is plenty', { sent: 100, seen: { 0: 200 } }, 5_100, 0],
  ['half of its part of what the headers leave', { seen: { 0: 200 } }, 0, 33],
  ['less what is in flight', { seen: { 0: 200 }, inFlight: 3 }, 0, 30],
  ['less what the others send at the pace of the limit', { seen: { 0: 200 } }, 6_000, 28],
  ['until that is all', { seen: { 0: 200 } }, 40_000, 0],
  ['less yet where they were faster', { seen: { 0: 250, 4_000: 150 } }, 6_000, 16],
  ['nothing where nothing is left', { seen: { 0: 0 } }, 0, 0],
  ['its share when that window is over', { seen: { 0: 0 }, serviceNow: reset }, 0, 100],
  ['little of little: the lowest counts', { seen: { 0: undefined, 1: 8, 2: 20 } }, 2, 1],
  ['nothing of very little', { seen: { 0: 8, 1: 2 } }, 1, 0],
])('without the store a process may send %s', (_what, known, passed, left, retryIn) => {
  expect(bound(known, passed)).toMatchObject({ left, ...(retryIn !== undefined && { retryIn }) });
});

test('where the limit does not divide evenly the processes take turns: no minute has more than the limit', () => {
  for (const { limit, members } of [
    { limit: 60, members: 7 },
    { limit: 5, members: 8 },
    { limit: 1_000, members: 3 },
  ])
    for (let serviceNow = 0; serviceNow < 20 * reset; serviceNow += reset) {
      const shares = Array.from(
        { length: members },
        (_, rank) => bound({ fleet: { limit, members, rank }, serviceNow }, 0).left,
      );
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(limit);
    }
});

test('a call that is taken back or aborted in the turn of its permit is not sent and leaves no listener, and the permit goes to the next', async () => {
  const { clock } = createMockService({ clock: 'virtual' });
  const own = new Fallback(clock, undefined, new RecentTraffic(), -Infinity);
  const ends: string[] = [];
  const forward = (name: string, { signal } = new AbortController()) => {
    const grant = (permit: GatePermit) => (ends.push(`${name} granted`), permit.cancel());
    const reject = (reason: unknown) => void ends.push(`${name}: ${String(reason)}`);
    const done = () => void ends.push(`${name} over`);
    own.forward({ call: { ...patientCall, signal }, grant, reject }, (permit) => permit, done);
  };
  const [calm, early, late] = [new AbortController(), new AbortController(), new AbortController()];
  forward('taken', calm);
  expect(own.takeBack()).toHaveLength(1);
  await clock.sleep(0);
  expect([ends, getEventListeners(calm.signal, 'abort')]).toEqual([[], []]);
  forward('one', early);
  early.abort('enough');
  expect(own.takeBack()).toEqual([]);
  forward('next');
  await clock.sleep(0);
  expect(ends.splice(0).filter((end) => end.endsWith('granted'))).toEqual(['next granted']);
  forward('late', late);
  forward('later', late);
  late.abort('enough');
  forward('last');
  await clock.sleep(0);
  const order = ['late over', 'later: enough', 'later over', 'last granted', 'last over'];
  expect([ends, own.waiting]).toEqual([order, 0]);
});

test('without the store nothing is sent in a window that the fleet has used up', async () => {
  const { acquire, clock, now } = process({ onEvent: () => undefined });
  const windowEnd = (Math.floor(clock.now() / 60_000) + 1) * 60_000;
  (await acquire()).settle(answer(clock, 40));
  now.fault = async (_, run) => {
    const reply = await run();
    return { ...reply, decision: 'idle', granted: 0, retryAt: reply.now + 1_000 };
  };
  const waiting = acquire();
  await clock.sleep(100);
  now.fault = () => Promise.reject(new Error('no store'));
  (await waiting).cancel();
  expect(clock.now()).toBeGreaterThanOrEqual(windowEnd + pad);
  expect(clock.now()).toBeLessThan(windowEnd + 5_000);
});

test('after a long time without the store, a report stays short: requests of more than 100 s ago are one number', async () => {
  const { acquire, clock, now, operations } = await open(process({ onEvent: () => undefined }));
  now.fault = () => Promise.reject(new Error('no store'));
  for (let second = 0; second < 300; second += 1) {
    (await acquire()).settle(answer(clock, 50));
    await clock.sleep(1_000);
  }
  now.fault = undefined;
  await clock.sleep(5_000);
  (await acquire()).cancel();
  const { times, successes } = operations.at(-1)!;
  expect(successes).toBeGreaterThan(200);
  expect(times.reduce((sum, [, count]) => sum + count, 0)).toBe(successes);
  expect(times.length).toBeLessThan(103);
});
