import { expect, test } from 'vitest';
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  ResponseValidationError,
  ServerError,
  type PetStoreClient,
} from '../../src/index.js';
import { fc, anyText } from '../support/fuzz.js';
import { rejection, world } from '../support/world.js';
import {
  brokenConnection,
  errorResponse,
  failureOf,
  json,
  list,
  type Reply,
  quotaHeaders,
} from '../support/stub.js';

const inDoubt = 'it may have been processed: check before you send it again';
const notFound = 'nothing was found at https://pets.test/v1/pets: check baseUrl and the path';

test.each([
  [400, BadRequestError, 'nothing was changed: fix the argument'],
  [401, AuthenticationError, 'check the API key, and that it belongs to pets.test'],
  [404, NotFoundError, notFound],
  [403, ApiError, 'check the request'],
  [408, ApiError, inDoubt, 'try again later'],
  [499, ApiError, 'check the request'],
  [500, ServerError, inDoubt, 'try again later'],
  [501, ServerError, inDoubt, 'repeating the request does not help'],
  [599, ServerError, inDoubt, 'try again later'],
] as const)(
  'a %i is a %o with the fields of the answer and one line that says what to do',
  async (status, type, advice, adviceOfList: string = advice) => {
    const reset = 1_900_000_000;
    const reply = errorResponse(status, undefined, quotaHeaders(60, 59, reset));
    const error = await failureOf(reply);
    expect(error).toBeInstanceOf(type);
    const said = `on pets.test: ${status} some_code: Some message;`;
    expect(error.message).toBe(`createPet ${said} ${advice}`);
    const ms = expect.any(Number) as number;
    expect(error).toMatchObject({
      name: type.kind,
      operation: 'createPet',
      status,
      code: 'some_code',
      body: { code: 'some_code', message: 'Some message.', status },
      rateLimit: { limit: 60, remaining: 59, resetAt: new Date(reset * 1_000) },
      attempts: [{ status, failure: undefined, waited: ms, took: ms, at: expect.any(Date) }],
    });
    expect(error.stack).toContain('errors.test.ts');
    const { message } = await failureOf(reply, list, { maxRetries: 0 });
    expect(message).toBe(`listPets ${said} ${adviceOfList}`);
  },
);

const noError = 'with a body that is not an error of the contract';
const htmlPage = 'an HTML page, from a proxy or a captive portal perhaps';
const torn = new ReadableStream({ start: (to) => to.error(new Error('reset')) });

test.each<[body: BodyInit, summary: string]>([
  ['<!doctype html><p>Bad gateway</p>', `with a body that is ${htmlPage}`],
  ['', 'with a body that is empty'],
  ...['upstream connect error', '42', 'null', '"no"', '{"code":"x"'].map(
    (body): [string, string] => [body, noError],
  ),
  ['{"code":"x","message":7,"status":502}', noError],
  [torn, 'with a body that is cut short'],
])(
  'an error body of %s leaves the status readable, the message short and the code undefined',
  async (body, summary) => {
    const error = await failureOf(() => new Response(body, { status: 502 }));
    expect(error).toBeInstanceOf(ServerError);
    expect(error.code).toBeUndefined();
    expect(error.message).toBe(`createPet on pets.test: 502 ${summary}; ${inDoubt}`);
  },
);

test.each<[string, text: string, body?: string]>([
  ['a long page', '<p>'.repeat(5_000)],
  // It is read in one way only.
  ['400,000 backslashes', `${'\\'.repeat(400_000)}!`],
  ['JSON of more than 65,536 characters', `"${'x'.repeat(65_535)}"`],
  ['JSON nested beyond all measure', '['.repeat(3e4) + ']'.repeat(3e4)],
  ['JSON of 65,536 characters', `"${'x'.repeat(65_534)}"`, 'x'.repeat(65_534)],
])(
  'of %s the error keeps 1,000 characters as text, and the message none',
  async (_name, text, body = text.slice(0, 1_000)) => {
    const error = await failureOf(new Response(text, { status: 502 }));
    expect(error).toBeInstanceOf(ServerError);
    expect(error.body).toBe(body);
    expect(error.message.length).toBeLessThan(200);
  },
);

