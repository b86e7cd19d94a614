import { http, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import * as msw from 'msw';
import { afterEach, expect, test, vi } from 'vitest';
import { createMockService } from '../../../mocks/index.js';
import { assertNodeSupportsMsw } from '../../../mocks/utils/msw-compat.js';
import { createHandlers } from '../../../mocks/msw.js';
import { setupMockServer } from '../../../mocks/node.js';
import { PetStoreClient } from '../../../src/index.js';
import { failOnUnhandled } from '../../../mocks/utils/msw-compat.js';

const withKey = { headers: { Authorization: 'Bearer mock-free' } };

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test('this project runs on the msw that its name says', () => {
  expect('handleRequest' in msw ? '2' : '3').toBe(process.env['MSW_MAJOR']);
});

test('the handlers answer for both environments, by placeholder and by variable', async () => {
  vi.stubEnv('PETSTORE_STAGING_BASE_URL', 'https://staging.shop.test/v1/');
  const server = setupMockServer({ seed: 2 });
  server.listen();
  try {
    for (const address of ['https://api.petstore.example', 'https://staging.shop.test']) {
      const response = await fetch(`${address}/v1/pets`, withKey);
      expect(response.status).toBe(200);
      expect(await response.json()).toHaveLength(2);
    }
  } finally {
    server.close();
  }
});

test('an address of its own may have a folder in front, and more than one may be given', async () => {
  const server = setupMockServer({
    seed: 1,
    baseUrl: ['https://gate.test/animals/v1', 'http://localhost:59999'],
  });
  server.listen();
  try {
    expect((await fetch('https://gate.test/animals/v1/pets', withKey)).status).toBe(200);
    expect((await fetch('http://localhost:59999/v1/pets', withKey)).status).toBe(200);
    const created = await fetch('https://gate.test/animals/v1/pets', {
      method: 'POST',
      headers: { ...withKey.headers, 'Content-Type': 'application/json' },
      body: '{"name":"Rex","categoryId":9223372036854775807}',
    });
    expect(await created.text()).toContain('"categoryId":9223372036854775807');
    const unknown = await fetch('https://gate.test/animals/v1/fish', withKey);
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ code: 'path_not_found', status: 404 });
  } finally {
    server.close();
  }
});

test('a fresh service behind an address begins with fresh gates: a ban in one test does not reach the next', async () => {
  const client = new PetStoreClient({ apiKey: 'mock-free', baseUrl: 'https://ban.test' });
  const first = createMockService();
  first.keys.get('mock-free').ban('1d');
  const server = setupServer(...createHandlers(first, { baseUrl: 'https://ban.test' }));
  server.listen();
  try {
    const banned = expect.objectContaining({ name: 'RateLimitError' }) as Error;
    await expect(client.listPets()).rejects.toEqual(banned);
    server.use(...createHandlers(first, { baseUrl: 'https://ban.test' }));
    await expect(client.listPets()).rejects.toEqual(banned);
    expect(first.requests).toHaveLength(1);
    const second = createMockService({ seed: 2 });
    server.resetHandlers(...createHandlers(second, { baseUrl: 'https://ban.test' }));
    expect(await client.listPets()).toHaveLength(2);
  } finally {
    server.close();
  }
});

test('an unhandled request fails, unless the options of listen() allow it', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const server = setupMockServer();
  server.listen();
  try {
    await expect(fetch('http://127.0.0.1:59999/elsewhere')).rejects.toThrow();
    expect(vi.mocked(console.error).mock.calls.flat().join(' ')).toMatch(
      /without a (matching|corresponding)|onUnhandled|matching request handler/i,
    );
  } finally {
    server.close();
  }
});

test('an unhandled request fails the test even where the error was swallowed', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const server = setupMockServer();
  server.listen();
  try {
    await fetch('http://127.0.0.1:59999/elsewhere?secret=1').catch(() => undefined);
    expect(server.unhandled).toEqual(['GET http://127.0.0.1:59999/elsewhere']);
    expect(() => server.assertAllHandled()).toThrow('GET http://127.0.0.1:59999/elsewhere');
    expect(() => server.assertAllHandled()).not.toThrow();
  } finally {
    server.close();
  }
});

