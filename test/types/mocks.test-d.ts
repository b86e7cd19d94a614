import { expectTypeOf, test } from 'vitest';
import type { HandlersOptions } from '../../mocks/msw.js';
import type { MockServerOptions } from '../../mocks/node.js';
import type { Clock } from '../../src/utils/clock.js';
import { createMockService, type MockPet, type ReceivedOptions } from '../../mocks/index.js';

const service = createMockService();

test('the service has a fetch as the platform has, and a clock that a client takes', () => {
  expectTypeOf(service.fetch).toEqualTypeOf<typeof globalThis.fetch>();
  expectTypeOf(service.clock).toExtend<Clock>();
});

test('options take the documented values and no others', () => {
  createMockService({ assumptions: { strikes: 'never', retryAfter: ({ wait }) => String(wait) } });
  // @ts-expect-error there is no such clock
  createMockService({ clock: 'sundial' });
  // @ts-expect-error there is no such window
  createMockService({ assumptions: { minuteWindow: 'rolling' } });
  // @ts-expect-error there is no such assumption
  createMockService({ assumptions: { window: 'fixed' } });
});

test('pets, keys, faults and time are typed', () => {
  service.faults.add({ sequence: ['pass', { status: 503 }, { drift: 'huge-id' }] });
  // @ts-expect-error there is no such field
  service.pets.add({ nickname: 'Rex' });
  // @ts-expect-error there is no such status
  service.pets.list({ status: 'lost' });
  // @ts-expect-error a pet is changed with update()
  service.pets.get(1)!.name = 'Max';
  // @ts-expect-error there is no such plan
  service.keys.add('mine', { plan: 'gold' });
  // @ts-expect-error there is no such window
  service.keys.get('mine').exhaust('hour');
  // @ts-expect-error there is no such operation
  service.faults.add({ operation: 'feedPet', status: 500 });
  // @ts-expect-error there is no such drift
  service.faults.add({ drift: 'wild' });
  // @ts-expect-error a length of time has a unit
  service.clock.advance('61');
  // @ts-expect-error there is no such offence
  service.report().assertPolite({ rudeness: 0 });
});

test('an override is checked against its operation', () => {
  service.override('listPets', async (input, next) => {
    expectTypeOf(input.limit).toEqualTypeOf<number>();
    expectTypeOf(next).returns.resolves.toEqualTypeOf<readonly MockPet[]>();
    return (await next()).slice(1);
  });
  service.override('createPet', (input) => ({ ...input, id: 1n }));
  service.override('getPet', ({ petId }) => {
    expectTypeOf(petId).toEqualTypeOf<number | bigint>();
    return new Response(null, { status: 418 });
  });
  // @ts-expect-error a list is answered with pets
  service.override('listPets', () => ({ id: 1, name: 'Rex', categoryId: 1 }));
  // @ts-expect-error a pet has a category
  service.override('getPet', () => ({ id: 1, name: 'Rex' }));
  // @ts-expect-error there is no such operation
  service.override('feedPet', () => new Response());
});

test('an option may be given as undefined, whatever exactOptionalPropertyTypes says', () => {
  service.override('listPets', () => [], { times: undefined });
  service.override('GET /store/orders', () => [], { times: undefined });
  service.pets.add({ name: undefined, categoryId: undefined });
  service.report().assertPolite({ rateLimited: undefined });
  void service.handle(new Request('https://pets.test'), { folder: undefined });
  expectTypeOf({ environment: undefined }).toExtend<ReceivedOptions>();
  expectTypeOf({ baseUrl: undefined }).toExtend<HandlersOptions>();
  expectTypeOf({ service: undefined, baseUrl: undefined, seed: 2 }).toExtend<MockServerOptions>();
});
