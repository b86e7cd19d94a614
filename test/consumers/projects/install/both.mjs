// Both builds in one process, as when a CommonJS dependency and an ES module app each load the package.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import * as esm from 'petstore-client';
import { createMockService } from 'petstore-client/mocks';

const cjs = createRequire(import.meta.url)('petstore-client');
assert.notEqual(esm.NotFoundError, cjs.NotFoundError);

const service = createMockService({ clock: 'virtual' });
const options = { fetch: service.fetch, clock: service.clock, apiKey: 'mock-free' };
for (const [thrower, catcher] of [
  [esm, cjs],
  [cjs, esm],
]) {
  const error = await new thrower.PetStoreClient(options).getPet(1).catch((reason) => reason);
  assert.ok(error instanceof thrower.NotFoundError);
  assert.ok(error instanceof catcher.NotFoundError);
  assert.ok(error instanceof catcher.ApiError);
  assert.ok(error instanceof catcher.PetStoreError);
  assert.ok(!(error instanceof catcher.RateLimitError));
  assert.throws(
    () => new thrower.PetStoreClient({ baseUrl: 'nonsense', apiKey: 'mock-free' }),
    catcher.ConfigurationError,
  );
}

// One gate for both: nothing is known of this key yet, so one request goes first, and its 429 holds back both.
service.keys.get('mock-pro').exhaust('minute');
const [one, other] = [esm, cjs].map(
  (build) => new build.PetStoreClient({ ...options, apiKey: 'mock-pro' }),
);
await Promise.all([one.listPets(), other.listPets(), one.listPets(), other.listPets()]);
assert.equal(service.report('mock-pro').rateLimited, 1);
service.report('mock-pro').assertPolite();
