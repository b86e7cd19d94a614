import { Response as UndiciResponse } from 'undici';
import { beforeEach, expect, type MockInstance, test, vi } from 'vitest';
import { createMockService, explainHeader, type MockServiceOptions } from '../../../mocks/index.js';
import { allowedMethods } from '../../support/allowed.js';
import { fc, anyText } from '../../support/fuzz.js';
import { call, rex, send } from '../../support/raw.js';
import { PetStoreClient, ServerError } from '../../../src/index.js';
import { setupMockServer } from '../../../mocks/node.js';
import { ways } from '../../support/ways.js';
import { rejection, world } from '../../support/world.js';

test.each([
  ['listPets', '/pets', 'a fault'],
  ['GET /store/orders', '/store/orders', 'a fault'],
  ['listPets', '/pets', 'a newer override'],
] as const)(
  'an override of %s that is used up while 50 requests of %s wait in %s answers exactly one',
  async (name, path, waitsIn) => {
    const service = createMockService({ clock: 'virtual' });
    service.override(name as 'listPets', () => Response.json('once'), { times: 1 });
    if (waitsIn === 'a fault') service.faults.add({ delay: 1_000 });
    else
      service.override('listPets', async (_input, next) => {
        await service.clock.sleep(1_000);
        return next();
      });
    const answers = await Promise.all(Array.from({ length: 50 }, () => call(service, path)));
    expect(service.report().maxInFlight).toBe(50);
    const others = answers.filter(({ json }) => (json as unknown) !== 'once');
    expect(others).toHaveLength(49);
    const status = name === 'listPets' ? 200 : 501;
    expect(new Set(others.map((answer) => answer.status))).toEqual(new Set([status]));
  },
);

test('an override is given the checked input, may fall through, and meets the refusals of the service', async () => {
  const service = createMockService({ seed: 1 });
  const seen: unknown[] = [];
  service.override('createPet', async (input, next) => {
    seen.push(input, input.key);
    return { ...(await next()), name: input.name.toUpperCase() };
  });
  service.override('getPet', (_input, next) => next());
  expect((await call(service, '/pets', { body: { ...rex, extra: 1 } })).json).toEqual({
    id: 2,
    ...rex,
    name: 'REX',
    status: 'available',
  });
  expect((await call(service, '/pets', { body: {} })).status).toBe(400);
  expect(seen).toEqual([rex, 'mock-free']);
  expect((await call(service, '/pets/9')).json.code).toBe('pet_not_found');
  service.override('getPet', (_input, next) =>
    next().catch(() => ({ id: 9, name: 'Made', categoryId: 1 })),
  );
  expect((await call(service, '/pets/9')).json.name).toBe('Made');
  expect(service.report().mockDefects).toBe(0);
});

test('an override may answer with what it was given: the key is not a part of it', async () => {
  const service = createMockService();
  service.override('createPet', (input) => ({ ...input, id: 7 }), { times: 1 });
  expect((await call(service, '/pets', { body: rex })).json).toEqual({ id: 7, ...rex });
  service.override('createPet', (input) => Object.assign(input, { id: 8 }));
  expect((await call(service, '/pets', { body: rex })).text).not.toContain('mock-free');
});

test('an override may answer with any Response, any number of times, which gets the rate-limit headers', async () => {
  const service = createMockService();
  const same = Response.json({ made: 'up' }, { status: 418, headers: { 'x-own': '1' } });
  service.override('listPets', () => same);
  for (const left of ['59', '58', '57']) {
    const { status, json, headers } = await call(service, '/pets');
    expect([status, json]).toEqual([418, { made: 'up' }]);
    expect([headers.get('x-own'), headers.get('x-ratelimit-remaining')]).toEqual(['1', left]);
    expect(headers.get('access-control-allow-origin')).toBe('*');
  }
  service.override('listPets', () => Response.error());
  await expect(send(service, '/pets')).rejects.toThrow(new TypeError('fetch failed'));
  expect(service.requests.at(-1)?.status).toBeUndefined();
});

test('an override may answer with the Response of a fetch that is not that of the platform', async () => {
  const service = createMockService();
  const foreign = () => new UndiciResponse('{"made":"up"}', { status: 418 }) as unknown as Response;
  service.override('listPets', foreign);
  service.override('GET /store/orders', foreign);
  for (const path of ['/pets', '/store/orders']) {
    const { status, json, headers } = await call(service, path);
    expect([status, json]).toEqual([418, { made: 'up' }]);
    expect(headers.has('x-ratelimit-remaining')).toBe(true);
  }
});

