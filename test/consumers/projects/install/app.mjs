// ES modules: the client on the in-memory service, nothing installed but the package.
import assert from 'node:assert/strict';
import { NotFoundError, PetStoreClient } from 'petstore-client';
import { PetStatusSchema, operations } from 'petstore-client/contract';
import { createFleetGate, memoryStore } from 'petstore-client/fleet';
import { createMockService } from 'petstore-client/mocks';
import { serve } from 'petstore-client/mocks/server';
import openapi from 'petstore-client/openapi.json' with { type: 'json' };

const service = createMockService({ seed: 3 });
const client = new PetStoreClient({ fetch: service.fetch, apiKey: 'mock-free' });
assert.equal((await client.listPets()).length, 3);
await assert.rejects(client.getPet(99), NotFoundError);
const shared = new PetStoreClient({
  fetch: service.fetch,
  apiKey: 'mock-pro',
  gate: createFleetGate({ store: memoryStore() }),
});
assert.equal((await shared.listPets()).length, 3);
assert.equal(PetStatusSchema.safeParse('lost').success, false);
assert.equal(openapi.info.version, '1.0.0');
assert.equal(operations.listPets.path, '/pets');

const server = await serve(service);
const remote = new PetStoreClient({ baseUrl: server.url, apiKey: 'mock-pro' });
assert.equal(PetStoreClient.name, 'PetStoreClient');
assert.equal((await remote.createPet({ name: 'Rex', categoryId: 1 })).name, 'Rex');
await server.close();
