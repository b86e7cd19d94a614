import { expect, test } from 'vitest';
import type { RateLimitError } from '../../src/index.js';
import { rejection, times, world } from '../support/world.js';

test('a hold longer than maxHold rejects every waiting and every new call at once, and sends none of them', async () => {
  const { service, client, elapsed } = world();
  service.keys.get('mock-free').exhaust('day');
  const errors = await Promise.all(times(50, () => rejection<RateLimitError>(client().listPets())));
  const late = await rejection<RateLimitError>(client().listPets());
  expect(service.requests).toHaveLength(1);
  expect(elapsed()).toBe(0);
  for (const error of [...errors, late])
    expect(error).toMatchObject({ name: 'RateLimitError', reason: 'hold', status: 429 });
  expect(late.requestSent).toBe('no');
  expect(late.retryAfter).toBe(24 * 3_600_000);
  expect(late.retryAt).toEqual(new Date('2026-01-02T00:00:00.000Z'));
  expect(errors[0]).toMatchObject({
    requestSent: 'yes',
    code: expect.any(String) as string,
    rateLimit: { remaining: 0 },
  });
});

test('calls continue when the rest of the hold is within maxHold', async () => {
  const { service, client } = world();
  service.keys.get('mock-free').exhaust('day');
  await rejection(client().listPets());
  service.clock.set('2026-01-01T23:58:30Z');
  await client().listPets();
  expect(service.report()).toMatchObject({ rateLimited: 1, duringCoolDown: 0 });
});

test('maxWait: 0 never waits', async () => {
  const { service, client, elapsed } = world({ latency: 100 });
  const impatient = client({ rateLimit: { maxWait: 0 } });
  const [first, second] = [impatient.listPets(), rejection<RateLimitError>(impatient.listPets())];
  expect(await second).toMatchObject({ reason: 'wait', requestSent: 'no', attempts: [] });
  await first;
  service.keys.get('mock-free').exhaust('minute');
  await impatient.listPets().catch(() => undefined);
  expect(await rejection(impatient.listPets())).toMatchObject({ reason: 'wait' });
  expect(elapsed()).toBeLessThan(1_000);
});

test('maxWait is checked before a call queues: 100 calls on the Free plan within 30 s are 60', async () => {
  const { service, client, elapsed } = world({ latency: 10 });
  const bounded = client({ rateLimit: { maxWait: 30_000, plan: 'free' } });
  const outcomes = await Promise.allSettled(times(100, () => bounded.listPets()));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(60);
  expect(elapsed()).toBeLessThan(1_000);
  expect(service.requests).toHaveLength(60);
});

test('totalTimeout bounds the wait for the rate limit', async () => {
  const { service, client, elapsed } = world();
  await client().listPets();
  service.faults.add({ 'retry-after': 60, times: 1 });
  const error = await rejection<RateLimitError>(client().listPets({}, { totalTimeout: 5_000 }));
  expect(error).toMatchObject({ reason: 'wait', requestSent: 'yes' });
  expect(elapsed()).toBeLessThanOrEqual(5_000);
});

test('maxQueue rejects the calls beyond it, and the error says what to do', async () => {
  const { client } = world();
  const small = client({ rateLimit: { maxQueue: 10 } });
  const outcomes = await Promise.allSettled(times(20, () => small.listPets()));
  const rejected = outcomes
    .filter((outcome) => outcome.status === 'rejected')
    .map(({ reason }) => reason as RateLimitError);
  expect(rejected.length).toBeGreaterThanOrEqual(9);
  for (const error of rejected) {
    expect(error).toMatchObject({ reason: 'queue', requestSent: 'no' });
    expect(error.message).toContain('(maxQueue: 10)');
  }
});

test('maxConcurrency bounds the requests of a client in flight', async () => {
  const { service, client } = world({ latency: 100 });
  const narrow = client({ apiKey: 'mock-business', rateLimit: { maxConcurrency: 2 } });
  await Promise.all(times(100, () => narrow.listPets()));
  expect(service.report().maxInFlight).toBe(2);
});

test('during a hold until the reset, maxWait rejects at once the calls that need a second window', async () => {
  const { service, client, elapsed } = world();
  const caller = client();
  await caller.listPets();
  service.keys.get('mock-free').exhaust('minute');
  await rejection(caller.listPets({}, { maxWait: 1_000 }));
  const outcomes = await Promise.all(
    times(180, () =>
      caller.listPets({}, { maxWait: 70_000 }).then(
        () => 'served',
        (error: unknown) => `${(error as RateLimitError).reason} at ${elapsed()}`,
      ),
    ),
  );
  expect(outcomes.filter((outcome) => outcome === 'served')).toHaveLength(60);
  expect(outcomes.filter((outcome) => outcome === 'wait at 0')).toHaveLength(120);
});

test('after a hold whose end is not a reset, maxWait rejects no call that the next window can serve', async () => {
  const { service, client } = world();
  service.clock.set('2026-01-01T00:00:50Z');
  const caller = client();
  await caller.listPets();
  service.faults.add({ status: 503, 'retry-after': 5, times: 1 });
  await Promise.all(times(100, () => caller.listPets({}, { maxWait: 20_000 })));
  expect(service.report()).toMatchObject({ requests: 102, rateLimited: 0 });
});
