/** @jest-environment node */
// @ts-nocheck

const { PetStoreClient } = require('petstore-client');
const { createMockService } = require('petstore-client/mocks');

test('a test that needs no page has the environment of Node', async () => {
  const { fetch } = createMockService({ seed: 3 });
  const client = new PetStoreClient({ apiKey: 'mock-free', fetch });
  expect(await client.listPets()).toHaveLength(3);
});
