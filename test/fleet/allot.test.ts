import { describe, expect, test } from 'vitest';
import type { FleetOperation, FleetReply } from '../../src/fleet/rules/operations.js';
import { State, start } from '../support/fleet-state.js';

/** One member that has had ten answers in a fixed window: 290 of 300 are left, and 59.9 s. */
function alone(limit = 300): State {
  const state = new State();
  state.sync('a', { need: 10 });
  state.now += 100;
  state.sync('a', {
    ...{ successes: 10, total: 10, probeDone: true },
    times: [[Math.floor(state.now / 1_000), 10]],
    observation: { limit, remaining: limit - 10, reset: start + 60_000, sentAt: state.now - 50 },
  });
  return state;
}

/** The reply, with the moment to come back at as a time from now. */
function ask(state: State, more: Partial<FleetOperation>, member = 'a'): FleetReply {
  const reply = state.sync(member, { ...(member === 'a' && { total: 10 }), ...more });
  return { ...reply, retryAt: reply.retryAt > 0 ? reply.retryAt - state.now : 0 };
}

describe('a member that is alone gets', () => {
  const byNeed = { leaseFor: 3_018.75, returnAfter: 2_000 };
  test.each<[string, Partial<FleetOperation>, Partial<FleetReply>]>([
    ['what it needs, for as long as sending takes', { need: 5 }, { granted: 5, ...byNeed }],
    [
      'a minute of its rate ahead',
      { need: 5, rate: 0.002 },
      { granted: 5 + 119, leaseFor: 65_000, returnAfter: 0 },
    ],
    [
      'no less ahead for a small lease that it used up',
      { need: 5, rate: 0.001, lastLease: 8 },
      { granted: 5 + 59, leaseFor: 65_000 },
    ],
    [
      'twice a lease that it used up',
      { need: 5, rate: 0.0001, lastLease: 8 },
      { granted: 5 + 16, leaseFor: 3_078.75 },
    ],
    ['nothing ahead for more than it used up', { need: 9, lastLease: 8 }, { granted: 9 }],
    ['twice as much, if as many wait', { need: 8, lastLease: 8 }, { granted: 8 + 16 }],
    ['at most 80 % of the limit ahead', { need: 5, lastLease: 200 }, { granted: 5 + 240 }],
    ['all that is left', { need: 300 }, { granted: 290, leaseFor: 4_087.5 }],
  ])('%s', (_what, wanted, granted) => {
    expect(ask(alone(), wanted)).toMatchObject({ decision: 'grant', ...granted });
  });

  test('half as much ahead, for a shorter time, while the quota is scarce', () => {
    const state = alone();
    ask(state, { need: 300 });
    expect(ask(state, { need: 3, unsent: 290 })).toMatchObject({
      decision: 'exhausted',
      retryAt: 60_900,
    });
    state.now += 1_000;
    expect(ask(state, { need: 5, rate: 0.002, unsent: 10 })).toMatchObject({
      granted: 5 + 59,
      leaseFor: 40_000,
      returnAfter: 8_000,
    });
    // For a minute and a half.
    state.now += 88_999;
    expect(ask(state, {})).toMatchObject({ returnAfter: 8_000 });
    state.now += 1;
    expect(ask(state, {})).toMatchObject({ returnAfter: 0 });
  });

  test.each([
    [20, 4],
    [60, 4],
    [300, 20],
    [1_000, 66],
    [6_000, 256],
  ])('of a limit of %i, %i requests in flight', (limit, cap) => {
    expect(ask(alone(limit), {})).toMatchObject({ inFlightCap: cap, prompt: false });
  });

  test('at least as many in flight as its round trips need', () => {
    const state = alone();
    const limited = { status: 503, retryAfter: 1_000, exhausted: false };
    ask(state, { rateLimited: { ...limited, sentAt: state.now } });
    state.now += 2_100;
    ask(state, { need: 1 });
    state.now += 60;
    const times: [number, number][] = [[Math.floor(state.now / 1_000), 1]];
    const answered = { successes: 1, total: 11, probeDone: true, times, ...state.seen(280) };
    expect(ask(state, answered)).toMatchObject({ inFlightCap: 20 });
    // 0.2 of 20 s on average: 30 requests in 4 s at one and a half times the limit.
    expect(ask(state, { total: 11, rtt: 19_800 })).toMatchObject({ inFlightCap: 30 });
  });
});

