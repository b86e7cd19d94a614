import { expect, test } from 'vitest';
import { createMockService } from '../mocks/index.js';
import { PetStoreClient, type Clock } from '../src/index.js';
import { Budget } from '../src/rate-limit/budget.js';
import { Hold } from '../src/rate-limit/hold.js';
import { Queue } from '../src/rate-limit/queue.js';
import { sharedGate } from '../src/rate-limit/registry.js';
import { ServerClock } from '../src/rate-limit/server-clock.js';
import { times, world } from './support/world.js';

const reset = Date.UTC(2026, 0, 1, 0, 1);
const minute = 60_000;

/** A budget that has seen `answers` answers of one window, each sent and received at its own ms, with nothing else in flight. */
function seen(limit: number, from: number, answers: number): Budget {
  const budget = new Budget();
  for (let n = 0; n < answers; n += 1) budget.learn({ limit, remaining: from - n, reset }, 2 * n, 2 * n + 1, 0, minute);
  return budget;
}

test('until it knows that it is alone, a process has at most four requests in flight, and never more than an eighth of what is left', () => {
  expect(new Budget().cap()).toBe(4);
  expect(seen(300, 299, 3).cap()).toBe(4);
  expect(seen(60, 16, 2).window()).toBe(1);
});

test('a process that is alone has a twelfth of the limit in flight in its first window, and a fifteenth later', () => {
  const first = seen(300, 299, 30);
  expect(first.cap()).toBe(25);
  first.forget();
  expect(first.cap()).toBe(20);
});

test('what falls faster than its own requests explain is left to others', () => {
  const budget = new Budget();
  for (let n = 0; n < 10; n += 1) budget.learn({ limit: 300, remaining: 299 - 5 * n, reset }, 2 * n, 2 * n + 1, 0, minute);
  expect(budget.share()).toBeLessThan(0.3);
  expect(budget.cap()).toBe(4);
  expect(budget.window()).toBeLessThan(254 / 6);
});

test('near the published quota of a day at most four are in flight', () => {
  const budget = seen(300, 299, 30);
  for (let n = 0; n < 9_000; n += 1) budget.countDay(reset);
  expect(budget.cap()).toBe(4);
  budget.countDay(reset + 24 * 60 * minute);
  expect(budget.cap()).toBe(25);
});

test('the limit of a day that the headers show is no measure for what may be in flight', () => {
  const budget = seen(60, 59, 30);
  budget.learn({ limit: 1_000, remaining: 20, reset: reset + 24 * 60 * minute }, 100, 101, 0, 24 * 60 * minute);
  expect(budget.limit).toBe(60);
  expect(budget.remaining).toBe(20);
  expect(budget.cap()).toBeLessThanOrEqual(5);
});

test('an answer of the window before, overtaken by one of the next, changes nothing', () => {
  const budget = seen(60, 5, 1);
  budget.learn({ limit: 60, remaining: 59, reset: reset + minute }, 10, 20, 1, minute);
  budget.learn({ limit: 60, remaining: 4, reset }, 5, 25, 0, 0);
  expect(budget.remaining).toBe(59);
  expect(budget.windowReset).toBe(reset + minute);
  budget.learnWindow({ limit: 60, remaining: 0, reset }, 6, 26, 0);
  expect(budget.windowReset).toBe(reset + minute);
});

test('a smaller Reset is believed when it comes in order: the clock of the service was set', () => {
  const budget = seen(60, 5, 1);
  budget.learn({ limit: 60, remaining: 59, reset: reset - 10 * minute }, 10, 20, 0, minute);
  expect(budget.remaining).toBe(59);
});

test('without a Reset, more Remaining than known is a new window only in order', () => {
  const budget = new Budget();
  const quota = (remaining: number) => ({ limit: 60, remaining, reset: undefined });
  budget.learn(quota(10), 0, 10, 0, undefined);
  budget.learn(quota(30), 5, 12, 0, undefined);
  expect(budget.remaining).toBe(10);
  budget.learn(quota(40), 20, 30, 0, undefined);
  expect(budget.remaining).toBe(40);
  expect(budget.cap()).toBe(4);
});

test('an answer without headers counts as one that was spent', () => {
  const budget = seen(60, 10, 1);
  budget.learn({ limit: undefined, remaining: undefined, reset: undefined }, 10, 20, 0, undefined);
  expect(budget.remaining).toBe(9);
});

test('a plan that was told counts until an answer says otherwise', () => {
  const budget = new Budget();
  budget.expect(60);
  expect(budget.window()).toBe(60);
  budget.learn({ limit: 60, remaining: 59, reset }, 0, 1, 0, minute);
  expect([budget.window(), budget.cap()]).toEqual([59, 256]);
  budget.expect(1_000);
  expect(budget.limit).toBe(60);
  budget.learn({ limit: 300, remaining: 290, reset }, 2, 3, 0, minute);
  expect(budget.cap()).toBe(4);
});

const refusal = { retryAfter: undefined, resetIn: undefined, spent: true, guessed: false, maxHold: 120_000 };
const hold = () => new Hold(() => 0);

test('where nothing is told the hold begins with 15 s and grows to 15 minutes', () => {
  const blind = hold();
  const waits = [0, 1e6, 2e6, 3e6, 4e6].map((at) => (blind.forRefusal(refusal, at + 1, at + 2), blind.until - (at + 2)));
  expect(waits).toEqual([15_000, 60_000, 240_000, 900_000, 900_000]);
  expect(blind.toldUntil).toBe(4e6 + 2);
});

