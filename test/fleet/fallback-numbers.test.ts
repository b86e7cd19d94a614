import { beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../src/index.js';
import { Fallback, RecentTraffic } from '../../src/fleet/member/fallback.js';
import { shortLease as begin } from '../../src/fleet/rules/constants.js';

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
});

/** `left(inFlight, serviceNow)` and `retryIn()` of a fallback, at the moment `now`. */
function bound(own: Fallback) {
  return {
    left: (inFlight = 0, serviceNow = 0) => own.left(inFlight, serviceNow),
    retryIn: () => own.retryIn(),
  };
}
