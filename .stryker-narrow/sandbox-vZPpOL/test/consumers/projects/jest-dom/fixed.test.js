/** @jest-environment jest-fixed-jsdom */
// @ts-nocheck

const { NotFoundError, PetStoreClient } = require('petstore-client');
const { createMockService } = require('petstore-client/mocks');

test('the client and the mock work beside a page', async () => {
  const service = createMockService({ clock: 'virtual', seed: 3 });
  const client = new PetStoreClient({
    apiKey: 'mock-free',
    fetch: service.fetch,
    clock: service.clock,
  });
  document.body.textContent = (await client.listPets()).map(({ name }) => name).join();
  expect(document.body.textContent).not.toBe('');
  await expect(client.getPet(99)).rejects.toBeInstanceOf(NotFoundError);
});
