// A service answers the same in process, through msw and on a port, and a client forgets a reset service on each way.
import { expect, test, vi } from 'vitest';
import { PetStoreClient, RateLimitError, type PetStoreClientOptions } from '../../../src/index.js';
import { createMockService, exposedHeaders, type MockService } from '../../../mocks/index.js';
import description from '../../../openapi.json' with { type: 'json' };
import { serve } from '../../../mocks/server.js';
import { allowedMethods } from '../../support/allowed.js';
import { scenarios, see, type Seen } from '../../support/behaviour.js';
import { fc, anyText } from '../../support/fuzz.js';
import { answersFrom } from '../../support/openapi.js';
import { served } from '../../support/served.js';
import { ways } from '../../support/ways.js';

const address = 'https://api.petstore.example';
const isAlways = { numRuns: 30 };
/** All of them; on another version of msw, the ways through it beside the one in process. */
const compared = Object.entries(ways).filter(
  ([name]) => process.env['MSW_MAJOR'] === '3' || /^(?:service\.fetch|msw.*)$/.test(name),
);
const problemsOf = answersFrom(description);

test.each(scenarios.map((scenario) => [scenario.title, scenario] as const))(
  'the answers to %s are those of every way in, byte for byte, valid by OpenAPI, and may be read by a page of another origin',
  async (_title, { isFaulty, create, play, expected }) => {
    const service = create();
    const problems: string[] = [];
    const seen = await play(service, address, async (input, init) => {
      const request = new Request(input, init);
      const response = await service.fetch(request.clone());
      if (!isFaulty) problems.push(...(await problemsOf(request, response.clone())));
      return response;
    });
    if (expected) expect(seen.map(({ status }) => status)).toEqual(expected);
    else expect(seen.length).toBeGreaterThan(60);
    for (const { status, headers } of seen)
      if (status !== 'broken')
        expect(headers).toMatchObject({
          'access-control-allow-origin': '*',
          'access-control-expose-headers': exposedHeaders.join(', '),
        });
    // What the interface does not name (an invalid limit, an unknown path, a wrong method, a body too long) is in no description.
    const undescribed =
      /^GET \/pets answering (?:400|422) is|^GET \/petstore-verify\/unknown answering 401 is|answering (404|405|413|501) is not described$/;
    expect(problems.filter((problem) => !undescribed.test(problem))).toEqual([]);
    for (const [name, way] of compared) {
      const reached = create();
      const others = await way(reached, (at, send) => play(reached, at, send));
      expect([name, others]).toEqual([name, seen]);
    }
  },
);

/** The answers to one request on every way in, and what the services have read. */
async function onEveryWay(path: string, init: RequestInit) {
  const answers: Seen[] = [];
  const services: MockService[] = [];
  for (const [, way] of compared) {
    const service = createMockService({ clock: 'virtual' });
    services.push(service);
    answers.push(await way(service, (at, send) => see(send, at + path, init)));
  }
  return { answers, bodies: services.map(({ requests }) => requests.map(({ body }) => body)) };
}

const name = fc.oneof(
  anyText({ maxLength: 8 }),
  fc
    .array(fc.constantFrom('\uFEFF', '\uD800', '\uDC00', '😀', 'a', '\\ud800'), { maxLength: 5 })
    .map((parts) => parts.join('')),
);
const body = fc
  .tuple(fc.constantFrom('', '\uFEFF', '\uFEFF\uFEFF', ' '), name)
  .map(([before, text]) => `${before}{"name":"${text.replace(/["\n\r]/g, '')}","categoryId":1}`);

test('a body of any text is read the same on every way in', async () => {
  const headers = { Authorization: 'Bearer mock-free', 'Content-Type': 'application/json' };
  await fc.assert(
    fc.asyncProperty(body, async (text) => {
      const seen = await onEveryWay('/v1/pets', { method: 'POST', headers, body: text });
      for (const same of [seen.answers, seen.bodies]) expect(same).toEqual(same.map(() => same[0]));
    }),
    isAlways,
  );
});

