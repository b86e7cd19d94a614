import { expect, test } from 'vitest';
import {
  ApiError,
  PetStoreClient,
  RequestValidationError,
  type RawRequest,
} from '../../src/index.js';
import { json, stubClient, stubFetch } from '../support/stub.js';
import { rejection, world } from '../support/world.js';

const client = (reply: Response = json({})) => {
  const fetch = stubFetch(() => reply.clone());
  return { fetch, client: stubClient(fetch) };
};

test('an endpoint whose shape is not published is reached with the same key, gate and errors', async () => {
  const { service, client } = world();
  const error = await rejection<ApiError>(
    client().request({ method: 'GET', path: '/store/orders' }),
  );
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({
    status: 501,
    operation: 'GET /store/orders',
    rateLimit: { limit: 60 },
  });
  expect(service.requests.map(({ path }) => path)).toEqual(['/v1/store/orders']);
});

test('method, query and body go out as they are told', async () => {
  const { fetch, client: pets } = client(json({ ok: true }));
  const answer = await pets.request({
    method: 'patch',
    path: '/a%20b/c?own=1',
    query: { tag: ['x y', 'z&'], n: 2n ** 60n, flag: false, left: undefined, half: '\ud800' },
    body: { id: 2n ** 60n, list: [1, null] },
  });
  expect(answer).toEqual({ ok: true });
  expect(fetch.sent).toMatchObject([
    {
      method: 'PATCH',
      url: 'https://pets.test/v1/a%20b/c?own=1&tag=x%20y&tag=z%26&n=1152921504606846976&flag=false&half=%EF%BF%BD',
      body: '{"id":1152921504606846976,"list":[1,null]}',
    },
  ]);
  expect(fetch.sent[0]!.headers.get('content-type')).toBe('application/json');
});

test('without a body no content type is sent, and a query of nothing leaves the address as it is', async () => {
  const { fetch, client: pets } = client();
  await pets.request({ method: 'POST', path: '/x', query: { a: undefined, b: [] } });
  expect(fetch.sent[0]!.url).toBe('https://pets.test/v1/x');
  expect(fetch.sent[0]!.headers.has('content-type')).toBe(false);
});

test.each([{ signal: AbortSignal.abort() }, { json: { name: 'Rex' } }, { qurey: undefined }])(
  'an unknown field of a request (%o) is refused, and nothing is sent',
  async (field) => {
    const { fetch, client: pets } = client();
    const error = await rejection<RequestValidationError>(
      pets.request({ method: 'POST', path: '/x', ...field } as RawRequest),
    );
    const [name] = Object.keys(field);
    expect(error.issues).toMatchObject([{ path: [name] }]);
    expect(error.message).toBe(
      `POST /x: ${name} is unknown (known: method, path, query, body, schema): options are the second argument. Nothing was sent.`,
    );
    expect(fetch.sent).toEqual([]);
  },
);

test.each([
  [{ method: 'CONNECT', path: '/x' }, 'method must be an HTTP method that can be sent, as GET'],
  [{ method: 'TRACE', path: '/x' }, 'method must be an HTTP method'],
  [{ method: 'GET /x', path: '/x' }, 'method must be an HTTP method'],
  [{ method: '', path: '/x' }, 'method must be an HTTP method'],
  [{ path: '/x' }, 'method must be an HTTP method'],
  [{ method: 'GET', path: '/x', body: {} }, 'body cannot be sent with GET'],
  [{ method: 'head', path: '/x', body: {} }, 'body cannot be sent with HEAD'],
  [{ method: 'POST', path: '/x', body: () => 1 }, 'body cannot be written as JSON'],
  [{ method: 'GET', path: '/x', query: 'a=1' }, 'query must be an object'],
  [{ method: 'GET', path: '/x', query: null }, 'query must be an object'],
  [
    { method: 'GET', path: '/x', query: { a: { b: 1 } } },
    'query.a must be a string, number, bigint or boolean, got an object',
  ],
  [
    { method: 'GET', path: '/x', query: { a: [null] } },
    'query.a must be a string, number, bigint or boolean, got null',
  ],
  [{ method: 'GET', path: '/x', schema: {} }, 'schema must be a Standard Schema'],
  [{ method: 'GET', path: '/x', schema: null }, 'schema must be a Standard Schema'],
  [undefined, 'method must be an HTTP method'],
  [null, 'method must be an HTTP method'],
])(
  'a request that cannot be sent (%o) is refused with its path in the message',
  async (request, problem) => {
    const { fetch, client: pets } = client();
    const error = await rejection<RequestValidationError>(
      pets.request(request as unknown as RawRequest),
    );
    expect(error).toBeInstanceOf(RequestValidationError);
    expect(error.message).toContain(`: ${problem}`);
    expect(error.message).toMatch(/Nothing was sent\.$/);
    expect(fetch.sent).toEqual([]);
  },
);

test.each<[string, () => unknown]>([
  ['FormData', () => new FormData()],
  ['URLSearchParams', () => new URLSearchParams('a=1')],
  ['Blob', () => new Blob(['{}'])],
  ['ReadableStream', () => new ReadableStream()],
  ['ArrayBuffer', () => new ArrayBuffer(2)],
  ['Uint8Array', () => new Uint8Array([82])],
  ['Map', () => new Map([['name', 'Rex']])],
  ['Promise', () => Promise.resolve({ name: 'Rex' })],
])('a body of type %s has no form as JSON, and is refused with the reason', async (kind, make) => {
  const { fetch, client: pets } = client();
  const refused = pets.request({ method: 'POST', path: '/x', body: make() });
  const error = await rejection<RequestValidationError>(refused);
  expect(error).toBeInstanceOf(RequestValidationError);
  expect(error.message).toBe(
    `POST /x: body is sent as JSON, and cannot be of type ${kind}: for a string or bytes, set Content-Type in the headers of the call. Nothing was sent.`,
  );
  expect(fetch.sent).toEqual([]);
});

