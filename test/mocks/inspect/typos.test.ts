import { expect, test } from 'vitest';
import { PetStoreClient } from '../../../src/index.js';
import {
  createMockService,
  findRequests,
  matchers,
  type MockService,
} from '../../../mocks/index.js';
import { createHandlers } from '../../../mocks/msw.js';
import { setupMockServer } from '../../../mocks/node.js';
import { serve } from '../../../mocks/server.js';

/** As JavaScript calls it, where no type is checked. */
type Untyped = Record<keyof MockService, Record<string, (...given: unknown[]) => unknown>>;
const received = (...given: unknown[]) =>
  matchers.toHaveReceived(...(given as Parameters<typeof matchers.toHaveReceived>));
const find = findRequests as unknown as (...given: unknown[]) => unknown;

test.each<[string, (service: MockService, untyped: Untyped) => unknown, RegExp]>([
  [
    'assertPolite({ ratelimited: 0 })',
    (service) => service.report().assertPolite({ ratelimited: 0 } as never),
    /no option ratelimited.*Did you mean rateLimited\?/,
  ],
  [
    'assertPolite({ bans: -1 })',
    (service) => service.report().assertPolite({ bans: -1 }),
    /bans must be a number of 0 or more/,
  ],
  [
    'report("mock-fre")',
    (service) => service.report('mock-fre'),
    /no key 'mock-fre'.*mean mock-free/,
  ],
  [
    'toHaveReceived("listpets")',
    (service) => received(service, 'listpets'),
    /no operation 'listpets'.*Did you mean listPets\?/,
  ],
  [
    'toHaveReceived("createPet", { nam })',
    (service) => received(service, 'createPet', { nam: 'Rex' }),
    /no field of createPet 'nam'.*name, categoryId, status.*Did you mean name\?/,
  ],
  [
    'toHaveReceived("getPet", { id })',
    (service) => received(service, 'getPet', { id: 1 }),
    /no field of getPet 'id'.*petId/,
  ],
  [
    'toHaveReceived("listPets", "sold")',
    (service) => received(service, 'listPets', 'sold'),
    /takes an object of fields of listPets, got 'sold'/,
  ],
  [
    'toHaveReceived(…, { environmnt })',
    (service) => received(service, 'listPets', {}, { environmnt: 'staging' }),
    /no option environmnt/,
  ],
  [
    'toHaveReceived of a client',
    () => received(new PetStoreClient({ apiKey: 'k' }), 'listPets'),
    /takes a service that createMockService made, got an instance of PetStoreClient/,
  ],
  [
    'toHaveRespectedRateLimit of a number',
    () => matchers.toHaveRespectedRateLimit(5 as never),
    /takes a service that createMockService made, got 5/,
  ],
  [
    'findRequests({ statuss })',
    (service) => find(service, { statuss: 500 }),
    /Did you mean status/,
  ],
  [
    'findRequests({ status: "500" })',
    (service) => find(service, { status: '500' }),
    /status must be/,
  ],
  [
    'findRequests({ operation: "listpets" })',
    (service) => find(service, { operation: 'listpets' }),
    /operation must be 'listPets' or/,
  ],
  ['findRequests of nothing', () => find(undefined, {}), /findRequests takes a service/],
  [
    'pets.update(1, { staus })',
    (_, { pets }) => pets['update']!(1, { staus: 'sold' }),
    /no field staus; the fields are: id, name, categoryId, status\. Did you mean status\?/,
  ],
  [
    'pets.update(1, { id: 2 })',
    (_, { pets }) => pets['update']!(1, { id: 2 }),
    /id 1 cannot be changed/,
  ],
  ['pets.add({ nam })', (_, { pets }) => pets['add']!({ nam: 'Rex' }), /Did you mean name/],
  ['pets.seed([{ nam }])', (_, { pets }) => pets['seed']!([{ nam: 'Rex' }]), /Did you mean name/],
  [
    'pets.list({ status: "gone" })',
    (_, { pets }) => pets['list']!({ status: 'gone' }),
    /status must be 'available' or/,
  ],
  [
    'pets.list({ statu })',
    (_, { pets }) => pets['list']!({ statu: 'sold' }),
    /Did you mean status/,
  ],
  [
    'faults.add({ key: "mock-fre" })',
    (service) => service.faults.add({ status: 503, key: 'mock-fre' }),
    /no key 'mock-fre'\. Did you mean mock-free\? Add it first/,
  ],
  ['createHandlers({})', () => createHandlers({} as never), /createHandlers takes a service/],
  ['createHandlers()', () => createHandlers(undefined as never), /got undefined/],
  [
    'setupMockServer({ service: {} })',
    () => setupMockServer({ service: {} as never }),
    /takes a service/,
  ],
])('%s is refused, and says what is known', (_, act, message) => {
  const service = createMockService({ seed: 2 });
  const before = JSON.stringify([service.pets.list(), service.faults.list()]);
  expect(() => act(service, service as unknown as Untyped)).toThrow(message);
  expect(JSON.stringify([service.pets.list(), service.faults.list()])).toBe(before);
});

test('serve({}) is refused with the same words', async () => {
  await expect(serve({} as never)).rejects.toThrow(
    /takes a service that createMockService made, got an object/,
  );
});

test('what is known stays accepted', () => {
  const service = createMockService({ seed: 2, keys: { own: { plan: 'free' } } });
  const pet = service.pets.get(1)!;
  expect(service.pets.update(1, { ...pet, status: 'sold' })).toEqual({ ...pet, status: 'sold' });
  expect(service.faults.add({ status: 503, key: 'own' }).hits).toBe(0);
  expect(service.report('own').requests).toBe(0);
  expect(matchers.toHaveReceived(service, 'getPet', { petId: 1 }).pass).toBe(false);
  expect(
    matchers.toHaveReceived(service, 'listPets', expect.anything() as Record<string, unknown>).pass,
  ).toBe(false);
  expect(findRequests(service, { since: 0, inCoolDown: false })).toEqual([]);
  service.report().assertPolite({ rateLimited: Infinity });
});
