// @ts-nocheck
import { PetStoreClient } from 'petstore-client';
import { createMockService, type MockService } from 'petstore-client/mocks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { frontDesk, type FrontDesk } from './front-desk.js';

let service: MockService;
let desk: FrontDesk;

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

test('a new animal gets a number and is on the board', async () => {
  expect(await desk.takeIn('Mia', 2)).toMatch(/^Mia is number \d+\.$/);
  expect(await desk.board()).toEqual(['Mia']);
});

test('an invalid form gives the clerk a message', async () => {
  expect(await desk.takeIn('Mia', 2.5)).toBe('Please check the form.');
});

test('the 61st animal waits for the next minute, which takes no real time on the virtual clock', async () => {
  const before = service.clock.now();
  for (let i = 0; i < 61; i++) await desk.takeIn(`Pet ${i}`, 1);
  expect(service.pets.size).toBe(61);
  expect(service.clock.now() - before).toBeGreaterThanOrEqual(59_000);
});

test('an exhausted daily quota gives the clerk a message', async () => {
  service.keys.get('mock-free').exhaust('day');
  expect(await desk.takeIn('Mia', 2)).toMatch(/^Too busy\. Please try again in \d+ s\.$/);
});

test('a lost connection does not add the animal twice', async () => {
  service.faults.add({ operation: 'createPet', 'network-error': 'after' });
  await expect(desk.takeIn('Mia', 2)).rejects.toMatchObject({
    name: 'ConnectionError',
    requestSent: 'unknown',
  });
  expect(service.pets.size).toBe(1);
});
