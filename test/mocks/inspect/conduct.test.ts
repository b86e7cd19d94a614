import { expect, test } from 'vitest';
import {
  createMockService,
  findRequests,
  matchers,
  type MockService,
  type PetstoreMatchers,
} from '../../../mocks/index.js';
import { call, send } from '../../support/raw.js';

const rex = { name: 'Rex', categoryId: 3 };

test('the journal records what came, what the service read of it, and how it was answered', async () => {
  const service = createMockService({ clock: 'virtual', seed: 1, latency: 10 });
  await call(service, '/pets?limit=5&status=sold&x=1');
  await call(service, '/pets', { body: rex });
  await call(service, '/pets/1');
  await call(service, '/pets', { key: null });
  const [list, create, get, nobody] = service.requests;
  expect(list).toEqual({
    number: 1,
    environment: 'production',
    at: Date.UTC(2026, 0, 1) + 5,
    answeredAt: Date.UTC(2026, 0, 1) + 10,
    operation: 'listPets',
    method: 'GET',
    path: '/v1/pets',
    query: { limit: '5', status: 'sold', x: '1' },
    body: undefined,
    input: { limit: 5, status: 'sold' },
    key: 'mock-free',
    status: 200,
    faults: [],
    inCoolDown: false,
    remaining: 59,
  });
  expect(create).toMatchObject({ operation: 'createPet', body: rex, input: rex, status: 201 });
  await call(service, '/pets', { body: '{"name":' });
  expect(service.requests.at(-1)).toMatchObject({
    body: '{"name":',
    input: undefined,
    status: 400,
  });
  expect(get).toMatchObject({ operation: 'getPet', input: { petId: 1 } });
  expect(nobody).toMatchObject({
    operation: 'listPets',
    key: undefined,
    status: 401,
    input: undefined,
  });
});

test('what the journal says of an answered request cannot be changed', async () => {
  const service = createMockService({ faults: [{ 'network-error': true, times: 1 }] });
  await call(service, '/pets').catch(() => 'broken');
  await call(service, '/pets');
  expect(service.requests.map((record) => Object.isFrozen(record))).toEqual([true, true]);
  const snapshot = service.snapshot();
  service.restore(snapshot);
  expect(service.requests.map((record) => Object.isFrozen(record))).toEqual([true, true]);
});

test('an unknown key is never kept, but can be recognised', async () => {
  const service = createMockService();
  const secret = 'sk-live-a-real-key';
  await call(service, '/pets', { key: secret });
  await call(service, '/pets', { key: `${secret}2` });
  await call(service, '/pets', { key: secret });
  expect(JSON.stringify([service.requests, service.report()])).not.toContain('sk-live');
  const keys = service.requests.map(({ key }) => key);
  expect(keys[0]).toMatch(/^unknown-[0-9a-f]{8}$/);
  expect([keys[2] === keys[0], keys[1] === keys[0]]).toEqual([true, false]);
});

test('findRequests filters the journal', async () => {
  const service = createMockService({ clock: 'virtual', seed: 1 });
  await call(service, '/pets');
  service.clock.advance('1s');
  const since = service.clock.now();
  service.faults.add({ status: 500, operation: 'createPet', times: 1 });
  await call(service, '/pets', { body: rex });
  await call(service, '/pets', { body: rex, key: 'mock-pro' });
  const count = (filter: Parameters<typeof findRequests>[1]) =>
    findRequests(service, filter).length;
  expect(count({})).toBe(3);
  expect(count({ operation: 'createPet' })).toBe(2);
  expect(count({ key: 'mock-free' })).toBe(2);
  expect(count({ key: 'mock-free', method: 'POST' })).toBe(1);
  expect(count({ status: 201 })).toBe(1);
  expect(count({ fault: 'status' })).toBe(1);
  expect(count({ since })).toBe(2);
  expect(count({ inCoolDown: true })).toBe(0);
});

test('the journal keeps the newest requests and no more, while the report counts all', async () => {
  const service = createMockService({ journalLimit: 3, limits: 'off' });
  for (let sent = 0; sent < 5; sent++) await call(service, '/pets');
  expect(service.requests.map(({ number }) => number)).toEqual([3, 4, 5]);
  for (let sent = 0; sent < 1_100; sent++) await call(service, '/pets');
  expect(service.requests.map(({ number }) => number)).toEqual([1_103, 1_104, 1_105]);
  expect(service.report().requests).toBe(1_105);
  const none = createMockService({ journalLimit: 0 });
  await call(none, '/pets');
  expect([none.requests, none.report().requests]).toEqual([[], 1]);
});

