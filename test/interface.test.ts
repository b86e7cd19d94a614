import { expect, test } from 'vitest';
import { operations, PetSchema, PetStatusSchema, plans } from '../src/contract/index.js';
import description from '../openapi.json' with { type: 'json' };
import { RateLimitError } from '../src/index.js';
import { rejection, world } from './support/world.js';

test('a client can list animals, add an animal, and fetch one by its identifier', async () => {
  const { client } = world();
  const added = await client().createPet({ name: 'Rex', categoryId: 3, status: 'pending' });
  expect(await client().listPets()).toEqual([added]);
  const sent = { name: 'Rex', categoryId: 3, status: 'pending' };
  expect(await client().getPet(added.id)).toEqual({ id: added.id, ...sent });
});

test('PetStatus is available, pending or sold', () => {
  for (const status of ['available', 'pending', 'sold'])
    expect(PetStatusSchema.parse(status)).toBe(status);
  for (const status of ['Available', 'lost', '', null, 1])
    expect(PetStatusSchema.safeParse(status).success).toBe(false);
});

test('a Pet has every field of NewPet plus an id (int64), required', () => {
  const pet = { id: 9223372036854775807n, name: 'Rex', categoryId: 1, status: 'sold' };
  expect(PetSchema.parse(pet)).toEqual(pet);
  expect(PetSchema.safeParse({ name: 'Rex', categoryId: 1 }).success).toBe(false);
  expect(PetSchema.safeParse({ ...pet, id: 2n ** 63n }).success).toBe(false);
});

test('429 answers a request beyond the limit, on every operation', async () => {
  const { service, client } = world({ seed: 1 });
  const limited = client({ gate: false });
  const all = [...Object.values(operations), { method: 'GET', path: '/store/orders' }];
  for (const { method, path } of all) {
    const body = method === 'GET' ? {} : { body: { name: 'Rex', categoryId: 1 } };
    service.keys.get('mock-free').exhaust('minute');
    const one = path.replace(/\{\w+\}/, '1') as `/${string}`;
    const call = limited.request({ method, path: one, ...body });
    expect(await rejection(call)).toBeInstanceOf(RateLimitError);
  }
});

test('the plans allow 60, 300 and 1,000 requests a minute, and 1,000, 10,000 and 100,000 a day; Enterprise is custom', () => {
  expect(plans).toEqual({
    free: { perMinute: 60, perDay: 1_000 },
    pro: { perMinute: 300, perDay: 10_000 },
    business: { perMinute: 1_000, perDay: 100_000 },
    enterprise: 'custom',
  });
});

test('a 429 says in Retry-After how long to wait, and the client retries after that time, backing off exponentially when it was too short', async () => {
  const { service, client, elapsed } = world();
  service.faults.add({ 'retry-after': 2, 'no-rate-limit-headers': true, times: 4 });
  const { attempts } = await client().listPets().withResponse();
  expect(attempts.map(({ status }) => status)).toEqual([429, 429, 429, 429, 200]);
  const waits = attempts.slice(1).map(({ waited }) => waited);
  expect(waits.map((wait) => Math.round(wait / 1_000))).toEqual([3, 4, 8, 16]);
  expect(elapsed()).toBeGreaterThan(30_000);
});

test('the version is carried in the path prefix /v1 of both environments, and the description is version 1.0.0', () => {
  expect(description.info.version).toBe('1.0.0');
  for (const { url } of description.servers) expect(url).toMatch(/\/v1$/);
});

test('operations may carry a stability marker; none is known to be experimental or beta', () => {
  const markers = Object.values(operations).map(({ stability }) => stability);
  expect([...new Set(markers)]).toEqual(['stable']);
});