test.each(['error', 'warn', 'bypass', 'a function'] as const)(
  'assertAllHandled() reports an unhandled request with the strategy %s and after removeAllListeners()',
  async (strategy) => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const server = setupMockServer();
    server.listen(
      strategy === 'a function'
        ? ({ onUnhandledRequest: () => undefined, onUnhandledFrame: () => undefined } as object)
        : { onUnhandledFrame: strategy },
    );
    try {
      server.events.removeAllListeners();
      await fetch('http://127.0.0.1:59999/elsewhere').catch(() => undefined);
      expect(() => server.assertAllHandled()).toThrow('GET http://127.0.0.1:59999/elsewhere');
    } finally {
      server.close();
    }
  },
);

test('a strategy given to listen() by either name holds on both majors, and error is the default', () => {
  expect(failOnUnhandled(undefined)).toEqual({
    onUnhandledRequest: 'error',
    onUnhandledFrame: 'error',
  });
  expect(failOnUnhandled({ onUnhandledRequest: 'bypass' })).toEqual({
    onUnhandledRequest: 'bypass',
    onUnhandledFrame: 'bypass',
  });
  expect(failOnUnhandled({ onUnhandledFrame: 'warn' })).toEqual({
    onUnhandledRequest: 'warn',
    onUnhandledFrame: 'warn',
  });
  const own = () => undefined;
  expect(failOnUnhandled({ onUnhandledRequest: own })).toEqual({
    onUnhandledRequest: own,
    onUnhandledFrame: 'error',
  });
});

test("the handlers fit into a server of one's own, beside other handlers", async () => {
  const service = createMockService({ seed: 1 });
  const server = setupServer(
    http.get('https://other.test/', () => HttpResponse.text('mine')),
    ...createHandlers(service),
  );
  server.listen();
  try {
    expect(await (await fetch('https://other.test/')).text()).toBe('mine');
    expect((await fetch('https://api.petstore.example/v1/pets', withKey)).status).toBe(200);
  } finally {
    server.close();
  }
});

test('a request that is aborted is no defect of the handler, and makes no noise', async () => {
  const noise = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const server = setupMockServer({ faults: [{ hang: true }] });
  server.listen();
  try {
    const leave = new AbortController();
    const hanging = fetch('https://api.petstore.example/v1/pets', {
      ...withKey,
      signal: leave.signal,
    });
    const failed = expect(hanging).rejects.toThrow('enough');
    await expect.poll(() => server.service.requests.length).toBe(1);
    leave.abort(new Error('enough'));
    await failed;
    await new Promise((resolve) => setImmediate(resolve));
    expect(noise).not.toHaveBeenCalled();
  } finally {
    server.close();
  }
});

test('a service that exists already can be given', () => {
  const service = createMockService({ seed: 3 });
  const server = setupMockServer({ service });
  expect(server.service).toBe(service);
});

test('msw 3 on a Node that it cannot run on is refused with the way out', () => {
  expect(() => assertNodeSupportsMsw(3, '20.20.2')).toThrow(
    /msw 3 needs Node 22\.12 or newer, this is 20\.20\.2.*msw@2/s,
  );
  expect(() => assertNodeSupportsMsw(3, '22.11.0')).toThrow('22.12');
  expect(() => assertNodeSupportsMsw(3, '22.12.0')).not.toThrow();
  expect(() => assertNodeSupportsMsw(3, '24.21.0')).not.toThrow();
  expect(() => assertNodeSupportsMsw(2, '20.20.2')).not.toThrow();
});

test.each([
  [
    { baseURL: 'https://gate.test' },
    'createHandlers has no option baseURL; it has: baseUrl. Did you mean baseUrl?',
  ],
  [
    { baseUrl: 'gate.test' },
    "baseUrl must be an absolute http: or https: URL, or an array of them, got 'gate.test': did you mean 'http://gate.test'?",
  ],
  [
    { baseUrl: ['https://gate.test', 5] },
    'baseUrl must be an absolute http: or https: URL, or an array of them, got an array',
  ],
])('createHandlers refuses %o', (options, problem) => {
  expect(() => createHandlers(createMockService(), options as object)).toThrow(
    new TypeError(problem),
  );
});

