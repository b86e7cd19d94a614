// For each statement a service that breaks it, and nothing else if that can be: the verification must catch it.
import { expect, test } from 'vitest';
import { parseJson, stringifyJson } from '../../../src/contract/json.js';
import type { GivenAssumptions } from '../../../mocks/index.js';
import { isShownByAll, statements } from '../../../mocks/verify/statements/table.js';
import type { Permit } from '../../../mocks/verify/index.js';
import { changed, everything, verifyMock, type Target } from '../../support/verified.js';

type When = (request: Request, status: number) => boolean;
type Pet = { id: number; name: string; categoryId: number | bigint; status: string };

const pathOf = ({ url }: Request) => url.replace('https://staging.petstore.example', '');
const keyOf = ({ headers }: Request) => headers.get('authorization');
const at =
  (path: string): When =>
  (request) =>
    pathOf(request) === path;
const isGetPet: When = (request) => pathOf(request).startsWith('/v1/pets/');
const isFound: When = (request, status) => isGetPet(request, status) && status === 200;
const has =
  (wanted: number): When =>
  (_request, status) =>
    status === wanted;

/** Sends one request as if it were another one. */
const asking =
  (when: When, change: (request: Request) => Request): Target =>
  (service) =>
  (input, init) => {
    const request = new Request(input, init);
    return service.fetch(when(request, 0) ? change(request) : request);
  };
const askingFor = (from: string, to: string) =>
  asking(at(from), (request) => new Request(new URL(to, request.url), request));
/** Takes a request with a bad key as one with a good one. */
const letIn = (when: When) =>
  asking(when, (request) => {
    request.headers.set('authorization', 'Bearer mock-free');
    return request;
  });
const header = (when: When, name: string, value?: string) =>
  changed(({ status, headers }, request) => {
    if (!when(request, status)) return undefined;
    headers.delete(name);
    if (value !== undefined) headers.set(name, value);
    return { headers };
  });
/** Another value in the body, and another status where one is given. */
const body = (when: When, change: (json: never) => unknown, newStatus?: number) =>
  changed(({ status, text }, request) => {
    if (!when(request, status)) return undefined;
    const json = (text === '' ? null : parseJson(text)) as never;
    return { text: stringifyJson(change(json)), status: newStatus ?? status };
  });
/** Makes a pet of a body that is none. */
const makesPet =
  (text: string): Target =>
  (service) =>
  async (input, init) =>
    init?.body === text
      ? Response.json({ id: 900, name: 'x', categoryId: 1 }, { status: 201 })
      : service.fetch(input, init);
/** Refuses the request after the first one that is refused. */
const refusesTwice = () => {
  let refusals = 0;
  return changed(({ status }) => {
    if (status === 429) refusals++;
    if (status === 429 || refusals !== 1) return undefined;
    refusals++;
    return { status: 429, text: '{}' };
  });
};

const breakers: Readonly<Record<string, Target | GivenAssumptions>> = {
  reach: askingFor('/v1/pets', '/v1/animals'),
  'auth.missing-401': letIn((request) => isGetPet(request, 0) && keyOf(request) === null),
  'auth.invalid-401': letIn((request) => isGetPet(request, 0) && keyOf(request) !== null),
  'auth.create-401': letIn((request) => request.method === 'POST' && keyOf(request) === null),
  'answer.rate-limit-headers': header((_request, status) => status >= 400, 'x-ratelimit-reset'),
  'answer.reset-timestamp': { resetUnit: 'seconds-from-now' },
  'answer.remaining-within-limit': header(isGetPet, 'x-ratelimit-remaining', '61'),
  'answer.json': header(has(404), 'content-type', 'text/html'),
  'error.shape': body(has(404), ({ code, status }: Record<string, unknown>) => ({ code, status })),
  'error.status-repeats': body(has(404), (json: object) => ({ ...json, status: 400 })),
  'answer.int64': body(isFound, (pet: Pet) => ({ ...pet, id: String(pet.id) })),
  'list.array': body(at('/v1/pets?limit=100'), (data) => ({ data })),
  'list.id-unique': body(at('/v1/pets?limit=100'), ([, ...pets]: Pet[]) => [...pets, pets[0]]),
  'list.limit-100': askingFor('/v1/pets?limit=100', '/v1/pets?limit=101'),
  'list.default-20': askingFor('/v1/pets', '/v1/pets?limit=25'),
  'list.limit': askingFor('/v1/pets?limit=1', '/v1/pets'),
  'list.status-filter': body(
    (request) => request.url.includes('status=sold'),
    (pets: Pet[]) => pets.slice(1),
  ),
  'get.200': body(isFound, (pet: Pet) => ({ ...pet, status: 'sold' })),
  'get.404': body(
    (request, status) => isGetPet(request, status) && status === 404,
    () => null,
    200,
  ),
  'get.int64': body(at('/v1/pets/9223372036854775783'), () => ({}), 400),
  'create.400-missing': makesPet('{"name":"petstore-verify"}'),
  'create.400-type': makesPet('{"name":"petstore-verify","categoryId":"1"}'),
  'create.400-status': makesPet(
    '{"name":"petstore-verify","categoryId":1,"status":"petstore-verify"}',
  ),
  'create.201-echo': body(has(201), (pet) => pet, 200),
  'create.read-back': body(isFound, (pet: Pet) =>
    pet.name.startsWith('petstore-verify') ? { ...pet, categoryId: 2 } : pet,
  ),
  'create.int64-exact': body(has(201), (pet: Pet) => ({
    ...pet,
    categoryId: Number(pet.categoryId),
  })),
  'create.id-unique': body(has(201), (pet: Pet) => ({ ...pet, id: 31 })),
  'limit.429': body(has(429), () => [], 200),
  'limit.retry-after': { retryAfter: 'absent' },
  'limit.true': refusesTwice(),
};

test('each statement has a service that breaks it', () => {
  expect(Object.keys(breakers).toSorted()).toEqual(statements.map(({ id }) => id).toSorted());
});

test.for(Object.entries(breakers))('a service that breaks %s is caught', async ([id, breaker]) => {
  const permits: readonly Permit[] = /create/.test(id) ? ['create'] : [];
  const allow = id.startsWith('limit.') ? (['rate-limit'] as const) : permits;
  // What every answer shows needs them all.
  const options = { allow, ...(!isShownByAll(id) && { only: [id] }) };
  const { report } = await (typeof breaker === 'function'
    ? verifyMock({}, options, {}, breaker)
    : verifyMock(breaker, options));
  expect(report.statements[id]).toMatchObject({ verdict: 'fails' });
  expect(report.exitCode).toBe(1);
});

test.for<[string, Target, string]>([
  [
    'a text as the status of an error',
    body(has(404), (json: object) => ({ ...json, status: '404' })),
    'error.shape',
  ],
  [
    'a new pet that loses its status',
    body(has(201), ({ status, ...pet }: Pet) => (status === 'sold' ? pet : { ...pet, status })),
    'create.201-echo',
  ],
  ['an empty Retry-After', header(has(429), 'retry-after', ''), 'limit.retry-after'],
])('of %s, one statement fails, and no other', async ([, breaker, id]) => {
  const { report } = await verifyMock({}, everything, {}, breaker);
  const failed = Object.entries(report.statements).filter(([, one]) => one.verdict === 'fails');
  expect(failed.map(([name]) => name)).toEqual([id]);
});
