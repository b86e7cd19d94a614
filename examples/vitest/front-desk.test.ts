import { PetStoreClient } from 'petstore-client';
import { createMockService, type MockService } from 'petstore-client/mocks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { frontDesk, type FrontDesk } from './front-desk.js';

let service: MockService;
let desk: FrontDesk;

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

test('an animal taken in gets a number, and is on the board', async () => {
  expect(await desk.takeIn('Mia', 2)).toMatch(/^Mia is number \d+\.$/);
  expect(await desk.board()).toEqual(['Mia']);
});

test('a form that the service would not accept is told to the clerk', async () => {
  expect(await desk.takeIn('Mia', 2.5)).toBe('Please check the form.');
});

test('a busy minute is waited out: on the virtual clock it takes no time', async () => {
  const before = service.clock.now();
  for (let i = 0; i < 61; i++) await desk.takeIn(`Pet ${i}`, 1);
  expect(service.pets.size).toBe(61);
  expect(service.clock.now() - before).toBeGreaterThanOrEqual(59_000);
});

test('when the quota of the day is spent, the clerk is told', async () => {
  service.keys.get('mock-free').exhaust('day');
  expect(await desk.takeIn('Mia', 2)).toMatch(/^Too busy\. Please try again in \d+ s\.$/);
});

test('a connection lost in the middle is not answered by sending again: the animal could be there twice', async () => {
  service.faults.add({ operation: 'createPet', 'network-error': 'after' });
  await expect(desk.takeIn('Mia', 2)).rejects.toMatchObject({
    name: 'ConnectionError',
    requestSent: 'unknown',
  });
  expect(service.pets.size).toBe(1);
});
