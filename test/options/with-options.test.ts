import { expect, test, vi } from 'vitest';
import { PetStoreClient } from '../../src/index.js';
import { json, stubFetch } from '../support/stub.js';
import { world } from '../support/world.js';

test('a derived client has the options of the first, also those that their object inherits, and the key and address that it found in the environment, but for those that are given', async () => {
  vi.stubEnv('PETSTORE_API_KEY', 'key-of-then');
  vi.stubEnv('PETSTORE_BASE_URL', 'https://pets.test');
  const fetch = stubFetch(json([]));
  const headers = new Headers({ 'X-A': '1' });
  const options = Object.create({ fetch, headers }) as object;
  const client = new PetStoreClient(options);
  // What is changed afterwards changes nothing.
  headers.set('X-A', '8');
  Object.assign(options, { headers: { 'X-A': '9' } });
  vi.stubEnv('PETSTORE_API_KEY', 'key-of-now');
  vi.stubEnv('PETSTORE_BASE_URL', 'https://elsewhere.test');
  const derived = client.withOptions({ headers: { 'X-B': '2' }, timeout: undefined });
  expect(derived.baseUrl).toBe('https://pets.test/v1');
  for (const one of [derived, client, client.withOptions({ apiKey: 'another-key' })])
    await one.listPets();
  const sent = fetch.sent.map(({ headers }) =>
    ['authorization', 'x-a', 'x-b'].map((name) => headers.get(name)),
  );
  expect(sent).toEqual([
    ['Bearer key-of-then', null, '2'],
    ['Bearer key-of-then', '1', null],
    ['Bearer another-key', '1', null],
  ]);
});

test('each client has the quota of its own responses, and the listener that both have receives the quota of all', async () => {
  const { client, events } = world();
  const first = client();
  const [sameKey, otherKey] = [{ timeout: 5_000 }, { apiKey: 'mock-pro' }].map((options) =>
    first.withOptions(options),
  );
  await first.listPets();
  await otherKey!.listPets();
  await sameKey!.listPets();
  const seen = [first, sameKey!, otherKey!].map(({ rateLimit }) => rateLimit);
  expect(seen.map((quota) => [quota?.limit, quota?.remaining])).toEqual([
    [60, 59],
    [60, 58],
    [300, 299],
  ]);
  const reported = events.flatMap((event) => (event.type === 'response' ? [event.rateLimit] : []));
  expect(reported).toEqual([seen[0], seen[2], seen[1]]);
});

test('baseUrl takes the place of environment, and the other way round', () => {
  vi.stubEnv('PETSTORE_STAGING_BASE_URL', 'https://staging.test');
  const client = new PetStoreClient({ apiKey: 'some-key', environment: 'staging' });
  const own = client.withOptions({ baseUrl: 'https://own.test' });
  expect(own.baseUrl).toBe('https://own.test/v1');
  expect(own.withOptions({ environment: 'staging' }).baseUrl).toBe('https://staging.test/v1');
  expect(own.withOptions({ timeout: 1 }).baseUrl).toBe('https://own.test/v1');
});

test('a derived client logs at the level that the first found in the environment', async () => {
  vi.stubEnv('PETSTORE_LOG', 'debug');
  const debug = vi.spyOn(console, 'debug').mockReturnValue(undefined);
  const client = new PetStoreClient({ apiKey: 'some-key', fetch: stubFetch(json([]), json([])) });
  vi.stubEnv('PETSTORE_LOG', 'off');
  await client.withOptions({ timeout: 1_000 }).withOptions({ logLevel: undefined }).listPets();
  expect(debug).toHaveBeenCalledTimes(3);
});
