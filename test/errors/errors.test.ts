import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  ConnectionError,
  GateRefusedError,
  NotFoundError,
  PetStoreError,
  RateLimitError,
  RequestValidationError,
  ResponseValidationError,
  ServerError,
  TimeoutError,
  type PetStoreClientOptions,
  type RateLimitGate,
} from '../../src/index.js';
import { json, quickClock, stubClient, stubFetch } from '../support/stub.js';
import { rejection, world } from '../support/world.js';

const newPet = { name: 'Rex', categoryId: 1 };
const broken = (code?: string) => () => {
  throw new TypeError('fetch failed', {
    cause: Object.assign(new Error('why'), code === undefined ? {} : { code }),
  });
};
const answer = (
  status: number,
  body: unknown = { code: 'some_code', message: 'Some message.', status },
  headers: HeadersInit = {},
) => json(body, { status, headers });

test.each([
  [400, BadRequestError, 'BadRequestError', 'nothing was changed: fix the argument'],
  [
    401,
    AuthenticationError,
    'AuthenticationError',
    'check the API key, and that it belongs to pets.test',
  ],
  [404, NotFoundError, 'NotFoundError', 'check the identifier or path'],
  [403, ApiError, 'ApiError', 'check the request'],
  [499, ApiError, 'ApiError', 'check the request'],
  [
    500,
    ServerError,
    'ServerError',
    'it may have been processed: check whether it was processed before you send it again',
  ],
  [
    599,
    ServerError,
    'ServerError',
    'it may have been processed: check whether it was processed before you send it again',
  ],
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
      stubClient(stubFetch(answer(status, undefined, headers))).createPet(newPet),
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
      stubFetch(() => answer(503)),
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
      `createPet on pets.test: 502 ${summary}; it may have been processed: check whether it was processed before you send it again`,
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
          stubFetch(() => answer(status, fromServer)),
          { rateLimit: false, retry: { limit: 0 } },
        );
        const { message } = await rejection<Error>(client.listPets());
        expect(message).toMatch(/^listPets on pets\.test: /);
        expect(message).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      },
    ),
  );
});

test.each([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
])('a connection that fails with %s has sent nothing, and says so', async (code) => {
  const error = await rejection<ConnectionError>(
    stubClient(stubFetch(broken(code))).createPet(newPet),
  );
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error.requestSent).toBe('no');
  expect(error.message).toBe(
    `createPet on pets.test: the connection failed (${code}); the service was not reached at https://pets.test/v1: check the address and the network`,
  );
  expect(error.attempts).toMatchObject([{ status: undefined, failure: 'connection' }]);
  expect((error.cause as Error & { cause: { code: string } }).cause.code).toBe(code);
});

test.each([
  ['ECONNRESET', 'ECONNRESET'],
  ['UND_ERR_SOCKET', 'UND_ERR_SOCKET'],
  [undefined, 'fetch failed'],
])(
  'a connection that fails with %s leaves open whether the request was processed',
  async (code, shown) => {
    const error = await rejection<ConnectionError>(
      stubClient(stubFetch(broken(code))).createPet(newPet),
    );
    expect(error.requestSent).toBe('unknown');
    expect(error.message).toBe(
      `createPet on pets.test: the connection failed (${shown}); it may have been processed: check whether it was processed before you send it again`,
    );
  },
);

test('a GET that was not answered can be tried again later', async () => {
  const error = await rejection<ConnectionError>(
    stubClient(stubFetch(broken('ECONNRESET')), { retry: { limit: 0 } }).listPets(),
  );
  expect(error.message).toBe(
    'listPets on pets.test: the connection failed (ECONNRESET); try again later',
  );
});

test('of what a runtime or a gate says the message keeps 200 characters', async () => {
  const long = 'x'.repeat(1_000);
  const fail = () => Promise.reject(new Error(long));
  const lost = await rejection<Error>(stubClient(stubFetch(fail)).createPet(newPet));
  expect(lost.message).toContain(`(${'x'.repeat(200)})`);
  const shut = await rejection<Error>(
    stubClient(stubFetch(), { rateLimit: { gate: { acquire: fail } } }).listPets(),
  );
  expect(shut.message).toMatch(/: x{200}$/);
});

