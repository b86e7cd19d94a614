import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RateLimitError } from '../../src/index.js';
import {
  ApiError,
  ConfigurationError,
  createRateLimitGate,
  PetStoreClient,
  type GateCall,
  type PetStoreClientOptions,
  type RateLimitGate,
} from '../../src/index.js';
import { rejection, times, world } from '../support/world.js';

test('a burst of 500 calls on the Free plan completes without a single 429', async () => {
  const { service, client, elapsed } = world();
  await Promise.all(times(500, () => client().listPets()));
  service.report().assertPolite({ rateLimited: 0 });
  expect(service.report().requests).toBe(500);
  expect(elapsed()).toBeLessThanOrEqual(480_000 * 1.03);
});

test('the first call of a key is sent alone, and the others after its response', async () => {
  const { service, client } = world({ latency: 100 });
  await Promise.all(times(3, () => client().listPets()));
  expect(service.requests.map(({ at }) => at - service.requests[0]!.at)).toEqual([0, 100, 100]);
});

test('with the plan known beforehand the first burst needs no probe', async () => {
  const { service, client, elapsed } = world({ latency: 100 });
  await Promise.all(times(50, () => client({ rateLimit: { plan: 'free' } }).listPets()));
  expect(elapsed()).toBeLessThanOrEqual(300);
  expect(service.report().rateLimited).toBe(0);
});

test.each([
  ['mock-free', 50],
  ['mock-pro', 200],
  ['mock-business', 500],
])(
  'a first burst within the quota of %s takes at most 1.5 s at a round trip of 100 ms',
  async (apiKey, calls) => {
    const { service, client, elapsed } = world({ latency: 100 });
    await Promise.all(times(calls, () => client({ apiKey }).listPets()));
    expect(elapsed()).toBeLessThanOrEqual(1_500);
    expect(service.report().rateLimited).toBe(0);
  },
);

test('a plan that differs from what the service reports is corrected by the first responses', async () => {
  const { service, client } = world({ latency: 100 });
  await Promise.all(times(200, () => client({ rateLimit: { plan: 'business' } }).listPets()));
  expect(service.report().rateLimited).toBe(0);
});

test('a key that is exhausted at the start costs one request', async () => {
  const { service, client } = world({ latency: 100 });
  service.keys.get('mock-free').exhaust('minute');
  await Promise.all(times(100, () => client().listPets()));
  expect(service.report()).toMatchObject({ rateLimited: 1, duringCoolDown: 0, bans: 0 });
});

test('after one 429 no call of any client with the key is sent before its Retry-After has passed', async () => {
  const { service, client } = world({ latency: 100 });
  const first = client();
  await Promise.all(times(30, () => first.listPets()));
  service.faults.add({ 'retry-after': 3, times: 1 });
  await Promise.all([
    ...times(20, () => first.listPets()),
    ...times(20, () => client().createPet({ name: 'Rex', categoryId: 1 })),
  ]);
  const refused = service.requests.findIndex(({ status }) => status === 429);
  const held = service.requests
    .slice(refused + 1)
    .filter(({ at }) => at > service.requests[refused]!.at + 100);
  expect(Math.min(...held.map(({ at }) => at))).toBeGreaterThanOrEqual(
    service.requests[refused]!.at + 3_000,
  );
  // What was under way when the 429 came could not be called back.
  expect(service.report().duringCoolDown).toBeLessThanOrEqual(3);
});

test('the gate is shared by the clients of a key, and by no others', async () => {
  const { service, client } = world();
  service.faults.add({ key: 'mock-free', 'retry-after': 30, times: 1 });
  const [free, pro] = [client().listPets(), client({ apiKey: 'mock-pro' }).listPets()];
  await pro;
  expect(service.requests.filter(({ status }) => status === 200)).toHaveLength(1);
  await free;
  expect(service.requests).toHaveLength(3);
});

test('two services in one process share no hold', async () => {
  const [one, other] = [world(), world()];
  one.service.faults.add({ 'retry-after': 3_600 });
  await rejection(one.client().listPets());
  await expect(other.client().listPets()).resolves.toEqual([]);
});

