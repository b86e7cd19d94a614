import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { createMockService, findRequests } from '../../../mocks/index.js';
import { PetStoreClient } from '../../../src/index.js';

const addresses = {
  production: 'https://api.petstore.example',
  staging: 'https://staging.petstore.example',
} as const;
const names = ['production', 'staging'] as const;

afterEach(() => vi.unstubAllEnvs());

const withKey = { headers: { Authorization: 'Bearer mock-free' } };
const rex = { name: 'Rex', categoryId: 1 };

test('a pet of production is not listed in staging, unless the environments are assumed to be shared', async () => {
  for (const environments of ['separate', 'shared'] as const) {
    const service = createMockService({ assumptions: { environments } });
    const client = (environment: 'production' | 'staging') =>
      new PetStoreClient({ environment, apiKey: 'mock-free', fetch: service.fetch });
    await client('production').createPet(rex);
    expect(await client('staging').listPets()).toHaveLength(environments === 'shared' ? 1 : 0);
  }
});

test('pets, ids and quotas of each environment are those of a service of its own, whatever is called in between', async () => {
  const step = fc.record({
    environment: fc.constantFrom(...names),
    action: fc.constantFrom('create', 'list', 'snapshot', 'restore'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const options = { clock: 'virtual', seed: 2, assumptions: { dateHeader: false } } as const;
      const both = createMockService(options);
      const alone = { production: createMockService(options), staging: createMockService(options) };
      const snapshots = [both, alone.production, alone.staging].map((one) => one.snapshot());
      for (const { environment, action } of steps) {
        if (action === 'snapshot' || action === 'restore')
          [both, alone.production, alone.staging].forEach((one, index) => {
            if (action === 'snapshot') snapshots[index] = one.snapshot();
            else one.restore(snapshots[index]!);
          });
        else {
          const init =
            action === 'create'
              ? { ...withKey, method: 'POST', body: JSON.stringify(rex) }
              : withKey;
          const headers = { ...withKey.headers, 'Content-Type': 'application/json' };
          const seen = await Promise.all(
            [both, alone[environment]].map(async (service) => {
              const url = `${addresses[environment]}/v1/pets`;
              const response = await service.fetch(url, { ...init, headers });
              return [response.status, [...response.headers], await response.text()];
            }),
          );
          expect(seen[0]).toEqual(seen[1]);
        }
      }
      expect(both.pets.list()).toEqual(alone.production.pets.list());
      expect(both.pets.forEnvironment('staging').list()).toEqual(
        alone.staging.pets.forEnvironment('staging').list(),
      );
    }),
    { numRuns: 50 },
  );
});

test('the journal and its filter name the environment', async () => {
  const service = createMockService();
  await service.fetch(`${addresses.staging}/v1/pets`, withKey);
  await service.fetch('http://127.0.0.1:4010/v1/pets', withKey);
  await service.handle(new Request('https://any.test/v1/pets', withKey), {
    environment: 'staging',
  });
  expect(service.requests.map(({ environment }) => environment)).toEqual([
    'staging',
    'production',
    'staging',
  ]);
  expect(findRequests(service, { environment: 'staging' })).toHaveLength(2);
});

test.each([
  ['https://a.test/x', 'https://a.test/x/staging', '/x/staging/v1/pets', 'staging'],
  ['https://a.test/x', 'https://a.test/x/staging', '/x/v1/pets', 'production'],
  ['https://a.test/x/live', 'https://a.test/x', '/x/live/v1/pets', 'production'],
  ['https://a.test/v1', 'https://a.test/v1/', '/v1/pets', 'production'],
  ['https://a.test', 'no address', '/v1/pets', 'production'],
])(
  'with production at %s and staging at %s, a request for %s is for %s',
  async (production, staging, path, environment) => {
    vi.stubEnv('PETSTORE_BASE_URL', production);
    vi.stubEnv('PETSTORE_STAGING_BASE_URL', staging);
    const service = createMockService();
    await service.fetch(`https://a.test${path}`, withKey);
    expect(service.requests[0]?.environment).toBe(environment);
  },
);

test('what a key has left is set in both environments, and read where less is left', async () => {
  const service = createMockService({ clock: 'virtual' });
  await service.fetch(`${addresses.staging}/v1/pets`, withKey);
  const key = service.keys.get('mock-free');
  expect(key.usage.minute.remaining).toBe(59);
  key.exhaust('minute');
  for (const name of names)
    expect((await service.fetch(`${addresses[name]}/v1/pets`, withKey)).status).toBe(429);
});

test('a POST of which the outcome is unknown is sent again only where it goes to the same environment', async () => {
  const service = createMockService({ clock: 'virtual', limits: 'off' });
  const post = async (environment: 'production' | 'staging') => {
    const init = { method: 'POST', body: JSON.stringify(rex), ...withKey };
    await service.handle(new Request(`${addresses[environment]}/v1/pets`, init), { environment });
    return service.report().repeatedPosts;
  };
  service.faults.add({ status: 500, times: 1 });
  expect(await post('staging')).toBe(0);
  expect(await post('production')).toBe(0);
  expect(await post('staging')).toBe(1);
  expect(await post('staging')).toBe(1);
});
