import { expect, test, vi } from 'vitest';
import { createMockService, findRequests, type MockService } from '../../../mocks/index.js';
import { PetStoreClient, type Environment } from '../../../src/index.js';
import { rex, send } from '../../support/raw.js';
import { fc } from '../../support/fuzz.js';

const addresses = {
  production: 'https://api.petstore.example',
  staging: 'https://staging.petstore.example',
} as const;
const names = ['production', 'staging'] as const;

/** A list of pets, or a new pet, in an environment. */
const ask = (service: MockService, environment: Environment, isPost = false) =>
  send(service, '/pets', { host: addresses[environment], body: isPost ? rex : undefined });

test('a pet of production is not listed in staging, unless the environments are assumed to be shared', async () => {
  for (const environments of ['separate', 'shared'] as const) {
    const service = createMockService({ assumptions: { environments } });
    const [production, staging] = names.map(
      (environment) =>
        new PetStoreClient({ environment, apiKey: 'mock-free', fetch: service.fetch }),
    );
    await production!.createPet(rex);
    expect(await staging!.listPets()).toHaveLength(environments === 'shared' ? 1 : 0);
  }
});

test('pets, ids and quotas of each environment are those of a service of its own, whatever is called in between', async () => {
  const step = fc.record({
    environment: fc.constantFrom(...names),
    isPost: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const options = { clock: 'virtual', seed: 2, assumptions: { dateHeader: false } } as const;
      const both = createMockService(options);
      const alone = { production: createMockService(options), staging: createMockService(options) };
      for (const { environment, isPost } of steps) {
        const [one, other] = await Promise.all(
          [both, alone[environment]].map(async (service) => {
            const response = await ask(service, environment, isPost);
            return [response.status, [...response.headers], await response.text()];
          }),
        );
        expect(one).toEqual(other);
      }
      expect(both.pets.list()).toEqual(alone.production.pets.list());
      expect(both.pets.forEnvironment('staging').list()).toEqual(
        alone.staging.pets.forEnvironment('staging').list(),
      );
    }),
    { numRuns: 50 },
  );
});

test.each([
  ['https://a.test/x', 'https://a.test/x/staging', '/x/staging', 'staging'],
  ['https://a.test/x', 'https://a.test/x/staging', '/x', 'production'],
  ['https://a.test/x/live/v1', 'https://a.test/x', '/x/live', 'production'],
  ['https://a.test/v1', 'https://a.test/v1/', '', 'production'],
  ['https://a.test', 'no address', '', 'production'],
])(
  'with production at %s and staging at %s, a request for %s is for %s, and answered there, also by handle',
  async (production, staging, path, environment) => {
    vi.stubEnv('PETSTORE_BASE_URL', production);
    vi.stubEnv('PETSTORE_STAGING_BASE_URL', staging);
    const service = createMockService();
    const headers = { Authorization: 'Bearer mock-free' };
    const request = new Request(`https://a.test${path}/v1/pets`, { headers });
    for (const answer of [await service.fetch(request), await service.handle(request)])
      expect(answer.status).toBe(200);
    const there = { environment, path: '/v1/pets' };
    expect(service.requests).toMatchObject([there, there]);
  },
);

test('what a key has left is set in both environments, and read where less is left, and the journal names the environment', async () => {
  const service = createMockService({ clock: 'virtual' });
  await ask(service, 'staging');
  const key = service.keys.get('mock-free');
  expect(key.usage.minute.remaining).toBe(59);
  key.exhaust('minute');
  for (const name of names) expect((await ask(service, name)).status).toBe(429);
  expect(findRequests(service, { environment: 'staging' })).toHaveLength(2);
});

test('the 429 of a fault announces the end of the window in which its own request was counted', async () => {
  const service = createMockService({
    clock: 'virtual',
    assumptions: { minuteWindow: 'from-first' },
  });
  for (let asked = 0; asked < 2; asked += 1) await ask(service, 'staging');
  service.clock.advance('50s');
  service.faults.add({ status: 429 });
  const { headers } = await ask(service, 'production');
  expect(headers.get('Retry-After')).toBe('60');
});

test('a POST of which the outcome is unknown is sent again only where it goes to the same environment', async () => {
  const service = createMockService({ limits: 'off', faults: [{ status: 500, times: 1 }] });
  const repeated: number[] = [];
  for (const environment of ['staging', 'production', 'staging', 'staging'] as const) {
    await ask(service, environment, true);
    repeated.push(service.report().repeatedPosts);
  }
  expect(repeated).toEqual([0, 0, 1, 1]);
});
