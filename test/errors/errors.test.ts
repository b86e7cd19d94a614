import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ResponseValidationError } from '../../src/index.js';
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConnectionError,
  NotFoundError,
  PetStoreError,
  ServerError,
} from '../../src/index.js';
import {
  brokenConnection,
  errorResponse,
  json,
  quickClock,
  stubClient,
  stubFetch,
} from '../support/stub.js';
import { rejection } from '../support/world.js';

const newPet = { name: 'Rex', categoryId: 1 };

test.each([
  [400, BadRequestError, 'BadRequestError', 'nothing was changed: fix the argument'],
  [
    401,
    AuthenticationError,
    'AuthenticationError',
    'check the API key, and that it belongs to pets.test',
  ],
  [
    404,
    NotFoundError,
    'NotFoundError',
    'nothing was found at https://pets.test/v1/pets: check baseUrl and the path',
  ],
  [403, ApiError, 'ApiError', 'check the request'],
  [499, ApiError, 'ApiError', 'check the request'],
  [500, ServerError, 'ServerError', 'it may have been processed: check before you send it again'],
  [599, ServerError, 'ServerError', 'it may have been processed: check before you send it again'],
])(
  'a %i is a %o with the fields of the answer and one line that says what to do',
  async (status, type, name, advice) => {
    const reset = 1_900_000_000;
    const headers = {
      'X-RateLimit-Limit': '60',
      'X-RateLimit-Remaining': '59',
      'X-RateLimit-Reset': String(reset),
    };
    const error = await rejection<ApiError>(
      stubClient(stubFetch(errorResponse(status, undefined, headers))).createPet(newPet),
    );
    expect(error).toBeInstanceOf(type);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toBeInstanceOf(PetStoreError);
    expect(error).toBeInstanceOf(Error);
    expect(error.message).toBe(
      `createPet on pets.test: ${status} some_code: Some message; ${advice}`,
    );
    expect(error).toMatchObject({
      name,
      operation: 'createPet',
      status,
      code: 'some_code',
      body: { code: 'some_code', message: 'Some message.', status },
      rateLimit: { limit: 60, remaining: 59, resetAt: new Date(reset * 1_000) },
      attempts: [
        {
          status,
          failure: undefined,
          waited: expect.any(Number),
          took: expect.any(Number),
          at: expect.any(Date),
        },
      ],
    });
    expect(error.stack).toContain('errors.test.ts');
  },
);

test('a GET that failed says that it can be tried again later, and how often it was tried', async () => {
  const error = await rejection<Error>(
    stubClient(
      stubFetch(() => errorResponse(503)),
      { clock: quickClock() },
    ).listPets(),
  );
  expect(error.message).toBe(
    'listPets on pets.test: 503 some_code: Some message (3 attempts); try again later',
  );
});

test.each([
  ['an HTML page', '<!doctype html><p>Bad gateway</p>', 'with an HTML page, from a proxy perhaps'],
  ['nothing', '', 'with an empty body'],
  ['a text', 'upstream connect error', 'with a body that is no error of the contract'],
  ['a number', '42', 'with a body that is no error of the contract'],
  ['null', 'null', 'with a body that is no error of the contract'],
  ['a string', '"no"', 'with a body that is no error of the contract'],
  [
    'half an error',
    '{"code":"x","message":7,"status":502}',
    'with a body that is no error of the contract',
  ],
  ['JSON cut short', '{"code":"x"', 'with a body that is no error of the contract'],
])(
  'an error body of %s leaves the status readable, the message short and the code undefined',
  async (_name, text, summary) => {
    const error = await rejection<ApiError>(
      stubClient(stubFetch(() => new Response(text, { status: 502 }))).createPet(newPet),
    );
    expect(error).toBeInstanceOf(ServerError);
    expect(error.code).toBeUndefined();
    expect(error.message).toBe(
      `createPet on pets.test: 502 ${summary}; it may have been processed: check before you send it again`,
    );
  },
);

test('of a long page the error keeps 1,000 characters, and the message none', async () => {
  const error = await rejection<ApiError>(
    stubClient(stubFetch(() => new Response('<p>'.repeat(5_000), { status: 502 }))).createPet(
      newPet,
    ),
  );
  expect(error.body).toBe('<p>'.repeat(400).slice(0, 1_000));
  expect(error.message.length).toBeLessThan(200);
});

test('an error body nested beyond all measure is kept as text', async () => {
  const error = await rejection<ApiError>(
    stubClient(
      stubFetch(() => new Response('['.repeat(1e6) + ']'.repeat(1e6), { status: 400 })),
    ).listPets(),
  );
  expect(error).toBeInstanceOf(BadRequestError);
  expect(error.body).toBe('['.repeat(1_000));
});

