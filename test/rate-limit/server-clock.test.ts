import { expect, test } from 'vitest';
import { ServerClock } from '../../src/rate-limit/server-clock.js';

const at = Date.UTC(2026, 0, 1);
const minute = 60_000;

/** The clock of a service, on a local clock that is moved by hand: `wall` goes beside `elapsed`, until it is set. */
function stage() {
  const time = { elapsed: 1_000_000, set: 0 };
  const clock = new ServerClock({
    now: () => at + time.elapsed + time.set,
    monotonic: () => time.elapsed,
    sleep: () => Promise.resolve(),
  });
  /** ms until an instant that the wall clock says is this far away. */
  const until = (ms: number) => clock.until(at + time.elapsed + time.set + ms);
  return { time, clock, until };
}

const date = (ms: number) => new Date(at + ms).toUTCString();

test('when the local clock is set, the learned time of the service is dropped', () => {
  let set = 0;
  const at = Date.UTC(2026, 0, 1);
  const clock = new ServerClock({
    now: () => at + set,
    monotonic: () => 0,
    sleep: () => Promise.resolve(),
  });
  clock.observeDate(new Date(at + 500_000).toUTCString(), 0, 0);
  expect(clock.until(at + 500_000)).toBe(0);
  expect(clock.jumped()).toBe(false);
  set = 3_600_000;
  expect([clock.jumped(), clock.jumped()]).toEqual([true, false]);
  expect(clock.until(at + set + 30_000)).toBe(30_000);
  clock.distrustWall();
  expect(clock.until(at + set + 30_000)).toBeUndefined();
});

test('when the clocks of two nodes disagree, the newest response counts', () => {
  const at = Date.UTC(2026, 0, 1);
  const clock = new ServerClock({
    now: () => at,
    monotonic: () => 0,
    sleep: () => Promise.resolve(),
  });
  clock.observeDate(new Date(at).toUTCString(), 0, 0);
  clock.observeDate(new Date(at + 60_000).toUTCString(), 0, 0);
  expect(clock.until(at + 60_000)).toBe(0);
});

test('a Date places the clock of the service: at the earliest it was made when the request was sent, at the latest when it came', () => {
  const { clock, time } = stage();
  clock.observeDate(date(500_000), 999_000, 1_000_000);
  // Were it made only when it came, the clock of the service would be the slowest that it may be: nobody is early by that.
  expect(clock.until(at + 530_000)).toBe(30_000);
  time.elapsed += 10_000;
  expect(clock.until(at + 530_000)).toBe(20_000);
});

test('further Dates place it better, and old ones lose a ten-thousandth of their age', () => {
  const { clock, time } = stage();
  clock.observeDate(date(500_000), 1_000_000, 1_000_000);
  time.elapsed += 500;
  clock.observeDate(date(500_000), time.elapsed, time.elapsed);
  expect(clock.until(at + 501_000)).toBeCloseTo(500.05, 3);
  time.elapsed += 100_500;
  clock.observeDate(date(601_000), time.elapsed, time.elapsed);
  // 601,000 at 1,101,000 is as good as 500,000 at 1,000,000; the older one has lost 10 ms.
  expect(clock.until(at + 602_000)).toBeCloseTo(1_000, 3);
});

test('an invalid Date is ignored', () => {
  const { clock, until } = stage();
  clock.observeDate(null, 0, 0);
  clock.observeDate('yesterday', 0, 0);
  expect(until(30_000)).toBe(30_000);
  clock.distrustWall();
  expect(until(30_000)).toBeUndefined();
});

test.each([
  [65_000, 65_000],
  [65_001, undefined],
  [-5_000, -5_000],
  [-5_001, undefined],
])(
  'without a Date an instant that is %i ms away by the local clock is believed, or not',
  (ms, known) => {
    const { clock, until, time } = stage();
    // Without any Reset a far one is believed all the same: that of a day, or of a ban.
    expect(until(ms)).toBe(ms > 65_000 ? ms : known);
    clock.observeReset(at + time.elapsed + 30_000, false, time.elapsed, time.elapsed);
    expect(until(ms)).toBe(known ?? ms + 30_000);
  },
);

test('when the local clock was wrong, only Resets count: a minute window ends at most a minute ahead', () => {
  const { clock, until, time } = stage();
  clock.distrustWall();
  expect([until(30_000), until(65_000), until(65_001)]).toEqual([undefined, undefined, 65_001]);
  clock.observeReset(at + time.elapsed + 30_000, false, time.elapsed, time.elapsed);
  expect(until(30_000)).toBe(minute);
  expect(until(0)).toBe(30_000);
  // An earlier one tells less, a later one more.
  clock.observeReset(at + time.elapsed + 10_000, false, time.elapsed, time.elapsed);
  expect(until(30_000)).toBe(minute);
  clock.observeReset(at + time.elapsed + 50_000, false, time.elapsed, time.elapsed);
  expect(until(30_000)).toBe(40_000);
  time.elapsed += 5_000;
  expect(until(30_000)).toBe(40_000);
});

test.each([
  [185_000, true],
  [185_001, false],
  [-185_000, true],
  [-185_001, false],
])(
  'the Reset of a 429 that is %i ms away by the local clock is taken for that of a minute window: %s',
  (ms, counts) => {
    const { clock, until, time } = stage();
    clock.distrustWall();
    clock.observeReset(at + time.elapsed + ms, true, time.elapsed, time.elapsed);
    expect(until(30_000)).toBe(counts ? 30_000 - ms + minute : undefined);
  },
);

