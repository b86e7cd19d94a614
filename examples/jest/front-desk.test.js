// Jest as it comes: no flags, no transforms, no configuration.
const { PetStoreClient } = require('petstore-client');
const { createMockService } = require('petstore-client/mocks');
const { frontDesk } = require('./front-desk.js');

let service;
let desk;

beforeEach(() => {
  // The whole service in memory. The client is given its fetch and its clock: no server, no globals patched, no waiting.
  service = createMockService({ clock: 'virtual' });
  desk = frontDesk(
    new PetStoreClient({ fetch: service.fetch, clock: service.clock, apiKey: 'mock-free' }),
  );
});

afterEach(() => {
  // Whatever a test is about, the app must not be rude to the real service.
  service.report().assertPolite();
});

test('the board shows who is available, in order', async () => {
  service.pets.seed([
    { name: 'Rex', categoryId: 1, status: 'available' },
    { name: 'Luna', categoryId: 2, status: 'sold' },
    { name: 'Bello', categoryId: 1, status: 'available' },
  ]);
  expect(await desk.board()).toEqual(['Bello', 'Rex']);
});

test('an animal taken in gets a number', async () => {
  expect(await desk.takeIn('Mia', 2)).toMatch(/^Mia is number \d+\.$/);
  expect(service.requests.map(({ operation }) => operation)).toEqual(['createPet']);
});

test('a form that the service would not accept is told to the clerk', async () => {
  expect(await desk.takeIn('Mia', 2.5)).toBe('Please check the form.');
});

test('a service that fails twice is asked a third time', async () => {
  service.faults.add({ operation: 'listPets', status: 503, times: 2 });
  expect(await desk.board()).toEqual([]);
  expect(service.requests.length).toBe(3);
});
