import { expect, test } from 'vitest';
import { stringifyJson } from '../../../src/contract/json.js';
import { PetStoreClient } from '../../../src/index.js';
import { createMockService } from '../../../mocks/index.js';
import {
  readRecording,
  recordedPets,
  verifyService,
  withRecording,
} from '../../../mocks/verify/index.js';
import { rejection } from '../../support/world.js';

const seed = [3, 9007199254740993n, 12].map((id, index) => ({
  id,
  name: `Secret ${index}`,
  categoryId: index + 1,
}));

/** A run against a service with pets of its own and other answers than the mock's default. */
async function recorded() {
  const service = createMockService({
    clock: 'virtual',
    seed,
    assumptions: {
      answers: { limitBelow: { status: 422 }, petNotFound: { code: 'E404' } },
      listOrder: 'id-descending',
    },
  });
  const { recording } = await verifyService({
    baseUrl: 'https://staging.petstore.example',
    apiKey: 'mock-free',
    fetch: service.fetch,
    clock: service.clock,
  });
  return readRecording(stringifyJson(recording));
}

test('a recorded request is answered as the service did, and everything else live', async () => {
  const recording = await recorded();
  const mock = createMockService({ clock: 'virtual', seed: recordedPets(recording) });
  const service = withRecording(mock, recording);
  const client = new PetStoreClient({
    apiKey: 'mock-free',
    int64: 'bigint',
    fetch: service.fetch,
    clock: service.clock,
  });
  expect((await client.listPets()).map(({ id }) => id)).toEqual([9007199254740993n, 12n, 3n]);
  const error = await rejection(client.request({ method: 'GET', path: '/pets?limit=0' as '/' }));
  expect(error).toMatchObject({ status: 422 });
  expect(await client.getPet(3)).toMatchObject({ id: 3n, name: 'Pet 3' });
  const added = await client.createPet({ name: 'Rex', categoryId: 1 });
  expect(await client.getPet(added.id)).toEqual(added);
  expect(service.requests).toHaveLength(5);
});

test('a recording holds no key and no name of a pet', async () => {
  expect(stringifyJson(await recorded())).not.toMatch(/mock-free|Secret/);
});

test('quotas and faults stay live under a recording', async () => {
  const recording = await recorded();
  const service = withRecording(createMockService({ clock: 'virtual' }), recording);
  const list = () =>
    service.fetch('https://staging.petstore.example/v1/pets', {
      headers: { authorization: 'Bearer mock-free' },
    });
  service.keys.get('mock-free').setRemaining('minute', 1);
  const answer = await list();
  expect([answer.status, answer.headers.get('x-ratelimit-remaining')]).toEqual([200, '0']);
  expect((await list()).status).toBe(429);
  service.faults.add({ 'network-error': true });
  service.clock.advance('61s');
  await expect(list()).rejects.toThrow('fetch failed');
});

test('a recording that was made below another path is played below the path of the service', async () => {
  const staging = createMockService({ clock: 'virtual', seed, basePath: '/api/v1' });
  const { recording } = await verifyService({
    baseUrl: 'https://staging.petstore.example',
    basePath: '/api/v1',
    apiKey: 'mock-free',
    fetch: staging.fetch,
    clock: staging.clock,
  });
  const service = withRecording(createMockService({ clock: 'virtual' }), recording);
  const client = new PetStoreClient({
    apiKey: 'mock-free',
    int64: 'bigint',
    fetch: service.fetch,
  });
  expect((await client.listPets()).map(({ name }) => name)).toEqual([
    'Pet 3',
    'Pet 12',
    'Pet 9007199254740993',
  ]);
});

test.for([
  ['', /no JSON/],
  ['{}', /format "petstore-recording\/1"/],
  ['{"format":"petstore-recording/1"}', /origin, basePath and exchanges/],
  [
    '{"format":"petstore-recording/1","origin":"","basePath":"","exchanges":[{}]}',
    /exchanges\[0\]/,
  ],
] as const)('a recording that is %j is refused with the reason', ([text, message]) => {
  expect(() => readRecording(text)).toThrow(TypeError);
  expect(() => readRecording(text)).toThrow(message);
});
