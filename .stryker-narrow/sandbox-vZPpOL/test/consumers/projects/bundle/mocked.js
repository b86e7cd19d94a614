// @ts-nocheck
// An app that runs on the in-memory service, as a demo or a story does.
import { PetStoreClient } from 'petstore-client';
import { createMockService } from 'petstore-client/mocks';

const service = createMockService({ seed: 3 });
const pets = await new PetStoreClient({ fetch: service.fetch, apiKey: 'mock-free' }).listPets();
globalThis.outcome = `${pets.length} pets`;
