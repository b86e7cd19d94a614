import * as z from 'zod';
import { expect, test, vi } from 'vitest';
import { PetStoreClient, RequestValidationError, type RawRequest } from '../../src/index.js';
import { failureOf, json, newPet, pet, stubClient, stubFetch, type Sent } from '../support/stub.js';
import { rejection } from '../support/world.js';
import { fc } from '../support/fuzz.js';

const client = (reply: Response = json({})) => {
  const fetch = stubFetch(() => reply.clone());
  return { fetch, client: stubClient(fetch) };
};

/** The error of a call whose arguments are refused: nothing is sent. */
async function refused(call: (client: PetStoreClient) => Promise<unknown>) {
  const { fetch, client: pets } = client();
  const error = await rejection(call(pets), RequestValidationError);
  expect(error.attempts).toEqual([]);
  expect(error.message).toMatch(/; nothing was sent$/);
  expect(fetch.sent).toEqual([]);
  return error;
}

const get = (query: RawRequest['query']): RawRequest => ({ method: 'GET', path: '/x', query });
const post = (body: unknown): RawRequest => ({ method: 'POST', path: '/x', body });
const long = 2n ** 60n;
/** It has no prototype. */
const groups = /(?<year>\d)/.exec('5')!.groups;

test.each<[RawRequest, sent: string, body: string]>([
  [get(new URLSearchParams('tag=a b&tag=c')), 'GET /x?tag=a%20b&tag=c', ''],
  [get({ tag: ['x y', 'z&'], flag: false }), 'GET /x?tag=x%20y&tag=z%26&flag=false', ''],
  [get({ n: long, left: undefined, none: [] }), 'GET /x?n=1152921504606846976', ''],
  [{ ...get({ b: 3 }), path: '/a%20b/c?own=1?b=2' }, 'GET /a%20b/c?own=1?b=2&b=3', ''],
  [{ method: 'patch', path: '/x' }, 'PATCH /x', ''],
  [post({ id: long, list: [1, null] }), 'POST /x', '{"id":1152921504606846976,"list":[1,null]}'],
  [post({ groups, valueOf: 1 }), 'POST /x', '{"groups":{"year":"5"},"valueOf":1}'],
  [post([new Date(0), Object(7)]), 'POST /x', '["1970-01-01T00:00:00.000Z",7]'],
  [post({ list: [{ toJSON: () => 'x' }] }), 'POST /x', '{"list":["x"]}'],
])('the request %o is sent as it is told: %s, with the body %s', async (request, target, body) => {
  const { fetch, client: pets } = client(json({ ok: true }));
  expect(await pets.request(request)).toEqual({ ok: true });
  const [{ method, url, headers, ...sent }] = fetch.sent as [Sent];
  expect([`${method} ${url.slice(20)}`, sent.body]).toEqual([target, body]);
  expect(headers.get('content-type')).toBe(body === '' ? null : 'application/json');
});

/** As of another realm: its prototype has the same methods, but is not that of this realm. */
function foreign<T extends object>(value: T): T {
  const methods = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(value) as object);
  return Object.setPrototypeOf(value, Object.create(null, methods) as object) as T;
}

test('an address and a query of another realm are sent as those of this realm', async () => {
  const fetch = stubFetch(json({}));
  const pets = stubClient(fetch, { baseUrl: foreign(new URL('https://gate.test/animals')) });
  await pets.request(get(foreign(new URLSearchParams('tag=a b&tag=c'))));
  expect(fetch.sent[0]!.url).toBe('https://gate.test/animals/v1/x?tag=a%20b&tag=c');
});

const noMethod = 'method must be an HTTP method that can be sent, as GET';
const noQuery = 'query must be an object, or URLSearchParams';
const noSchema = 'schema must be a Standard Schema, as those of Zod, Valibot and ArkType are';
const noPath =
  'path must be an encoded path of the service that begins with one slash, as /store/orders: no address, no ".." segments';