test.each([
  ['Bearer mock-free', 200],
  ['Bearer    mock-free', 200],
  ['bearer mock-free ', 200],
  ['', 401],
  ['Bearer', 401],
  ['Basic mock-free', 401],
  ['Bearer nobody', 401],
  ['Bearer mock-free mock-pro', 401],
] as const)('Authorization: %s is answered %i on every way in', async (authorization, status) => {
  const headers = { Authorization: authorization };
  const { answers } = await onEveryWay('/v1/pets?limit=1', { headers });
  expect(answers[0]).toMatchObject({ status });
  if (status === 401) expect(answers[0]!.body).toMatch(/^\{"code":"\w+_api_key","message"/);
  expect(answers).toEqual(answers.map(() => answers[0]));
});

test.each(['GET', 'POST'])('a preflight for %s needs no key, on every way in', async (method) => {
  const { answers, bodies } = await onEveryWay('/v1/pets', {
    method: 'OPTIONS',
    headers: {
      Origin: 'https://shop.test',
      'Access-Control-Request-Method': method,
      'Access-Control-Request-Headers': 'authorization,content-type',
    },
  });
  const headers = {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': allowedMethods().join(', '),
    'access-control-allow-headers': 'authorization,content-type',
    'access-control-max-age': '600',
  };
  expect(answers).toEqual(answers.map(() => ({ status: 204, headers, body: '' })));
  expect(bodies.flat()).toEqual([]);
});

const oneOfMany = fc.record({
  path: fc.constantFrom('/v1/pets', '/v1/pets?limit=3', '/v1/pets/2', '/v1/unknown'),
  body: fc.constantFrom(undefined, '{"name":"Rex","categoryId":1}', '{"name":7}'),
  key: fc.constantFrom('mock-free', 'tiny', 'nobody'),
});
const batches = fc.array(fc.array(oneOfMany, { minLength: 2, maxLength: 50 }), {
  minLength: 1,
  maxLength: 4,
});

test('50 requests at once are answered the same on every way in, also where random numbers decide', async () => {
  const create = (latency: number | readonly [number, number]) =>
    createMockService({
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
  const ordered = Object.values(ways).slice(0, 3);
  await fc.assert(
    fc.asyncProperty(batches, fc.constantFrom(0, [5, 40] as const), async (given, latency) => {
      const answers = ordered.map((way) =>
        way(create(latency), async (at, send) => {
          const all: Seen[] = [];
          for (const batch of given) {
            const sent = batch.map(({ path, body, key }) => {
              const headers = {
                Authorization: `Bearer ${key}`,
                'Content-Type': 'application/json',
              };
              return see(send, at + path, { headers, ...(body && { body, method: 'POST' }) });
            });
            all.push(...(await Promise.all(sent)));
          }
          return all;
        }),
      );
      const all = await Promise.all(answers);
      expect(all).toEqual(all.map(() => all[0]));
    }),
    isAlways,
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

type OptionsOf = (at: string, send: typeof fetch, service: MockService) => PetStoreClientOptions;

test.each<[title: string, way: string, optionsOf: OptionsOf]>([
  ['the option fetch', 'service.fetch', (_at, send) => ({ fetch: send })],
  ['the options fetch and clock', 'service.fetch', (_at, fetch, { clock }) => ({ fetch, clock })],
  ['a global fetch', 'service.fetch', (_at, send) => (vi.stubGlobal('fetch', send), {})],
  ['msw', 'msw', () => ({})],
  ['msw below a folder', 'msw below a folder', (baseUrl) => ({ baseUrl })],
  ['a port', 'a port', (baseUrl) => ({ baseUrl })],
])(
  'with %s, clients share their holds, and forget them at a reset and a restore',
  async (title, way, optionsOf) => {
    const clock = title.includes('clock') ? 'virtual' : 'system';
    const service = createMockService({ clock, seed: 2 });
    const start = service.snapshot();
    await ways[way]!(service, async (at, send) => {
      const options = optionsOf(at, send, service);
      const [client, other] = [1, 2].map(
        () => new PetStoreClient({ apiKey: 'mock-free', ...options }),
      );
      for (const back of ['reset', 'restore', 'reset'] as const) {
        // A quarter of a day at least, whatever time it is.
        service.clock.set('2026-03-01T06:00:00Z');
        service.keys.get('mock-free').exhaust('day');
        await expect(client!.listPets()).rejects.toThrow(RateLimitError);
        await expect(other!.listPets()).rejects.toMatchObject({ requestSent: 'no' });
        service[back](start);
        const { requests } = service.report();
        expect(await other!.listPets()).toHaveLength(2);
        expect(service.report().requests).toBe(requests + 1);
      }
    });
  },
);

test('a reset of one service keeps the holds of clients at other addresses', async () => {
  const [reset, kept] = [createMockService(), createMockService()];
  kept.clock.set('2026-03-01T06:00:00Z');
  kept.keys.get('mock-pro').exhaust('day');
  await ways['a port']!(reset, (one) =>
    ways['a port']!(kept, async (two) => {
      await new PetStoreClient({ apiKey: 'mock-pro', baseUrl: one }).listPets();
      const other = new PetStoreClient({ apiKey: 'mock-pro', baseUrl: two });
      await expect(other.listPets()).rejects.toThrow(RateLimitError);
      reset.reset();
      await expect(other.listPets()).rejects.toMatchObject({ requestSent: 'no' });
    }),
  );
});

test.each([
  ['POST', 'reset', {}],
  ['DELETE', 'worlds/w', { 'X-Mock-World': 'w' }],
])('through a port, a client forgets its holds at %s /_mock/%s', async (method, path, headers) => {
  const createWorld = () => createMockService({ seed: 2 });
  const server = await served(createWorld(), { createWorld });
  const ask = (method: string, path: string, body?: object) =>
    fetch(`${server.url}/_mock/${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
  const client = new PetStoreClient({ apiKey: 'mock-free', baseUrl: server.url, headers });
  await ask('POST', 'clock', { set: '2026-03-01T06:00:00Z' });
  await ask('PUT', 'keys/mock-free', { exhaust: 'day' });
  await expect(client.listPets()).rejects.toThrow(RateLimitError);
  await ask('PUT', 'assumptions', {});
  await expect(client.listPets()).rejects.toMatchObject({ requestSent: 'no' });
  await ask(method, path);
  expect(await client.listPets()).toHaveLength(2);
});
