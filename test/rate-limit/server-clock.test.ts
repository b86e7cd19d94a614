import { expect, test } from 'vitest';
import { minute, pro, stage, type Said } from '../support/gate-stage.js';

const second = 1_000;
const hour = 60 * minute;
const day = 24 * hour;
const spent = (resetIn: number, more: Said = {}): Said => ({
  ...{ limit: 60, remaining: 0, resetIn },
  ...more,
});
const undated: Said = { date: null };

test.each([-10 * day, -180_000, 0, 180_000, 6 * hour])(
  'with a Date, a Reset and dates are read on the clock of the service, which is %i ms ahead',
  async (ahead) => {
    const at = stage();
    at.ahead.service = ahead;
    expect(await at.heldAfter(200, spent(30_000))).toBe(31_000);
    const retryAfter = new Date(at.instant(50_000)).toUTCString();
    expect(await at.heldAfter(429, { retryAfter })).toBe(21_000);
  },
);

test('the Date was written between sending and receiving: the hold covers a slow way back', async () => {
  const at = stage();
  await at.send(200, spent(30_000, { date: -900 }), 900);
  expect((await at.hold())!.delay).toBe(31_900);
});

test('further Dates place the clock of the service better, and lose a ten-thousandth of their age', async () => {
  const at = stage();
  await at.send(200, { ...pro(200), date: -900 });
  await at.pass(100_000);
  expect(await at.heldAfter(200, spent(30_000, { date: 0 }))).toBe(31_000);
  const older = stage();
  await older.send(200, pro(200));
  await older.pass(100_000);
  expect(await older.heldAfter(200, spent(30_000, { date: -900 }))).toBe(31_010);
});

test.each<[string, resetIn: number, Said, number]>([
  ['without a Date by the local clock', 30_000, undated, 31_000],
  ['with a Date that cannot be read by the local clock', 30_000, { date: NaN }, 31_000],
  ['not with a Date of 1970', 30_000, { date: -Date.UTC(2026, 0, 1) - 1_000_000 }, 15_000],
  ['25 hours ahead', 25 * hour, {}, 25 * hour + second],
  ['not further ahead', 25 * hour + second, {}, 15_000],
  ['not a minute ago', -66_000, {}, 15_000],
  ['65 s ahead, without a Date', 65_000, undated, 66_000],
  ['not further ahead, without a Date', 66_000, undated, 61_000],
  ['just past, without a Date', -5_000, undated, 1_000],
  ['not longer past, without a Date', -6_000, undated, 61_000],
])('a Reset is believed where it is plausible: %s', async (_name, resetIn, said, held) => {
  const at = stage();
  expect(await at.heldAfter(429, spent(resetIn, said))).toBe(held);
  // The next good Date corrects it.
  await at.pass(held);
  expect(await at.heldAfter(200, spent(30_000))).toBe(31_000);
});

test('when the local clock was wrong, and there is no Date, a window ends at most a minute ahead', async () => {
  const at = stage();
  at.ahead.wall = 30_000;
  // By the local clock the Reset is 10 s away, so the request behind the hold comes too early.
  expect(await at.heldAfter(429, spent(40_000, undated))).toBe(11_000);
  expect(await at.heldAfter(429, spent(29_000, undated))).toBe(4_000);
  expect(await at.heldAfter(429, spent(25_000, undated))).toBe(61_000);
  expect(await at.hold()).toMatchObject({ fromServer: false });
  // Far ahead, the error of the local clock does not matter.
  const retryAfter = new Date(at.instant(61_000 + 10 * hour)).toUTCString();
  expect(await at.heldAfter(429, { ...undated, retryAfter })).toBe(10 * hour - 28_000);
});

test('without a Date, a Reset that is far ahead counts from the third 429 in a row on, as that of a day', async () => {
  const at = stage();
  const midnight = at.now() + 6 * hour;
  const holds = [];
  for (const status of [200, 429, 429, 429, 200, 429]) {
    const wait = (await at.hold())?.delay ?? 0;
    const end = at.now() + wait < midnight ? midnight : midnight + day;
    holds.push(await at.heldAfter(status, spent(end - at.now() - wait, undated)));
  }
  expect(holds).toEqual([61_000, 61_000, 61_000, 6 * hour - 182_000, 61_000, 61_000]);
  // A Retry-After says more than a clock that may be wrong by hours.
  const told = stage();
  for (const hold of [51_000, 61_000, 61_000, 61_000])
    expect(await told.heldAfter(429, spent(2 * hour, { ...undated, retryAfter: 50 }))).toBe(hold);
});

test.each([
  [5_000, 4],
  [-5_000, 4],
  [5_001, 1],
  [-5_001, 1],
])(
  'after the local clock was set by %i ms, or the machine slept as long, %i may be in flight',
  async (ms, inFlight) => {
    const at = stage();
    await at.send(200, pro(200));
    at.ahead.wall += ms;
    expect(await at.inFlight()).toBe(inFlight);
  },
);

test('after a jump of the local clock the first Date is exact again', async () => {
  const at = stage();
  await at.send(200, { ...pro(200), date: 500_000 });
  at.ahead.wall = hour;
  expect(await at.heldAfter(200, spent(30_000))).toBe(31_000);
});

test.each([
  [4_000, 34_000 + second],
  [-4_000, 26_000 + second],
])('a node whose clock is %i ms ahead counts as the newest response', async (date, held) => {
  const at = stage();
  await at.send(200, pro(200));
  expect(await at.heldAfter(200, spent(30_000 + 2 * date, { date }))).toBe(held);
});

test.each<[string, Said]>([
  ['an old Date', { date: -20_000 }],
  ['an Age', { age: 20 }],
  ['an Age and an old Date', { date: -hour, age: 3_600 }],
])('a stored response says nothing about the present: with %s', async (_name, stored) => {
  const at = stage();
  await at.send(200, { limit: 300, remaining: 200, resetIn: 50_000 });
  for (let hit = 0; hit < 20; hit += 1) {
    // Each hit is the same response, which becomes older.
    const since = (at.now() - 1_000_000) * (stored.date === undefined ? 0 : 1);
    const date = (stored.date ?? 0) - since;
    expect(await at.heldAfter(200, spent(10_000, { ...stored, date }))).toBe(0);
    expect(await at.hold()).toBeUndefined();
    await at.pass(1_500);
  }
});

test('a response that says something new counts, although its second was given before: of another node, or by a Date that stands still', async () => {
  const at = stage();
  await at.send(200, pro(200));
  await at.pass(4_000);
  expect(await at.heldAfter(403, { ...pro(199), date: -4_000, retryAfter: 60 })).toBe(61_000);
});

test.each([1_000, 3_000])(
  'a response that is stored until after its Reset, in %i ms, holds once',
  async (reset) => {
    const at = stage();
    const sentAt = at.now();
    const held = reset + second;
    expect(await at.heldAfter(200, spent(reset))).toBe(held);
    for (let hit = 0; hit < 20; hit += 1) {
      await at.pass(hit === 0 ? held : 1_500);
      const since = at.now() - sentAt;
      expect(await at.heldAfter(200, spent(reset - since, { date: -since }))).toBe(0);
    }
  },
);

test.each([0, 1_000_000])(
  'a service whose clock is set back is believed at the second response that says so, %i ms after the start of the process',
  async (start) => {
    const at = stage(undefined, start);
    await at.send(200, pro(200));
    at.ahead.service = -hour;
    expect(await at.heldAfter(200, spent(30_000))).toBe(0);
    await at.pass(3_000);
    expect(await at.heldAfter(200, spent(30_000))).toBe(31_000);
  },
);
