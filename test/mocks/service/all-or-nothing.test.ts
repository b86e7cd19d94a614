import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMockService, type Fault, type KeyOptions } from '../../../mocks/index.js';
import { call } from '../../support/raw.js';

const deep = (depth: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
};
const circle: { self?: unknown } = {};
circle.self = circle;

const faults = fc.oneof(
  fc.record({
    status: fc.constantFrom(200, 503, 99, 600, 1.5),
    body: fc.constantFrom<unknown>(deep(200_000), circle, 'text', { code: 1n }, () => 1, undefined),
  }),
  fc.record({
    delay: fc.constantFrom(1, -1, Infinity, '2s', 'soon'),
    times: fc.constantFrom(1, 0),
  }),
  fc.constantFrom<unknown>({}, null, { drift: 'huge-id', html: true }, { sequence: [{}] }),
);
const keys = fc.tuple(
  fc.constantFrom('own', 'mock-free', '', 'with space', 7),
  fc.record(
    {
      plan: fc.constantFrom<unknown>('pro', 'none', { perMinute: 1, perDay: 0 }, undefined),
      limits: fc.constantFrom('off', 'no'),
    },
    { requiredKeys: ['plan'] },
  ),
);
const pets = fc.array(
  fc.record(
    {
      id: fc.constantFrom<unknown>(1, 2n, 7, 1.5, '1'),
      name: fc.constantFrom<unknown>('Rex', 7),
      status: fc.constantFrom<unknown>('sold', 'lost', undefined),
    },
    { requiredKeys: [] },
  ),
  { maxLength: 4 },
);

test('what is refused with an error changes nothing: neither faults, nor keys, nor pets', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          faults.map((fault) => ({ kind: 'fault' as const, fault })),
          keys.map((key) => ({ kind: 'key' as const, key })),
          pets.map((added) => ({ kind: 'pets' as const, added })),
        ),
        { maxLength: 10 },
      ),
      async (steps) => {
        const service = createMockService({ clock: 'virtual', seed: 1 });
        const picture = () => [
          service.faults.list().length,
          service.keys.list().map(({ key, plan, limits, quota }) => ({ key, plan, limits, quota })),
          service.pets.list(),
        ];
        for (const step of steps) {
          const before = picture();
          try {
            if (step.kind === 'fault') service.faults.add(step.fault as Fault);
            else if (step.kind === 'key')
              service.keys.add(step.key[0] as string, step.key[1] as KeyOptions);
            else service.pets.seed(step.added as never);
          } catch (error) {
            expect(error).toBeInstanceOf(TypeError);
            expect(picture()).toEqual(before);
          }
        }
        expect((await call(service, '/pets', { key: 'mock-pro' })).status).toBeGreaterThan(0);
      },
    ),
    { numRuns: 150 },
  );
});

test('the explanation of a 401 names the keys of the documentation only', async () => {
  const service = createMockService({ keys: { 'secret-of-mine': { plan: 'pro' } } });
  service.keys.add('another', { plan: 'free' });
  service.keys.revoke('mock-pro');
  const { headers } = await call(service, '/pets', { key: 'nobody' });
  expect(headers.get('X-Mock-Explain')).toBe(
    'invalid_api_key: use one of mock-free, mock-business, mock-enterprise, or keys.add(key, { plan })',
  );
  for (const key of ['mock-free', 'mock-business', 'mock-enterprise']) service.keys.revoke(key);
  const none = await call(service, '/pets', { key: 'nobody' });
  expect(none.headers.get('X-Mock-Explain')).toContain('use a key of this service');
});

test('a toJSON that a program puts on bigint changes no answer', async () => {
  const service = createMockService({ seed: [{ id: 2n ** 63n - 1n, name: 'Max', categoryId: 1 }] });
  const before = (await call(service, '/pets')).text;
  Object.defineProperty(BigInt.prototype, 'toJSON', {
    configurable: true,
    value(this: bigint) {
      return String(this);
    },
  });
  try {
    expect((await call(service, '/pets')).text).toBe(before);
    expect(before).toContain('"id":9223372036854775807');
  } finally {
    delete (BigInt.prototype as { toJSON?: unknown }).toJSON;
  }
});
