import { expect, test } from 'vitest';
import { createMockService } from '../../../mocks/index.js';
import { call } from '../../support/raw.js';

const rex = { name: 'Rex', categoryId: 3 };

test('an override replaces an operation, for the given number of times, the newest first', async () => {
  const service = createMockService({ seed: 3 });
  service.override('listPets', async (_input, next) => (await next()).slice(0, 2));
  service.override('listPets', () => [], { times: 1 });
  expect((await call(service, '/pets')).json).toEqual([]);
  expect((await call(service, '/pets')).json).toHaveLength(2);
  service.reset();
  expect((await call(service, '/pets')).json).toHaveLength(3);
});

test('an override is given the checked input, may fall through, and meets the refusals of the service', async () => {
  const service = createMockService({ seed: 1 });
  const seen: unknown[] = [];
  service.override('createPet', async (input, next) => {
    seen.push(input, input.key);
    return { ...(await next()), name: input.name.toUpperCase() };
  });
  service.override('getPet', (_input, next) => next());
  expect((await call(service, '/pets', { body: { ...rex, extra: 1 } })).json).toEqual({
    id: 2,
    ...rex,
    name: 'REX',
    status: 'available',
  });
  expect((await call(service, '/pets', { body: {} })).status).toBe(400);
  expect(seen).toEqual([rex, 'mock-free']);
  expect((await call(service, '/pets/9')).json.code).toBe('pet_not_found');
  service.override('getPet', (_input, next) =>
    next().catch(() => ({ id: 9, name: 'Made', categoryId: 1 })),
  );
  expect((await call(service, '/pets/9')).json.name).toBe('Made');
});

test('an override may answer with what it was given: the key is not a part of it', async () => {
  const service = createMockService();
  service.override('createPet', (input) => ({ ...input, id: 7 }), { times: 1 });
  expect((await call(service, '/pets', { body: rex })).json).toEqual({ id: 7, ...rex });
  service.override('createPet', (input) => Object.assign(input, { id: 8 }));
  expect((await call(service, '/pets', { body: rex })).text).not.toContain('mock-free');
});

test('an override may answer with any Response, which gets the rate-limit headers', async () => {
  const service = createMockService();
  service.override('listPets', () =>
    Response.json({ made: 'up' }, { status: 418, headers: { 'x-own': '1' } }),
  );
  const { status, json, headers } = await call(service, '/pets');
  expect([status, json, headers.get('x-own'), headers.get('x-ratelimit-remaining')]).toEqual([
    418,
    { made: 'up' },
    '1',
    '59',
  ]);
});

test('an override may sleep on the clock of the service', async () => {
  const service = createMockService({ clock: 'virtual' });
  service.override('listPets', async (_input, next) => {
    await service.clock.sleep(5_000);
    return next();
  });
  expect((await call(service, '/pets')).status).toBe(200);
  expect(service.clock.monotonic()).toBe(5_000);
});

test('an override that cannot be is refused', () => {
  const service = createMockService();
  expect(() => service.override('feedPet' as 'getPet', () => Response.error())).toThrow(
    /no operation 'feedPet'; there are: listPets/,
  );
  expect(() => service.override('getPet', undefined as never)).toThrow(/must be a function/);
  expect(() => service.override('getPet', () => Response.error(), { times: 0 })).toThrow(
    /times must be an integer of 1 or more/,
  );
});