test('whatever a service says, the message is one line without codes that steer a terminal', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(400, 401, 404, 429, 500),
      async (text, status) => {
        const fromServer = {
          code: `a\r\n\u001b[31m${text}`,
          message: `b\n\u2028${text}\u0007`,
          status,
        };
        const client = stubClient(
          stubFetch(() => errorResponse(status, fromServer)),
          { gate: false, maxRetries: 0 },
        );
        const { message } = await rejection<Error>(client.listPets());
        expect(message).toMatch(/^listPets on pets\.test: /);
        expect(message).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      },
    ),
  );
});

test.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])(
  'a connection that fails with %s has sent nothing, and says so',
  async (code) => {
    const error = await rejection<ConnectionError>(
      stubClient(stubFetch(brokenConnection(code))).createPet(newPet),
    );
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.requestSent).toBe('no');
    expect(error.message).toBe(
      `createPet on pets.test: the connection failed (${code}); the service was not reached at https://pets.test/v1: check the address and the network`,
    );
    expect(error.attempts).toMatchObject([{ status: undefined, failure: 'connection' }]);
    expect((error.cause as Error & { cause: { code: string } }).cause.code).toBe(code);
  },
);

test.each([
  ['ECONNRESET', 'ECONNRESET'],
  ['UND_ERR_SOCKET', 'UND_ERR_SOCKET'],
  [undefined, 'fetch failed'],
])(
  'a connection that fails with %s leaves open whether the request was processed',
  async (code, shown) => {
    const error = await rejection<ConnectionError>(
      stubClient(stubFetch(brokenConnection(code))).createPet(newPet),
    );
    expect(error.requestSent).toBe('unknown');
    expect(error.message).toBe(
      `createPet on pets.test: the connection failed (${shown}); it may have been processed: check before you send it again`,
    );
  },
);

test('a validation error names the path of each problem, three in its message and all in its issues', async () => {
  const body = Array.from({ length: 5 }, () => ({ id: 1, name: 2, categoryId: 3 }));
  const error = await rejection<ResponseValidationError>(
    stubClient(stubFetch(json(body))).listPets(),
  );
  expect(error.message).toContain(
    '[0].name must be a string, got a number; [1].name must be a string, got a number; [2].name',
  );
  expect(error.message).toContain('and 2 more');
  expect(error.issues.map(({ path }) => path)).toEqual(
    [0, 1, 2, 3, 4].map((index) => [index, 'name']),
  );
});

test('of a long body a validation error keeps the first 1,000 characters', async () => {
  const text = `[${'1,'.repeat(2_000)}1]`;
  const error = await rejection<ResponseValidationError>(
    stubClient(stubFetch(json(text))).listPets(),
  );
  expect(error.text).toBe(text.slice(0, 1_000));
});

test('three problems are all in the message', async () => {
  const error = await rejection<Error>(
    stubClient(stubFetch(json([{ id: 'x', name: 1, categoryId: null }]))).listPets(),
  );
  expect(error.message).toMatch(
    /\[0\]\.id must .*; \[0\]\.name must .*; \[0\]\.categoryId must [^;]*$/,
  );
});

test.each([
  [' \n\t ', 'the body is empty'],
  ['\n  <html>', 'the body is an HTML page'],
  ['  {"id"', 'the body is JSON that breaks off or is malformed'],
  ['a <b> c', 'the body is not JSON'],
  ['x [1]', 'the body is not JSON'],
])(
  'the kind of a body %j is recognised by its beginning, after white space',
  async (text, problem) => {
    expect((await rejection<Error>(stubClient(stubFetch(json(text))).getPet(1))).message).toContain(
      problem,
    );
  },
);

test('of a long code and a long message of the service the message keeps 200 characters each, and of a point only the last', async () => {
  const body = { code: 'c'.repeat(300), message: 'm'.repeat(300), status: 400 };
  const long = await rejection<Error>(
    stubClient(stubFetch(errorResponse(400, body))).createPet(newPet),
  );
  expect(long.message).toContain(`400 ${'c'.repeat(200)}: ${'m'.repeat(200)};`);
  const dotted = await rejection<Error>(
    stubClient(
      stubFetch(errorResponse(400, { ...body, code: 'c', message: 'see a.b.' })),
    ).createPet(newPet),
  );
  expect(dotted.message).toContain('400 c: see a.b;');
});

test('an incomplete error body is reported as such', async () => {
  const torn = () =>
    new Response(new ReadableStream({ start: (to) => to.error(new Error('reset')) }), {
      status: 500,
    });
  const error = await rejection<Error>(stubClient(stubFetch(torn)).createPet(newPet));
  expect(error.message).toContain('500 with a body that is cut short');
});
