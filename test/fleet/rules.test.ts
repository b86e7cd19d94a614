import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { State, start } from '../support/fleet-state.js';
import { walk, type Step } from './random-operations.js';

/** Four members, of which one has had ten answers. */
function four(): State {
  const state = new State();
  state.sync('a', { need: 10 });
  state.now += 100;
  const spent = { successes: 10, total: 10, probeDone: true, ...state.seen(290) };
  state.sync('a', { ...spent, times: [[Math.floor(state.now / 1_000), 10]] });
  for (const member of ['b', 'c', 'd']) state.sync(member);
  return state;
}

test('who is sent away while others may send without the store asks again in some seconds', () => {
  const state = four();
  state.now += 20_000;
  const alone = { aloneFor: 15_000, need: 300, total: 10, ...state.seen(290) };
  const { granted } = state.sync('a', alone);
  const away = state.sync('a', { need: 10, total: 10, unsent: granted });
  expect(away).toMatchObject({ decision: 'idle', granted: 0 });
  expect(away.retryAt - state.now).toBeLessThan(10_000);
});

test('what is kept for calls of high priority is used up by the others before the window ends', () => {
  const state = four();
  let free = 290 - state.sync('b', { need: 1, high: 1, rate: 0.002 }).granted;
  free -= state.sync('c', { need: 300 }).granted;
  expect(free).toBeGreaterThan(100);
  let unsent = 0;
  while (unsent < free) {
    const reply = state.sync('d', { need: 300, unsent });
    unsent += reply.granted;
    if (reply.granted > 0) continue;
    expect(reply.decision).toBe('idle');
    expect(reply.retryAt).toBeLessThan(start + 60_000);
    state.now = reply.retryAt;
  }
});

test.each([{}, { limit: 300 }, { remaining: 5 }])(
  'an answer whose headers say only %j opens the window, and tells no quota',
  (part) => {
    const state = new State();
    state.sync('a', { need: 10 });
    state.now += 100;
    const observation = { ...part, sentAt: state.now - 50 };
    state.sync('a', { need: 10, successes: 1, total: 1, probeDone: true, observation });
    const unknown = { remaining: -1, limit: 0, reset: 0 };
    expect(JSON.parse(state.text!)).toMatchObject({ mode: 'OPEN', ...unknown });
  },
);

test('a request without a response counts, also after a response that was sent before it was lost', () => {
  const state = four();
  const spent = { total: 10, need: 300 };
  state.now += 1_000;
  // Ten in flight; one is lost, and the Remaining of the others does not contain it yet.
  const before = state.sync('a', { ...spent, inFlight: 9, lost: 1, ...state.seen(100) });
  expect(before.granted).toBeLessThanOrEqual(100 - 9 - 1);
  const remaining = () => (JSON.parse(state.text!) as { remaining: number }).remaining;
  expect(remaining()).toBe(99);
  const others = state.sync('b', { need: 1, ...state.seen(60) });
  expect(remaining()).toBe(59);
  expect(others.granted).toBeLessThanOrEqual(60 - 1 - 9 - before.granted);
  // A request that was sent later saw it.
  state.now += 1_000;
  const { lost } = JSON.parse(state.text!) as { lost: unknown };
  expect(lost).toEqual([[state.now - 1_000, 1]]);
  state.sync('a', { total: 10, unsent: 0, ...state.seen(40) });
  expect(remaining()).toBe(40);
  state.now += 61_000;
  state.sync('a', { total: 10, lost: 2 });
  expect((JSON.parse(state.text!) as { lost: unknown }).lost).toEqual([[state.now, 2]]);
});

test.each([
  [10_000, 9_000],
  [5_000, 4_500],
  [400, 100],
])(
  'of a quota of %i a day all but %i are spent with care: 10 %, and a whole minute at least',
  (perDay, careful) => {
    const outAt = (spent: number) => {
      const state = four();
      state.sync('a', { perDay, successes: spent - 10, total: spent, ...state.seen(280) });
      return state.sync('b', { perDay, need: 100 }).granted;
    };
    expect(outAt(careful - 1)).toBeGreaterThan(4);
    expect(outAt(careful)).toBeLessThanOrEqual(4);
  },
);

test('a clock of the store that is set by a minute or more begins a new state, and one that is set back by less stands still', () => {
  const state = four();
  const known = { acknowledged: 1, total: 10, need: 5, ...state.seen(290) };
  state.now -= 59_999;
  expect(state.sync('a', known).now - state.now).toBe(59_999);
  state.now -= 86_400_000;
  const reply = state.sync('a', { ...known, newGeneration: 'second' });
  expect(reply).toMatchObject({ generation: 'second', now: state.now, granted: 0, members: 1 });
  expect(reply.resumeAt).toBe(state.now + 5_000);
  // No lease has ended: less time has passed for the member.
  const second = { ...known, acknowledgedAgo: 5_000, newGeneration: 'second' };
  const setForward = (ms: number) => {
    const ahead = four();
    ahead.now += ms;
    return ahead.sync('a', second);
  };
  expect(setForward(64_999).generation).toBe('first');
  expect(setForward(65_000)).toMatchObject({ generation: 'second', granted: 0, members: 1 });
});

/** What the rules that the figures of decision 19 were measured with decided. Who changes a rule runs `npm run bench:fleet`, and then writes the new digest here. */
const decided = 'f5da770c066c';

/** A reply grants no more than is left, and the state stays JSON. */
function expectPossible({ operation, reply, text }: Step): void {
  expect(Object.values(reply)).not.toContain(null);
  expect(text).not.toContain('null');
  expect(reply.granted).toBeGreaterThanOrEqual(0);
  // Without headers the number grows with the answers.
  if (reply.limit > 0) expect(reply.granted).toBeLessThanOrEqual(reply.limit);
  if (reply.granted > 0) {
    expect(reply.leaseFor).toBeGreaterThan(0);
    expect(reply.now).toBeGreaterThanOrEqual(reply.resumeAt);
  } else if (operation.need > 0 && reply.decision !== 'stale')
    expect(reply.retryAt).toBeGreaterThan(reply.now);
}

test('the rules decide as those did that were measured, and whatever members say, nothing that is impossible', () => {
  const digest = createHash('sha256');
  const rounded = (_name: string, value: unknown) =>
    typeof value === 'number' ? Math.round(value) : value;
  for (let seed = 1; seed <= 60; seed += 1)
    for (const step of walk(seed, 200)) {
      expectPossible(step);
      digest.update(JSON.stringify(step.reply, rounded));
    }
  expect(digest.digest('hex').slice(0, 12)).toBe(decided);
});
