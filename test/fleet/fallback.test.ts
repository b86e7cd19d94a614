import { beforeEach, describe, expect, test } from 'vitest';
import { createMockService } from '../../mocks/index.js';
import type { Clock, GateCall } from '../../src/index.js';
import { Fallback, RecentTraffic } from '../../src/fleet/member/fallback.js';
import { shortLease as begin } from '../../src/fleet/rules/constants.js';
import { pad } from '../../src/rate-limit/rules/hold-rule.js';
import { answer, process } from '../support/fleet-member.js';
import { patientCall } from '../support/gate-call.js';
import { tap } from '../support/fleet-tap.js';

/** The minute of the service ends at this moment of its clock. */
const reset = 60_000;
/** One of three processes on the Pro plan: 100 requests a minute each. */
const fleet = { limit: 300, members: 3, rank: 0 };

let now = 0;
let traffic: RecentTraffic;
const clock: Clock = { now: () => now, monotonic: () => now, sleep: () => Promise.resolve() };
const fallback = (known = fleet) => new Fallback(clock, known, traffic, 0);

beforeEach(() => {
  now = 0;
  traffic = new RecentTraffic();
});

describe('what a process may send without the store', () => {
  test('is nothing until the leases of the others have ended, and it looks again then', () => {
    const { left, retryIn } = bound(fallback());
    expect([left(), retryIn()]).toEqual([0, begin]);
    now = begin - 1;
    expect([left(), retryIn()]).toEqual([0, 1]);
    now = begin;
    expect(left()).toBe(100);
  });

  test('is its share of a minute while it has seen no response, and a request counts for 61 s', () => {
    const { left, retryIn } = bound(fallback());
    now = begin;
    expect(retryIn()).toBe(5_000);
    for (let count = 0; count < 3; count++) traffic.add(now);
    expect(left()).toBe(97);
    now = begin + 58_000;
    expect(retryIn()).toBe(3_001);
    now = begin + 60_950;
    expect([left(), retryIn()]).toEqual([97, 100]);
    now = begin + 61_000;
    expect(left()).toBe(100);
  });

  test('is all that its own gate allows when it is alone, or never knew a fleet', () => {
    expect(bound(new Fallback(clock, undefined, traffic, 0)).left()).toBe(Infinity);
    expect(bound(fallback({ ...fleet, limit: 0 })).left()).toBe(Infinity);
    expect(bound(fallback({ ...fleet, members: 1 })).left()).toBe(300);
  });

  test('is one request beyond its share while the headers show plenty, and the older they are, the less is plenty', () => {
    const { left } = bound(fallback());
    now = begin;
    for (let count = 0; count < 100; count++) traffic.add(now);
    expect(left()).toBe(0);
    traffic.learn({ limit: 300, remaining: 200, reset }, now);
    expect(left()).toBe(1);
    now = begin + 5_000;
    expect(left()).toBe(1);
    now = begin + 5_100;
    expect(left()).toBe(0);
  });

  test('is half of its part of what the headers leave, less what the others send meanwhile at the pace of the limit', () => {
    const { left } = bound(fallback());
    now = begin;
    traffic.learn({ limit: 300, remaining: 200, reset }, now);
    expect([left(), left(3)]).toEqual([33, 30]);
    now = begin + 6_000;
    expect(left()).toBe(28);
    now = begin + 40_000;
    expect(left()).toBe(0);
  });

  test('shrinks faster where the others were seen to send faster than the limit', () => {
    const { left } = bound(fallback());
    now = begin;
    traffic.learn({ limit: 300, remaining: 250, reset }, now);
    now = begin + 4_000;
    traffic.learn({ limit: 300, remaining: 150, reset }, now);
    now = begin + 6_000;
    expect(left()).toBe(16);
  });

  test('is its share again once the window of the headers is over', () => {
    const { left } = bound(fallback());
    now = begin;
    traffic.learn({ limit: 300, remaining: 0, reset }, now);
    expect(left()).toBe(0);
    expect(left(0, reset)).toBe(100);
  });

  test('is little of what is left in the end: the lowest Remaining counts, and none that is not stated', () => {
    const { left } = bound(fallback());
    now = begin;
    for (const remaining of [undefined, 8, 20])
      traffic.learn({ limit: 300, remaining, reset }, now);
    expect(left()).toBe(1);
    traffic.learn({ limit: 300, remaining: 2, reset }, now);
    expect(left()).toBe(0);
  });

  test('goes by turns where the limit does not divide evenly: no minute has more than the limit', () => {
    now = begin;
    for (const [limit, members] of [
      [60, 7],
      [5, 8],
      [1_000, 3],
    ] as const)
      for (let minute = 0; minute < 20; minute += 1) {
        const shares = Array.from({ length: members }, (_, rank) =>
          bound(fallback({ limit, members, rank })).left(0, minute * 60_000),
        );
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(limit);
      }
  });

  test('is not counted where it was not sent', () => {
    traffic.add(5);
    traffic.remove(4);
    traffic.remove(5);
    expect([traffic.since(0), traffic.oldest]).toEqual([0, undefined]);
  });
});