test('the code of a failed connection is found among the causes of its causes, five deep', async () => {
  const nested = (depth: number): Error =>
    depth === 0
      ? Object.assign(new Error('inmost'), { code: 'ECONNREFUSED' })
      : new Error(`outer ${depth}`, { cause: nested(depth - 1) });
  const sentOf = async (depth: number) =>
    (
      await rejection<ConnectionError>(
        stubClient(stubFetch(() => Promise.reject(nested(depth)))).createPet(newPet),
      )
    ).requestSent;
  expect([await sentOf(5), await sentOf(6)]).toEqual(['no', 'unknown']);
});

test('the code of a failed connection is found among several addresses that were tried', async () => {
  const failure = new AggregateError(
    [Object.assign(new Error('v6'), { code: 'ENETUNREACH' })],
    'all failed',
  );
  const error = await rejection<ConnectionError>(
    stubClient(
      stubFetch(() => {
        throw new TypeError('fetch failed', { cause: failure });
      }),
    ).createPet(newPet),
  );
  expect([error.requestSent, error.message.includes('ENETUNREACH')]).toEqual(['no', true]);
});

test.each([
  [undefined],
  ['text'],
  [null],
  [Object.assign(Object.create(null) as object, {})],
  [Object.assign(new Error('loop'), {})],
])('a fetch that throws %s is a ConnectionError all the same', async (thrown) => {
  if (thrown instanceof Error) thrown.cause = thrown;
  const error = await rejection<ConnectionError>(
    stubClient(
      stubFetch(() => {
        throw thrown;
      }),
    ).createPet(newPet),
  );
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error.message).toContain(thrown instanceof Error ? '(loop)' : '(no reason given)');
});

test.each([
  ['production', 'https://api.petstore.example/v1', 'PETSTORE_BASE_URL'],
  ['staging', 'https://staging.petstore.example/v1', 'PETSTORE_STAGING_BASE_URL'],
] as const)(
  'a connection failure on the placeholder of %s says that it is one',
  async (environment, address, variable) => {
    const options: PetStoreClientOptions = { environment, baseUrl: undefined };
    const notFound = await rejection<Error>(
      stubClient(stubFetch(broken('ENOTFOUND')), options).createPet(newPet),
    );
    expect(notFound.message).toBe(
      `createPet on ${environment}: the connection failed (ENOTFOUND); ${address} is only a placeholder: set the variable ${variable}, or pass baseUrl`,
    );
    const reset = await rejection<Error>(
      stubClient(stubFetch(broken()), options).createPet(newPet),
    );
    expect(reset.message).toContain(
      'it may have been processed: check whether it was processed before you send it again; https://',
    );
  },
);