test('a success ends the row of refusals, but not one that was sent before the last of them', () => {
  const told = hold();
  const refuse = (at: number) => told.forRefusal({ ...refusal, retryAfter: 1_000 }, at, at + 10);
  refuse(0);
  refuse(10_000);
  expect(told.until).toBe(10_010 + 4_000);
  told.succeeded(5_000);
  refuse(20_000);
  expect(told.until).toBe(20_010 + 8_000);
  told.succeeded(30_000);
  refuse(40_000);
  expect(told.until).toBe(40_010 + 2_000);
});

test('an echo of one event is no second one', () => {
  const one = hold();
  expect(one.forRefusal({ ...refusal, retryAfter: 1_000 }, 0, 10)).toBe(true);
  expect(one.forRefusal({ ...refusal, retryAfter: 1_000 }, 5, 12)).toBe(false);
  expect(one.until).toBe(12 + 2_000);
});

test('the later of Retry-After and Reset counts where the window is spent, a far Reset only when Retry-After proved too short', () => {
  const near = hold();
  near.forRefusal({ ...refusal, retryAfter: 1_000, resetIn: 30_000 }, 0, 0);
  expect(near.until).toBe(31_000);
  const open = hold();
  open.forRefusal({ ...refusal, retryAfter: 1_000, resetIn: 30_000, spent: false }, 0, 0);
  expect(open.until).toBe(2_000);
  const far = hold();
  far.forRefusal({ ...refusal, retryAfter: 1_000, resetIn: 3_600_000 }, 0, 0);
  expect(far.until).toBe(2_000);
  far.forRefusal({ ...refusal, retryAfter: 1_000, resetIn: 3_600_000 }, 2_000, 2_010);
  expect(far.toldUntil).toBe(3_602_010);
});

test('a Reset that is only bounded holds, and trips no maxHold', () => {
  const guessed = hold();
  guessed.forRefusal({ ...refusal, resetIn: 50_000, guessed: true }, 0, 0);
  expect([guessed.until, guessed.toldUntil]).toEqual([51_000, 0]);
  guessed.forReset(60_000, 90_000, true);
  expect([guessed.until, guessed.toldUntil]).toEqual([91_000, 0]);
  guessed.forReset(100_000, undefined, false);
  expect(guessed.until).toBe(116_000);
});

test('a waiting call that gives up twice leaves the queue once', () => {
  const queue = new Queue<string>();
  const [first, second] = [queue.add('first', 0, 'normal'), queue.add('second', 1, 'normal')];
  queue.remove(first);
  queue.remove(first);
  expect([queue.size, queue.head]).toEqual([1, second]);
});

test('a local clock that was set drops what was learned of the time of the service', () => {
  let set = 0;
  const at = Date.UTC(2026, 0, 1);
  const clock = new ServerClock({ now: () => at + set, monotonic: () => 0, sleep: () => Promise.resolve() });
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
  const clock = new ServerClock({ now: () => at, monotonic: () => 0, sleep: () => Promise.resolve() });
  clock.observe(new Date(at).toUTCString(), 0, 0);
  clock.observe(new Date(at + 60_000).toUTCString(), 0, 0);
  expect(clock.until(at + 60_000)).toBe(0);
});

test('a client goes on when its machine slept: it asks with one request, and then as before', async () => {
  const service = createMockService({ clock: 'virtual', latency: 100 });
  let slept = 0;
  const { clock } = service;
  const waking: Clock = {
    now: () => clock.now() + slept,
    monotonic: () => clock.monotonic(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
  const client = new PetStoreClient({ apiKey: 'mock-pro', fetch: service.fetch, clock: waking });
  await Promise.all(times(40, () => client.listPets()));
  const before = service.report().requests;
  slept = 3_600_000;
  await Promise.all(times(10, () => client.listPets()));
  const [probe, next] = service.requests.slice(before);
  expect(next!.at - probe!.at).toBeGreaterThanOrEqual(100);
});

test('a gate that nobody has used for an hour is dropped, but not one that holds', () => {
  let now = 0;
  const clock: Clock = { now: () => now, monotonic: () => now, sleep: () => new Promise(() => undefined) };
  const gate = (key: string) => sharedGate('https://pets.test', key, clock, undefined, false);
  const [idle, other] = [gate('idle'), gate('other')];
  expect(gate('idle')).toBe(idle);
  now = 2 * 3_600_000;
  gate('new');
  expect(gate('idle')).not.toBe(idle);
  expect(gate('other')).not.toBe(other);
});

test('an answer from a cache does not tell the time', async () => {
  const { client, service } = world();
  const cached: typeof fetch = async (...request) => {
    const answer = await service.fetch(...request);
    const headers = new Headers(answer.headers);
    headers.set('age', '3600');
    headers.set('date', new Date(Date.UTC(2025, 0, 1)).toUTCString());
    return new Response(answer.body, { status: answer.status, headers });
  };
  const calls = client({ fetch: cached });
  await Promise.all(times(5, () => calls.listPets()));
  expect(calls.rateLimit).toBeUndefined();
  expect(service.report().maxInFlight).toBeLessThanOrEqual(4);
});
