// @ts-nocheck
// The client through msw. Where that msw cannot run, the package must say so rather than leave it to "fetch failed".
import assert from 'node:assert/strict';
import { PetStoreClient } from 'petstore-client';
import { setupMockServer } from 'petstore-client/mocks/node';

if (process.argv[2] === 'refused') {
  assert.throws(() => setupMockServer(), /msw 3 needs Node 22\.12 or newer/);
} else {
  const server = setupMockServer({ seed: 3 });
  server.listen();
  assert.equal((await new PetStoreClient({ apiKey: 'mock-free' }).listPets()).length, 3);
  server.close();
}