test('the Reset of a 429 counts only until another response has shown a Reset', () => {
  const { clock, time } = stage();
  clock.distrustWall();
  const reset = at + time.elapsed + 30_000;
  clock.observeReset(reset, false, time.elapsed, time.elapsed);
  clock.observeReset(reset + 60_000, true, time.elapsed, time.elapsed);
  expect(clock.placeReset(reset)).toEqual({ wait: minute, estimated: true });
});

test.each([0, 180_000, -180_000, 6 * 3_600_000, -10 * 24 * 3_600_000])(
  'without a Date, the Reset of a response is at most a minute ahead, also with a local clock that is off by %i ms',
  (skew) => {
    const { clock, time } = stage();
    clock.distrustWall();
    const reset = at + time.elapsed + skew + 20_000;
    clock.observeReset(reset, false, time.elapsed, time.elapsed);
    expect(clock.placeReset(reset)).toEqual({ wait: minute, estimated: true });
    // A minute window that begins tells where the one before has ended.
    time.elapsed += 21_000;
    clock.observeReset(reset + minute, false, time.elapsed, time.elapsed);
    const { wait, estimated } = clock.placeReset(reset + minute)!;
    expect(wait).toBeCloseTo(minute, -1);
    expect(estimated).toBe(true);
    time.elapsed += 38_000;
    clock.observeReset(reset + minute, false, time.elapsed, time.elapsed);
    time.elapsed += 1_500;
    clock.observeReset(reset + 2 * minute, false, time.elapsed, time.elapsed);
    expect(clock.placeReset(reset + 2 * minute)!.estimated).toBe(false);
  },
);

test('nodes that disagree by some seconds do not undo what Resets have shown', () => {
  const { clock, time } = stage();
  clock.distrustWall();
  const reset = at + time.elapsed;
  clock.observeReset(reset, false, time.elapsed, time.elapsed);
  time.elapsed += 500;
  // Of a node that is 2 s behind: its window has just begun.
  clock.observeReset(reset + minute - 2_000, false, time.elapsed, time.elapsed);
  clock.observeReset(reset + minute + 4_000, false, time.elapsed, time.elapsed);
  const { wait, estimated } = clock.placeReset(reset + minute)!;
  expect(wait).toBeGreaterThan(minute - 6_000);
  expect(wait).toBeLessThan(minute + 1_000);
  expect(estimated).toBe(false);
});

test.each([
  ['ahead', 25 * 3_600_000, 25 * 3_600_000 + 1_000],
  ['in the past', -65_000, -66_000],
])('with a Date, a Reset too far %s is not plausible', (_where, plausible, absurd) => {
  const { clock, time } = stage();
  clock.observeDate(date(time.elapsed), time.elapsed, time.elapsed);
  const now = at + time.elapsed;
  expect(clock.placeReset(now + plausible)).toEqual({ wait: plausible, estimated: false });
  expect(clock.placeReset(now + absurd)).toBeUndefined();
});

test('a Date of 1970 does not hide the Reset, and the next good Date corrects it', () => {
  const { clock, time } = stage();
  const reset = at + time.elapsed + 30_000;
  clock.observeDate('Thu, 01 Jan 1970 00:00:00 GMT', time.elapsed, time.elapsed);
  expect(clock.placeReset(reset)).toEqual({ wait: 30_000, estimated: false });
  clock.observeDate(date(time.elapsed), time.elapsed, time.elapsed);
  clock.distrustWall();
  expect(clock.placeReset(reset)).toEqual({ wait: 30_000, estimated: false });
});

test('a local clock that contradicts the Resets is not used', () => {
  const { clock, time } = stage();
  const reset = at + time.elapsed + 30_000;
  clock.observeReset(reset - 40_000, false, time.elapsed, time.elapsed);
  expect(clock.placeReset(reset)).toEqual({ wait: 100_000, estimated: true });
});

test('where nothing is known, a Reset cannot be placed', () => {
  const { clock, time } = stage();
  clock.distrustWall();
  expect(clock.placeReset(at + time.elapsed + 30_000)).toBeUndefined();
});

test.each([
  [5_000, false],
  [5_001, true],
  [-5_000, false],
  [-5_001, true],
])('a local clock that is set by %i ms has jumped: %s', (ms, jumped) => {
  const { clock, time } = stage();
  time.elapsed += 1_000;
  time.set = ms;
  expect([clock.jumped(), clock.jumped()]).toEqual([jumped, false]);
});

test('after a jump of the clock earlier Resets are ignored', () => {
  const { clock, until, time } = stage();
  clock.distrustWall();
  clock.observeReset(at + time.elapsed + 30_000, false, time.elapsed, time.elapsed);
  time.set = 3_600_000;
  expect(clock.jumped()).toBe(true);
  expect(until(30_000)).toBeUndefined();
});

test('a Date that is earlier than the last one allows is of another node, or of a clock that was set: the newest counts', () => {
  const { clock, time } = stage();
  const disagree = () => {
    const seconds = time.elapsed + time.set;
    clock.observeDate(date(seconds + 60_000), time.elapsed, time.elapsed);
    clock.observeDate(date(seconds), time.elapsed, time.elapsed);
    return clock.until(at + seconds + 30_000);
  };
  expect(disagree()).toBe(30_000);
  time.set = 3_600_000;
  expect(clock.jumped()).toBe(true);
  expect(disagree()).toBe(30_000);
});

test('after a jump of the clock the first Date is exact again', () => {
  const { clock, time } = stage();
  clock.observeDate(date(500_000), time.elapsed, time.elapsed);
  time.set = 3_600_000;
  clock.jumped();
  clock.observeDate(date(400_000), time.elapsed, time.elapsed);
  expect(clock.until(at + 430_000)).toBe(30_000);
});
