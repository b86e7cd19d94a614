// @ts-nocheck
// Jest without flags, transforms or configuration.
const { PetStoreClient } = require('petstore-client');
const { createMockService } = require('petstore-client/mocks');
const { frontDesk } = require('./front-desk.js');

let service;
let desk;

beforeEach(() => {
  // The client uses the fetch and the clock of the in-memory service: no server, no changed globals, no waiting.
  service = createMockService({ clock: 'virtual' });
  desk = frontDesk(new PetStoreClient({ fetch: service.fetch, apiKey: 'mock-free' }));
});

afterEach(() => {
  // In every test, the app must respect the rate limit.
  service.report().assertPolite();
});

test('the board shows the available animals in alphabetical order', async () => {
  service.pets.seed([
    { name: 'Rex', categoryId: 1, status: 'available' },
    { name: 'Luna', categoryId: 2, status: 'sold' },
    { name: 'Bello', categoryId: 1, status: 'available' },
  ]);
  expect(await desk.board()).toEqual(['Bello', 'Rex']);
});

test('a new animal gets a number', async () => {
  expect(await desk.takeIn('Mia', 2)).toMatch(/^Mia is number \d+\.$/);
  expect(service.requests.map(({ operation }) => operation)).toEqual(['createPet']);
});

test('an invalid form gives the clerk a message', async () => {
  expect(await desk.takeIn('Mia', 2.5)).toBe('Please check the form.');
});

test('a list succeeds at the third attempt, after two failures of the service', async () => {
  service.faults.add({ operation: 'listPets', status: 503, times: 2 });
  expect(await desk.board()).toEqual([]);
  expect(service.requests.length).toBe(3);
});
