import { expect, test } from 'vitest';
import { createMockService, findRequests } from '../../../mocks/index.js';
import { call } from '../../support/raw.js';

const rex = { name: 'Rex', categoryId: 3 };

test('the journal records what came, what the service read of it, and how it was answered', async () => {
  const service = createMockService({ clock: 'virtual', seed: 1, latency: 10 });
  await call(service, '/pets?limit=5&status=sold&x=1');
  await call(service, '/pets', { body: rex });
  await call(service, '/pets/1');
  await call(service, '/pets', { key: null });
  const [list, create, get, nobody] = service.requests;
  expect(list).toEqual({
    number: 1,
    environment: 'production',
    at: Date.UTC(2026, 0, 1) + 5,
    answeredAt: Date.UTC(2026, 0, 1) + 10,
    operation: 'listPets',
    method: 'GET',
    path: '/v1/pets',
    query: { limit: '5', status: 'sold', x: '1' },
    body: undefined,
    input: { limit: 5, status: 'sold' },
    key: 'mock-free',
    status: 200,
    faults: [],
    inCoolDown: false,
    remaining: 59,
  });
  expect(create).toMatchObject({ operation: 'createPet', body: rex, input: rex, status: 201 });
  expect(get).toMatchObject({ operation: 'getPet', input: { petId: 1 } });
  const unread = { key: undefined, status: 401, input: undefined };
  expect(nobody).toMatchObject({ operation: 'listPets', ...unread });
  await call(service, '/pets', { body: '{"name":' });
  const broken = { body: '{"name":', input: undefined, status: 400 };
  expect(service.requests.at(-1)).toMatchObject(broken);
});

test('what the journal says of an answered request cannot be changed', async () => {
  const service = createMockService({ faults: [{ 'network-error': true, times: 1 }] });
  await call(service, '/pets').catch(() => 'broken');
  await call(service, '/pets');
  expect(service.requests.map((record) => Object.isFrozen(record))).toEqual([true, true]);
  const snapshot = service.snapshot();
  service.restore(snapshot);
  expect(service.requests.map((record) => Object.isFrozen(record))).toEqual([true, true]);
});

test('an unknown key is never kept, but can be recognised', async () => {
  const service = createMockService();
  const secret = 'sk-live-a-real-key';
  await call(service, '/pets', { key: secret });
  await call(service, '/pets', { key: `${secret}2` });
  await call(service, '/pets', { key: secret });
  expect(JSON.stringify([service.requests, service.report()])).not.toContain('sk-live');
  const keys = service.requests.map(({ key }) => key);
  expect(keys[0]).toMatch(/^unknown-[0-9a-f]{8}$/);
  expect([keys[2] === keys[0], keys[1] === keys[0]]).toEqual([true, false]);
});

test('findRequests filters the journal', async () => {
  const service = createMockService({ clock: 'virtual', seed: 1 });
  await call(service, '/pets');
  service.clock.advance('1s');
  const since = service.clock.now();
  service.faults.add({ status: 500, operation: 'createPet', times: 1 });
  await call(service, '/pets', { body: rex });
  await call(service, '/pets', { body: rex, key: 'mock-pro' });
  const numbers = (filter: Parameters<typeof findRequests>[1]) =>
    findRequests(service, filter).map(({ number }) => number);
  expect(numbers({})).toEqual([1, 2, 3]);
  expect(numbers({ operation: 'createPet' })).toEqual([2, 3]);
  expect(numbers({ key: 'mock-free' })).toEqual([1, 2]);
  expect(numbers({ key: 'mock-free', method: 'POST' })).toEqual([2]);
  expect(numbers({ status: 201 })).toEqual([3]);
  expect(numbers({ fault: 'status' })).toEqual([2]);
  expect(numbers({ since })).toEqual([2, 3]);
  expect(numbers({ inCoolDown: true })).toEqual([]);
});