test.each([
  ['{"id":1,', 'the body is JSON that breaks off or is malformed'],
  [
    '<html>Sign in to the Wi-Fi</html>',
    'the body is an HTML page, from a proxy or a captive portal perhaps',
  ],
  ['', 'the body is empty'],
  ['OK', 'the body is not JSON'],
  [
    '[]',
    'the body is not what the contract says: the value must be a pet: an object with id, name and categoryId',
  ],
  [
    '{"name":"x","categoryId":"1"}',
    'the body is not what the contract says: id is required: an integer (int64); categoryId must be an integer (int64), got a string',
  ],
])(
  'a 201 with the body %j says what is wrong, and that the request took effect',
  async (text, problem) => {
    const error = await rejection<ResponseValidationError>(
      stubClient(stubFetch(json(text, { status: 201 }))).createPet(newPet),
    );
    expect(error).toBeInstanceOf(ResponseValidationError);
    expect(error.message).toBe(
      `createPet on pets.test: 201, but ${problem}; the request took effect: do not send it again`,
    );
    expect(error).toMatchObject({ status: 201, text, attempts: [{ status: 201 }] });
    const get = await rejection<Error>(stubClient(stubFetch(json(text))).getPet(1));
    expect(get.message).toBe(`getPet on pets.test: 200, but ${problem}`);
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

test.each([
  [
    'hold',
    { maxHold: 1_000 },
    {},
    'the rate limit holds this key for longer than maxHold (1000 ms)',
  ],
  [
    'wait',
    {},
    { maxWait: 1_000 },
    'the wait for the rate limit would pass maxWait or totalTimeout',
  ],
  ['queue', { maxQueue: 0 }, {}, 'maxQueue (0) calls wait for the rate limit already'],
] as const)(
  'a call stopped at the gate for %s was not sent, and knows when to try again',
  async (reason, rateLimit, options, because) => {
    const { service, client } = world();
    service.keys.get('mock-free').exhaust('minute');
    let stopped: Promise<RateLimitError> | undefined;
    const stop = () => (stopped ??= rejection(client({ rateLimit }).createPet(newPet, options)));
    await client({ onEvent: ({ type }) => void (type === 'rate-limit-hold' && stop()) }).listPets();
    const error = (await stopped)!;
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({
      name: 'RateLimitError',
      reason,
      status: 429,
      code: undefined,
      requestSent: 'no',
      attempts: [],
    });
    expect(error.message).toBe(
      `createPet on production: ${because}; it was not processed: try again after ${error.retryAt!.toISOString()}`,
    );
    expect(error.retryAt!.getTime() - error.retryAfter!).toBeLessThan(service.clock.now());
  },
);

test('a 429 with a time beyond all dates is a readable error', async () => {
  const headers = {
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': '8640000000000',
  };
  for (const rateLimit of [false, {}] as const) {
    const fetch = stubFetch(() => answer(429, {}, headers));
    const error = await rejection<RateLimitError>(
      stubClient(fetch, { rateLimit, clock: quickClock() }).listPets(),
    );
    expect(error).toBeInstanceOf(RateLimitError);
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ name: 'RateLimitError' });
  }
});

test('a 429 without Retry-After says to try again later', async () => {
  const client = stubClient(
    stubFetch(() => answer(429)),
    { rateLimit: false },
  );
  const error = await rejection<RateLimitError>(client.listPets());
  expect(error).toMatchObject({
    retryAfter: undefined,
    retryAt: undefined,
    code: 'some_code',
    requestSent: 'yes',
  });
  expect(error.message).toMatch(/it was not processed: try again later$/);
});

test('a 429 is placed by its own Date header, however wrong the local clock', async () => {
  const now = Date.UTC(2031, 0, 1);
  const headers = {
    Date: new Date(now).toUTCString(),
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': String(now / 1_000 + 40),
  };
  const client = stubClient(
    stubFetch(() => answer(429, {}, headers)),
    { rateLimit: false, clock: quickClock() },
  );
  const error = await rejection<RateLimitError>(client.listPets());
  expect(error.retryAfter).toBe(40_000);
  expect(error.retryAt).toEqual(new Date(Date.UTC(2026, 0, 1, 0, 0, 40)));
});

test('a reset that has passed already means now', async () => {
  const headers = {
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': '1700000000',
  };
  const client = stubClient(
    stubFetch(() => answer(429, {}, headers)),
    { rateLimit: false, clock: quickClock() },
  );
  expect((await rejection<RateLimitError>(client.listPets())).retryAfter).toBe(0);
});

test('toJSON of an error has all that is safe to log', async () => {
  const error = await rejection<ApiError>(
    stubClient(stubFetch(broken('ECONNRESET'))).createPet(newPet),
  );
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: 'ConnectionError',
    message: error.message,
    operation: 'createPet',
    attempts: [
      {
        failure: 'connection',
        at: expect.any(String),
        waited: expect.any(Number),
        took: expect.any(Number),
      },
    ],
    requestSent: 'unknown',
    cause: { name: 'TypeError', message: 'fetch failed' },
  });
  const refused = await rejection<ApiError>(stubClient(stubFetch(answer(404))).getPet(1));
  expect(JSON.parse(JSON.stringify(refused))).toMatchObject({
    status: 404,
    headers: { 'content-type': 'application/json' },
  });
  expect(JSON.parse(JSON.stringify(refused))).not.toHaveProperty('cause');
});

