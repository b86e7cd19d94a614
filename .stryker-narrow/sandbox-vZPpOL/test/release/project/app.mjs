// @ts-nocheck
// Every entry that needs no msw, as ES modules, beside the CommonJS build, as when a dependency requires the package.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { NotFoundError, PetStoreClient } from 'petstore-client';
import { createPets } from 'petstore-client/bulk';
import { PetStatusSchema } from 'petstore-client/contract';
import { createFleetGate, memoryStore } from 'petstore-client/fleet';
import { createMockService } from 'petstore-client/mocks';
import { serve } from 'petstore-client/mocks/server';

const service = createMockService({ seed: 3, clock: 'virtual' });
const gate = createFleetGate({ store: memoryStore() });
const client = new PetStoreClient({ apiKey: 'mock-free', fetch: service.fetch, gate });
const { created } = await createPets(client, [{ name: 'Rex', categoryId: 1 }]);
assert.equal(created.length, 1);
assert.equal(PetStatusSchema.safeParse('lost').success, false);

// instanceof holds between the builds.
const cjs = createRequire(import.meta.url)('petstore-client');
assert.notEqual(NotFoundError, cjs.NotFoundError);
await assert.rejects(client.getPet(99), cjs.NotFoundError);

const server = await serve(createMockService({ seed: 3 }));
const remote = new PetStoreClient({ apiKey: 'mock-free', baseUrl: server.url });
console.log(`${(await remote.listPets()).length} pets`);
await server.close();