test('a call that gets 429 five times rejects with the last response', async () => {
  const { service, client } = world();
  service.faults.add({ 'retry-after': 1 });
  const error = await rejection<RateLimitError>(client().listPets());
  expect(error).toMatchObject({
    reason: 'attempts',
    status: 429,
    requestSent: 'yes',
    retryAfter: 1_000,
  });
  expect(error.attempts.map(({ status }) => status)).toEqual([429, 429, 429, 429, 429]);
  expect(service.requests).toHaveLength(5);
  expect(service.report().duringCoolDown).toBe(0);
});

test('createPet is sent again after a 429, and creates one pet', async () => {
  const { service, client } = world();
  service.faults.add({ operation: 'createPet', 'retry-after': 2, times: 2 });
  const { attempts } = await client().createPet({ name: 'Rex', categoryId: 1 }).withResponse();
  expect(attempts.map(({ status }) => status)).toEqual([429, 429, 201]);
  expect(service.pets.size).toBe(1);
});

test('without a gate a 429 is an error at once', async () => {
  const { service, client } = world();
  service.faults.add({ 'retry-after': 7, times: 1 });
  const error = await rejection<RateLimitError>(client({ rateLimit: false }).listPets());
  expect(error).toMatchObject({ reason: 'attempts', retryAfter: 7_000 });
  expect(service.requests).toHaveLength(1);
});

test('no call waits for the end of a ban, and every error says when it ends', async () => {
  const { service, client } = world();
  service.keys.get('mock-free').ban('10m');
  const errors = await Promise.all(times(5, () => rejection<RateLimitError>(client().listPets())));
  expect(errors.map(({ reason }) => reason)).toEqual(Array(5).fill('hold'));
  expect(errors[4]!.retryAfter).toBe(600_000);
  expect(service.requests).toHaveLength(1);
});

test('a ban that is answered with 403 holds the key too', async () => {
  const { service, client } = world({
    assumptions: { answers: { banned: { status: 403 } } },
  });
  service.keys.get('mock-free').ban('10m');
  expect(await rejection(client().listPets())).toBeInstanceOf(ApiError);
  expect(await rejection(client().listPets())).toMatchObject({ reason: 'hold' });
  expect(service.requests).toHaveLength(1);
});

test('a call that is never sent shows the quota as its client knows it', async () => {
  const { client } = world();
  const one = client({ rateLimit: { maxWait: 0 } });
  await Promise.allSettled(times(61, () => one.listPets()));
  for (let i = 0; i < 59; i++) await one.listPets().catch(() => undefined);
  const error = await rejection<RateLimitError>(one.listPets());
  expect(error).toMatchObject({ reason: 'wait', requestSent: 'no' });
  expect(error.rateLimit).toEqual(one.rateLimit);
  expect(error.rateLimit).toMatchObject({ limit: 60, remaining: 0 });
});

test('the quota is available on the client, on the response and on the error', async () => {
  const { service, client } = world();
  const shown = client();
  expect(shown.rateLimit).toBeUndefined();
  const { rateLimit } = await shown.listPets().withResponse();
  expect(rateLimit).toEqual({
    limit: 60,
    remaining: 59,
    resetAt: new Date('2026-01-01T00:01:00.000Z'),
  });
  expect(shown.rateLimit).toEqual(rateLimit);
  const error = await rejection<ApiError>(shown.getPet(404));
  expect(error.rateLimit).toEqual({
    limit: 60,
    remaining: 58,
    resetAt: new Date('2026-01-01T00:01:00.000Z'),
  });
  expect(shown.rateLimit).toEqual(error.rateLimit);
  expect(service.requests).toHaveLength(2);
});

test('a hold and its end are reported once to each client, however many of its calls wait', async () => {
  const { service, client, events } = world();
  service.faults.add({ 'retry-after': 3, times: 1 });
  const one = client();
  await Promise.all(times(30, () => one.listPets()));
  const holds = events.filter(({ type }) => type.startsWith('rate-limit'));
  expect(holds.map(({ type }) => type)).toEqual(['rate-limit-hold', 'rate-limit-resume']);
  const [hold] = holds;
  expect(hold).toMatchObject({ fromServer: true });
  expect((hold as { delay: number }).delay).toBeGreaterThanOrEqual(4_000);
  expect((hold as { delay: number }).delay).toBeLessThanOrEqual(4_100);
});

