const { PetStoreClient } = require('petstore-client');
const { createMockService } = require('petstore-client/mocks');

const client = new PetStoreClient({
  apiKey: 'mock-free',
  fetch: createMockService({ seed: 3 }).fetch,
});
client.listPets().then((pets) => console.log(`${pets.length} pets`));