/** `left(inFlight, serviceNow)` and `retryIn()` of a fallback, at the moment `now`. */
function bound(own: Fallback) {
  return {
    left: (inFlight = 0, serviceNow = 0) => own.left(inFlight, serviceNow),
    retryIn: () => own.retryIn(),
  };
}

describe('calls at the gate of this process', () => {
  const { clock: virtual } = createMockService({ clock: 'virtual' });

  /** A fallback, a function that hands a call to it, and what became of the calls. */
  function forwarding() {
    const own = new Fallback(virtual, undefined, traffic, -Infinity);
    const ends: string[] = [];
    const forward = (name: string, signal?: AbortSignal) => {
      const call: GateCall = { ...patientCall, signal };
      const grant = (permit: { cancel(): void }) => (ends.push(`${name} granted`), permit.cancel());
      const reject = (reason: unknown) => void ends.push(`${name}: ${String(reason)}`);
      const done = () => void ends.push(`${name} is over`);
      own.forward({ call, grant, reject }, (_call, permit) => permit, done);
    };
    return { own, ends, forward };
  }

  test('one that is taken back in the turn of its permit is not sent, and the permit goes to the next call', async () => {
    const { own, ends, forward } = forwarding();
    forward('first');
    expect(own.takeBack()).toHaveLength(1);
    await virtual.sleep(0);
    expect(ends).toEqual([]);
    forward('second');
    await virtual.sleep(0);
    expect(ends).toEqual(['second granted', 'second is over']);
  });

  test('one that is aborted in the turn of its permit does not get it, and is not taken back', async () => {
    const { own, ends, forward } = forwarding();
    const abort = new AbortController();
    forward('first', abort.signal);
    forward('second', abort.signal);
    abort.abort('enough');
    expect(own.takeBack()).toEqual([]);
    forward('third');
    await virtual.sleep(0);
    expect(ends).toContain('third granted');
    expect(ends).not.toContain('first granted');
    const granted = new AbortController();
    forward('fourth', granted.signal);
    granted.abort('enough');
    forward('fifth');
    await virtual.sleep(0);
    expect(ends).not.toContain('fourth granted');
    expect(ends.slice(-3)).toEqual(['fourth is over', 'fifth granted', 'fifth is over']);
  });
});

test('without the store nothing is sent in a window that the fleet has used up', async () => {
  const here = process();
  let stage: 'open' | 'used up' | 'failed' = 'open';
  const store = tap(here.inner, async (_, run) => {
    if (stage === 'failed') throw new Error('no store');
    const reply = await run();
    if (stage === 'open') return reply;
    return { ...reply, decision: 'idle', granted: 0, retryAt: reply.now + 1_000 };
  });
  const own = process({ clock: here.clock, store, onEvent: () => undefined });
  const windowEnd = (Math.floor(here.clock.now() / 60_000) + 1) * 60_000;
  (await own.acquire()).settle(answer(here.clock, 40));
  stage = 'used up';
  const waiting = own.acquire();
  await here.clock.sleep(100);
  stage = 'failed';
  (await waiting).cancel();
  expect(here.clock.now()).toBeGreaterThanOrEqual(windowEnd + pad);
  expect(here.clock.now()).toBeLessThan(windowEnd + 5_000);
});
