import { describe, expect, test } from 'vitest';
import type { FleetState } from '../../src/fleet/rules/state.js';
import { State, start } from '../support/fleet-state.js';

const second = 1_000;
const limit = 300;

/** A fleet of one in a rolling window: ten requests every ten seconds, 60 in each minute, for so many rounds. */
function rolling(rounds = 12): State {
  const state = new State();
  state.sync('a', { need: 1 });
  state.now += 100;
  go(state, rounds);
  return state;
}

function go(state: State, rounds: number): void {
  for (let round = 0; round < rounds; round += 1) {
    spend(state, 10);
    state.now += 10 * second;
  }
}

/** Requests that were answered, with the Remaining that a service without other clients would tell. */
function spend(state: State, count: number): void {
  state.spent.push([state.now, count]);
  const total = state.spent.reduce((sum, [, each]) => sum + each, 0);
  const recent = state.spent.filter(([at]) => at > state.now - 60 * second);
  const used = recent.reduce((sum, [, each]) => sum + each, 0);
  state.sync('a', {
    successes: count,
    total,
    times: [[Math.floor(state.now / second), count]],
    probeDone: true,
    observation: {
      limit,
      remaining: limit - used,
      reset: state.now + 60 * second,
      sentAt: state.now - 50,
    },
  });
}

/** All that could be granted at this moment. */
function left(state: State): number {
  const total = state.spent.reduce((sum, [, each]) => sum + each, 0);
  return state.fork().sync('a', { need: 1_000, total }).granted;
}

const refused = { status: 429, limit, retryAfter: second, exhausted: false };

describe('in a rolling window', () => {
  test('what the fleet has spent comes back second by second, without a response that says so', () => {
    const state = rolling();
    // A second counts for 61.1 s: here those of the last six rounds.
    expect(left(state)).toBe(240);
    state.now += 2 * second;
    expect(left(state)).toBe(250);
    state.now += 20 * second;
    expect(left(state)).toBe(270);
    state.now += 40 * second;
    expect(left(state)).toBe(300);
  });

  test('the log is not trusted for an hour after a 429 that it did not foresee', () => {
    const state = rolling();
    const total = 120;
    state.sync('a', {
      total,
      rateLimited: { ...refused, reset: state.now + 60 * second, sentAt: state.now - 50 },
    });
    expect((JSON.parse(state.text!) as FleetState).logWrongAt).toBe(state.now);
    state.now += 3 * second;
    state.sync('a', { need: 1, total });
    state.now += 100;
    go(state, 350);
    state.now += 20 * second;
    // Only what the last response has told: 60 spent in its minute.
    expect(left(state)).toBe(240);
    go(state, 10);
    state.now += 20 * second;
    expect(left(state)).toBe(260);
  });

  test('who finds nothing left comes back when enough has rolled out, after those who wait already', () => {
    const state = rolling(6);
    const total = 60;
    const { granted } = state.sync('a', { need: 240, total });
    expect(granted).toBe(240);
    const spent = { successes: 240, total: total + 240 };
    const seconds: [number, number][] = [[Math.floor(state.now / second), 240]];
    const observation = {
      limit,
      remaining: 0,
      reset: state.now + 60 * second,
      sentAt: state.now - 50,
    };
    state.sync('a', { ...spent, times: seconds, observation });
    const one = state.sync('a', { need: 5, total: total + 240 });
    expect(one.decision).toBe('rolls');
    // The first ten were spent in the first second.
    expect(one.retryAt).toBe(start + 61 * second + 110);
    const other = state.sync('b', { need: 300 });
    expect(other.retryAt).toBe(start + 61 * second + 110);
    // Where the Reset is that of the next free request: no later than a minute's pace allows.
    const near = state.fork();
    near.now += 100;
    const [sentAt, reset] = [near.now - 50, near.now + 2 * second];
    near.sync('b', { observation: { ...observation, reset, sentAt } });
    for (const member of ['e', 'f']) near.sync(member, { need: 300 });
    // The Reset, its pad, and a second for each five that others wait for.
    const byPace = near.sync('d', { need: 300 });
    expect(byPace).toMatchObject({ decision: 'rolls', retryAt: near.now + (2 + 1 + 3) * second });
    const third = state.sync('c', { need: 300 });
    expect(third.retryAt).toBe(start + 71 * second + 110);
  });
});
