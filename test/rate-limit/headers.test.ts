import { expect, test } from 'vitest';
import { createMockService } from '../../mocks/index.js';
import { PetStoreClient, type Clock } from '../../src/index.js';
import { Budget } from '../../src/rate-limit/budget.js';
import { times, world } from '../support/world.js';

const reset = Date.UTC(2026, 0, 1, 0, 1);
const minute = 60_000;

/** A budget that has seen `answers` answers of one window, each sent and received at its own ms, with nothing else in flight. */
function seen(limit: number, from: number, answers: number): Budget {
  const budget = new Budget();
  for (let n = 0; n < answers; n += 1)
    budget.learn({ limit, remaining: from - n, reset }, 2 * n, 2 * n + 1, 0, minute);
  return budget;
}

test('until it knows that it is alone, a process has at most four requests in flight, and never more than an eighth of what is left', () => {
  expect(new Budget().cap()).toBe(4);
  expect(seen(300, 299, 3).cap()).toBe(4);
  expect(seen(60, 16, 2).maxInFlightForRemaining()).toBe(1);
});

test('a process that is alone has a twelfth of the limit in flight in its first window, and a fifteenth later', () => {
  const first = seen(300, 299, 30);
  expect(first.cap()).toBe(25);
  first.forget();
  expect(first.cap()).toBe(20);
});

test('when Remaining falls faster than its own requests explain, it leaves a share to others', () => {
  const budget = new Budget();
  for (let n = 0; n < 10; n += 1)
    budget.learn({ limit: 300, remaining: 299 - 5 * n, reset }, 2 * n, 2 * n + 1, 0, minute);
  expect(budget.share()).toBeLessThan(0.3);
  expect(budget.cap()).toBe(4);
  expect(budget.maxInFlightForRemaining()).toBeLessThan(254 / 6);
});

test('near the published quota of a day at most four are in flight', () => {
  const budget = seen(300, 299, 30);
  for (let n = 0; n < 9_000; n += 1) budget.countDay(reset);
  expect(budget.cap()).toBe(4);
  budget.countDay(reset + 24 * 60 * minute);
  expect(budget.cap()).toBe(25);
});

test('a daily limit in the headers does not decide how many may be in flight', () => {
  const budget = seen(60, 59, 30);
  budget.learn(
    { limit: 1_000, remaining: 20, reset: reset + 24 * 60 * minute },
    100,
    101,
    0,
    24 * 60 * minute,
  );
  expect(budget.limit).toBe(60);
  expect(budget.remaining).toBe(20);
  expect(budget.cap()).toBeLessThanOrEqual(5);
});

test('a late response of the previous window changes nothing', () => {
  const budget = seen(60, 5, 1);
  budget.learn({ limit: 60, remaining: 59, reset: reset + minute }, 10, 20, 1, minute);
  budget.learn({ limit: 60, remaining: 4, reset }, 5, 25, 0, 0);
  expect(budget.remaining).toBe(59);
  expect(budget.windowReset).toBe(reset + minute);
  budget.learnWindow({ limit: 60, remaining: 0, reset }, 6, 26, 0);
  expect(budget.windowReset).toBe(reset + minute);
});

test('a smaller Reset is accepted when it arrives in order: the clock of the service was set', () => {
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

test('a response without headers counts as one used request', () => {
  const budget = seen(60, 10, 1);
  budget.learn({ limit: undefined, remaining: undefined, reset: undefined }, 10, 20, 0, undefined);
  expect(budget.remaining).toBe(9);
});

test('a plan given beforehand counts until a response contradicts it', () => {
  const budget = new Budget();
  budget.expect(60);
  expect(budget.maxInFlightForRemaining()).toBe(60);
  budget.learn({ limit: 60, remaining: 59, reset }, 0, 1, 0, minute);
  expect([budget.maxInFlightForRemaining(), budget.cap()]).toEqual([59, 256]);
  budget.expect(1_000);
  expect(budget.limit).toBe(60);
  budget.learn({ limit: 300, remaining: 290, reset }, 2, 3, 0, minute);
  expect(budget.cap()).toBe(4);
});

test('after its machine slept a client sends one request first, and then continues as before', async () => {
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

test('the Date of a cached response is ignored', async () => {
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
