// CommonJS: the same, by require.
const assert = require('node:assert/strict');
const { NotFoundError, PetStoreClient } = require('petstore-client');
const { PetStatusSchema } = require('petstore-client/contract');
const { createMockService } = require('petstore-client/mocks');
const { serve } = require('petstore-client/mocks/server');

async function main() {
  const service = createMockService({ seed: 3 });
  const client = new PetStoreClient({ fetch: service.fetch, apiKey: 'mock-free' });
  assert.equal((await client.listPets()).length, 3);
  await assert.rejects(client.getPet(99), NotFoundError);
  assert.equal(PetStatusSchema.safeParse('lost').success, false);
  assert.equal(require('petstore-client/openapi.json').info.version, '1.0.0');
  assert.match(
    require('node:util').inspect(await client.getPet(99).catch((error) => error)),
    /^NotFoundError/,
  );

  // Node loads these ES modules by require.
  assert.equal(typeof require('petstore-client/mocks/verify').verifyService, 'function');
  assert.equal(typeof require('petstore-client/fleet').createFleetGate, 'function');
  assert.equal(typeof require('petstore-client/bulk').createPets, 'function');

  const server = await serve(service);
  const remote = new PetStoreClient({ baseUrl: server.url, apiKey: 'mock-pro' });
  assert.equal((await remote.createPet({ name: 'Rex', categoryId: 1 })).name, 'Rex');
  await server.close();
}

main();
