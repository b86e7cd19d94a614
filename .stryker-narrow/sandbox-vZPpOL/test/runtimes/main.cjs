// @ts-nocheck
// The suite with the CommonJS build.
const petstore = require('petstore-client');
const { operations } = require('petstore-client/contract');
const { createMockService } = require('petstore-client/mocks');
const { serve } = require('petstore-client/mocks/server');

(async () => {
  const { suite } = await import('./suite.js');
  await suite({ petstore, createMockService, url: process.argv[2] });
  const own = await serve(createMockService({ seed: 3 }), { port: 0 });
  await suite({ petstore, createMockService, url: own.url });
  await own.close();
  console.log(`${Object.keys(operations).length} operations`);
})();