test.each([
  'http://[::1]:8080',
  'http://127.0.0.1:59998/a(b)',
  'https://gate.test/a+b/:id*/{x}',
  'https://gate.test/a.b$c^/[d]|e',
  'HTTPS://Gate.Test:443/v1/',
])('the handlers answer for the address %s, and for no other', async (baseUrl) => {
  const server = setupMockServer({ seed: 2, baseUrl });
  server.listen({ onUnhandledRequest: 'bypass', onUnhandledFrame: 'bypass' } as object);
  try {
    const base = new URL(baseUrl).href.replace(/\/(v1\/)?$/, '');
    const response = await fetch(`${base}/v1/pets`, withKey);
    expect([response.status, ((await response.json()) as unknown[]).length]).toEqual([200, 2]);
    expect(server.service.requests[0]).toMatchObject({ path: '/v1/pets', status: 200 });
  } finally {
    server.close();
  }
});

test.each([
  'localhost:8080',
  'ftp://gate.test',
  'file:///v1',
  '//gate.test',
  'gate.test:80/v1',
  '',
])('createHandlers refuses the address %j, which no request can have', (baseUrl) => {
  expect(() => createHandlers(createMockService(), { baseUrl })).toThrow(
    'baseUrl must be an absolute http: or https: URL',
  );
});

test('createHandlers says which scheme is missing, and takes no empty list', () => {
  const service = createMockService();
  expect(() => createHandlers(service, { baseUrl: 'localhost:8080' })).toThrow(
    "did you mean 'http://localhost:8080'?",
  );
  expect(() => createHandlers(service, { baseUrl: [] })).toThrow(TypeError);
});

test('createHandlers says how to make a path of the page an absolute address', () => {
  const service = createMockService();
  for (const baseUrl of ['/api', '/v1', ['https://gate.test', '/api']])
    expect(() => createHandlers(service, { baseUrl })).toThrow(
      /did you mean location\.origin \+ '\/(?:api|v1)'\?$/,
    );
});

test('createHandlers refuses an address that ends in the path of an operation', () => {
  const service = createMockService();
  for (const path of ['/pets', '/v1/pets/', '/v1/pets/17'])
    expect(() => createHandlers(service, { baseUrl: `https://gate.test${path}` })).toThrow(
      /: leave out '\/pets(?:\/17)?', the path of an operation; if it is a folder of the service, add \/v1$/,
    );
  expect(createHandlers(service, { baseUrl: 'https://gate.test/pets/v1' })).toHaveLength(1);
});

test('the address of staging is staging, also where it shares its origin with production', async () => {
  vi.stubEnv('PETSTORE_BASE_URL', 'https://gate.test/pets');
  vi.stubEnv('PETSTORE_STAGING_BASE_URL', 'https://gate.test/pets/staging/v1');
  const server = setupMockServer();
  server.listen();
  try {
    for (const path of ['/pets/v1/pets', '/pets/staging/v1/pets'])
      expect((await fetch(`https://gate.test${path}`, withKey)).status).toBe(200);
    expect(server.service.requests.map(({ environment }) => environment)).toEqual([
      'production',
      'staging',
    ]);
  } finally {
    server.close();
  }
});

test('a misspelt option of setupMockServer and of listen() is refused, one of a later msw is not', () => {
  expect(() => setupMockServer({ sed: 3 } as never)).toThrow(
    /^setupMockServer has no option sed; it has: .*basePath, baseUrl, service\. Did you mean seed\?$/,
  );
  const server = setupMockServer();
  expect(() => server.listen({ onUnhandledRequests: 'warn' } as never)).toThrow(
    'server.listen has no option onUnhandledRequests. Did you mean onUnhandledRequest?',
  );
  server.listen({ somethingElse: true } as never);
  server.close();
});
