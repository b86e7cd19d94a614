import { PetStoreClient } from 'petstore-client';
import { createMockService } from 'petstore-client/mocks';

const client = new PetStoreClient({
  apiKey: 'mock-free',
  fetch: createMockService({ seed: 3 }).fetch,
});
console.log(`${(await client.listPets()).length} pets`);
