import { expect, test } from 'vitest';
import { askMany, pro, refused, stage, type Said, type Stage } from '../support/gate-stage.js';

const second = 1_000;
const hour = 3_600 * second;
/** The pad of each hold. */
const pad = second;
const spent: Said = { limit: 60, remaining: 0 };

test.each<[string, Said, number, boolean?, string?]>([
  ['Retry-After', { retryAfter: 30 }, 30_000],
  ['a Retry-After of 0', { retryAfter: 0 }, 0, false],
  ['the Reset alone', { resetIn: 30_000 }, 30_000],
  ['a Reset that has passed', { resetIn: -5_000 }, 0, false],
  ['the Reset, if Retry-After is shorter', { retryAfter: 20, resetIn: 30_000 }, 30_000],
  ['the Reset, if Retry-After is it rounded up', { retryAfter: 31, resetIn: 30_000 }, 30_000],
  ['Retry-After, if it is later', { retryAfter: 32, resetIn: 30_000 }, 32_000],
  ['Retry-After, with requests left', { retryAfter: 1, resetIn: 30_000, remaining: 9 }, 1_000],
  ['the Reset alone, with requests left', { resetIn: 30_000, remaining: 9 }, 30_000],
  ['a Reset two minutes away', { retryAfter: 1, resetIn: 120_000 }, 120_000],
  ['no Reset further away', { retryAfter: 1, resetIn: 120_001 }, 1_000],
  ['14 s, without any header', {}, 14_000, false],
  ['the Reset, when it is used up', { ...spent, resetIn: 40_000 }, 40_000, true, 'exhausted'],
  ['15 s, where it is, and has no Reset', spent, 15_000, false, 'exhausted'],
  ['the Retry-After of a 503', { retryAfter: 5 }, 5_000, true, 'overload'],
  ['nothing, if that is 0', { retryAfter: 0 }, 0, false, 'overload'],
])(
  'a first 429, a window that is used up, or a 503, holds for %s, and a second',
  async (_name, said, wait, fromServer = true, cause = '429') => {
    const at = stage();
    await at.send({ 429: 429, overload: 503, exhausted: 200 }[cause]!, said);
    expect(await at.hold()).toEqual({ type: 'hold', delay: wait + pad, fromServer, cause });
  },
);

const date = (ms: number) => (at: Stage) => new Date(at.instant(ms)).toUTCString();
const timestamp = (ms: number) => (at: Stage) => String(at.instant(ms) / second);

test.each<[string, string | ((at: Stage) => string), number | 'nothing', Said?]>([
  ['seconds', '30', 30_000],
  ['a fraction', '1.25', 1_250],
  ['25 hours', '90000', 25 * hour],
  ['more than 25 hours', '90001', 'nothing'],
  ['ms, where the Reset agrees', '30000', 30_000, { resetIn: 32_000 }],
  ['seconds, where it does not', '30000', 30_000_000, { resetIn: 32_500 }],
  ['seconds, where it agrees with both', '1500', 1_500_000, { resetIn: 1_500_000 }],
  ['seconds, below 1,000', '999', 999_000, { resetIn: 999 }],
  ['a date, with the second that it cuts off', date(20_400), 21_000],
  ['a timestamp', timestamp(60_000), 60_000],
  ['a timestamp in ms', (at) => String(at.instant(60_000)), 60_000],
  ['a timestamp just past', timestamp(-5_000), 0],
  ['a timestamp long past', timestamp(-6_000), 'nothing'],
  ['a timestamp after 26 hours', timestamp(26 * hour), 'nothing'],
  ...['-5', '30s', 'soon', '', '1e3', '0x10', 'Infinity', '30, 40', '2026-01-01T12:00:30Z'].map(
    (text): [string, string, 'nothing'] => ['what cannot be read', text, 'nothing'],
  ),
  ['a day that is none', 'Thu, 32 Jan 2026 99:00:00 GMT', 'nothing'],
])('Retry-After may be %s (%s): %s', async (_name, value, wait, said = {}) => {
  const at = stage();
  const retryAfter = typeof value === 'string' ? value : value(at);
  // With requests left, Retry-After alone counts.
  const held = await at.heldAfter(429, { limit: 60, remaining: 9, ...said, retryAfter });
  expect(held).toBe(wait === 'nothing' ? 15_000 : wait + pad);
});

