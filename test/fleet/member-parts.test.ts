import { beforeEach, describe, expect, test } from 'vitest';
import type { Clock, GateCall, GatePermit, HoldChange } from '../../src/index.js';
import type { SyncReply } from '../../src/fleet/index.js';
import { ClockBounds } from '../../src/fleet/clock-bounds.js';
import { RecentTraffic } from '../../src/fleet/member/fallback.js';
import { Lease, settledOnce } from '../../src/fleet/member/lease.js';
import { CallRate } from '../../src/fleet/member/report.js';
import { oncePerTurn, Timer } from '../../src/fleet/member/timer.js';
import { later, statedHold, WaitingCalls } from '../../src/fleet/member/waiting-calls.js';
import { patientCall } from '../support/gate-call.js';
import { rejection } from '../support/world.js';

let now = 0;
let sleeps: { readonly ms: number; readonly wake: () => void; readonly signal: AbortSignal }[] = [];
const clock: Clock = {
  now: () => now,
  monotonic: () => now,
  sleep: (ms, signal) =>
    new Promise((wake, reject) => {
      sleeps.push({ ms, wake, signal: signal! });
      signal!.addEventListener('abort', () => reject(signal!.reason as Error));
    }),
};
const turn = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  now = 1_000_000;
  sleeps = [];
});

describe('a lease', () => {
  const reply = (granted: number, leaseFor: number, probe = false) =>
    ({ granted, leaseFor, probe }) as SyncReply;

  test('lasts from when it was asked for, and as long as the longest of those that it joins', () => {
    const lease = new Lease();
    expect(lease.expire(now)).toBe(false);
    lease.add(reply(3, 5_000), now - 100, now);
    lease.add(reply(2, 1_000), now, now);
    expect(lease.permits).toBe(5);
    expect(lease.expire(now + 4_899)).toBe(false);
    expect(lease.expire(now + 4_900)).toBe(true);
    expect([lease.permits, lease.expire(now + 4_900)]).toEqual([0, false]);
    lease.add(reply(1, 1_000), now, now);
    expect(lease.expire(now + 1_000)).toBe(true);
  });

  test('takes a permit back while it lasts, as the probe that it was', () => {
    const lease = new Lease();
    lease.add(reply(1, 1_000, true), now, now);
    expect(lease.use()).toBe(true);
    lease.putBack(true, now + 999);
    expect([lease.permits, lease.use()]).toEqual([1, true]);
    lease.putBack(true, now + 1_000);
    expect(lease.permits).toBe(0);
    lease.add(reply(2, 1_000), now, now);
    expect([lease.use(), lease.use()]).toEqual([false, false]);
  });

  test('keeps no more than is left, and no probe once it is dropped', () => {
    const lease = new Lease();
    lease.add(reply(5, 1_000), now, now);
    lease.trim(7);
    expect(lease.permits).toBe(5);
    lease.trim(2);
    expect(lease.permits).toBe(2);
    lease.trim(-1);
    expect(lease.permits).toBe(0);
    lease.add(reply(1, 1_000, true), now, now);
    lease.drop();
    lease.putBack(false, now);
    expect([lease.permits, lease.use()]).toEqual([1, false]);
  });

  test('was too small if it was used up within two seconds', () => {
    const lease = new Lease();
    lease.add(reply(2, 9_000), now, now);
    expect(lease.usedUpSize(now)).toBe(0);
    lease.use();
    lease.use();
    expect([lease.usedUpSize(now + 1_999), lease.usedUpSize(now + 2_000)]).toEqual([2, 0]);
  });
});

test('a permit is settled once, and what is done before and after is done once', () => {
  const done: string[] = [];
  const note = (name: string) => () => void done.push(name);
  const permit: GatePermit = {
    settle: note('settle'),
    lose: note('lose'),
    cancel: note('cancel'),
  };
  for (const how of ['settle', 'lose', 'cancel'] as const) {
    const once = settledOnce(note('before'), permit, note('after'));
    once[how]({ status: 200, headers: new Headers() });
    once.cancel();
    once.lose();
  }
  const each = (how: string) => ['before', how, 'after'];
  expect(done).toEqual([...each('settle'), ...each('lose'), ...each('cancel')]);
});

