import { expect, test } from 'vitest';
import type { ConnectionError, NotFoundError, RequestValidationError } from '../../src/index.js';
import { createMockService } from '../../mocks/index.js';
import { json, stubClient, stubFetch } from '../support/stub.js';
import { rejection, world } from '../support/world.js';

const notFound = json(
  { code: 'path_not_found', message: 'Nothing.', status: 404 },
  { status: 404 },
);

test('a 404 to an operation without an identifier shows the address that was requested, and names baseUrl', async () => {
  const client = stubClient(createMockService().fetch, {
    apiKey: 'mock-free',
    baseUrl: 'https://pets.test/v1/shop',
  });
  const error = await rejection<NotFoundError>(client.listPets({ limit: 3 }));
  expect(error.message).toBe(
    'listPets on pets.test: 404 path_not_found: There is nothing at this path; nothing was found at https://pets.test/v1/shop/v1/pets: check baseUrl and the path',
  );
  const created = await rejection<NotFoundError>(client.createPet({ name: 'Rex', categoryId: 1 }));
  expect(created.message).toContain('https://pets.test/v1/shop/v1/pets: check baseUrl');
});

test('a 404 to a path that begins with the prefix says that the prefix is added', async () => {
  const { client } = world();
  for (const path of ['/v1/pets', '/v1/pets/1'] as const) {
    const error = await rejection<NotFoundError>(client().request({ method: 'GET', path }));
    expect(error.message).toContain(`/v1${path}: check the path, before which /v1 is added`);
  }
});

test('a 404 to an operation with an identifier names the identifier, and shows the address', async () => {
  const { client } = world();
  const address = 'https://api.petstore.example/v1/pets/999';
  for (const call of [
    () => client().getPet(999),
    () => client().request({ method: 'GET', path: '/pets/999' }),
  ])
    expect((await rejection<NotFoundError>(call())).message).toMatch(
      new RegExp(`; nothing was found at ${address}: check the identifier$`),
    );
});

test('every error of a call has the address that was requested, without its query and without the key', async () => {
  const client = stubClient(stubFetch(notFound), { apiKey: 'sk-live-123456' });
  const error = await rejection<NotFoundError>(
    client.request({ method: 'GET', path: '/of/sk-live-123456', query: { token: 'secret' } }),
  );
  expect(error.url).toBe('[text withheld: it contains the API key]');
  expect(error.toJSON()['url']).toBe(error.url);
  expect(JSON.stringify(error) + error.message).not.toContain('secret');
  const lost = await rejection<ConnectionError>(
    stubClient(() => Promise.reject(new TypeError('lost')), { maxRetries: 0 }).listPets({
      limit: 1,
    }),
  );
  expect(lost.url).toBe('https://pets.test/v1/pets');
});

test('an error of a call without a request has no address', async () => {
  const error = await rejection<RequestValidationError>(
    stubClient(stubFetch(notFound)).listPets({ limit: 0 }),
  );
  expect(error.url).toBe(undefined);
});
