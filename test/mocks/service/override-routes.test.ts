import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMockService } from '../../../mocks/index.js';
import { allowedMethods } from '../../support/allowed.js';
import { call, send } from '../../support/raw.js';

test('an override answers GET /store/orders, and next() is what the service says without it', async () => {
  const service = createMockService();
  expect((await call(service, '/store/orders')).status).toBe(501);
  service.override('GET /store/orders', ({ query, key, method, path }) => ({
    query,
    key,
    method,
    path,
  }));
  const { status, json } = await call(service, '/store/orders?status=placed');
  expect([status, json]).toEqual([
    200,
    { query: { status: 'placed' }, key: 'mock-free', method: 'GET', path: '/v1/store/orders' },
  ]);
  service.override('GET /store/orders', async (_request, next) => [await next()], { times: 1 });
  expect((await call(service, '/store/orders')).json[0]).toMatchObject({ method: 'GET' });
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
      fc.string({ minLength: 1, unit: 'binary' }),
      fc.json({ maxDepth: 3 }),
      async (name, path, id, body) => {
        fc.pre(id !== '.' && id !== '..' && id.isWellFormed());
        const service = createMockService();
        service.override(`${name} /x/${path}/{id}`, ({ params, body: read }) => ({ params, read }));
        const { status, json } = await call(service, `/x/${path}/${encodeURIComponent(id)}`, {
          method: name,
          ...(name !== 'GET' && { body }),
        });
        expect(status).toBe(200);
        expect(json).toMatchObject({ params: { id } });
        const { read } = json as unknown as { read: unknown };
        expect(read).toEqual(name === 'GET' ? undefined : JSON.parse(body));
      },
    ),
    { numRuns: 100 },
  );
});

test('an override of a path is reached by a known key within its quota only', async () => {
  const service = createMockService();
  service.override('PATCH /pets/{petId}', () => undefined);
  const remove = (key?: string) =>
    call(service, '/pets/1', { method: 'PATCH', ...(key && { key }) });
  expect((await remove()).status).toBe(204);
  expect((await remove('nobody')).status).toBe(401);
  service.keys.get('mock-free').exhaust('minute');
  expect((await remove()).status).toBe(429);
});

test('a method of an override is allowed in preflights and in the Allow header, until it is over', async () => {
  const service = createMockService();
  const preflight = async () => {
    const response = await service.fetch('https://api.petstore.example/v1/pets/1', {
      method: 'OPTIONS',
      headers: { Origin: 'https://shop.test', 'Access-Control-Request-Method': 'PATCH' },
    });
    return response.headers.get('Access-Control-Allow-Methods');
  };
  const methods = allowedMethods().join(', ');
  expect(await preflight()).toBe(methods);
  service.override('PATCH /pets/{petId}', () => undefined, { times: 1 });
  expect(await preflight()).toBe(`${methods}, PATCH`);
  const put = await call(service, '/pets/1', { method: 'PUT' });
  expect(put.status).toBe(405);
  expect(put.headers.get('Allow')?.split(', ').toSorted()).toEqual(
    [...allowedMethods('/pets/{petId}'), 'PATCH'].toSorted(),
  );
  await call(service, '/pets/1', { method: 'PATCH' });
  expect(await preflight()).toBe(methods);
});

test('a failing override of a path, and a body that is too long, are answered as those of an operation', async () => {
  const service = createMockService({ assumptions: { maxBodyBytes: 5 } });
  service.override('PUT /x', () => {
    throw new RangeError('no');
  });
  expect((await call(service, '/x', { method: 'PUT', body: '1' })).json.code).toBe('mock_defect');
  expect((await call(service, '/x', { method: 'PUT', body: '123456' })).status).toBe(413);
});

test.each([
  ['GET /pets', 'GET /pets is the operation listPets'],
  ['GET /v1/pets', "give 'listPets'"],
  ['GET /v1/pets/{id}', "give 'getPet'"],
  ['GET /v1/store/orders', "without /v1, so give 'GET /store/orders'"],
  ['GET /pets/{id}', 'GET /pets/{id} is the operation getPet'],
  ['get /x', "There is no operation 'get /x'"],
  ['GET x', "There is no operation 'GET x'"],
  ['listPet', 'Did you mean listPets? For a path without'],
  ['get /x', 'give the method in capitals'],
  ['FETCH /x', 'FETCH /x would never match: the method is one of GET, HEAD,'],
  ['DELETE /pets/:id', "DELETE /pets/:id would never match: write 'DELETE /pets/{id}'"],
  ['GET /a/:b/c/:d', "write 'GET /a/{b}/c/{d}'"],
  ['GET /x?y', "There is no operation 'GET /x?y'"],
  [7, 'There is no operation 7'],
])('override(%j) is refused, and says why', (name, message) => {
  const service = createMockService();
  expect(() => service.override(name as 'GET /x', () => 1)).toThrow(TypeError);
  expect(() => service.override(name as 'GET /x', () => 1)).toThrow(message);
});

test('an override may return a network error, and the same Response any number of times', async () => {
  const service = createMockService();
  const same = Response.json([{ id: 1, name: 'Rex', categoryId: 1 }]);
  service.override('listPets', () => same);
  for (let count = 0; count < 3; count++)
    expect((await call(service, '/pets')).json).toHaveLength(1);
  service.override('listPets', () => Response.error());
  await expect(send(service, '/pets')).rejects.toThrow(new TypeError('fetch failed'));
  expect(service.requests.at(-1)?.status).toBeUndefined();
});