/** What a shell makes of the command: its words. */
const words = (curl: string) =>
  execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; PETSTORE_API_KEY=the-key; ${curl}`], {
    encoding: 'utf8',
  })
    .trimEnd()
    .split('\n');

test('toCurl is the request as a command that a shell reads right, with a variable for the key', async () => {
  const client = stubClient(
    stubFetch(() => answer(400)),
    { int64: 'bigint' },
  );
  const create = await rejection<PetStoreError>(
    client.createPet({ name: `O'Neill $HOME "x" \`id\``, categoryId: 2n ** 60n }),
  );
  expect(create.toCurl()).toContain('$PETSTORE_API_KEY');
  expect(words(create.toCurl()!)).toEqual([
    ...[
      '-g',
      '-i',
      '-X',
      'POST',
      'https://pets.test/v1/pets',
      '-H',
      'Authorization: Bearer the-key',
      '-H',
      'Content-Type: application/json',
    ],
    ...['--data-raw', `{"name":"O'Neill $HOME \\"x\\" \`id\`","categoryId":1152921504606846976}`],
  ]);
  const list = await rejection<PetStoreError>(client.listPets({ limit: 5, status: 'sold' }));
  expect(words(list.toCurl()!)).toEqual([
    '-g',
    '-i',
    '-X',
    'GET',
    'https://pets.test/v1/pets?limit=5&status=sold',
    '-H',
    'Authorization: Bearer the-key',
  ]);
  const head = await rejection<PetStoreError>(client.request({ method: 'HEAD', path: '/x' }));
  expect(words(head.toCurl()!).slice(0, 3)).toEqual(['-g', '--head', 'https://pets.test/v1/x']);
});

test('where no request was made there is no command', async () => {
  expect(
    (await rejection<PetStoreError>(stubClient(stubFetch()).listPets({ limit: 0 }))).toCurl(),
  ).toBeUndefined();
  expect(new ConfigurationError('x').toCurl()).toBeUndefined();
});

test('a key function that fails, or gives what cannot be sent, is a ConfigurationError with the operation', async () => {
  const failing = await rejection<ConfigurationError>(
    stubClient(stubFetch(), {
      apiKey: () => Promise.reject(new Error('vault is sealed')),
    }).listPets(),
  );
  expect(failing).toBeInstanceOf(ConfigurationError);
  expect(failing).toMatchObject({
    name: 'ConfigurationError',
    operation: 'listPets',
    attempts: [],
  });
  expect(failing.cause).toBeUndefined();
  expect(failing.message).toBe(
    'listPets on pets.test: the function apiKey failed (Error); what it says is not shown, for it may hold the key',
  );
  const coded = await rejection<Error>(
    stubClient(stubFetch(), {
      apiKey: () => Promise.reject(Object.assign(new TypeError('x'), { code: 'ENOENT' })),
    }).listPets(),
  );
  expect(coded.message).toContain('the function apiKey failed (TypeError ENOENT); what');
  const words = await rejection<Error>(
    stubClient(stubFetch(), {
      apiKey: () => Promise.reject('no error' as unknown as Error),
    }).listPets(),
  );
  expect(words.message).toContain('the function apiKey failed (with no error); what');
  const empty = await rejection<Error>(stubClient(stubFetch(), { apiKey: () => ' ' }).listPets());
  expect(empty.message).toBe(
    'listPets on pets.test: the function apiKey gave a key that cannot be sent: it is empty',
  );
});