describe('the rate of calls', () => {
  test('is that of calls in three seconds or more, without the newest one, and halves in 20 s', () => {
    const rate = new CallRate(now);
    for (let call = 0; call < 50; call += 1) rate.count(now);
    rate.count(now + 1_000);
    expect(rate.now(now + 1_000)).toBe(0);
    // The seconds decay as the calls do: three of them are three at once only.
    rate.count(now + 2_000);
    expect(rate.now(now + 2_000)).toBe(0);
    rate.count(now + 3_000);
    const at = rate.now(now + 3_000);
    const part = Math.LN2 / 20_000;
    const kept = [3, 2, 1, 0].map((age) => 2 ** (-age / 20));
    expect(at).toBeCloseTo(part * (50 * kept[0]! + kept[1]! + kept[2]! + kept[3]! - 1), 10);
    expect(rate.now(now + 5_000)).toBeLessThan(at);
  });

  test('of one call a second is nearly that', () => {
    const rate = new CallRate(now);
    for (let second = 0; second < 300; second += 1) rate.count(now + 1_000 * second);
    expect(rate.now(now + 299_000)).toBeGreaterThan(0.000_95);
    expect(rate.now(now + 299_000)).toBeLessThan(0.001_02);
    expect(rate.now(now + 900_000)).toBe(0);
  });
});

describe('the alarm', () => {
  test('rings at the earliest moment that was asked for', async () => {
    const rings: string[] = [];
    const timer = new Timer(clock, () => rings.push('ring'));
    timer.set(now + 500, false);
    timer.set(now + 900, false);
    timer.set(now + 500, false);
    expect(sleeps.map(({ ms }) => ms)).toEqual([500]);
    timer.set(now + 100, false);
    timer.set(now - 5, false);
    expect(sleeps.map(({ ms, signal }) => [ms, signal.aborted])).toEqual([
      [500, true],
      [100, true],
      [0, false],
    ]);
    sleeps.at(-1)!.wake();
    await turn();
    expect(rings).toEqual(['ring']);
    timer.set(now + 900, false);
    timer.clear();
    expect(sleeps.at(-1)!.signal.aborted).toBe(true);
  });

  test('that is idle is replaced by one that is not', () => {
    const timer = new Timer(clock, () => undefined);
    timer.set(now + 100, true);
    timer.set(now + 100, true);
    expect(sleeps).toHaveLength(1);
    timer.set(now + 900, false);
    expect(sleeps.map(({ ms }) => ms)).toEqual([100, 900]);
  });
});

test('what is due at the end of a turn is done once in it, and again in the next one', async () => {
  let runs = 0;
  const soon = oncePerTurn(() => (runs += 1));
  soon();
  soon();
  await turn();
  expect(runs).toBe(1);
  soon();
  await turn();
  expect(runs).toBe(2);
});

