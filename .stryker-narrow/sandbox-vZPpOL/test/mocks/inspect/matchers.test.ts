// @ts-nocheck
import { expect, test } from 'vitest';
import { createMockService, matchers, type PetstoreMatchers } from '../../../mocks/index.js';
import { call } from '../../support/raw.js';

const rex = { name: 'Rex', categoryId: 3 };

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
  expect(service).toHaveRespectedRateLimit({ rateLimited: 1 });
  expect(service).not.toHaveRespectedRateLimit({ rateLimited: 0 });
  expect(service).not.toHaveRespectedRateLimit({ repeatedPosts: 0 });
  expect(() => expect(service).not.toHaveRespectedRateLimit()).toThrow(
    'expected the client not to respect the rate limit, but it did',
  );
  await call(service, '/pets');
  expect(service).not.toHaveRespectedRateLimit();
  expect(() => expect(service).toHaveRespectedRateLimit()).toThrow(
    /expected the client to respect the rate limit\. .*:\n- 1 request sent during a cool-down or a ban \(first: request 4,.*\n- 1 ban caused \(first: request 4,/,
  );
  expect(service).toHaveRespectedRateLimit({ duringCoolDown: 1, bans: 1 });
  const wrong = { ban: 0 } as never;
  for (const judge of [expect(service), expect(service).not])
    expect(() => judge.toHaveRespectedRateLimit(wrong)).toThrow(
      /has no ban; .*Did you mean bans\?/,
    );
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
  expect(() => expect(service).toHaveReceived('getPet')).toThrow(/but none was received/);
  expect(() => expect(service).not.toHaveReceived('createPet')).toThrow(/expected no createPet/);
});

test('toHaveReceived takes the asymmetric matchers of Vitest, whole, in a field and deeper', async () => {
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
});

test('a request that was not read so far meets a matcher only where that takes nothing', async () => {
  const service = createMockService();
  await call(service, '/pets', { body: {} });
  expect(service).toHaveReceived('createPet');
  expect(service).not.toHaveReceived('createPet', expect.anything() as Fields);
  expect(service).not.toHaveReceived('createPet', { name: expect.anything() });
});