const photo = new Blob(['R']);
const isBlob = 'is sent as JSON, and cannot be of type Blob';
const circle: { self?: unknown } = {};
circle.self = circle;
const throwing = (): never => {
  throw new Error('no such row');
};
const hint = 'for a string or bytes, set Content-Type in the headers of the call';
/** Requests that are refused for the same reason. */
const all = (problem: string, ...requests: object[]) =>
  requests.map((request): [object, string] => [request, problem]);
const ofKind = (body: object, kind = body.constructor.name) =>
  all(`body is sent as JSON, and cannot be of type ${kind}: ${hint}`, { method: 'POST', body });
const noValue = 'must be a string, number, bigint or boolean, got';
const unknownField = (name: string) =>
  `${name} is unknown (known: method, path, query, body, schema): options are the second argument`;

test.each<[request: object, problem: string]>([
  ...all(noMethod, ...['CONNECT', 'TRACE', 'GET /x', '', undefined].map((method) => ({ method }))),
  [{ body: {} }, 'body cannot be sent with GET'],
  [{ method: 'head', body: {} }, 'body cannot be sent with HEAD'],
  // They would be an empty object as JSON.
  ...ofKind(new FormData()),
  ...ofKind(Buffer.from('R'), 'Uint8Array'),
  ...ofKind(Promise.resolve({ name: 'Rex' })),
  ...all(`body.pets[1].photo ${isBlob}`, { method: 'POST', body: { pets: [{}, { photo }] } }),
  ...all(noQuery, ...['a=1', null, new Map([['a', 1]]), ['a']].map((query) => ({ query }))),
  [{ query: { a: { b: 1 } } }, `query.a ${noValue} an object`],
  [{ query: { a: [null] } }, `query.a ${noValue} null`],
  [{ query: { a: [undefined] } }, `query.a ${noValue} nothing`],
  [{ query: { a: [Symbol('s')] } }, `query.a ${noValue} a symbol`],
  [{ query: { a: NaN } }, `query.a ${noValue} NaN`],
  // It would be null as JSON.
  [post({ pets: [{ price: 0 / 0 }] }), 'body.pets[0].price is sent as JSON, and cannot be NaN'],
  ...all(noSchema, { schema: {} }, { schema: null }),
  [{ signal: AbortSignal.abort() }, unknownField('signal')],
  [{ qurey: undefined }, unknownField('qurey')],
  ...[
    ...['https://evil.test/', '//evil.test/x', '/\\evil.test', '\\\\evil.test', '@evil.test/'],
    ...[':80@evil.test', '.evil.test', '/../../admin', '/..', '/%2e%2e/admin', '/./x'],
    ...['/x#fragment', '/x?a=#b', '/x y', '/x\n', '/x?a=b c', '/é', 'store/orders', ''],
    ...[undefined, null, 7, {}],
  ].map((path): [object, string] => [{ path }, noPath]),
])(
  'a request that cannot be sent (%o) is refused with its path in the message',
  async (request, problem) => {
    const whole = { method: 'GET', path: '/x', ...request };
    const error = await refused((pets) => pets.request(whole as unknown as RawRequest));
    expect(error.message).toContain(`: ${problem}; nothing was sent`);
    const [field = ''] = problem.split(/[ .]/);
    expect(error.issues[0]!.path[0]).toBe(field);
  },
);

test.each([
  ['/pets', undefined, "an object, as { method: 'GET', path: '/store/orders' }, got a string"],
  [null, undefined, 'must be an object'],
  ['GET', '/pets', "an object, as { method: 'GET', path: '/store/orders' }, got a string"],
  [{ path: '/pets' }, undefined, noMethod],
])('request(%j, %j) is refused, and says what it takes', async (given, options, problem) => {
  const { client: pets } = client();
  const sent = pets.request(given as never, options as never);
  await expect(sent).rejects.toThrow(problem);
  await expect(sent).rejects.toThrow(/^request\b/);
});

