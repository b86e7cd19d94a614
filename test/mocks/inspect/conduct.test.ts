import { expect, test } from 'vitest';
import { createMockService, matchers, type PetstoreMatchers } from '../../../mocks/index.js';
import { call, rex, send, statusesOf } from '../../support/raw.js';

test('assertPolite throws with a list that a person can read, and takes limits of one’s own', async () => {
  const service = createMockService({ clock: 'virtual', seed: 1 });
  service.keys.get('mock-free').exhaust('minute');
  await statusesOf(service, 6);
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
  const limits = { duringCoolDown: 5, bans: 1 };
  const judge = (more: object) => () => report.assertPolite({ ...limits, ...more });
  expect(judge({})).not.toThrow();
  expect(judge({ deprecatedCalls: 0 })).toThrow('1 call to deprecated operations');
  expect(judge({ rateLimited: 5 })).toThrow('6 requests answered 429');
  expect(judge({ rateLimited: undefined, bans: undefined })).toThrow('1 ban caused');
});

test.for([
  ['network-error', { 'network-error': 'after' }, 1],
  ['a body cut off', { 'drop-body': true }, 1],
  ['an empty body', { 'empty-body': true }, 1],
  ['429 with a body cut off', { status: 429, 'retry-after': 0, 'drop-body': true }, 0],
  ['400 with a broken body', { status: 400, html: true }, 0],
  ['500 with a broken body', { status: 500, html: true }, 1],
  ['the client gave it up', { hang: 'after' }, 1],
] as const)('a POST repeated after %s counts as such: %j, %i times', async ([, fault, twice]) => {
  const service = createMockService({ clock: 'virtual' });
  service.faults.add({ ...fault, times: 1 });
  for (let sent = 0; sent < 3; sent++) {
    const leave = new AbortController();
    const lost = call(service, '/pets', { body: rex, signal: leave.signal }).catch(() => 'lost');
    setImmediate(() => 'hang' in fault && leave.abort());
    await lost;
  }
  expect(service.report().repeatedPosts).toBe(twice);
  expect(service.report().offences).toHaveLength(twice);
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
  const all = { requests: 5, deprecatedCalls: 2, unauthorized: 1, maxInFlight: 4 };
  const ofFree = { deprecatedCalls: 2, unauthorized: 0, maxInFlight: 2 };
  expect(service.report()).toMatchObject(all);
  expect(service.report('mock-free')).toMatchObject(ofFree);
});

test('requests in flight at a reset, or that arrive only after it, do not count in the report after it', async () => {
  const service = createMockService({ clock: 'virtual' });
  service.faults.add({ operation: 'createPet', hang: true, times: 1 });
  service.faults.add({ status: 429, delay: 30, times: 1 });
  const controller = new AbortController();
  const hanging = send(service, '/pets', { body: rex, signal: controller.signal });
  const limited = call(service, '/pets');
  service.reset();
  controller.abort();
  await expect(hanging).rejects.toThrow();
  expect((await limited).status).toBe(429);
  expect(service.report()).toMatchObject({ requests: 0, rateLimited: 0 });
  await call(service, '/pets', { body: rex });
  expect(service.report()).toMatchObject({ requests: 1, repeatedPosts: 0 });
  expect(service.report('mock-free')).toMatchObject({ requests: 1, rateLimited: 0 });
  const slow = createMockService({ clock: 'virtual', latency: 10 });
  const late = call(slow, '/pets');
  slow.reset();
  expect((await late).status).toBe(200);
  expect(slow.report()).toMatchObject({ requests: 0, offences: [] });
});

/** What an asymmetric matcher stands for. */
type Fields = Record<string, unknown>;

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

