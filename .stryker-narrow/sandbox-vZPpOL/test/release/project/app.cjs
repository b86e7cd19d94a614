// @ts-nocheck
// The same by require, with those that Node requires as ES modules.
const assert = require('node:assert/strict');
const { PetStoreClient } = require('petstore-client');
const { createMockService } = require('petstore-client/mocks');

assert.equal(require('petstore-client/openapi.json').info.version, '1.0.0');
assert.equal(typeof require('petstore-client/bulk').createPets, 'function');
assert.equal(typeof require('petstore-client/contract').PetStatusSchema.parse, 'function');
assert.equal(typeof require('petstore-client/fleet').createFleetGate, 'function');
assert.equal(typeof require('petstore-client/mocks/server').serve, 'function');
assert.equal(typeof require('petstore-client/mocks/verify').verifyService, 'function');

const client = new PetStoreClient({
  apiKey: 'mock-free',
  fetch: createMockService({ seed: 3 }).fetch,
});
client.listPets().then((pets) => console.log(`${pets.length} pets`));