test('an error body that is null in JSON is null in the error, and in the JSON of the error', async () => {
  const error = await failureOf(json('null', { status: 502 }));
  expect(error.toJSON()).toMatchObject({ body: null });
  expect(error.body).toBeNull();
});

test('of a long code and a long message of the service the message keeps 200 characters each, and of a point only the last', async () => {
  const said = async (code: string, message: string) =>
    (await failureOf(errorResponse(400, { code, message, status: 400 }))).message;
  expect(await said('c'.repeat(300), 'm'.repeat(300))).toContain(
    `400 ${'c'.repeat(200)}: ${'m'.repeat(200)};`,
  );
  expect(await said('c', 'see a.b.')).toContain('400 c: see a.b;');
});

test('whatever a service says, the message is one line without codes that steer a terminal', async () => {
  await fc.assert(
    fc.asyncProperty(anyText(), fc.constantFrom(400, 401, 404, 429, 500), async (text, status) => {
      const code = `a\r\n\u001b[31m${text}`;
      const said = { code, message: `b\n\u2028${text}\u0007`, status };
      const options = { gate: false, maxRetries: 0 } as const;
      const { message } = await failureOf(errorResponse(status, said), list, options);
      expect(message).toMatch(/^listPets on pets\.test: /);
      expect(message).not.toMatch(/[\p{Cc}\u2028\u2029]|\s\s/u);
    }),
    { numRuns: 50 },
  );
});

/** A status that no `Response` can be made with; 0 is a redirect as a browser shows it. */
const odd = (status: number) => () =>
  Object.defineProperties(new Response(null), {
    status: { value: status },
    ok: { value: false },
    ...(status === 0 && { type: { value: 'opaqueredirect' } }),
  });
const redirected =
  'redirects are refused, so that the API key stays with this address: check baseUrl';
const head = (client: PetStoreClient) => client.request({ method: 'HEAD', path: '/x' });

const lost = 'the connection failed (ECONNRESET) (3 attempts); try again later';
const tried = '503 some_code: Some message (3 attempts); try again later';

test.each<[message: string, Reply, typeof list]>([
  [`listPets on pets.test: ${tried}`, errorResponse(503), list],
  [`HEAD /x on pets.test: ${tried}`, errorResponse(503), head],
  [`listPets on pets.test: ${lost}`, brokenConnection('ECONNRESET'), list],
  [`listPets on pets.test: a redirect with a body that is empty; ${redirected}`, odd(0), list],
  // Beyond all classes.
  ...[304, 999].map((status): [string, Reply, typeof list] => [
    `listPets on pets.test: ${status} with a body that is empty; check the request`,
    odd(status),
    list,
  ]),
])('the error of a call that changes nothing says: %s', async (message, reply, call) => {
  expect((await failureOf(reply, call)).message).toBe(message);
});

const noId =
  'id is required: an integer (int64); categoryId must be an integer (int64), got a string';
const contract = 'the body is not what the contract says';

test.each([
  ['{"id":1,', 'the body is not JSON, or it breaks off'],
  ['\n<html>Sign in</html>', `the body is ${htmlPage}`],
  ['', 'the body is empty'],
  [' \n\t ', 'the body is empty'],
  ['OK', 'the body is not JSON, or it breaks off'],
  ['a <b> c', 'the body is not JSON, or it breaks off'],
  ['[]', `${contract}: the value must be a pet: an object with id, name and categoryId`],
  ['{"name":"x","categoryId":"1"}', `${contract}: ${noId}`],
])(
  'a 201 with the body %j says what is wrong, and that the request took effect',
  async (text, problem) => {
    const error = await failureOf<ResponseValidationError>(json(text, { status: 201 }));
    expect(error).toBeInstanceOf(ResponseValidationError);
    expect(error.message).toBe(
      `createPet on pets.test: 201, but ${problem}; the request took effect: do not send it again`,
    );
    expect(error).toMatchObject({ status: 201, text, attempts: [{ status: 201 }] });
    const get = await failureOf<ResponseValidationError>(json(text), (client) => client.getPet(1));
    const next = get.issues.length === 0 ? '; try again later, or check baseUrl' : '';
    expect(get.message).toBe(`getPet on pets.test: 200, but ${problem}${next}`);
  },
);