test('toHaveRespectedRateLimit checks that a client waited for Retry-After, and takes what assertPolite takes', async () => {
  const service = createMockService({ clock: 'virtual', assumptions: { strikes: 1 } });
  service.keys.get('mock-free').exhaust('minute');
  await call(service, '/pets');
  service.faults.add({ operation: 'createPet', status: 500, times: 1 });
  for (let sent = 0; sent < 2; sent++) await call(service, '/pets', { body: rex, key: 'mock-pro' });
  expect(service.report().repeatedPosts).toBe(1);
  expect(service).toHaveRespectedRateLimit();
  expect(service).toHaveRespectedRateLimit({ rateLimited: 1, repeatedPosts: undefined });
  expect(service).not.toHaveRespectedRateLimit({ rateLimited: 0 });
  expect(service).not.toHaveRespectedRateLimit({ repeatedPosts: 0 });
  expect(() => expect(service).not.toHaveRespectedRateLimit()).toThrow(
    'expected the client not to respect the rate limit, but it did',
  );
  await call(service, '/pets');
  expect(service).not.toHaveRespectedRateLimit();
  expect(service).not.toHaveRespectedRateLimit({ duringCoolDown: undefined, bans: 1 });
  expect(() => expect(service).toHaveRespectedRateLimit()).toThrow(
    /expected the client to respect the rate limit\. .*:\n- 1 request sent during a cool-down or a ban \(first: request 4,.*\n- 1 ban caused \(first: request 4,/,
  );
  expect(service).toHaveRespectedRateLimit({ duringCoolDown: 1, bans: 1 });
});

test('toHaveReceived checks that an operation was called with these fields', async () => {
  const service = createMockService({ seed: 1 });
  await call(service, '/pets', { body: `{"name":"Rex","categoryId":9223372036854775807}` });
  await call(service, '/pets?limit=5');
  expect(service).toHaveReceived('createPet');
  expect(service).toHaveReceived('createPet', { name: 'Rex', categoryId: 9223372036854775807n });
  expect(service).toHaveReceived('listPets', { limit: 5n });
  expect(service).not.toHaveReceived('getPet', { petId: 1 });
  expect(service).toHaveReceived('listPets', {}, { environment: 'production' });
  expect(() => expect(service).toHaveReceived('getPet', {}, { environment: 'staging' })).toThrow(
    'expected getPet with {} in staging, but none was received',
  );
  expect(service).not.toHaveReceived('createPet', { name: 'Max' });
  expect(() => expect(service).toHaveReceived('createPet', { name: 'Max' })).toThrow(
    /expected createPet with \{"name": "Max"\}, but only these were received:\n- \{"categoryId": 9223372036854775807n, "name": "Rex"\} \(201\)/,
  );
  for (let n = 1; n <= 30; n++) await call(service, `/pets?limit=${n}`);
  expect(() => expect(service).toHaveReceived('listPets', { limit: 99 })).toThrow(
    /but only these were received, the last 20 of 31:\n- \{"limit": 11\} \(200\)\n([^\n]+\n){18}- \{"limit": 30\} \(200\)$/,
  );
  // @ts-expect-error listPets has no such field
  expect(() => expect(service).toHaveReceived('listPets', { statuss: 1 })).toThrow('no field');
  expect(() => expect(service).not.toHaveReceived('createPet')).toThrow(/expected no createPet/);
});

test('toHaveReceived takes the asymmetric matchers of Vitest, whole, in a field and deeper, which no request meets that was not read so far', async () => {
  const service = createMockService();
  await call(service, '/pets', { body: rex });
  const named = (name: string) => expect.objectContaining({ name }) as Fields;
  const fields = { name: expect.stringMatching(/^R/), categoryId: expect.any(Number) } as Fields;
  for (const met of [named('Rex'), fields]) expect(service).toHaveReceived('createPet', met);
  for (const [unmet, told] of [
    [named('Max'), 'ObjectContaining {"name": "Max"}'],
    [{ name: expect.any(Number) }, '{"name": Any<Number>}'],
    [{ name: { length: 3 } }, '{"name": {"length": 3}}'],
  ] as [Fields, string][]) {
    expect(service).not.toHaveReceived('createPet', unmet);
    expect(() => expect(service).toHaveReceived('createPet', unmet)).toThrow(
      `with ${told}, but only these were received:\n- {"categoryId": 3, "name": "Rex"`,
    );
  }
  service.reset();
  await call(service, '/pets', { body: {} });
  expect(service).toHaveReceived('createPet');
  for (const unread of [expect.anything() as Fields, { name: expect.anything() }])
    expect(service).not.toHaveReceived('createPet', unread);
});