test('the Response of an override has its reason, each cookie and its decoded body on every way in, and the length of the body that a fault makes of it', async () => {
  for (const way of Object.values(ways)) {
    const service = createMockService();
    service.override('listPets', () => {
      // As a response of fetch, whose body is decoded.
      const encoded = { 'Content-Length': '1', 'Content-Encoding': 'gzip' };
      const made = new Response('decoded', { statusText: 'Own', headers: encoded });
      for (const cookie of ['a=1', 'b=2']) made.headers.append('Set-Cookie', cookie);
      return made;
    });
    await way(service, async (at, send) => {
      const ask = () => send(`${at}/v1/pets`, { headers: { Authorization: 'Bearer mock-free' } });
      const answer = await ask();
      expect([answer.statusText, await answer.text()]).toEqual(['Own', 'decoded']);
      expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
      service.faults.add({ sequence: [{ html: true }, { 'drop-body': true }] });
      expect(await (await ask()).text()).toMatch(/Bad gateway.*<\/html>$/);
      await expect(ask().then((cut) => cut.text())).rejects.toThrow(TypeError);
    });
  }
});

test('an override answers GET /store/orders, and next() is what the service says without it', async () => {
  const service = createMockService();
  const orders = '/store/orders?status=placed';
  expect((await call(service, orders)).status).toBe(501);
  service.override('GET /store/orders', ({ params: _, body: __, ...request }) => request);
  const request = { method: 'GET', path: '/v1/store/orders', environment: 'production' };
  const answer = { ...request, query: { status: 'placed' }, key: 'mock-free' };
  expect(await call(service, orders)).toMatchObject({ status: 200, json: answer });
  service.override('GET /store/orders', async (_request, next) => [await next()], { times: 1 });
  expect((await call(service, orders)).json).toEqual([answer]);
  service.override('GET /store/fish', (_request, next) => next());
  expect((await call(service, '/store/fish')).json).toMatchObject({ code: 'path_not_found' });
  expect(service.requests.map(({ operation }) => operation)).toEqual(Array(4).fill(undefined));
});