test('whatever the path, no request leaves the address of the client', async () => {
  // A `webPath` of fast-check takes seconds to be made.
  const encoded = fc.string().map((text) => `/${encodeURI(text)}`);
  const path = fc.oneof(
    fc.string(),
    encoded,
    fc
      .tuple(fc.constantFrom('https://', '//', '/\\', '/', '@', ':80@'), fc.string(), encoded)
      .map((parts) => parts.join('')),
  );
  await fc.assert(
    fc.asyncProperty(path, fc.string(), async (path, value) => {
      const { fetch, client: pets } = client();
      await pets
        .request({ method: 'GET', path: path as '/', query: { [value]: value } })
        .catch((error: unknown) => {
          expect(error).toBeInstanceOf(RequestValidationError);
        });
      for (const { url } of fetch.sent) expect(url.startsWith('https://pets.test/v1/')).toBe(true);
    }),
  );
});

const noLimit = 'limit must be an integer from 1 to 100, got';
const known = '(known: limit, status): options are the second argument';
const noName = 'name must be a string, got a number';
const noId = 'categoryId must be an integer (int64), got an array';
const noStatus = 'status must be one of available, pending, sold, got';
const inexact =
  'petId must be exact: a number beyond 2^53 - 1 may have been rounded already, pass a bigint (got 9007199254740992)';
const tooLarge =
  'petId must be an int64 (-9223372036854775808 to 9223372036854775807), got 9223372036854775808';

test.each<['listPets' | 'createPet' | 'getPet', unknown, string]>([
  ['listPets', { limit: 0 }, `${noLimit} 0`],
  ['listPets', { limit: 101 }, `${noLimit} 101`],
  ['listPets', { limit: '5' }, `${noLimit} a string`],
  ['listPets', { status: 'lost' }, `${noStatus} "lost"`],
  ['listPets', { status: 'x'.repeat(41) }, `${noStatus} a string`],
  ['listPets', { Limit: 5 }, `the argument has an unknown query parameter "Limit" ${known}`],
  ['listPets', { a: [], b: null }, `the argument has unknown query parameters "a", "b" ${known}`],
  ['createPet', { name: 'x' }, 'categoryId is required: an integer (int64)'],
  ['createPet', { categoryId: 1 }, 'name is required: a string'],
  ['createPet', { name: 5, categoryId: [] }, `${noName}; ${noId}`],
  ['createPet', undefined, 'the argument must be an object with name and categoryId'],
  ['getPet', '1', 'petId must be an integer (int64), got a string: pass a number or a bigint'],
  ['getPet', 1.5, 'petId must be an integer (int64), got 1.5'],
  ['getPet', 2 ** 53, inexact],
  ['getPet', 2n ** 63n, tooLarge],
])(
  '%s(%o) is refused with the path and the bound, and nothing is sent',
  async (operation, argument, problem) => {
    const error = await refused((pets) => pets[operation](argument as never));
    expect(error.message).toBe(`${operation} on pets.test: ${problem}; nothing was sent`);
    expect(error.operation).toBe(operation);
  },
);

const trap = (name: string) =>
  Object.defineProperty({}, name, { enumerable: true, get: throwing }) as never;

test('an argument that cannot be read is refused, and nothing is sent', async () => {
  for (const call of [
    (pets: PetStoreClient) => pets.createPet(trap('name')),
    (pets: PetStoreClient) => pets.listPets(trap('limit')),
    (pets: PetStoreClient) => pets.request(trap('path')),
    (pets: PetStoreClient) => pets.request({ method: Object.create(null) as string, path: '/x' }),
    (pets: PetStoreClient) => pets.request({ method: 'GET', path: '/x', query: { a: '\ud800' } }),
    ...[() => 1, circle, { toJSON: throwing }].map(
      (body) => (pets: PetStoreClient) => pets.request({ method: 'POST', path: '/x', body }),
    ),
  ])
    await refused(call);
  const error = await refused((pets) => pets.createPet(trap('name')));
  expect(error.message).toBe(
    'createPet on pets.test: the argument cannot be read: no such row; nothing was sent',
  );
  expect(error.issues).toEqual([{ path: [], message: 'cannot be read: no such row' }]);
  expect((error.cause as Error).message).toBe('no such row');
  const wordless = {
    get name() {
      throw undefined;
    },
  };
  const silent = await refused((pets) => pets.createPet(wordless as never));
  expect(silent.message).toContain('cannot be read: no reason given');
});

