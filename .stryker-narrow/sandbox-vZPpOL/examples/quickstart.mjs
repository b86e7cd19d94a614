// @ts-nocheck
// A tour of the client and the mock: `npm run quickstart`. Starts the mock service on a free port and calls it with the
// built package. The exit code is 0 only if every step has the printed result.
import assert from 'node:assert/strict';
import {
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  PetStoreClient,
  RequestValidationError,
} from 'petstore-client';
import { createMockService } from 'petstore-client/mocks';
import { serve } from 'petstore-client/mocks/server';

// With a virtual clock, time moves only when a client waits on it. So a wait of a minute takes no real time.
const service = createMockService({ clock: 'virtual', seed: 12 });
const server = await serve(service, { port: 0 });
const waits = [];
const client = new PetStoreClient({
  apiKey: 'mock-free',
  baseUrl: server.url,
  clock: service.clock,
  onEvent: (event) => {
    if (event.type === 'rate-limit-hold') waits.push(Math.round(event.delay / 1_000));
    if (event.type === 'deprecated')
      say(
        `deprecated: ${event.operation} will be removed on ${event.removedOn}: use ${event.replacement}`,
      );
  },
});

function say(line) {
  console.log(`  ${line}`);
}

/** Makes a call that must fail, and prints the error. */
async function fails(type, call) {
  const error = await call().then(
    () => assert.fail(`expected a ${type.name}`),
    (reason) => reason,
  );
  assert(error instanceof type, `expected a ${type.name}, got ${error}`);
  say(`${error.name}: ${error.message}`);
}

console.log(`\nThe mock service runs on ${server.url}\n`);

console.log('List and filter pets');
const pets = await client.listPets({ limit: 5 });
assert.equal(pets.length, 5);
say(pets.map(({ id, name, status }) => `${id} ${name} (${status})`).join(', '));
const sold = await client.listPets({ status: 'sold' });
assert(sold.length > 0 && sold.every(({ status }) => status === 'sold'));
say(`sold: ${sold.map(({ name }) => name).join(', ')}`);

console.log('\nCreate and get pets');
const rex = await client
  .createPet({ name: 'Rex', categoryId: 9223372036854775807n, status: 'pending' })
  .catch((error) => error);
say(
  `an id that a number cannot hold: ${rex.name}: ${rex.issues[0].path.join('.')} ${rex.issues[0].message}`,
);
const exact = new PetStoreClient({
  apiKey: 'mock-free',
  baseUrl: server.url,
  clock: service.clock,
  int64: 'bigint',
});
const bella = await exact.createPet({ name: 'Bella', categoryId: 9223372036854775807n });
assert.equal(rex.name, 'RequestValidationError');
assert.equal(bella.categoryId, 9223372036854775807n);
say(
  `with int64: 'bigint': ${bella.name} has the id ${bella.id} and the exact category ${bella.categoryId}`,
);
const found = await client.getPet(1);
say(`getPet(1): ${found.name}`);

console.log('\nErrors that say what to do');
await fails(RequestValidationError, () => client.createPet({ name: 'Rex' }));
await fails(BadRequestError, () =>
  client.request({ method: 'POST', path: '/pets', body: { name: 'Rex' } }),
);
await fails(NotFoundError, () => client.getPet(404));
await fails(AuthenticationError, () =>
  new PetStoreClient({ apiKey: 'wrong-key', baseUrl: server.url }).listPets(),
);

console.log('\n150 calls at once on the Free plan, which allows 60 requests a minute');
const [began, real] = [service.clock.now(), performance.now()];
await Promise.all(Array.from({ length: 150 }, () => client.listPets({ limit: 1 })));
const report = service.report();
say(`all 150 completed; the client waited ${waits.length} times, for ${waits.join(' s and ')} s`);
say(
  `${Math.round((service.clock.now() - began) / 1_000)} s on the virtual clock, ${((performance.now() - real) / 1_000).toFixed(1)} s of real time`,
);
say(
  `429s: ${report.rateLimited}; requests in a cool-down: ${report.duringCoolDown}; bans: ${report.bans}`,
);
assert(waits.length > 0, 'expected a wait for the rate limit');
assert.deepEqual([report.rateLimited, report.duringCoolDown, report.bans], [0, 0, 0]);
report.assertPolite();

await server.close();
console.log('\nEvery step had the expected result.\n');