test('an override of any method and path gets its parameters, its body and the key', async () => {
  const segment = fc.stringMatching(/^[a-z+(][a-z.+(]{0,5}$/);
  const method = fc.constantFrom('PUT', 'PATCH', 'DELETE', 'POST', 'GET');
  await fc.assert(
    fc.asyncProperty(
      method,
      segment,
      anyText({ minLength: 1 }),
      fc.json({ maxDepth: 3 }),
      async (name, path, id, body) => {
        fc.pre(id !== '.' && id !== '..' && id.isWellFormed());
        const service = createMockService();
        service.override(`${name} /x/${path}/{id}`, ({ params, body, key }) => [params, key, body]);
        const given = name === 'GET' ? {} : { body };
        const at = `/x/${path}/${encodeURIComponent(id)}`;
        const { status, text } = await call(service, at, { method: name, ...given });
        const read = name === 'GET' ? null : (JSON.parse(body) as unknown);
        expect([status, JSON.parse(text)]).toEqual([200, [{ id }, 'mock-free', read]]);
      },
    ),
    { numRuns: 100 },
  );
});

test('a method of an override is allowed in preflights and in the Allow header, until it is over', async () => {
  const service = createMockService();
  const headers = { Origin: 'https://shop.test', 'Access-Control-Request-Method': 'PATCH' };
  const init = { method: 'OPTIONS', headers };
  const preflight = async () =>
    (await service.fetch('https://x.example/v1/pets/1', init)).headers.get(
      'Access-Control-Allow-Methods',
    );
  const methods = allowedMethods().join(', ');
  expect(await preflight()).toBe(methods);
  service.override('PATCH /pets/{petId}', () => undefined, { times: 1 });
  expect(await preflight()).toBe(`${methods}, PATCH`);
  const put = await call(service, '/pets/1', { method: 'PUT' });
  const allowed = [...allowedMethods('/pets/{petId}'), 'PATCH'];
  expect(put.status).toBe(405);
  expect(put.headers.get('Allow')?.split(', ').toSorted()).toEqual(allowed.toSorted());
  // One that is refused does not reach it.
  for (const [key, status] of [
    ['nobody', 401],
    ['mock-free', 204],
  ] as const)
    expect((await call(service, '/pets/1', { method: 'PATCH', key })).status).toBe(status);
  expect(await preflight()).toBe(methods);
});

let printed: MockInstance<typeof console.error>;
beforeEach(() => void (printed = vi.spyOn(console, 'error').mockReturnValue()));

const boom = () => {
  throw new Error('boom');
};

const wasRead = Response.json([]);
void wasRead.text();

const why = 'the response of listPets breaks the contract';

test.each([
  ['throws', boom, 'listPets threw Error: boom'],
  ['returns a wrong shape', () => [{ id: 1, name: 'Rex' }] as never, `${why}: 0 categoryId`],
  ['returns nothing', () => undefined as never, why],
  ['returns a Response that was read', () => wasRead, 'listPets threw TypeError: Response.clone'],
])(
  'an override that %s fails the call at once, and the error says why',
  async (_, handler, why) => {
    const { service, client } = world({ seed: 1 });
    service.override('listPets', handler, { times: 2 });
    const error = await rejection(client().listPets(), ServerError);
    expect([error.status, error.code, error.attempts.length]).toEqual([501, 'mock_defect', 1]);
    expect(error.message).toContain(why);
    expect(error.message).toMatch(/; repeating the request does not help$/);
    const { headers, json, text } = await call(service, '/pets');
    expect(json.code).toBe('mock_defect');
    expect(headers.get(explainHeader)).toContain(why);
    expect(text).not.toMatch(/at |\.ts/);
  },
);

test('a failure of the mock is printed once with its cause, and counted each time', async () => {
  const service = createMockService();
  service.override('listPets', boom);
  await call(service, '/pets');
  await call(service, '/pets', { key: 'mock-pro' });
  expect(printed).toHaveBeenCalledTimes(1);
  const [message, cause] = printed.mock.calls[0] as [string, Error];
  expect(message).toContain('listPets threw Error: boom');
  expect(cause.message).toBe('boom');
  const report = service.report();
  expect([report.mockDefects, service.report('mock-free').mockDefects]).toEqual([2, 1]);
  expect(() => report.assertPolite()).toThrow(/2 requests on which the mock itself failed.*boom/);
  report.assertPolite({ mockDefects: 2 });
  service.reset();
  expect(service.report().mockDefects).toBe(0);
  service.override('PUT /x', boom);
  expect((await call(service, '/x', { method: 'PUT', body: 1 })).status).toBe(501);
  expect([service.report().mockDefects, printed.mock.calls.length]).toEqual([1, 2]);
});

test('a Response of an override that fails while a fault reads its body is named as the reason', async () => {
  const service = createMockService({ faults: [{ 'malformed-json': true }] });
  const body = () => new ReadableStream({ pull: boom });
  service.override('listPets', () => new Response(body()));
  const { headers } = await call(service, '/pets');
  expect(headers.get('X-Mock-Explain')).toBe('mock_defect: Response threw Error: boom');
});

test('assertAllHandled fails once for a failure that the code under test has caught', async () => {
  const { service, ...server } = setupMockServer();
  service.override('listPets', boom);
  const client = new PetStoreClient({ apiKey: 'mock-free', fetch: service.fetch });
  const caught = async () => client.listPets().catch(() => []);
  expect(await caught()).toEqual([]);
  expect(() => server.assertAllHandled()).toThrow('listPets threw Error: boom');
  server.assertAllHandled();
  service.reset();
  service.override('listPets', boom);
  await caught();
  expect(() => server.assertAllHandled()).toThrow('boom');
});

test.each<[string, MockServiceOptions]>([
  ['latency() threw Error: boom', { latency: boom }],
  ['Retry-After threw Error: boom', { assumptions: { retryAfter: boom } }],
  [
    "Retry-After threw TypeError: the result of retryAfter() must be visible ASCII characters, got '10 ?'",
    { assumptions: { retryAfter: () => '10 €' } },
  ],
  ...(['5', -1, undefined] as const).map((given): [string, MockServiceOptions] => [
    `latency() must return ms or a text such as '2s', up to 100 years, returned ${given === '5' ? "'5'" : given}`,
    { latency: () => given as never },
  ]),
])('%s: a failure of the mock, on every way in', async (why, options) => {
  for (const way of Object.values(ways)) {
    const service = createMockService({ clock: 'virtual', ...options });
    service.keys.get('mock-free').exhaust('minute');
    const headers = { Authorization: 'Bearer mock-free' };
    const { status, headers: got } = await way(service, (at, send) =>
      send(`${at}/v1/pets`, { headers }),
    );
    expect([status, got.get('X-Mock-Explain')]).toEqual([501, `mock_defect: ${why}`]);
    expect(service.report().mockDefects).toBe(1);
  }
});
