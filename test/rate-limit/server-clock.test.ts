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

test('a local clock that was set drops what was learned of the time of the service', () => {
  let set = 0;
  const at = Date.UTC(2026, 0, 1);
  const clock = new ServerClock({
    now: () => at + set,
    monotonic: () => 0,
    sleep: () => Promise.resolve(),
  });
  clock.observe(new Date(at + 500_000).toUTCString(), 0, 0);
  expect(clock.until(at + 500_000)).toBe(0);
  expect(clock.jumped()).toBe(false);
  set = 3_600_000;
  expect([clock.jumped(), clock.jumped()]).toEqual([true, false]);
  expect(clock.until(at + set + 30_000)).toBe(30_000);
  clock.distrustWall();
  expect(clock.until(at + set + 30_000)).toBeUndefined();
});

test('two nodes whose clocks disagree: the newest answer counts', () => {
  const at = Date.UTC(2026, 0, 1);
  const clock = new ServerClock({
    now: () => at,
    monotonic: () => 0,
    sleep: () => Promise.resolve(),
  });
  clock.observe(new Date(at).toUTCString(), 0, 0);
  clock.observe(new Date(at + 60_000).toUTCString(), 0, 0);
  expect(clock.until(at + 60_000)).toBe(0);
});

test('a Date places the clock of the service: at the earliest it was made when the request was sent, at the latest when it came', () => {
  const { clock, time } = stage();
  clock.observe(date(500_000), 999_000, 1_000_000);
  // Were it made only when it came, the clock of the service would be the slowest that it may be: nobody is early by that.
  expect(clock.until(at + 530_000)).toBe(30_000);
  time.elapsed += 10_000;
  expect(clock.until(at + 530_000)).toBe(20_000);
});

test('further Dates place it better, and old ones lose a ten-thousandth of their age', () => {
  const { clock, time } = stage();
  clock.observe(date(500_000), 1_000_000, 1_000_000);
  time.elapsed += 500;
  clock.observe(date(500_000), time.elapsed, time.elapsed);
  expect(clock.until(at + 501_000)).toBeCloseTo(500.05, 3);
  time.elapsed += 100_500;
  clock.observe(date(601_000), time.elapsed, time.elapsed);
  // 601,000 at 1,101,000 is as good as 500,000 at 1,000,000; the older one has lost 10 ms.
  expect(clock.until(at + 602_000)).toBeCloseTo(1_000, 3);
});

test('what is no Date tells nothing', () => {
  const { clock, until } = stage();
  clock.observe(null, 0, 0);
  clock.observe('yesterday', 0, 0);
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
    clock.observeReset(at + time.elapsed + 30_000, time.elapsed);
    expect(until(ms)).toBe(known ?? ms + 30_000);
  },
);

test('when the local clock has misled, Resets alone tell: a minute window ends at most a minute ahead', () => {
  const { clock, until, time } = stage();
  clock.distrustWall();
  expect([until(30_000), until(65_000), until(65_001)]).toEqual([undefined, undefined, 65_001]);
  clock.observeReset(at + time.elapsed + 30_000, time.elapsed);
  expect(until(30_000)).toBe(minute);
  expect(until(0)).toBe(30_000);
  // An earlier one tells less, a later one more.
  clock.observeReset(at + time.elapsed + 10_000, time.elapsed);
  expect(until(30_000)).toBe(minute);
  clock.observeReset(at + time.elapsed + 50_000, time.elapsed);
  expect(until(30_000)).toBe(40_000);
  time.elapsed += 5_000;
  expect(until(30_000)).toBe(40_000);
});

test.each([
  [185_000, true],
  [185_001, false],
  [-185_000, true],
  [-185_001, false],
])('a Reset that is %i ms away by the local clock is that of a minute window: %s', (ms, counts) => {
  const { clock, until, time } = stage();
  clock.distrustWall();
  clock.observeReset(at + time.elapsed + ms, time.elapsed);
  expect(until(30_000)).toBe(counts ? 30_000 - ms + minute : undefined);
});

test('an instant is a guess where only Resets tell of it', () => {
  const { clock, time } = stage();
  const near = () => at + time.elapsed + 30_000;
  expect(clock.isGuess(near())).toBe(false);
  clock.observeReset(near(), time.elapsed);
  expect(clock.isGuess(near())).toBe(false);
  clock.distrustWall();
  expect(clock.isGuess(near())).toBe(true);
  clock.observe(date(1_000_000), time.elapsed, time.elapsed);
  expect(clock.isGuess(near())).toBe(false);
});

test('where nothing is known there is nothing to guess from', () => {
  const { clock, time } = stage();
  clock.distrustWall();
  expect(clock.isGuess(at + time.elapsed + 30_000)).toBe(false);
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

test('after a jump no Reset of before tells anything', () => {
  const { clock, until, time } = stage();
  clock.distrustWall();
  clock.observeReset(at + time.elapsed + 30_000, time.elapsed);
  time.set = 3_600_000;
  expect(clock.jumped()).toBe(true);
  expect(until(30_000)).toBeUndefined();
});

test('a Date that is earlier than the last one allows is of another node, or of a clock that was set: the newest counts', () => {
  const { clock, time } = stage();
  const disagree = () => {
    const seconds = time.elapsed + time.set;
    clock.observe(date(seconds + 60_000), time.elapsed, time.elapsed);
    clock.observe(date(seconds), time.elapsed, time.elapsed);
    return clock.until(at + seconds + 30_000);
  };
  expect(disagree()).toBe(30_000);
  time.set = 3_600_000;
  expect(clock.jumped()).toBe(true);
  expect(disagree()).toBe(30_000);
});

test('after a jump what the first Date tells is exact again', () => {
  const { clock, time } = stage();
  clock.observe(date(500_000), time.elapsed, time.elapsed);
  time.set = 3_600_000;
  clock.jumped();
  clock.observe(date(400_000), time.elapsed, time.elapsed);
  expect(clock.until(at + 430_000)).toBe(30_000);
});
