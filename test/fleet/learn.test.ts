import { describe, expect, test } from 'vitest';
import type { FleetOperation, RateLimitedObservation } from '../../src/fleet/rules/operations.js';
import type { FleetState } from '../../src/fleet/rules/state.js';
import { State, start } from '../support/fleet-state.js';

const end = start + 60_000;
const read = (state: State) => JSON.parse(state.text!) as FleetState;

/** One member that has had ten answers in a fixed window: 290 of 300 are left, and 59.9 s. */
function alone(): State {
  const state = new State();
  state.sync('a', { need: 1 });
  state.now += 100;
  answered(state, 10, 290);
  return state;
}

/** So many answers to member a, the last one with this Remaining. */
function answered(
  state: State,
  count: number,
  remaining: number,
  reset: number | undefined = end,
  more: Partial<FleetOperation> = {},
) {
  state.spent.push([state.now, count]);
  return state.sync('a', {
    ...{ successes: count, total: total(state), probeDone: true },
    times: [[Math.floor(state.now / 1_000), count]],
    observation: { limit: 300, remaining, reset, sentAt: state.now - 50 },
    ...more,
  });
}

const total = (state: State) => state.spent.reduce((sum, [, count]) => sum + count, 0);

function refuse(state: State, more: Partial<RateLimitedObservation> = {}) {
  const base = { status: 429, limit: 300, reset: end, exhausted: true };
  const rateLimited = { ...base, sentAt: state.now - 50, ...more };
  state.sync('a', { total: total(state), rateLimited });
  const { resumeAt, holdEndsAt, serverHoldUntil } = read(state);
  return [holdEndsAt, resumeAt, serverHoldUntil].map((moment) => moment - state.now);
}

