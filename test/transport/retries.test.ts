import { expect, test, vi } from 'vitest';
import {
  ApiError,
  ConnectionError,
  type PetStoreError,
  RateLimitError,
  ServerError,
  type PetStoreClient,
} from '../../src/index.js';
import { json, pet, quickClock, stubClient, stubFetch, type Reply } from '../support/stub.js';
import { rejection, world } from '../support/world.js';

const reset = () =>
  Promise.reject(
    new TypeError('fetch failed', {
      cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
    }),
  );
const status = (code: number, headers: HeadersInit = {}) =>
  json({ code: 'x', message: 'x', status: code }, { status: code, headers });
const calls: Record<string, (client: PetStoreClient) => Promise<unknown>> = {
  listPets: (client) => client.listPets(),
  getPet: (client) => client.getPet(1),
  'GET /x': (client) => client.request({ method: 'GET', path: '/x' }),
  'head /x': (client) => client.request({ method: 'head', path: '/x' }),
  'OPTIONS /x': (client) => client.request({ method: 'OPTIONS', path: '/x' }),
  createPet: (client) => client.createPet({ name: 'x', categoryId: 1 }),
  'POST /x': (client) => client.request({ method: 'POST', path: '/x', body: {} }),
  'PUT /x': (client) => client.request({ method: 'PUT', path: '/x', body: {} }),
  'DELETE /x': (client) => client.request({ method: 'DELETE', path: '/x' }),
};
const harmless = new Set(['listPets', 'getPet', 'GET /x', 'head /x', 'OPTIONS /x']);
const curable: [string, Reply][] = [
  ...[408, 500, 502, 503, 504].map((code): [string, Reply] => [String(code), () => status(code)]),
  ['reset', reset],
];
const final = [400, 401, 403, 404, 405, 409, 410, 418, 422, 501, 505];

test.each(
  Object.keys(calls).flatMap((call) =>
    curable.map(([name, reply]) => [call, name, reply] as const),
  ),
)('%s is sent again after %s only if that does no harm', async (call, _name, reply) => {
  const fetch = stubFetch(reply);
  const error = await rejection<PetStoreError>(
    calls[call]!(stubClient(fetch, { clock: quickClock() })),
  );
  expect(fetch.sent).toHaveLength(harmless.has(call) ? 3 : 1);
  expect(error.attempts).toHaveLength(fetch.sent.length);
});

test.each(final)('%i is final: nothing is sent again', async (code) => {
  const fetch = stubFetch(() => status(code));
  expect(await rejection(stubClient(fetch).listPets())).toBeInstanceOf(ApiError);
  expect(fetch.sent).toHaveLength(1);
});

test('a success that does not validate is final', async () => {
  const fetch = stubFetch(json('{"broken'));
  await rejection(stubClient(fetch).listPets());
  expect(fetch.sent).toHaveLength(1);
});

test('createPet is sent again after a 429, which says that it was not processed, and adds one pet', async () => {
  const { service, client } = world();
  service.keys.get('mock-free').exhaust('minute');
  const { attempts } = await client().createPet({ name: 'Rex', categoryId: 1 }).withResponse();
  expect(attempts.map((attempt) => attempt.status)).toEqual([429, 201]);
  expect(service.pets.size).toBe(1);
  service.report().assertPolite({ rateLimited: 1 });
});

test('a connection that breaks after createPet was processed adds one pet, and says that it may have', async () => {
  const { service, client } = world({
    faults: [{ operation: 'createPet', 'network-error': 'after' }],
  });
  const error = await rejection<ConnectionError>(
    client().createPet({ name: 'Rex', categoryId: 1 }),
  );
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error.requestSent).toBe('unknown');
  expect(error.message).toContain('it may have been processed: check before you send it again');
  expect(service.pets.size).toBe(1);
  expect(service.requests).toHaveLength(1);
});

test('a service that answers 429 for ever is asked five times, and then the call is given up', async () => {
  const clock = quickClock();
  const fetch = stubFetch(() => status(429, { 'Retry-After': '1' }));
  const error = await rejection<RateLimitError>(stubClient(fetch, { clock }).listPets());
  expect(error).toBeInstanceOf(RateLimitError);
  expect(error).toMatchObject({ reason: 'attempts', status: 429, requestSent: 'yes' });
  expect(error.message).toMatch(
    /^listPets on pets\.test: the service responded 429 5 times \("[^"]+"\) \(5 attempts\); it was not processed: try again after 20/,
  );
  expect(fetch.sent).toHaveLength(5);
});

test('429s do not use up the tries for other failures', async () => {
  const fetch = stubFetch(
    status(429, { 'Retry-After': '1' }),
    status(503),
    status(429, { 'Retry-After': '1' }),
    status(503),
    json([]),
  );
  const { attempts } = await stubClient(fetch, { clock: quickClock() }).listPets().withResponse();
  expect(attempts.map((attempt) => attempt.status)).toEqual([429, 503, 429, 503, 200]);
});

test('maxRetries is the number of tries after the first, for a client and for a call', async () => {
  const sent = async (client: number | undefined, call: number | undefined) => {
    const fetch = stubFetch(() => status(503));
    const retry = (limit: number | undefined) => (limit === undefined ? {} : { maxRetries: limit });
    await rejection(
      stubClient(fetch, { clock: quickClock(), ...retry(client) }).listPets({}, retry(call)),
    );
    return fetch.sent.length;
  };
  expect([
    await sent(undefined, undefined),
    await sent(0, undefined),
    await sent(5, undefined),
    await sent(5, 1),
  ]).toEqual([3, 1, 6, 2]);
});