/** What an asymmetric matcher stands for. */
type Fields = Record<string, unknown>;

/** Spends the quota of a key and hammers on. */
async function hammer(service: MockService, times: number, key = 'mock-free'): Promise<void> {
  service.keys.get(key).exhaust('minute');
  for (let sent = 0; sent < times; sent++) await call(service, '/pets', { key });
}

test('requests during a cool-down, 429s and bans are counted, in all and for each key', async () => {
  const service = createMockService({ clock: 'virtual' });
  await hammer(service, 8);
  await hammer(service, 2, 'mock-pro');
  expect(service.report()).toMatchObject({
    requests: 10,
    rateLimited: 10,
    duringCoolDown: 8,
    bans: 1,
  });
  expect(service.report('mock-pro')).toMatchObject({
    requests: 2,
    rateLimited: 2,
    duringCoolDown: 1,
    bans: 0,
  });
  expect(service.report('mock-business')).toMatchObject({ requests: 0, offences: [] });
  expect(findRequests(service, { inCoolDown: true, key: 'mock-free' })).toHaveLength(7);
});

test('a client that waits for Retry-After is polite', async () => {
  const service = createMockService({ clock: 'virtual' });
  await hammer(service, 1);
  service.clock.advance('60s');
  await call(service, '/pets');
  expect(service.report()).toMatchObject({ rateLimited: 1, duringCoolDown: 0, offences: [] });
  expect(() => service.report().assertPolite()).not.toThrow();
});

test('assertPolite throws with a list that a person can read, and takes limits of one’s own', async () => {
  const service = createMockService({ clock: 'virtual', seed: 1 });
  await hammer(service, 6);
  await call(service, '/pets/1', { key: 'mock-pro' });
  const report = service.report();
  expect(() => report.assertPolite()).toThrow(
    [
      'The client was not polite to the service:',
      '- 5 requests sent during a cool-down or a ban (first: request 2, GET /v1/pets with mock-free at 2026-01-01T00:00:00.000Z)',
      '- 1 ban caused (first: request 6, GET /v1/pets with mock-free at 2026-01-01T00:00:00.000Z)',
    ].join('\n'),
  );
  expect(report.offences).toHaveLength(2);
  expect(() => report.assertPolite({ duringCoolDown: 5, bans: 1 })).not.toThrow();
  expect(() => report.assertPolite({ duringCoolDown: 5, bans: 1, deprecatedCalls: 0 })).toThrow(
    /1 call to deprecated operations/,
  );
  expect(() => report.assertPolite({ duringCoolDown: 5, bans: 1, rateLimited: 5 })).toThrow(
    /6 requests answered 429/,
  );
});

test.for([
  ['network-error', { 'network-error': 'after' }, 1],
  ['500', { status: 500 }, 1],
  ['a body cut off', { 'drop-body': true }, 1],
  ['an empty body', { 'empty-body': true }, 1],
  ['429', { status: 429, 'retry-after': 0 }, 0],
  ['400', { status: 400 }, 0],
] as const)(
  'a POST sent again after %s counts as sent twice: %j, %i times',
  async ([, fault, twice]) => {
    const service = createMockService({ clock: 'virtual' });
    service.faults.add({ ...fault, times: 1 });
    const post = () =>
      send(service, '/pets', { body: rex })
        .then((response) => response.text())
        .catch(() => 'lost');
    await post();
    await post();
    await post();
    expect(service.report().repeatedPosts).toBe(twice);
    expect(service.report().offences).toHaveLength(twice);
  },
);

test('a POST that the client gave up and sent again counts as sent twice', async () => {
  const service = createMockService({ clock: 'virtual', faults: [{ hang: 'after', times: 1 }] });
  const controller = new AbortController();
  const lost = send(service, '/pets', { body: rex, signal: controller.signal }).catch(() => 'lost');
  setImmediate(() => controller.abort());
  await lost;
  await call(service, '/pets', { body: rex });
  expect(service.report().repeatedPosts).toBe(1);
  expect(service.pets.size).toBe(2);
});