test('what the caller changes while a request is under way, bytes too, changes nothing', async () => {
  const body = new TextEncoder().encode('original');
  const request: { -readonly [Key in keyof RawRequest]: RawRequest[Key] } = {
    ...({ method: 'PUT', path: '/x' } as const),
    body,
    schema: z.object({ a: z.number() }),
  };
  const { fetch, client: pets } = client(json({ a: 1 }));
  const call = pets.request(request, { headers: { 'Content-Type': 'text/csv' } });
  request.schema = z.string();
  request.method = 'POST';
  body.fill(33);
  expect(await call).toEqual({ a: 1 });
  expect(fetch.sent).toMatchObject([{ method: 'PUT', body: 'original' }]);
});

test('a method that is another one each time it is read is read once: a POST is never sent again', async () => {
  const methods = ['POST', 'GET', 'GET', 'GET'];
  const request = {
    get method() {
      return methods.shift() ?? 'GET';
    },
    path: '/x',
  } as const;
  const error = await failureOf(json({}, { status: 503 }), (pets) => pets.request(request));
  expect(error.attempts).toHaveLength(1);
  expect(error.toCurl()).toContain('-X POST');
  expect(error.message).toContain('it may have been processed');
});

test('fields of a new pet that the contract does not know are sent, since the interface does not forbid them', async () => {
  const { fetch, client: pets } = client(json(pet(), { status: 201 }));
  await pets.createPet({ ...newPet, age: 3 } as typeof newPet);
  expect(JSON.parse(fetch.sent[0]!.body!)).toEqual({ ...newPet, age: 3 });
  const lost = { ...newPet, meta: { tags: new Map([['age', 3]]) } } as typeof newPet;
  const error = await rejection(pets.createPet(lost), RequestValidationError);
  expect(error.message).toContain(': meta.tags is sent as JSON, and cannot be of type Map;');
  expect(fetch.sent).toHaveLength(1);
});

test('globalThis.fetch is looked up at each call', async () => {
  const pets = new PetStoreClient({ apiKey: 'late-fetch', baseUrl: 'https://pets.test' });
  vi.stubGlobal('fetch', stubFetch(json([])));
  expect(await pets.listPets()).toEqual([]);
});

test('cookies are never sent, redirects are never followed, and the key goes in the one header, all as plain values', async () => {
  const seen: Parameters<typeof globalThis.fetch>[] = [];
  const fetch: typeof globalThis.fetch = (...given) => {
    seen.push(given);
    return Promise.resolve(json(pet(), { status: 201, headers: { 'Set-Cookie': 'session=1' } }));
  };
  const pets = stubClient(fetch, { apiKey: 'k-once', headers: { 'X-Mine': '1' } });
  for (let n = 0; n < 2; n += 1) await pets.createPet(newPet);
  for (const [url, init] of seen) {
    expect(url).toBe('https://pets.test/v1/pets');
    // Its length is known before it is sent.
    expect(init).toMatchObject({ method: 'POST', body: '{"name":"Rex","categoryId":1}' });
    expect(init).toMatchObject({ redirect: 'manual', credentials: 'omit' });
    expect(Object.fromEntries(new Headers(init!.headers))).toEqual({
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^petstore-client\/\d/) as string,
      authorization: 'Bearer k-once',
      'x-mine': '1',
    });
  }
});