describe('several members', () => {
  test('share what is left: who asks later leaves to the others what they wait for', () => {
    const state = alone();
    ask(state, { need: 300 });
    expect(ask(state, { need: 40 }, 'b')).toMatchObject({ decision: 'exhausted', retryAt: 60_900 });
    expect(ask(state.fork(), { need: 1 }, 'c')).toMatchObject({ retryAt: 60_900 + 150 });
    state.now += 1_000;
    expect(ask(state, { need: 100, unsent: 200 })).toMatchObject({ granted: 50 });
  });

  test('share the requests in flight between those that have some', () => {
    const state = alone();
    for (const member of ['b', 'c', 'd']) state.sync(member, { unsent: 5 });
    expect(ask(state, {})).toMatchObject({ inFlightCap: 5, members: 4, rank: 0 });
    expect(ask(state, {}, 'c')).toMatchObject({ inFlightCap: 7, members: 4, rank: 2 });
  });

  test('find one probe for all of them, and the next one when it is not answered', () => {
    const state = new State();
    expect(state.sync('a', { need: 10 })).toMatchObject({ decision: 'probe', leaseFor: 3_075 });
    expect(ask(state, { need: 10 }, 'b')).toMatchObject({ decision: 'probing', retryAt: 65 });
    expect(ask(state, { need: 10, inFlight: 1 })).toMatchObject({ decision: 'out', retryAt: 50 });
    state.now += 1_999;
    expect(ask(state, { need: 10 }, 'b')).toMatchObject({ decision: 'probing', retryAt: 40 });
    state.now += 1;
    expect(ask(state, { need: 10 }, 'b')).toMatchObject({ decision: 'probe' });
  });

  test('look again where permits of a quiet member may come back', () => {
    const idleAfter = (quiet: number) => {
      const state = alone();
      ask(state, { need: 40, rate: 0.003 });
      state.now += quiet;
      const { granted } = ask(state, { need: 200 }, 'b');
      return ask(state, { need: 200, unsent: granted }, 'b');
    };
    expect(idleAfter(5_000)).toMatchObject({ decision: 'exhausted', retryAt: 55_900 });
    const { decision, retryAt } = idleAfter(5_100);
    expect([decision, Math.round(retryAt)]).toEqual(['idle', 18_600]);
  });

  test('do not count as held ahead what has been used', () => {
    const state = alone();
    expect(ask(state, { need: 5, rate: 0.002 })).toMatchObject({ granted: 124 });
    const held = ask(state.fork(), { need: 5, lastLease: 200 }, 'b');
    ask(state, { unsent: 0 });
    const used = ask(state, { need: 5, lastLease: 200 }, 'b');
    expect([held.granted, used.granted]).toEqual([5 + 80, 5 + 142]);
  });

  test.each([
    ['a lease', { need: 100 }, 3_375],
    ['requests in flight', { inFlight: 100 }, 2_000],
  ])('count %s for 3 s after its end as unspent, and as spent then', (_what, held, end) => {
    const state = alone();
    ask(state, held);
    state.now += end + 2_999;
    expect(ask(state.fork(), { need: 300 }, 'b')).toMatchObject({ granted: 190, inFlightCap: 10 });
    state.now += 1;
    expect(ask(state, { need: 300 }, 'b')).toMatchObject({ granted: 190, inFlightCap: 20 });
  });

  test('forget one that holds nothing, and that was not heard of for 150 s', () => {
    const state = alone();
    state.now += 150_000;
    expect(ask(state.fork(), {}, 'b')).toMatchObject({ members: 2, rank: 1 });
    state.now += 1;
    expect(ask(state, {}, 'b')).toMatchObject({ members: 1, rank: 0 });
  });
});

