import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createMockService, type Latency, type MockService } from '../../../mocks/index.js';
import { createHandlers } from '../../../mocks/msw.js';
import { serve, type MockHttpServer } from '../../../mocks/server.js';
import { setupServer } from 'msw/node';
import { allowedMethods } from '../../support/allowed.js';

const address = 'https://api.petstore.example';
const options = { clock: 'virtual', limits: 'off' } as const;
const services = Array.from({ length: 5 }, () => createMockService(options));
const [byFetch, byRequest, byHandle, byMsw, byPort] = services as [
  MockService,
  MockService,
  MockService,
  MockService,
  MockService,
];
const msw = setupServer(...createHandlers(byMsw));
let port: MockHttpServer;

beforeAll(async () => {
  port = await serve(byPort);
  msw.listen({ onUnhandledRequest: 'bypass', onUnhandledFrame: 'bypass' } as object);
});
afterAll(async () => {
  msw.close();
  await port.close();
});

/** The answers to one request through each way in. */
async function answers(path: string, init: RequestInit): Promise<unknown[]> {
  const responses = await Promise.all([
    byFetch.fetch(address + path, init),
    byRequest.fetch(new Request(address + path, init)),
    byHandle.handle(new Request(address + path, init)),
    fetch(address + path, init),
    fetch(port.url + path, init),
  ]);
  return Promise.all(
    responses.map(async (response) => [
      response.status,
      Object.fromEntries(
        [...response.headers].filter(
          ([name]) => !/^(connection|keep-alive|transfer-encoding|content-length)$/.test(name),
        ),
      ),
      await response.text(),
    ]),
  );
}

const name = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc
    .array(fc.constantFrom('\uFEFF', '\uD800', '\uDC00', '😀', 'a', '\\ud800'), { maxLength: 5 })
    .map((parts) => parts.join('')),
);
const body = fc
  .tuple(fc.constantFrom('', '\uFEFF', '\uFEFF\uFEFF', ' '), name)
  .map(([before, text]) => `${before}{"name":"${text.replace(/["\n\r]/g, '')}","categoryId":1}`);

test('a body of any text is read the same on every way in', async () => {
  await fc.assert(
    fc.asyncProperty(body, async (text) => {
      const [first, ...others] = await answers('/v1/pets', {
        method: 'POST',
        headers: { Authorization: 'Bearer mock-free', 'Content-Type': 'application/json' },
        body: text,
      });
      for (const other of others) expect(other).toEqual(first);
    }),
    { numRuns: 60 },
  );
  const bodies = services.map(({ requests }) => requests.map(({ body: read }) => read));
  for (const other of bodies) expect(other).toEqual(bodies[0]);
});

test.each([
  'Bearer mock-free',
  'Bearer    mock-free',
  'bearer mock-free ',
  'Bearer',
  'Basic x',
  'Bearer nobody',
])('Authorization: %s is read the same on every way in', async (authorization) => {
  const [first, ...others] = await answers('/v1/pets?limit=1', {
    headers: { Authorization: authorization },
  });
  for (const other of others) expect(other).toEqual(first);
});

test('a preflight of a page of another origin is answered on every way in, without key, quota and journal', async () => {
  const before = services.map(({ requests }) => requests.length);
  for (const method of ['GET', 'POST']) {
    const all = await answers('/v1/pets', {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://shop.test',
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': 'authorization,content-type',
      },
    });
    for (const one of all)
      expect(one).toEqual([
        204,
        {
          'access-control-allow-origin': '*',
          'access-control-allow-methods': allowedMethods().join(', '),
          'access-control-allow-headers': 'authorization,content-type',
          'access-control-max-age': '600',
        },
        '',
      ]);
  }
  expect(services.map(({ requests }) => requests.length)).toEqual(before);
});

test('every answer may be read by a page of another origin, whatever it says', async () => {
  const service = createMockService({ limits: 'on' });
  service.override('GET /x', () => new Response('mine'));
  service.faults.add({ operation: 'getPet', html: true });
  service.faults.add({ operation: 'createPet', 'slow-body': 10 });
  const ask = (path: string, init: RequestInit = {}) =>
    service.fetch(`${address}/v1${path}`, {
      headers: { Authorization: 'Bearer mock-free', 'Content-Type': 'application/json' },
      ...init,
    });
  const all = [
    await ask('/pets'),
    await ask('/pets', { method: 'POST', body: '{"name":"Rex","categoryId":1}' }),
    await ask('/pets/1'),
    await ask('/x'),
    await ask('/nothing'),
    await ask('/pets', { method: 'DELETE' }),
    await ask('/pets', { headers: {} }),
  ];
  service.keys.get('mock-free').exhaust('minute');
  all.push(await ask('/pets'));
  expect(all.map(({ status }) => status)).toEqual([200, 201, 200, 200, 404, 405, 401, 429]);
  for (const { headers } of all) {
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(headers.get('Access-Control-Expose-Headers')).toContain('X-RateLimit-Remaining');
  }
});

test('50 requests at once are answered the same on every way in, also where random numbers decide', async () => {
  const one = fc.record({
    path: fc.constantFrom('/v1/pets', '/v1/pets?limit=3', '/v1/pets/2', '/v1/unknown'),
    body: fc.constantFrom(undefined, '{"name":"Rex","categoryId":1}', '{"name":7}'),
    key: fc.constantFrom('mock-free', 'tiny', 'nobody'),
  });
  const ways = [
    ({ fetch }: MockService, url: string, init: RequestInit) => fetch(url, init),
    ({ fetch }: MockService, url: string, init: RequestInit) => fetch(new Request(url, init)),
    ({ handle }: MockService, url: string, init: RequestInit) => handle(new Request(url, init)),
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(one, { minLength: 2, maxLength: 50 }), { minLength: 1, maxLength: 4 }),
      fc.constantFrom<Latency>(0, [5, 40]),
      async (batches, latency) => {
        const answersOf = async (send: (typeof ways)[number]) => {
          const service = createMockService({
            clock: 'virtual',
            seed: 5,
            latency,
            keys: { tiny: { plan: { perMinute: 9, perDay: 40 } } },
            faults: [{ status: 503, probability: 0.2, times: Infinity }],
            assumptions: {
              ids: 'random',
              listOrder: 'shuffled',
              nodes: { remaining: [0, 3], clock: [-300, 300] },
            },
          });
          const all: unknown[] = [];
          for (const batch of batches) {
            const sent = batch.map(async ({ path, body, key }) => {
              const headers = {
                Authorization: `Bearer ${key}`,
                'Content-Type': 'application/json',
              };
              const init = { headers, ...(body !== undefined && { body, method: 'POST' }) };
              const response = await send(service, address + path, init);
              return [response.status, [...response.headers], await response.text()];
            });
            all.push(...(await Promise.all(sent)));
          }
          return all;
        };
        const [first, ...others] = await Promise.all(ways.map(answersOf));
        for (const other of others) expect(other).toEqual(first);
      },
    ),
    { numRuns: 60 },
  );
});

test('a service of one copy of the package is served by another copy, as CommonJS entries are', async () => {
  vi.resetModules();
  const { serve: serveCopy } = await import('../../../mocks/server.js');
  expect(serveCopy).not.toBe(serve);
  const server = await serveCopy(createMockService({ seed: 1 }));
  const headers = { Authorization: 'Bearer mock-free' };
  expect(await (await fetch(`${server.url}/v1/pets`, { headers })).json()).toHaveLength(1);
  expect((await fetch(`${server.url}/_mock/snapshot`)).status).toBe(200);
  await server.close();
});