test('every error class has its literal name, and instanceof follows its ancestors', () => {
  const details = {
    operation: 'listPets',
    attempts: [],
    issues: [],
    requestSent: 'no',
    status: 400,
    code: 'x',
    body: {},
    headers: new Headers(),
    rateLimit: undefined,
  } as const;
  const made = [
    new ConfigurationError('m'),
    new RequestValidationError('m', details),
    new ConnectionError('m', details),
    new TimeoutError('m', details),
    new ApiError('m', details),
    new BadRequestError('m', details),
    new AuthenticationError('m', details),
    new NotFoundError('m', details),
    new ServerError('m', details),
    new RateLimitError('m', { ...details, reason: 'wait', retryAfter: 1, retryAt: new Date(0) }),
    new ResponseValidationError('m', { ...details, text: '' }),
  ];
  const api = new Set([
    'ApiError',
    'BadRequestError',
    'AuthenticationError',
    'NotFoundError',
    'ServerError',
    'RateLimitError',
  ]);
  for (const error of made) {
    for (const { constructor } of made) {
      const type = constructor as typeof PetStoreError;
      expect(error instanceof type, `${error.name} is ${type.kind}`).toBe(
        type.kind === error.name || (type.kind === 'ApiError' && api.has(error.name)),
      );
    }
    expect(error instanceof PetStoreError).toBe(true);
    expect(error.name).toBe((error.constructor as typeof PetStoreError).kind);
  }
  for (const other of [new Error('x'), null, undefined, 'x', {}, { name: 'PetStoreError' }])
    expect((other as unknown) instanceof PetStoreError).toBe(false);
});

test('an error without details has no cause, no attempts and no operation', () => {
  const error = new ConfigurationError('x');
  expect(Object.hasOwn(error, 'cause')).toBe(false);
  expect([error.attempts, error.operation]).toEqual([[], undefined]);
});

test('a class that a user derives has its own instances only', () => {
  class Mine extends ApiError {}
  const details = {
    status: 400,
    code: undefined,
    body: undefined,
    headers: new Headers(),
    rateLimit: undefined,
  };
  const mine = new Mine('m', details);
  expect([
    mine instanceof Mine,
    mine instanceof ApiError,
    new ApiError('m', details) instanceof Mine,
  ]).toEqual([true, true, false]);
});

test('a redirect that a browser hides is refused as one that can be seen', async () => {
  const opaque = () =>
    Object.defineProperties(new Response(null), {
      status: { value: 0 },
      ok: { value: false },
      type: { value: 'opaqueredirect' },
    });
  const error = await rejection<ApiError>(stubClient(stubFetch(opaque)).listPets());
  expect(error).toBeInstanceOf(ApiError);
  expect(error.message).toBe(
    'listPets on pets.test: a redirect; redirects are refused, so that the API key stays with this address: check baseUrl',
  );
});

test('an error of this package that the fetch of a caller throws is passed on as it is', async () => {
  const own = new ConnectionError('from a client inside of fetch', { requestSent: 'no' });
  const thrower = stubFetch(() => {
    throw own;
  });
  expect(await rejection(stubClient(thrower).createPet(newPet))).toBe(own);
});

test('a call that the gate stops before its retry may have been processed, as far as its first attempt goes', async () => {
  let asked = 0;
  const settle = () => undefined;
  const gate: RateLimitGate = {
    acquire: () =>
      asked++ === 0
        ? Promise.resolve({ settle, lose: settle, cancel: settle })
        : Promise.reject(new GateRefusedError('queue', undefined)),
  };
  const client = stubClient(
    stubFetch(() => answer(503)),
    { rateLimit: { gate }, clock: quickClock() },
  );
  const error = await rejection<RateLimitError>(client.listPets());
  expect(error).toMatchObject({ reason: 'queue', requestSent: 'unknown', retryAt: undefined });
  expect(error.message).toBe(
    'listPets on pets.test: maxQueue (10000) calls wait for the rate limit already; an attempt before may have been processed: try again later',
  );
});

test('a HEAD that failed can be tried again like a GET', async () => {
  const client = stubClient(
    stubFetch(() => answer(503)),
    { retry: { limit: 0 } },
  );
  const error = await rejection<Error>(client.request({ method: 'HEAD', path: '/x' }));
  expect(error.message).toBe('HEAD /x on pets.test: 503 some_code: Some message; try again later');
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
  const long = await rejection<Error>(stubClient(stubFetch(answer(400, body))).createPet(newPet));
  expect(long.message).toContain(`400 ${'c'.repeat(200)}: ${'m'.repeat(200)};`);
  const dotted = await rejection<Error>(
    stubClient(stubFetch(answer(400, { ...body, code: 'c', message: 'see a.b.' }))).createPet(
      newPet,
    ),
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