describe('calls of high priority', () => {
  /** A fleet in which member b had such a call just now. */
  function withHigh(rate: number): State {
    const state = alone();
    state.sync('b', { need: 1, high: 1, rate });
    return state;
  }

  test.each([
    [0, 290 - 1 - 15],
    [0.000_5, 290 - 30 - 42],
    [0.002, 290 - 120 - 142],
  ])('with %d a ms leave %i permits to other members', (rate, granted) => {
    expect(ask(withHigh(rate), { need: 300 })).toMatchObject({ granted });
    const high = ask(withHigh(rate), { need: 300, high: 20 }, 'c');
    expect(high).toMatchObject({ granted: Math.max(granted, 20) });
  });

  test('of another member get what is kept, and others come back before the window ends', () => {
    expect(ask(withHigh(0.01), { need: 300, high: 20 }, 'c')).toMatchObject({
      granted: 20,
    });
    const away = { decision: 'idle', granted: 0, retryAt: 59_400 / 8 };
    expect(ask(withHigh(0.01), { need: 300 })).toMatchObject(away);
  });

  test('keep less as the window ends, nothing in its last half second, and nothing after two minutes', () => {
    const state = withHigh(0.002);
    state.now = start + 30_000;
    expect(ask(state.fork(), { need: 300 })).toMatchObject({ granted: 170 - 76 });
    state.now = start + 59_499;
    expect(ask(state.fork(), { need: 300 })).toMatchObject({ granted: 170 - 15 });
    state.now = start + 59_500;
    expect(ask(state.fork(), { need: 300 })).toMatchObject({ granted: 170 });
    const fresh = (at: number) => ({
      observation: { limit: 300, remaining: 300, reset: start + 180_000, sentAt: at - 50 },
    });
    state.now = start + 120_099;
    expect(ask(state.fork(), { need: 300, ...fresh(state.now) }).granted).toBeLessThan(300);
    state.now = start + 120_100;
    expect(ask(state, { need: 300, ...fresh(state.now) })).toMatchObject({ granted: 300 });
  });
});

describe('with care', () => {
  test.each([
    [1, { granted: 50, prompt: false }],
    [2, { granted: 4, prompt: true, inFlightCap: 4 }],
    [20, { granted: 4, prompt: true, inFlightCap: 4 }],
  ])('goes a fleet beside which %i requests of others were seen', (others, reply) => {
    const state = alone();
    expect(ask(state, { need: 50, ...state.seen(290 - others) })).toMatchObject(reply);
  });

  test('a new fleet asks more and more rarely, and gets one permit after a round trip', () => {
    const state = new State();
    state.sync('a', { need: 10 });
    state.now += 100;
    const answered = { successes: 1, total: 1, probeDone: true, ...state.seen(299) };
    expect(ask(state, { need: 10, ...answered })).toMatchObject({ granted: 4 });
    for (const [repeats, retryAt] of [
      [0, 50],
      [1, 100],
      [3, 400],
      [4, 800],
      [5, 1_000],
      [9, 1_000],
    ] as const) {
      const wanted = { need: 10, total: 1, inFlight: 4, repeats };
      expect(ask(state.fork(), wanted)).toMatchObject({
        decision: 'careful',
        retryAt,
        repeat: true,
      });
    }
    state.now += 50;
    expect(ask(state, { need: 10, total: 1, inFlight: 4 })).toMatchObject({ granted: 1 });
  });

  test('a window that is spent, and does not say until when, is tried again after 15 s', () => {
    const state = new State();
    state.sync('a', { need: 1 });
    state.now += 100;
    const observation = { limit: 60, remaining: 0, sentAt: state.now - 50 };
    const answered = { successes: 1, total: 1, probeDone: true, observation };
    expect(ask(state, { need: 2, ...answered })).toMatchObject({
      decision: 'unknown',
      retryAt: 16_000,
      holdEndsAt: state.now + 15_000,
    });
    expect(ask(state, { need: 2 }, 'b')).toMatchObject({ decision: 'hold', retryAt: 16_150 });
  });
});
