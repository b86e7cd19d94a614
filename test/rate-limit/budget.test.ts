import { expect, test } from 'vitest';
import { patientCall } from '../support/gate-call.js';
import { askMany, granted, minute, pro, stage, type Said } from '../support/gate-stage.js';
import { quotaHeaders } from '../support/stub.js';

const day = 24 * 60 * minute;

/** A gate that has sent `own` requests of one window, one after the other; meanwhile `others` requests of other processes were counted. */
async function used(own: number, others: number, limit = 300, took = 0, at = stage()) {
  for (let n = 1; n <= own; n += 1) {
    const remaining = limit - n - (n === own ? others : 0);
    await at.send(200, { limit, remaining, resetIn: minute - n * took }, took);
  }
  return at;
}

test.each<[string, number, [own: number, others: number, limit?: number, took?: number]]>([
  ['four, until the process knows that it is alone', 4, [20, 0]],
  ['a fifteenth of the limit, once it does', 20, [21, 0]],
  ['of a limit of no plan too', 16, [21, 0, 240]],
  ['a stranger for each ten of its own is no sign of others', 20, [21, 2]],
  ['more are', 4, [21, 3]],
  ['as is a twentieth of one window', 4, [41, 4]],
  ['alone, half of what is left', 6, [108, 0, 120]],
  ['not alone, an eighth of what is left', 3, [20, 0, 45]],
  ['with others, half of the own share, and room for theirs', 1, [3, 45, 60]],
  ['none, where others may take what is left', 0, [3, 54, 60]],
  ['twice as many as a slow service needs', 34, [8, 0, 1_000, 1_000]],
  ['but never more than an eighth, until it is alone', 124, [8, 0, 1_000, 4_000]],
  ['and at most 256', 256, [22, 0, 10_000, 2_000]],
])('how many may be in flight: %s', async (_name, most, [own, others, limit, took]) => {
  expect(await (await used(own, others, limit, took)).inFlight()).toBe(most);
});

test('a clock may count from a moment that is still far ahead', async () => {
  const at = await used(21, 0, 300, 0, stage(undefined, -30 * day));
  expect(await at.inFlight()).toBe(20);
});

test.each<[string, Said, number]>([
  ['that say nothing', {}, 4],
  ['without a Limit', { remaining: 200, resetIn: minute }, 4],
  ['without Remaining', { limit: 1_000, resetIn: minute }, 4],
  ['without a Reset', { limit: 1_000, remaining: 900 }, 4],
])('headers %s let four requests be in flight', async (_name, said, most) => {
  const at = stage();
  for (let n = 0; n < 25; n += 1) await at.send(200, said);
  expect(await at.inFlight()).toBe(most);
});

test('a request without a response, or one without headers, counts as used', async () => {
  const at = stage();
  await at.send(200, pro(2));
  (await at.ask()).permit!.lose();
  expect(await at.hold()).toBeUndefined();
  await at.send(404);
  expect(await at.hold()).toMatchObject({ cause: 'exhausted', delay: minute + 1_000 });
});

test.each([
  [8_999, 20],
  [9_000, 4],
])('after %i successes of the 10,000 that Pro has a day, %i are in flight', async (count, most) => {
  const at = await used(21, 0);
  const headers = new Headers(quotaHeaders(300, 279, at.instant(minute) / 1_000));
  for (let n = 21; n < count; n += 1)
    (await at.gate.acquire(patientCall)).settle({ status: 200, headers });
  expect(await at.inFlight()).toBe(most);
});

test('a limit of a day does not decide how many requests may be in flight', async () => {
  const at = await used(25, 0, 60);
  await at.send(200, { limit: 1_000, remaining: 900, resetIn: day });
  expect(await at.inFlight()).toBe(4);
});

test('within a window Remaining never rises', async () => {
  const at = stage();
  await at.send(200, pro(2));
  await at.send(200, pro(299));
  expect(await at.inFlight()).toBe(1);
});

test.each<[string, Said, Said]>([
  ['with a later Reset', pro(0), { ...pro(299), resetIn: minute + 1_001 }],
  ['with an earlier Reset, in order', pro(1), { ...pro(299), resetIn: -minute }],
  ['with another limit', pro(1), { limit: 1_000, remaining: 990, resetIn: minute }],
  ['without a Reset, in order', { limit: 60 }, { limit: 60, remaining: 59 }],
  ['without the Reset that it had', { limit: 60, resetIn: minute }, { limit: 60, remaining: 59 }],
  ['with a Reset that it had not', { limit: 60 }, { limit: 60, remaining: 59, resetIn: minute }],
])('another window begins %s', async (_name, last, next) => {
  const at = stage();
  await at.send(200, { ...last, remaining: 1 });
  await at.pass(10);
  await at.send(200, next);
  expect(await at.inFlight()).toBe(4);
});

test('a late response of the window before changes nothing', async () => {
  const at = stage();
  await at.send(200, { limit: 300, remaining: 200, resetIn: 100 });
  const [first, late] = await askMany(at, 2);
  await at.pass(200);
  await first!.answer(200, pro(299));
  await late!.answer(200, { limit: 300, remaining: 0, resetIn: -100 });
  expect(await at.hold()).toBeUndefined();
  expect(await at.inFlight()).toBe(4);
});

test('requests in flight are not counted as those of others', async () => {
  const at = await used(21, 0);
  const running = await askMany(at, 20);
  // The service has counted all of them when it answers the first.
  await running[0]!.answer(200, pro(300 - 21 - 20));
  expect(granted(await askMany(at, 5))).toBe(1);
});
