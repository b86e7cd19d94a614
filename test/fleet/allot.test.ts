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