describe('calls that wait', () => {
  const acquire = (calls: WaitingCalls, more: Partial<GateCall> = {}) =>
    calls.acquire(
      { ...patientCall, ...more },
      () => undefined,
      () => undefined,
    );

  test('wait a window for each limit of calls before them, the first of which may end at any moment', async () => {
    const calls = new WaitingCalls(clock);
    calls.limit = 2;
    void acquire(calls);
    void acquire(calls, { priority: 'high' });
    void acquire(calls);
    void acquire(calls);
    expect([calls.size, calls.high]).toEqual([4, 1]);
    const late = await rejection<{ reason: string; retryAfter: number }>(
      acquire(calls, { waitUntil: now + 59_999 }),
    );
    expect(late).toMatchObject({ reason: 'wait', retryAfter: 60_000 });
    const just = rejection(acquire(calls, { waitUntil: now + 60_000 }));
    expect(calls.size).toBe(5);
    // With a hold of 5 s, and a second for rounded headers, it is 66 s.
    calls.hold(statedHold(now + 5_000));
    expect(await just).toMatchObject({ reason: 'wait', retryAfter: 66_000 });
    const next = rejection(acquire(calls, { waitUntil: now + 65_999 }));
    expect(await next).toMatchObject({ reason: 'wait', retryAfter: 66_000 });
    // Where a window begins with the end of the hold, it lasts for a minute.
    calls.hold({ ...statedHold(now + 6_000), beginsWindow: true });
    const third = rejection(acquire(calls, { waitUntil: now + 126_999 }));
    expect(await third).toMatchObject({ reason: 'wait', retryAfter: 127_000 });
    // When it has ended, the window has begun.
    now += 7_000;
    const fourth = rejection(acquire(calls, { waitUntil: now + 59_999 }));
    expect(await fourth).toMatchObject({ reason: 'wait', retryAfter: 60_000 });
    expect([calls.size, calls.high]).toEqual([4, 1]);
  });

  test('tell each client once of a hold and of its end, and those that join later as well', () => {
    const calls = new WaitingCalls(clock);
    const changes: HoldChange[] = [];
    const onHold = (change: HoldChange) => void changes.push(change);
    void acquire(calls, { onHold });
    void acquire(calls, { onHold });
    calls.hold(statedHold(now + 5_000));
    calls.hold(statedHold(now + 5_000));
    expect(changes).toEqual([{ type: 'hold', delay: 6_000, fromServer: true }]);
    const own: HoldChange[] = [];
    void acquire(calls, { onHold: (change) => own.push(change) });
    expect(own).toEqual([{ type: 'hold', delay: 6_000, fromServer: true }]);
    calls.resume();
    calls.resume();
    expect(changes.at(-1)).toEqual({ type: 'resume' });
    expect(own).toHaveLength(2);
    calls.hold({ resumeAt: now + 9_000, endsAt: now + 8_000, serverHoldUntil: now });
    expect(changes.at(-1)).toEqual({ type: 'hold', delay: 9_000, fromServer: false });
  });

  test('are sent while fewer are in flight than the fleet and the call allow', () => {
    const calls = new WaitingCalls(clock);
    expect(calls.allows(0, 9)).toBe(false);
    void acquire(calls, { maxConcurrency: 3 });
    expect([calls.allows(2, 9), calls.allows(3, 9)]).toEqual([true, false]);
    expect([calls.allows(1, 2), calls.allows(2, 2)]).toEqual([true, false]);
  });

  test('of two holds the later ends count', () => {
    const [one, other] = [statedHold(5, 9), { resumeAt: 7, endsAt: 6, serverHoldUntil: 4 }];
    expect(later(one, other)).toEqual({ resumeAt: 9, endsAt: 6, serverHoldUntil: 5 });
    expect(later(one, { ...other, beginsWindow: true }).beginsWindow).toBeUndefined();
    expect(later({ ...one, beginsWindow: true }, other).beginsWindow).toBe(true);
    expect(statedHold(5)).toEqual({ resumeAt: 1_005, endsAt: 5, serverHoldUntil: 5 });
  });
});

test('the bounds of a clock become wider by 0.1 ms a second', () => {
  const bounds = new ClockBounds();
  bounds.observe(100, 200, 0);
  bounds.observe(50, 300, 10_000);
  expect([bounds.low, bounds.high]).toEqual([99, 201]);
  // Within the slack is no contradiction.
  bounds.observe(202, 250, 20_000);
  expect([bounds.low, bounds.high]).toEqual([202, 202]);
  bounds.observe(100, 201, 30_000);
  expect([bounds.low, bounds.high]).toEqual([201, 201]);
  bounds.observe(202.1, 300, 40_000);
  expect([bounds.low, bounds.high]).toEqual([202.1, 300]);
});

describe('recent traffic', () => {
  test('forgets a request after 61 s, and one that was not sent at once', () => {
    const traffic = new RecentTraffic();
    traffic.add(1_000);
    traffic.add(2_000);
    traffic.add(2_000);
    traffic.remove(2_000);
    traffic.add(62_000);
    expect([traffic.oldest, traffic.since(0)]).toEqual([2_000, 2]);
    expect(traffic.since(2_000)).toBe(1);
  });

  test('knows the lowest Remaining of a window, and the pace at which it fell', () => {
    const traffic = new RecentTraffic();
    const learn = (remaining: number, reset: number, at: number) =>
      traffic.learn({ limit: 300, remaining, reset }, at);
    learn(200, 60_000, 0);
    learn(180, 61_000, 1_000);
    expect(traffic.window).toMatchObject({ remaining: 180, seenAt: 1_000, pace: 20 / 2_000 });
    learn(190, 60_500, 4_000);
    expect(traffic.window).toMatchObject({ remaining: 180, seenAt: 4_000, pace: 20 / 4_000 });
    learn(299, 61_501, 5_000);
    expect(traffic.window).toMatchObject({ remaining: 299, pace: 0, first: { remaining: 299 } });
    traffic.learn({ limit: 300, remaining: 5, reset: undefined }, 6_000);
    expect(traffic.window?.remaining).toBe(299);
  });
});