test.each<[string, number[], Said]>([
  ['with Retry-After', [2, 4, 8, 16, 32, 60, 60], { retryAfter: 1 }],
  ['without any header', [15, 60, 240, 900, 900], {}],
  ['with a distant Reset', [2, 601], { retryAfter: 1, resetIn: 600_000 }],
])('each 429 in a series holds for longer: %s', async (_name, holds, said) => {
  const at = stage();
  for (const held of holds) expect(await at.heldAfter(429, said)).toBe(held * second);
  // Only the first one is as long as the service said, and the last.
  expect(await at.hold()).toMatchObject({ fromServer: said.retryAfter === 1 && holds.length < 3 });
  expect(await at.heldAfter(429, { retryAfter: 1_200 })).toBe(1_201 * second);
  expect(await at.hold()).toMatchObject({ fromServer: true });
});

test('a success ends a series, unless its request was sent before the last 429', async () => {
  const at = stage();
  await at.send(200, pro(290));
  const [first, late] = await askMany(at, 2);
  await at.pass(10);
  await first!.answer(429, { retryAfter: 1 });
  await late!.answer(200, pro(288));
  expect(await at.heldAfter(429, { retryAfter: 1 })).toBe(4_000);
  expect(await at.heldAfter(200, pro(288))).toBe(0);
  expect(await at.heldAfter(429, { retryAfter: 1 })).toBe(2_000);
});

test('a 429 to a request that was in flight does not count again, and makes no hold shorter', async () => {
  const at = stage();
  await at.send(200, pro(290));
  const [first, second, third] = await askMany(at, 3);
  await first!.answer(429, { retryAfter: 10 });
  await at.pass(5);
  await second!.answer(429, { retryAfter: 1 });
  expect((await at.hold())!.delay).toBe(10_995);
  await at.pass(9_995);
  await third!.answer(429, { retryAfter: 1 });
  expect((await at.hold())!.delay).toBe(2_000);
});

test('up to 100 ms of jitter are added, so that several processes do not send at once', async () => {
  const jitter = () => stage(() => 0.5);
  expect(await jitter().heldAfter(429, { retryAfter: 30 })).toBe(31_050);
  expect(await jitter().heldAfter(200, { ...spent, resetIn: 40_000 })).toBe(41_050);
});

test.each<[number, Said, number, string?]>([
  [503, { retryAfter: 10 }, 11_000, 'overload'],
  [503, { retryAfter: 4, ...pro(296) }, 5_000, 'overload'],
  [503, { retryAfter: 86_400 }, 61_000, 'overload'],
  [503, {}, 0],
  [403, { retryAfter: 10 }, 0],
  [403, { retryAfter: 86_400, ...spent }, 86_401_000, '429'],
  [403, spent, 61_000, 'exhausted'],
  [500, { retryAfter: 10 }, 0],
])('a response %i with %j holds the key for %i ms', async (status, said, held, cause) => {
  const at = stage();
  await at.send(200, pro(299));
  await at.send(status, said);
  expect(await at.hold()).toEqual(
    held === 0 ? undefined : expect.objectContaining({ delay: held, cause }),
  );
  await at.pass(held);
  expect(await at.inFlight(), 'after a hold one request asks first').toBe(held === 0 ? 4 : 1);
});

test('however many 503s come, each holds for its Retry-After, and the next 429 is the first of a series', async () => {
  const at = stage();
  for (const retryAfter of [4, 4, 0, 60])
    expect(await at.heldAfter(503, { ...pro(2), retryAfter })).toBe((retryAfter + 1) * second);
  expect(await at.heldAfter(429, { retryAfter: 4 })).toBe(5_000);
});

test('after an overload in a window that is used up, nothing is sent until the reset', async () => {
  const at = stage();
  await at.send(200, pro(1));
  expect(await at.heldAfter(503, { ...pro(0), retryAfter: 4 })).toBe(5_000);
  await at.pass(5_000);
  expect(await at.hold()).toMatchObject({ cause: 'exhausted', delay: 56_000 });
});

test('late responses that arrive during a hold neither end it nor change its cause', async () => {
  const at = stage();
  await at.send(200, pro(299));
  const [first, second, third] = await askMany(at, 3);
  await first!.answer(429, { retryAfter: 10 });
  await second!.answer(503, { retryAfter: 4 });
  await third!.answer(200, pro(250));
  expect(await at.hold()).toMatchObject({ cause: '429', delay: 11_000 });
  await at.pass(11_000);
  expect(await at.inFlight()).toBe(1);
});

test('when nobody waits for the end of a hold any longer, no timer is left', async () => {
  const at = stage();
  await at.send(429, { retryAfter: 10 });
  const stop = new AbortController();
  await askMany(at, 3, { signal: stop.signal });
  expect(at.timers()).toBe(1);
  stop.abort();
  expect(at.timers()).toBe(0);
  expect(refused(await askMany(at, 3, { maxHold: 5_000 }))).toBe(3);
  expect(at.timers()).toBe(0);
});
