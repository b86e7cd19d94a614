import { expect, test } from 'vitest';
import { Hold } from '../../src/rate-limit/hold.js';
import type { RateLimitedResponse } from '../../src/rate-limit/rules/hold-rule.js';

/** What a 429 says, in the short form of these tests. */
interface Said {
  readonly retryAfter?: number;
  readonly resetIn?: number;
  readonly exhausted?: boolean;
  readonly estimated?: boolean;
}

const limited = ({
  retryAfter,
  resetIn,
  exhausted = true,
  estimated = false,
}: Said = {}): RateLimitedResponse => ({
  retryAfter,
  reset: resetIn === undefined ? undefined : { wait: resetIn, estimated },
  exhausted,
});
const hold = () => new Hold(() => 0);

test('without any header the hold begins with 15 s and grows to 15 minutes', () => {
  const blind = hold();
  const waits = [0, 1e6, 2e6, 3e6, 4e6].map(
    (at) => (blind.after429(limited(), at + 1, at + 2), blind.resumeAt - (at + 2)),
  );
  expect(waits).toEqual([15_000, 60_000, 240_000, 900_000, 900_000]);
  expect(blind.serverHoldUntil).toBe(4e6 + 2);
});

test('a success ends a series of 429s, unless it was sent before the last of them', () => {
  const fromServer = hold();
  const refuse = (at: number) => fromServer.after429(limited({ retryAfter: 1_000 }), at, at + 10);
  refuse(0);
  refuse(10_000);
  expect(fromServer.resumeAt).toBe(10_010 + 4_000);
  fromServer.succeeded(5_000);
  refuse(20_000);
  expect(fromServer.resumeAt).toBe(20_010 + 8_000);
  fromServer.succeeded(30_000);
  refuse(40_000);
  expect(fromServer.resumeAt).toBe(40_010 + 2_000);
});

test('a 429 to a request that was in flight already does not count again', () => {
  const one = hold();
  expect(one.after429(limited({ retryAfter: 1_000 }), 0, 10)).toBe(true);
  expect(one.after429(limited({ retryAfter: 1_000 }), 5, 12)).toBe(false);
  expect(one.resumeAt).toBe(12 + 2_000);
});

test('the later of Retry-After and Reset counts when the window is exhausted, a distant Reset only when Retry-After was too short', () => {
  const near = hold();
  near.after429(limited({ retryAfter: 1_000, resetIn: 30_000 }), 0, 0);
  expect(near.resumeAt).toBe(31_000);
  const open = hold();
  open.after429(limited({ retryAfter: 1_000, resetIn: 30_000, exhausted: false }), 0, 0);
  expect(open.resumeAt).toBe(2_000);
  const far = hold();
  far.after429(limited({ retryAfter: 1_000, resetIn: 3_600_000 }), 0, 0);
  expect(far.resumeAt).toBe(2_000);
  far.after429(limited({ retryAfter: 1_000, resetIn: 3_600_000 }), 2_000, 2_010);
  expect(far.serverHoldUntil).toBe(3_602_010);
});

test('an estimated Reset holds, and does not count against maxHold', () => {
  const guessed = hold();
  guessed.after429(limited({ resetIn: 50_000, estimated: true }), 0, 0);
  expect([guessed.resumeAt, guessed.serverHoldUntil]).toEqual([51_000, 0]);
  guessed.afterExhausted(60_000, 90_000, true);
  expect([guessed.resumeAt, guessed.serverHoldUntil]).toEqual([91_000, 0]);
  guessed.afterExhausted(100_000, undefined, false);
  expect(guessed.resumeAt).toBe(116_000);
});

const minute = 60_000;

/** The effect of one 429, received at 10, on a new hold: ms until it ends, and ms that the server stated. */
function once(said: Partial<Said>, jitter = 0): [held: number, fromServer: number] {
  const one = new Hold(() => jitter);
  one.after429(limited(said), 0, 10);
  return [one.resumeAt - 10, one.serverHoldUntil - 10];
}