test('without rate-limit headers the client continues, with few requests in flight', async () => {
  const { service, client } = world({ latency: 100 });
  service.faults.add({ 'no-rate-limit-headers': true });
  await Promise.all(times(40, () => client().listPets()));
  expect(service.report()).toMatchObject({ requests: 40, rateLimited: 0 });
  expect(service.report().maxInFlight).toBeLessThanOrEqual(4);
});

const anyHeader = fc.oneof(
  fc.constant(undefined),
  fc.string({ unit: 'grapheme-ascii' }).map((text) => text.replaceAll(/[^\x20-\x7e]/g, '').trim()),
  fc.integer({ max: 60 }).map(String),
  fc.constantFrom('0', '-1', '1e9', '60, 60', '99999999999', '1767225660', '1767225660000', 'NaN'),
);

test('for any headers, every call ends, and no more requests are in flight than without them', async () => {
  await fc.assert(
    fc.asyncProperty(anyHeader, anyHeader, anyHeader, async (limit, remaining, reset) => {
      const { service, client, elapsed } = world({ latency: 100 });
      const spoiled: typeof fetch = async (...request) => {
        const answer = await service.fetch(...request);
        const headers = new Headers(answer.headers);
        Object.entries({ limit, remaining, reset }).forEach(([name, value]) => {
          if (value === undefined) headers.delete(`x-ratelimit-${name}`);
          else headers.set(`x-ratelimit-${name}`, value);
        });
        return new Response(answer.body, { status: answer.status, headers });
      };
      const outcomes = await Promise.allSettled(
        times(10, () => client({ fetch: spoiled }).listPets()),
      );
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ reason: 'hold' });
      expect(service.report().maxInFlight).toBeLessThanOrEqual(4);
      expect(elapsed()).toBeLessThanOrEqual(10 * 125_000);
    }),
    { numRuns: 200 },
  );
});

test('a custom gate permits every attempt, and receives every response', async () => {
  const { service, client } = world();
  service.faults.add({ operation: 'listPets', status: 503, times: 1 });
  const inner = createRateLimitGate({ clock: service.clock });
  const seen: (number | string)[] = [];
  const places = new Set<number>();
  const gate: RateLimitGate = {
    async acquire(call: GateCall) {
      const permit = await inner.acquire(call);
      places.add(call.place);
      seen.push(call.isRetry ? 'returns' : 'comes');
      return {
        ...permit,
        settle: (response) => (seen.push(response.status), permit.settle(response)),
      };
    },
  };
  await client({ rateLimit: { gate } }).listPets();
  expect(seen).toEqual(['comes', 503, 'returns', 200]);
  expect(places.size).toBe(1);
});

test.each<[string, PetStoreClientOptions['rateLimit']]>([
  ['rateLimit.maxHold', { maxHold: -1 }],
  ['rateLimit.maxHold', { maxHold: Number.NaN }],
  ['rateLimit.maxWait', { maxWait: -5 }],
  ['rateLimit.maxQueue', { maxQueue: -1 }],
  ['rateLimit.maxConcurrency', { maxConcurrency: 0 }],
  ['rateLimit.plan', { plan: 'gold' as 'free' }],
  ['rateLimit.plan', { plan: 'enterprise' as 'free' }],
  ['rateLimit.plan.perMinute', { plan: { perMinute: 0, perDay: 10 } }],
  ['rateLimit.gate', { gate: {} as RateLimitGate }],
  ['maxwait', { maxwait: 5 } as object],
])('%s out of range is a ConfigurationError that names it', (name, rateLimit) => {
  const make = () => new PetStoreClient({ apiKey: 'my-key', rateLimit });
  expect(make).toThrow(ConfigurationError);
  expect(make).toThrow(name);
});
