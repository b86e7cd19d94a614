import { expect, test } from 'vitest';
import {
  environments,
  ErrorSchema,
  headers as headerNames,
  NewPetSchema,
  operations,
  PetListSchema,
  PetSchema,
  PetStatusSchema,
  plans,
} from '../src/contract/index.js';
import openApi from '../openapi.json' with { type: 'json' };
import {
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  PetStoreClient,
  RateLimitError,
  RequestValidationError,
  type ApiError,
} from '../src/index.js';
import { rejection, times, world } from './support/world.js';

const base = 'https://api.petstore.example/v1';
const description = openApi as {
  info: { version: string };
  servers: { url: string }[];
  paths: Record<string, { get?: object }>;
};
const authorized = { headers: { authorization: 'Bearer mock-free' } };
const post = (body: unknown) => ({
  method: 'POST',
  headers: { ...authorized.headers, 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

test('a client can list animals, add an animal, and fetch one by its identifier', async () => {
  const { client } = world();
  const added = await client().createPet({ name: 'Rex', categoryId: 3, status: 'pending' });
  expect(await client().listPets()).toEqual([added]);
  expect(await client().getPet(added.id)).toEqual({
    id: added.id,
    name: 'Rex',
    categoryId: 3,
    status: 'pending',
  });
});

test('bodies of requests and responses are JSON (application/json)', async () => {
  const { service, client } = world();
  await client().createPet({ name: 'Rex', categoryId: 1 });
  const [sent] = service.requests;
  expect(sent!.method).toBe('POST');
  expect(sent!.input).toEqual({ name: 'Rex', categoryId: 1 });
  for (const path of ['/pets', '/pets/1', '/pets/404', '/nowhere']) {
    const answer = await service.fetch(base + path, authorized);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  }
});

test('production and staging serve the same paths under /v1', async () => {
  const { service } = world({ seed: 1 });
  for (const environment of ['production', 'staging'] as const) {
    const client = new PetStoreClient({
      environment,
      apiKey: 'mock-pro',
      fetch: service.fetch,
      clock: service.clock,
    });
    expect(client.baseUrl).toBe(`${environments[environment].placeholder}/v1`);
    expect(await client.listPets()).toHaveLength(1);
  }
});

test('the order operations exist, and their shape is not shown', async () => {
  const { service, client } = world();
  const call = client().request({ method: 'GET', path: '/store/orders' });
  const operation = 'GET /store/orders';
  const fields = { name: 'ServerError', status: 501, operation, rateLimit: { limit: 60 } };
  expect(await rejection(call)).toMatchObject(fields);
  expect(service.requests.map(({ path }) => path)).toEqual(['/v1/store/orders']);
});

test('PetStatus is available, pending or sold', () => {
  for (const status of ['available', 'pending', 'sold'])
    expect(PetStatusSchema.parse(status)).toBe(status);
  for (const status of ['Available', 'lost', '', null, 1])
    expect(PetStatusSchema.safeParse(status).success).toBe(false);
});

test('a NewPet has a name (string) and a categoryId (int64), both required, and may have a status', async () => {
  const whole = { name: 'Rex', categoryId: 1, status: 'sold' } as const;
  expect(NewPetSchema.parse(whole)).toEqual(whole);
  expect(NewPetSchema.parse({ name: 'Rex', categoryId: 1 })).toEqual({
    name: 'Rex',
    categoryId: 1,
  });
  for (const broken of [
    { categoryId: 1 },
    { name: 'Rex' },
    { ...whole, name: 1 },
    { ...whole, categoryId: 1.5 },
    { ...whole, categoryId: '1' },
  ]) {
    expect(NewPetSchema.safeParse(broken).success).toBe(false);
  }
  expect(NewPetSchema.safeParse({ ...whole, categoryId: 2n ** 63n }).success).toBe(false);
  const { service, client } = world();
  expect(await rejection(client().createPet({ name: 'Rex' } as never))).toBeInstanceOf(
    RequestValidationError,
  );
  expect(service.requests).toHaveLength(0);
});

test('a Pet has every field of NewPet plus an id (int64), required', () => {
  const pet = { id: 9223372036854775807n, name: 'Rex', categoryId: 1, status: 'sold' };
  expect(PetSchema.parse(pet)).toEqual(pet);
  expect(PetSchema.safeParse({ name: 'Rex', categoryId: 1 }).success).toBe(false);
  expect(PetSchema.safeParse({ ...pet, id: 2n ** 63n }).success).toBe(false);
});

test('the id is unique and assigned by the service on creation', async () => {
  const { client } = world();
  const pets = await Promise.all(
    times(20, (n) => client().createPet({ name: `Pet ${n}`, categoryId: 1 })),
  );
  expect(new Set(pets.map(({ id }) => id)).size).toBe(20);
});

test('a list of animals is a JSON array of Pet', async () => {
  const { service } = world({ seed: 5 });
  const answer = await service.fetch(`${base}/pets`, authorized);
  expect(PetListSchema.parse(await answer.json())).toHaveLength(5);
});

test('an Error has code, message and status, all required, and status repeats the HTTP status', async () => {
  const { service } = world();
  const answers = await Promise.all([
    service.fetch(`${base}/pets`, post({})),
    service.fetch(`${base}/pets`),
    service.fetch(`${base}/pets/404`, authorized),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([400, 401, 404]);
  for (const answer of answers)
    expect(ErrorSchema.parse(await answer.json()).status).toBe(answer.status);
  expect(ErrorSchema.safeParse({ code: 'x', message: 'y' }).success).toBe(false);
});

test('listPets is GET /pets with an optional limit of 1 to 100, 20 by default', async () => {
  const { service, client } = world({ seed: 120 });
  expect(operations.listPets).toMatchObject({ method: 'GET', path: '/pets' });
  expect(await client().listPets()).toHaveLength(20);
  expect(await client().listPets({ limit: 1 })).toHaveLength(1);
  expect(await client().listPets({ limit: 100 })).toHaveLength(100);
  for (const limit of [0, 101, -1, 1.5, Number.NaN]) {
    const error = await rejection<RequestValidationError>(client().listPets({ limit }));
    expect(error.message).toContain('an integer from 1 to 100');
  }
  expect(service.requests).toHaveLength(3);
});

test('listPets filters by status', async () => {
  const { client } = world({ seed: 60 });
  for (const status of ['available', 'pending', 'sold'] as const) {
    const pets = await client().listPets({ status, limit: 100 });
    expect(pets.length).toBeGreaterThan(0);
    expect(new Set(pets.map((pet) => pet.status))).toEqual(new Set([status]));
  }
});

test('createPet is POST /pets and answers 201 with the animal as added', async () => {
  const { service } = world();
  expect(operations.createPet).toMatchObject({ method: 'POST', path: '/pets', success: 201 });
  const answer = await service.fetch(`${base}/pets`, post({ name: 'Rex', categoryId: 1 }));
  expect(answer.status).toBe(201);
  const created = PetSchema.parse(await answer.json());
  expect(created).toMatchObject({ id: 1, name: 'Rex', categoryId: 1 });
  expect(service.pets.get(1)).toEqual(created);
});

test('createPet answers 400 when required fields are missing or values are invalid', async () => {
  const { client } = world();
  for (const body of [
    {},
    { name: 'Rex' },
    { categoryId: 1 },
    { name: 'Rex', categoryId: 1, status: 'lost' },
    [],
    'Rex',
    null,
  ]) {
    expect(
      await rejection(client().request({ method: 'POST', path: '/pets', body })),
    ).toBeInstanceOf(BadRequestError);
  }
});

test('getPet is GET /pets/{petId} with an int64 and answers 200, or 404 when there is no such animal', async () => {
  const { service, client } = world();
  service.pets.add({ id: 9223372036854775807n, name: 'Rex', categoryId: 1 });
  const exact = client({ int64: 'bigint' });
  expect(operations.getPet).toMatchObject({ method: 'GET', path: '/pets/{petId}' });
  expect(await exact.getPet(9223372036854775807n)).toMatchObject({ id: 9223372036854775807n });
  expect(await rejection(exact.getPet(9223372036854775806n))).toBeInstanceOf(NotFoundError);
});

test('getPet is deprecated, to be removed on 5 December 2030, with listPets and its status filter in its place', async () => {
  expect(operations.getPet.deprecated).toMatchObject({
    removedOn: '2030-12-05',
    replacement: 'listPets',
  });
  expect(description.paths['/pets/{petId}']?.get).toMatchObject({ deprecated: true });
  const { client, events } = world({ seed: 1 });
  await client().getPet(1);
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'deprecated',
      removedOn: '2030-12-05',
      replacement: 'listPets',
    }),
  );
});

test('every operation is secured with bearer authentication', async () => {
  const { service } = world({ seed: 1 });
  for (const [path, init] of [
    ['/pets', {}],
    ['/pets', { method: 'POST' }],
    ['/pets/1', {}],
    ['/store/orders', {}],
  ] as const) {
    expect((await service.fetch(base + path, init)).status).toBe(401);
  }
});

test('the key is passed as Authorization: Bearer <API_KEY>', async () => {
  const { service, client } = world();
  let sent: string | null = null;
  const fetch: typeof globalThis.fetch = (input, init) => {
    sent = new Request(input, init).headers.get('authorization');
    return service.fetch(input, init);
  };
  await client({ fetch }).listPets();
  expect(sent).toBe('Bearer mock-free');
});

test('a missing or invalid key is 401 with an Error body', async () => {
  const { service, client } = world();
  const error = await rejection<ApiError>(client({ apiKey: 'wrong' }).listPets());
  expect(error).toBeInstanceOf(AuthenticationError);
  expect(ErrorSchema.parse(error.body).status).toBe(401);
  for (const authorization of [
    '',
    'Bearer',
    'Bearer ',
    'Basic mock-free',
    'mock-free',
    'Bearer wrong',
    'Bearer mock-free mock-pro',
  ]) {
    const answer = await service.fetch(`${base}/pets`, { headers: { authorization } });
    expect(ErrorSchema.parse(await answer.json()).code).toMatch(/_api_key$/);
    expect(answer.status).toBe(401);
  }
});

test('429 answers a request beyond the limit, on every operation', async () => {
  const { service, client } = world({ seed: 1 });
  const limited = client({ gate: false });
  const calls = [
    () => limited.listPets(),
    () => limited.createPet({ name: 'Rex', categoryId: 1 }),
    () => limited.getPet(1),
    () => limited.request({ method: 'GET', path: '/store/orders' }),
  ];
  for (const call of calls) {
    service.keys.get('mock-free').exhaust('minute');
    expect(await rejection(call())).toBeInstanceOf(RateLimitError);
  }
});

test('the plans allow 60, 300 and 1,000 requests a minute, and 1,000, 10,000 and 100,000 a day; Enterprise is custom', async () => {
  expect(plans).toEqual({
    free: { perMinute: 60, perDay: 1_000 },
    pro: { perMinute: 300, perDay: 10_000 },
    business: { perMinute: 1_000, perDay: 100_000 },
    enterprise: 'custom',
  });
  for (const plan of ['free', 'pro', 'business'] as const) {
    const { service } = world();
    const one = () =>
      service.fetch(`${base}/pets`, { headers: { authorization: `Bearer mock-${plan}` } });
    const answers = await Promise.all(times(plans[plan].perMinute + 1, one));
    expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(
      plans[plan].perMinute,
    );
    service.clock.advance('61s');
    service.keys.get(`mock-${plan}`).setRemaining('day', 1);
    expect([(await one()).status, (await one()).status]).toEqual([200, 429]);
  }
});

test('every response carries the limit, what remains of it and the Unix timestamp of its reset', async () => {
  const { service } = world();
  for (const [path, init] of [
    ['/pets', authorized],
    ['/pets/9', authorized],
    ['/pets', {}],
    ['/nowhere', authorized],
  ] as const) {
    const { headers } = await service.fetch(base + path, init);
    expect(Number(headers.get(headerNames.limit))).toBe(60);
    expect(Number(headers.get(headerNames.remaining))).toBeLessThanOrEqual(60);
    expect(headers.get(headerNames.reset)).toBe(String(Date.UTC(2026, 0, 1, 0, 1) / 1_000));
  }
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

test('repeated requests after a 429 may ban the key; the client makes none', async () => {
  const { service, client } = world();
  const careless = () => service.fetch(`${base}/pets`, authorized);
  for (let n = 0; n < 70; n += 1) await careless();
  expect(service.keys.get('mock-free').bannedUntil).toBeDefined();
  const polite = world();
  await Promise.all(times(150, () => polite.client().listPets()));
  polite.service.report().assertPolite({ rateLimited: 0 });
  expect(await rejection(client().listPets())).toMatchObject({ reason: 'hold' });
});

test('the version is carried in the path prefix /v1 of both environments, and the description is version 1.0.0', () => {
  expect(description.info.version).toBe('1.0.0');
  for (const { url } of description.servers) expect(url).toMatch(/\/v1$/);
});

test('operations may carry a stability marker; none is known to be experimental or beta', () => {
  const markers = Object.values(operations).map(({ stability }) => stability);
  expect([...new Set(markers)]).toEqual(['stable']);
});
