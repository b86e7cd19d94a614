// @ts-nocheck
const { PetStoreClient } = require('petstore-client');
const { setupMockServer } = require('petstore-client/mocks/node');

const server = setupMockServer({ seed: 3 });
beforeAll(() => server.listen());
afterEach(() => server.service.reset());
afterAll(() => server.close());

test('lists through msw', async () => {
  await expect(new PetStoreClient({ apiKey: 'mock-free' }).listPets()).resolves.toHaveLength(3);
});
