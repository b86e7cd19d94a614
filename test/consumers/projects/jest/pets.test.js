const { NotFoundError, PetStoreClient } = require('petstore-client');
const { NewPetSchema } = require('petstore-client/contract');
const { createMockService } = require('petstore-client/mocks');

const service = createMockService({ clock: 'virtual', seed: 3 });
const client = new PetStoreClient({
  fetch: service.fetch,
  clock: service.clock,
  apiKey: 'mock-free',
});
beforeEach(() => service.reset());

test('creates and lists', async () => {
  await client.createPet({ name: 'Rex', categoryId: 7 });
  expect((await client.listPets()).map(({ name }) => name)).toContain('Rex');
});

test('throws errors that instanceof knows', async () => {
  await expect(client.getPet(99)).rejects.toBeInstanceOf(NotFoundError);
  await expect(client.getPet(99)).rejects.toMatchObject({ name: 'NotFoundError', status: 404 });
});

test('lives through a limit in virtual time', async () => {
  service.keys.get('mock-free').exhaust('minute');
  await expect(client.listPets()).resolves.toHaveLength(3);
  service.report().assertPolite();
});

test('gives schemas to parse with', () => {
  expect(NewPetSchema.safeParse({ name: 'Rex' }).success).toBe(false);
});