test('a Retry-After of a 503 is waited out, and one beyond maxHold ends the call at once', async () => {
  const clock = quickClock();
  const fetch = stubFetch(status(503, { 'Retry-After': '30' }), json([]));
  await stubClient(fetch, { clock }).listPets();
  expect(Math.max(...clock.waits)).toBeGreaterThanOrEqual(30_000);
  const near = stubFetch(status(503, { 'Retry-After': '120' }), json([]));
  expect(await stubClient(near, { clock: quickClock() }).listPets()).toEqual([]);
  const far = stubFetch(() => status(503, { 'Retry-After': '121' }));
  expect(await rejection(stubClient(far, { clock: quickClock() }).listPets())).toBeInstanceOf(
    ServerError,
  );
  expect(far.sent).toHaveLength(1);
});

test('a Retry-After of a 503 beyond what is left of maxWait ends the call at once', async () => {
  const sent = async (maxWait: number, seconds: string) => {
    const clock = quickClock();
    const fetch = stubFetch(() => status(503, { 'Retry-After': seconds }));
    const error = await rejection(stubClient(fetch, { clock }).listPets({}, { maxWait }));
    return [error instanceof ServerError, fetch.sent.length, Math.max(0, ...clock.waits) >= 9_000];
  };
  expect(await sent(0, '30')).toEqual([true, 1, false]);
  expect(await sent(9_999, '10')).toEqual([true, 1, false]);
  expect(await sent(20_000, '10')).toEqual([true, 3, true]);
});

test('a Retry-After date of a 503 is waited out until that moment', async () => {
  const clock = quickClock();
  const fetch = stubFetch(
    status(503, { 'Retry-After': 'Thu, 01 Jan 2026 00:00:20 GMT' }),
    json([]),
  );
  await stubClient(fetch, { clock }).listPets();
  expect(Math.max(...clock.waits)).toBeGreaterThanOrEqual(20_000);
});

test('without a gate a Retry-After of the 503 is honoured within maxHold, and a 429 is an error at once', async () => {
  const clock = quickClock();
  await stubClient(stubFetch(status(503, { 'Retry-After': '600' }), json([])), {
    clock,
    gate: false,
    maxHold: 600_000,
  }).listPets();
  expect(Math.max(...clock.waits)).toBeGreaterThanOrEqual(600_000);
  const longer = stubFetch(status(503, { 'Retry-After': '86400' }), json([]));
  await rejection<ServerError>(stubClient(longer, { clock, gate: false }).listPets());
  expect(longer.sent).toHaveLength(1);
  const fetch = stubFetch(() => status(429, { 'Retry-After': '7' }));
  const error = await rejection<RateLimitError>(
    stubClient(fetch, { clock, gate: false }).listPets(),
  );
  expect(fetch.sent).toHaveLength(1);
  expect(error).toMatchObject({ reason: 'attempts', retryAfter: 7_000, requestSent: 'yes' });
  expect(error.message).toContain('the service responded 429, and gate is false');
});

test('the backoff is anywhere from nothing to a delay that doubles with each try, up to 8 s', async () => {
  for (const random of [0, 0.5, 0.999]) {
    const dice = vi.spyOn(Math, 'random').mockReturnValue(random);
    const clock = quickClock();
    const fetch = stubFetch(() => status(500));
    await rejection(stubClient(fetch, { clock, gate: false, maxRetries: 8 }).listPets());
    dice.mockRestore();
    const longest = [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000, 8_000];
    expect(clock.waits).toEqual(random === 0 ? [] : longest.map((ms) => random * ms));
  }
});

test('callers that fail together do not come back together', async () => {
  const spread = new Set<number>();
  for (let i = 0; i < 20; i++) {
    const clock = quickClock();
    await stubClient(stubFetch(status(503), json([])), { clock }).listPets();
    spread.add(Math.round(Math.max(...clock.waits)));
  }
  expect(spread.size).toBeGreaterThan(5);
});

test('in a long outage the retries of a client run out, and come back as its calls succeed', async () => {
  let down = true;
  const fetch = stubFetch(() => (down ? status(503) : json([])));
  const client = stubClient(fetch, { clock: quickClock() });
  for (let i = 0; i < 200; i++) await rejection(client.listPets());
  expect(fetch.sent).toHaveLength(300);
  down = false;
  for (let i = 0; i < 10; i++) await client.listPets();
  down = true;
  for (let i = 0; i < 10; i++) await rejection(client.listPets());
  expect(fetch.sent).toHaveLength(300 + 10 + 10 + 2);
});

test('a full retry budget grows no further with successes', async () => {
  let isDown = false;
  const fetch = stubFetch(() => (isDown ? status(503) : json([])));
  const client = stubClient(fetch, { clock: quickClock(), gate: false, maxRetries: 1 });
  for (let call = 0; call < 20; call += 1) await client.listPets();
  isDown = true;
  for (let call = 0; call < 110; call += 1) await rejection(client.listPets());
  // 100 retries, and then each call fails with its first failure.
  expect(fetch.sent).toHaveLength(20 + 110 + 100);
});

test('a body of JSON is the same in every attempt', async () => {
  const fetch = stubFetch(status(429, { 'Retry-After': '0' }), json(pet(), { status: 201 }));
  await stubClient(fetch, { clock: quickClock(), int64: 'bigint' }).createPet({
    name: 'Rex',
    categoryId: 2n ** 60n,
  });
  expect(fetch.sent.map(({ body }) => body)).toEqual(
    Array(2).fill('{"name":"Rex","categoryId":1152921504606846976}'),
  );
});