test('two pets that are alike, or a repeated GET, are no offence', async () => {
  const service = createMockService({ clock: 'virtual' });
  for (let sent = 0; sent < 3; sent++) await call(service, '/pets', { body: rex });
  service.faults.add({ status: 500, times: 1 });
  await call(service, '/pets');
  await call(service, '/pets');
  expect(service.report()).toMatchObject({ repeatedPosts: 0, offences: [] });
});

test('deprecated calls, requests without a key and the most requests in flight are counted', async () => {
  const service = createMockService({ clock: 'virtual', seed: 1, latency: 10 });
  await Promise.all([
    call(service, '/pets'),
    call(service, '/pets/1'),
    call(service, '/pets', { key: 'mock-pro' }),
    call(service, '/pets', { key: null }),
  ]);
  await call(service, '/pets/1');
  expect(service.report()).toMatchObject({
    requests: 5,
    deprecatedCalls: 2,
    unauthorized: 1,
    maxInFlight: 4,
  });
  expect(service.report('mock-free')).toMatchObject({
    deprecatedCalls: 2,
    unauthorized: 0,
    maxInFlight: 2,
  });
});

expect.extend(matchers);
declare module 'vitest' {
  /* eslint-disable @typescript-eslint/no-empty-object-type, @typescript-eslint/no-unused-vars --
     The declaration must have the parameters of Vitest's own. */
  interface Matchers<
    R extends void | Promise<void> = void | Promise<void>,
    T = unknown,
  > extends PetstoreMatchers<R> {}
  /* eslint-enable @typescript-eslint/no-empty-object-type, @typescript-eslint/no-unused-vars */
}

test('toHaveRespectedRateLimit checks that a client waited for Retry-After', async () => {
  const service = createMockService({ clock: 'virtual' });
  await hammer(service, 1);
  expect(service).toHaveRespectedRateLimit();
  expect(() => expect(service).not.toHaveRespectedRateLimit()).toThrow(
    /expected the client not to respect/,
  );
  await hammer(service, 2);
  expect(service).not.toHaveRespectedRateLimit();
  expect(() => expect(service).toHaveRespectedRateLimit()).toThrow(
    /it sent 1 request during a cool-down or a ban, and caused 0 bans/,
  );
});

test('toHaveReceived checks that an operation was called with these fields', async () => {
  const service = createMockService({ seed: 1 });
  await call(service, '/pets', { body: `{"name":"Rex","categoryId":9223372036854775807}` });
  await call(service, '/pets?limit=5');
  expect(service).toHaveReceived('createPet');
  expect(service).toHaveReceived('createPet', { name: 'Rex', categoryId: 9223372036854775807n });
  expect(service).toHaveReceived('listPets', { limit: 5n });
  expect(service).not.toHaveReceived('getPet');
  expect(service).not.toHaveReceived('createPet', { name: 'Max' });
  expect(() => expect(service).toHaveReceived('createPet', { name: 'Max' })).toThrow(
    /expected createPet with \{"name":"Max"\}, but this was received:\n- \{"name":"Rex","categoryId":"9223372036854775807n"\} \(201\)/,
  );
  expect(() => expect(service).toHaveReceived('getPet')).toThrow(/but none was received/);
  expect(() => expect(service).not.toHaveReceived('createPet')).toThrow(/expected no createPet/);
});