test('a body with a circle in it, or a toJSON that throws, is refused before anything is sent', async () => {
  const { fetch, client: pets } = client();
  const circle: { self?: unknown } = {};
  circle.self = circle;
  const throws = {
    toJSON: () => {
      throw new Error('no');
    },
  };
  for (const body of [circle, throws]) {
    const error = await rejection<Error>(pets.request({ method: 'POST', path: '/x', body }));
    expect(error.message).toBe('POST /x: body cannot be written as JSON. Nothing was sent.');
  }
  expect(fetch.sent).toEqual([]);
});

test('the operation of a raw request is its method and path, without the query', async () => {
  const error = await rejection<ApiError>(
    client(json({}, { status: 404 })).client.request({ method: 'get', path: '/x/y?secret=1' }),
  );
  expect(error.operation).toBe('GET /x/y');
  expect(error.message).toMatch(/^GET \/x\/y on pets\.test: 404 /);
});

test.each([
  [{ limit: 0 }, 'limit must be an integer from 1 to 100, got 0'],
  [{ limit: 101 }, 'limit must be an integer from 1 to 100, got 101'],
  [{ limit: 1.5 }, 'limit must be an integer from 1 to 100, got 1.5'],
  [{ limit: '5' }, 'limit must be an integer from 1 to 100, got a string'],
  [{ status: 'lost' }, 'status must be one of available, pending, sold, got "lost"'],
  [{ status: 'x'.repeat(41) }, 'status must be one of available, pending, sold, got a string'],
  [{ status: 5 }, 'status must be one of available, pending, sold, got a number'],
  [{ Limit: 5 }, 'the argument has an unknown query parameter "Limit" (known: limit, status)'],
  [
    { queryKey: [], signal: null },
    'the argument has unknown query parameters "queryKey", "signal" (known: limit, status)',
  ],
  ['available', 'the argument must be an object with limit and status'],
  [null, 'the argument must be an object with limit and status'],
])(
  'listPets(%j) is refused with the path and the bound, and nothing is sent',
  async (query, problem) => {
    const { fetch, client: pets } = client();
    const error = await rejection<RequestValidationError>(pets.listPets(query as never));
    expect(error.message).toBe(`listPets: ${problem}. Nothing was sent.`);
    expect(error).toMatchObject({
      name: 'RequestValidationError',
      operation: 'listPets',
      attempts: [],
    });
    expect(fetch.sent).toEqual([]);
  },
);

test.each([
  [{ name: 'x' }, 'categoryId is required: an integer (int64)'],
  [{ categoryId: 1 }, 'name is required: a string'],
  [
    { name: 5, categoryId: [] },
    'name must be a string, got a number; categoryId must be an integer (int64), got an array',
  ],
  [
    { name: 'x', categoryId: 1, status: 'lost' },
    'status must be one of available, pending, sold, got "lost"',
  ],
  [undefined, 'the argument must be an object with name and categoryId'],
])(
  'createPet(%j) is refused with the path and the bound, and nothing is sent',
  async (pet, problem) => {
    const { fetch, client: pets } = client();
    const error = await rejection<RequestValidationError>(pets.createPet(pet as never));
    expect(error.message).toBe(`createPet: ${problem}. Nothing was sent.`);
    expect(fetch.sent).toEqual([]);
  },
);

test('listPets sends limit and status in the query, and nothing for what is left out', async () => {
  const { fetch, client: pets } = client(json([]));
  await pets.listPets();
  await pets.listPets({ limit: 100, status: undefined });
  await pets.listPets({ status: 'sold', limit: 1 });
  expect(
    fetch.sent.map(({ url, method }) => [method, url.slice('https://pets.test/v1'.length)]),
  ).toEqual([
    ['GET', '/pets'],
    ['GET', '/pets?limit=100'],
    ['GET', '/pets?limit=1&status=sold'],
  ]);
});

test('globalThis.fetch is looked up at each call', async () => {
  const { fetch } = globalThis;
  const pets = new PetStoreClient({ apiKey: 'late-fetch', baseUrl: 'https://pets.test' });
  globalThis.fetch = stubFetch(json([]));
  try {
    expect(await pets.listPets()).toEqual([]);
  } finally {
    globalThis.fetch = fetch;
  }
});

test('URLSearchParams are a query as good as an object, and what else can be iterated is refused', async () => {
  const { fetch, client: pets } = client();
  await pets.request({ method: 'GET', path: '/x', query: new URLSearchParams('tag=a b&tag=c') });
  expect(fetch.sent[0]!.url).toBe('https://pets.test/v1/x?tag=a%20b&tag=c');
  for (const query of [new Map([['a', 1]]), ['a'], 'a=1', null]) {
    const error = await rejection<Error>(
      pets.request({ method: 'GET', path: '/x', query } as never),
    );
    expect(error.message).toContain('query must be an object, or URLSearchParams');
  }
  expect(fetch.sent).toHaveLength(1);
});