describe('the hold after a response that asks to wait: its end, the end with the pad, and the stated part', () => {
  const none = { reset: undefined };
  const hour = { reset: start + 3_600_000 };
  test.each<[Partial<RateLimitedObservation>, number[]]>([
    [{}, [59_900, 60_900, 59_900]],
    [{ retryAfter: 5_000 }, [59_900, 60_900, 59_900]],
    [{ retryAfter: 90_000 }, [90_000, 91_000, 90_000]],
    [{ exhausted: false }, [59_900, 60_900, 59_900]],
    [{ exhausted: false, retryAfter: 5_000 }, [5_000, 6_000, 5_000]],
    [none, [15_000, 15_000, -start]],
    [{ ...none, retryAfter: 5_000 }, [5_000, 6_000, 5_000]],
    [hour, [3_599_900, 3_600_900, 3_599_900]],
    [{ ...hour, retryAfter: 5_000 }, [5_000, 6_000, 5_000]],
    // A Reset that is long past says nothing.
    [{ reset: start - 65_000 }, [15_000, 15_000, -start]],
    [{ status: 403, retryAfter: 7_000 }, [59_900, 60_900, 59_900]],
    [{ status: 503, retryAfter: 7_000 }, [7_000, 8_000, 7_000]],
    [{ status: 503, ...none, retryAfter: 7_000 }, [7_000, 8_000, 7_000]],
  ])('%o', (response, hold) => {
    const state = alone();
    const [holdEnd, resume, stated] = refuse(state, response);
    expect([holdEnd, resume]).toEqual(hold.slice(0, 2));
    expect(Math.max(0, stated!)).toBe(Math.max(0, hold[2]!));
    expect(read(state)).toMatchObject({ mode: 'PROBE', remaining: -1, prober: '' });
  });

  test('grows with each 429 in a row, but not with those of requests that were in flight already', () => {
    const state = alone();
    const ends = [1, 2, 3, 4, 5, 6, 7].map(() => {
      const [hold] = refuse(state, { retryAfter: 1_000, exhausted: false });
      state.now += 130_000;
      return hold;
    });
    expect(ends).toEqual([1_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    const late = alone();
    refuse(late, { retryAfter: 1_000, exhausted: false });
    late.now += 10;
    refuse(late, { retryAfter: 1_000, exhausted: false, sentAt: late.now - 40 });
    expect(read(late)).toMatchObject({ rateLimitedCount: 1 });
  });

  test('begins anew after an answer to a request that was sent later', () => {
    const state = alone();
    refuse(state, { retryAfter: 1_000, exhausted: false });
    state.now += 2_100;
    state.sync('a', { need: 1, total: 10 });
    state.now += 100;
    answered(state, 1, 280);
    expect(read(state)).toMatchObject({ rateLimitedCount: 0, mode: 'OPEN', remaining: 280 });
    // Somebody else has used the quota: as much as the fleet, and the one that was refused.
    const { own, others } = read(state);
    expect(others).toBeCloseTo(own);
    expect(own).toBeGreaterThan(10);
  });
});

describe('an answer', () => {
  test('of a new window begins the counts again, with half of what a minute ago was', () => {
    const state = alone();
    answered(state, 3, 280);
    state.now += 60_000;
    answered(state, 1, 299, end + 60_000);
    const { own, others } = read(state);
    expect(read(state)).toMatchObject({ base: 299, consumed: 0, ownNow: 0, othersNow: 0 });
    expect([own, others].map((sum) => Math.round(100 * sum) / 100)).toEqual([6.99, 3.5]);
    expect(read(state).baseAt).toBe(state.now - 50);
  });

  test('without headers is counted: what is left becomes less, or more is tried at once', () => {
    const state = alone();
    const observation = { sentAt: state.now };
    answered(state, 2, 0, end, { observation });
    expect(read(state)).toMatchObject({ remaining: 288, ownNow: 2, consumed: 2 });
    const cold = new State();
    cold.sync('a', { need: 1 });
    answered(cold, 1, 0, end, { observation });
    expect(read(cold)).toMatchObject({ remaining: -1, blind: 2, mode: 'OPEN' });
    answered(cold, 700, 0, end, { observation });
    expect(read(cold).blind).toBe(702);
    // More than a limit that is known is never tried.
    const held = alone();
    refuse(held, { retryAfter: 1_000, exhausted: false });
    held.now += 2_100;
    held.sync('a', { need: 1, total: 10 });
    answered(held, 700, 0, end, { observation: { sentAt: held.now } });
    expect(read(held)).toMatchObject({ remaining: -1, blind: 300 });
  });

  test('that shows a Reset which moves little by little shows a rolling window', () => {
    const state = alone();
    answered(state, 1, 289, end + 900);
    expect(read(state).rollingAt).toBeLessThan(0);
    answered(state, 1, 288, end + 1_600);
    expect(read(state).rollingAt).toBe(state.now);
    const jumps = alone();
    answered(jumps, 1, 289, end + 49_999);
    expect(read(jumps).rollingAt).toBe(jumps.now);
    const fixed = alone();
    answered(fixed, 1, 299, end + 50_000);
    expect(read(fixed).rollingAt).toBeLessThan(0);
  });
});

describe('the clock of the service', () => {
  const clockOf = (state: State) => {
    const { serviceLow, serviceHigh } = read(state);
    return [serviceLow, serviceHigh];
  };

  test('is known within bounds that become narrower, and wider by a little with time', () => {
    const state = new State();
    state.sync('a', { clock: { low: 1_000, high: 2_000 } });
    expect(clockOf(state)).toEqual([1_000, 2_000]);
    state.sync('a', { clock: { low: 1_200, high: 2_100 } });
    expect(clockOf(state)).toEqual([1_200, 2_000]);
    state.now += 100_000;
    state.sync('a', { clock: { low: 1_000, high: 2_500 } });
    expect(clockOf(state)).toEqual([1_190, 2_010]);
  });

  test('is that of the newest report where reports contradict', () => {
    const state = new State();
    for (const clock of [
      { low: 1_000, high: 2_000 },
      { low: 2_001, high: 3_000 },
      { low: -9, high: 2_000.5 },
    ]) {
      state.sync('a', { clock });
      expect(clockOf(state)).toEqual([clock.low, clock.high]);
    }
    state.sync('a', { clock: { low: 2_000.5, high: 2_100 } });
    expect(clockOf(state)).toEqual([2_000.5, 2_000.5]);
  });

  test('is at most a minute before a Reset, where no Date says more', () => {
    const state = new State();
    state.sync('a', { need: 1, clock: undefined });
    answered(state, 1, 0, start + 50_000, { clock: undefined });
    answered(state, 1, 0, start + 40_000, { clock: undefined });
    expect(read(state).resetLow).toBe(-10_000);
    const reply = state.sync('a', { need: 1, total: 2, clock: undefined });
    expect(reply).toMatchObject({ decision: 'exhausted', resetAt: start + 60_000 });
  });
});