test('toHaveReceived takes the asymmetric matchers of Vitest, whole, in a field and deeper', async () => {
  const service = createMockService();
  await call(service, '/pets', { body: rex });
  expect(service).toHaveReceived('createPet', expect.objectContaining({ name: 'Rex' }) as Fields);
  expect(service).toHaveReceived('createPet', {
    name: expect.stringMatching(/^R/),
    categoryId: expect.any(Number),
  });
  expect(service).not.toHaveReceived(
    'createPet',
    expect.objectContaining({ name: 'Max' }) as Fields,
  );
  expect(service).not.toHaveReceived('createPet', { name: expect.any(Number) });
  expect(service).not.toHaveReceived('createPet', { name: { length: 3 } });
  expect(() => expect(service).toHaveReceived('createPet', { name: expect.any(Number) })).toThrow(
    /with \{"name":"Any<Number>"\}/,
  );
  expect(() =>
    expect(service).toHaveReceived('createPet', expect.objectContaining({ name: 'Max' }) as Fields),
  ).toThrow(/with ObjectContaining\{"name":"Max"\}, but this was received:\n- \{"name":"Rex"/);
});

test('a request that was not read so far meets a matcher only where that takes nothing', async () => {
  const service = createMockService();
  await call(service, '/pets', { body: {} });
  expect(service).toHaveReceived('createPet');
  expect(service).not.toHaveReceived('createPet', expect.anything() as Fields);
  expect(service).not.toHaveReceived('createPet', { name: expect.anything() });
});

test('toHaveRespectedRateLimit counts in words', async () => {
  const service = createMockService({
    clock: 'virtual',
    assumptions: { strikeRule: { strikes: 1 } },
  });
  await hammer(service, 2);
  expect(() => expect(service).toHaveRespectedRateLimit()).toThrow(
    /it sent 1 request during a cool-down or a ban, and caused 1 ban$/,
  );
});

test('an override replaces an operation, for the given number of times, the newest first', async () => {
  const service = createMockService({ seed: 3 });
  service.override('listPets', async (_input, next) => (await next()).slice(0, 2));
  service.override('listPets', () => [], { times: 1 });
  expect((await call(service, '/pets')).json).toEqual([]);
  expect((await call(service, '/pets')).json).toHaveLength(2);
  service.reset();
  expect((await call(service, '/pets')).json).toHaveLength(3);
});

test('an override is given the checked input, may fall through, and meets the refusals of the service', async () => {
  const service = createMockService({ seed: 1 });
  const seen: unknown[] = [];
  service.override('createPet', async (input, next) => {
    seen.push(input, input.key);
    return { ...(await next()), name: input.name.toUpperCase() };
  });
  service.override('getPet', (_input, next) => next());
  expect((await call(service, '/pets', { body: { ...rex, extra: 1 } })).json).toEqual({
    id: 2,
    ...rex,
    name: 'REX',
    status: 'available',
  });
  expect((await call(service, '/pets', { body: {} })).status).toBe(400);
  expect(seen).toEqual([rex, 'mock-free']);
  expect((await call(service, '/pets/9')).json.code).toBe('pet_not_found');
  service.override('getPet', (_input, next) =>
    next().catch(() => ({ id: 9, name: 'Made', categoryId: 1 })),
  );
  expect((await call(service, '/pets/9')).json.name).toBe('Made');
});

test('an override may answer with what it was given: the key is not a part of it', async () => {
  const service = createMockService();
  service.override('createPet', (input) => ({ ...input, id: 7 }), { times: 1 });
  expect((await call(service, '/pets', { body: rex })).json).toEqual({ id: 7, ...rex });
  service.override('createPet', (input) => Object.assign(input, { id: 8 }));
  expect((await call(service, '/pets', { body: rex })).text).not.toContain('mock-free');
});

test('an override may answer with any Response, which gets the rate-limit headers', async () => {
  const service = createMockService();
  service.override('listPets', () =>
    Response.json({ made: 'up' }, { status: 418, headers: { 'x-own': '1' } }),
  );
  const { status, json, headers } = await call(service, '/pets');
  expect([status, json, headers.get('x-own'), headers.get('x-ratelimit-remaining')]).toEqual([
    418,
    { made: 'up' },
    '1',
    '59',
  ]);
});

test('an override may sleep on the clock of the service', async () => {
  const service = createMockService({ clock: 'virtual' });
  service.override('listPets', async (_input, next) => {
    await service.clock.sleep(5_000);
    return next();
  });
  expect((await call(service, '/pets')).status).toBe(200);
  expect(service.clock.monotonic()).toBe(5_000);
});

test('an override that cannot be is refused', () => {
  const service = createMockService();
  expect(() => service.override('deletePet' as 'getPet', () => Response.error())).toThrow(
    /no operation 'deletePet'; there are: listPets/,
  );
  expect(() => service.override('getPet', undefined as never)).toThrow(/must be a function/);
  expect(() => service.override('getPet', () => Response.error(), { times: 0 })).toThrow(
    /times must be an integer of 1 or more/,
  );
});
