import { expectTypeOf, test } from 'vitest';
import type { Clock } from '../../src/utils/clock.js';
import type { PetStatus } from '../../src/contract/index.js';
import {
  createMockService,
  type MockClock,
  type MockPet,
  type MockPets,
  type MockService,
  type RecordedRequest,
} from '../../mocks/index.js';

const service = createMockService();

test('the service has a fetch as the platform has, and a clock that a client takes', () => {
  expectTypeOf(createMockService).returns.toEqualTypeOf<MockService>();
  expectTypeOf(service.fetch).toEqualTypeOf<typeof globalThis.fetch>();
  expectTypeOf(service.handle).toExtend<(request: Request) => Promise<Response>>();
  expectTypeOf<MockClock>().toExtend<Clock>();
  expectTypeOf(service.requests).toEqualTypeOf<readonly RecordedRequest[]>();
});

test('options take the documented values and no others', () => {
  createMockService({
    clock: 'virtual',
    seed: 3,
    latency: [1, 2],
    limits: 'off',
    journalLimit: 0,
    random: 1,
  });
  createMockService({
    assumptions: {
      strikes: 3,
      retryAfter: { raw: 'soon' },
      answers: { petNotFound: { code: 'x' }, limitAbove: 'clamp' },
    },
  });
  createMockService({
    assumptions: { strikes: 'never', retryAfter: ({ wait }) => String(wait) },
  });
  // @ts-expect-error there is no such clock
  createMockService({ clock: 'sundial' });
  // @ts-expect-error there is no such window
  createMockService({ assumptions: { minuteWindow: 'rolling' } });
  // @ts-expect-error there is no such assumption
  createMockService({ assumptions: { window: 'fixed' } });
});

test('pets are typed', () => {
  expectTypeOf(service.pets.get(1)).toEqualTypeOf<MockPet | undefined>();
  expectTypeOf<NonNullable<Parameters<MockPets['add']>[0]>>()
    .toHaveProperty('name')
    .toEqualTypeOf<string | undefined>();
  expectTypeOf(service.pets.get(1)!.status).toEqualTypeOf<PetStatus | undefined>();
  // @ts-expect-error there is no such field
  service.pets.add({ nickname: 'Rex' });
  // @ts-expect-error there is no such status
  service.pets.list({ status: 'lost' });
  // @ts-expect-error a pet is changed with update()
  service.pets.get(1)!.name = 'Max';
});

test('keys, faults and time are typed', () => {
  service.keys.add('mine', { plan: { perMinute: 1, perDay: 2 } }).exhaust('minute');
  service.faults.add({
    operation: 'getPet',
    key: 'mine',
    times: 1,
    probability: 0.5,
    'slow-body': 100,
  });
  service.faults.add({ sequence: ['pass', { status: 503 }, { drift: 'huge-id' }] });
  service.clock.advance('61s');
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
});

test('an override is checked against its operation', () => {
  service.override('listPets', async (input, next) => {
    expectTypeOf(input.limit).toEqualTypeOf<number>();
    expectTypeOf(input.key).toEqualTypeOf<string>();
    expectTypeOf(next).returns.resolves.toEqualTypeOf<readonly MockPet[]>();
    return (await next()).slice(1);
  });
  service.override('createPet', (input) => ({ ...input, id: 1n }));
  service.override('getPet', (input) => {
    expectTypeOf(input.petId).toEqualTypeOf<number | bigint>();
    return new Response(null, { status: 418 });
  });
  // @ts-expect-error a list is answered with pets
  service.override('listPets', () => ({ id: 1, name: 'Rex', categoryId: 1 }));
  // @ts-expect-error a pet has a category
  service.override('getPet', () => ({ id: 1, name: 'Rex' }));
  // @ts-expect-error there is no such operation
  service.override('feedPet', () => new Response());
});

test('the report and what it allows are typed', () => {
  expectTypeOf(service.report().duringCoolDown).toEqualTypeOf<number>();
  expectTypeOf(service.report('mock-free').offences).toEqualTypeOf<readonly string[]>();
  service.report().assertPolite({ rateLimited: 0 });
  // @ts-expect-error there is no such offence
  service.report().assertPolite({ rudeness: 0 });
});