test.each<[string, Partial<Said>, number, number]>([
  ['Retry-After, and a second', { retryAfter: 30_000 }, 31_000, 30_000],
  ['a Retry-After of 0, and a second', { retryAfter: 0 }, 1_000, 0],
  ['the Reset alone, and a second', { resetIn: 30_000 }, 31_000, 30_000],
  ['a Reset that has passed: a second', { resetIn: -5_000 }, 1_000, 0],
  [
    'the Reset, where Retry-After is shorter',
    { retryAfter: 20_000, resetIn: 30_000 },
    31_000,
    30_000,
  ],
  [
    'the Reset and a second, where Retry-After is the same moment rounded up',
    { retryAfter: 31_000, resetIn: 30_000 },
    31_000,
    31_000,
  ],
  [
    'Retry-After and a second, where it is a later moment',
    { retryAfter: 31_001, resetIn: 30_000 },
    32_001,
    31_001,
  ],
  [
    'Retry-After, where the window is not spent',
    { retryAfter: 1_000, resetIn: 30_000, exhausted: false },
    2_000,
    1_000,
  ],
  [
    'the Reset of a window that is not spent, where nothing else is told',
    { resetIn: 30_000, exhausted: false },
    31_000,
    30_000,
  ],
  ['a Reset two minutes away', { retryAfter: 1_000, resetIn: 2 * minute }, 121_000, 120_000],
  ['no Reset further away', { retryAfter: 1_000, resetIn: 2 * minute + 1 }, 2_000, 1_000],
  [
    'no Reset that is only bounded, where Retry-After is told',
    { retryAfter: 1_000, resetIn: 30_000, estimated: true },
    2_000,
    1_000,
  ],
  [
    'a Reset that is only bounded, where nothing is told',
    { resetIn: 30_000, estimated: true },
    31_000,
    0,
  ],
])('a first 429 holds for %s', (_name, said, held, fromServer) => {
  expect(once(said)).toEqual([held, fromServer]);
});

test('up to 100 ms of jitter are added, so that several processes do not send at once', () => {
  expect(once({ retryAfter: 30_000 }, 0.5)).toEqual([31_050, 30_000]);
  const spent = new Hold(() => 0.5);
  spent.afterExhausted(1_000, 40_000, false);
  expect([spent.resumeAt, spent.serverHoldUntil]).toEqual([41_050, 40_000]);
});

test('each 429 in a series holds for longer, up to a minute, and never for less than its Retry-After', () => {
  const row = new Hold(() => 0);
  const held = Array.from({ length: 7 }, (_, n) => {
    const at = (n + 1) * 1e6;
    row.after429(limited({ retryAfter: 1_000 }), at, at);
    return row.resumeAt - at;
  });
  expect(held).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  row.after429(limited({ retryAfter: 90_000 }), 9e6, 9e6);
  expect(row.resumeAt - 9e6).toBe(91_000);
});

test('another 429 never makes a hold shorter', () => {
  const long = new Hold(() => 0);
  long.after429(limited({ retryAfter: 60_000 }), 0, 10);
  long.after429(limited({ retryAfter: 1_000 }), 5, 20);
  expect([long.resumeAt, long.serverHoldUntil]).toEqual([61_010, 60_010]);
});

test('a request sent at the moment of the last 429 does not count again, and its success does not end the series', () => {
  const one = new Hold(() => 0);
  one.after429(limited({ retryAfter: 1_000 }), 0, 10);
  expect(one.after429(limited({ retryAfter: 1_000 }), 10, 11)).toBe(false);
  one.succeeded(11);
  expect(one.after429(limited({ retryAfter: 1_000 }), 1e6, 1e6)).toBe(true);
  expect(one.resumeAt).toBe(1e6 + 4_000);
  one.succeeded(1e6 + 1);
  one.after429(limited({ retryAfter: 1_000 }), 2e6, 2e6);
  expect(one.resumeAt).toBe(2e6 + 2_000);
});

test('an exhausted window without a Reset holds for 15 s, and the hold is not reported as from the server', () => {
  const spent = new Hold(() => 0);
  spent.afterExhausted(1_000, undefined, false);
  expect([spent.resumeAt, spent.serverHoldUntil]).toEqual([17_000, -Infinity]);
  spent.after429(limited({ retryAfter: 90_000 }), 20_000, 20_000);
  spent.afterExhausted(30_000, 40_000, false);
  expect(spent.serverHoldUntil).toBe(110_000);
});
