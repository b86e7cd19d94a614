import { setupServer } from 'msw/node';
import { PetStoreClient } from 'petstore-client';
import { createMockService } from 'petstore-client/mocks';
import { createHandlers } from 'petstore-client/mocks/msw';
import { setupMockServer } from 'petstore-client/mocks/node';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const server = setupMockServer({ seed: 3 });
beforeAll(() => server.listen());
afterEach(() => server.service.reset());
afterAll(() => server.close());

test('answers for the service without a word about fetch', async () => {
  const client = new PetStoreClient({ apiKey: 'mock-free' });
  await client.createPet({ name: 'Rex', categoryId: 7 });
  expect(await client.listPets()).toHaveLength(4);
  expect(server.service.requests).toHaveLength(2);
});

test('makes handlers for a server of one’s own', async () => {
  expect(createHandlers(createMockService())).not.toHaveLength(0);
  expect(() => setupServer(...createHandlers(createMockService()))).not.toThrow();
});