test('a validation error names the path of each problem, three in its message and all in its issues', async () => {
  const wrong = (count: number) => json(Array(count).fill({ id: 1, name: 2, categoryId: 3 }));
  const error = await failureOf<ResponseValidationError>(wrong(5), list);
  const three = [0, 1, 2].map((index) => `[${index}].name must be a string, got a number`);
  expect(error.message).toContain(`${three.join('; ')}; and 2 more`);
  expect(error.issues.map(({ path }) => path)).toEqual(
    [0, 1, 2, 3, 4].map((index) => [index, 'name']),
  );
  expect((await failureOf(wrong(3), list)).message).toMatch(/\[2\]\.name must be [^;]*$/);
});

test.each([
  ['number', '9007199254740993'],
  ['bigint', 9007199254740993n],
] as const)(
  'an integer in the body of an error is exact, and toJSON writes it, with int64: %s',
  async (int64, id) => {
    const text = '{"code":"conflict","message":"m","status":409,"pets":[{"id":9007199254740993}]}';
    for (const status of [409, 429]) {
      const error = await failureOf(json(text, { status }), list, { int64, gate: false });
      expect(error).toMatchObject({ code: 'conflict', body: { pets: [{ id }] } });
      expect(JSON.parse(JSON.stringify(error))).toMatchObject({
        body: { code: 'conflict', message: 'm', status: 409, pets: [{ id: '9007199254740993' }] },
      });
    }
  },
);

test('every error of a call has the address that was requested, without its query and without the key, and a raw request its method and path as operation', async () => {
  const apiKey = 'sk-live-123456';
  const notFound = (path: `/${string}`) => {
    const request = { method: 'get', path, query: { token: 'secret' } } as const;
    return failureOf(errorResponse(404), (client) => client.request(request), { apiKey });
  };
  const error = await notFound(`/of/${apiKey}`);
  expect(error.url).toBe('[text withheld: it contains the API key]');
  expect(error.toJSON()['url']).toBe(error.url);
  expect(JSON.stringify(error) + error.message).not.toContain('secret');
  const raw = await notFound('/x/y?token=secret');
  expect(raw).toMatchObject({ url: 'https://pets.test/v1/x/y', operation: 'GET /x/y' });
  expect(raw.message).toMatch(/^GET \/x\/y on pets\.test: 404 /);
  const lost = await failureOf(brokenConnection(), list);
  expect(lost.url).toBe('https://pets.test/v1/pets');
});

test('where no request was made there is no address, and no command', async () => {
  const refused = await failureOf(errorResponse(400), (client) => client.listPets({ limit: 0 }));
  expect([refused.url, refused.toCurl()]).toEqual([undefined, undefined]);
  expect(new ApiError('x').toCurl()).toBeUndefined();
});

test('a 404 says whether to check the identifier, or the path before which the prefix is added', async () => {
  const { client } = world();
  const get = (path: `/${string}`) => client().request({ method: 'GET', path });
  const messageOf = async (call: Promise<unknown>) => (await rejection<Error>(call)).message;
  expect(await messageOf(get('/v1/pets'))).toContain('/v1/v1/pets: check the path, before which');
  expect(await messageOf(get('/pets/9/x'))).toContain('/pets/9/x: check baseUrl and the path');
  for (const call of [client().getPet(999), get('/pets/999'), client().getPet(-999)])
    expect(await messageOf(call)).toMatch(/\/v1\/pets\/-?999: check the identifier$/);
});
