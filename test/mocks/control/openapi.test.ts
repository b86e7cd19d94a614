import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { routes } from '../../../mocks/control/routes.js';
import { createMockService } from '../../../mocks/index.js';
import { control } from '../../support/control.js';

interface Content {
  readonly content?: { readonly 'application/json': { readonly schema: object } };
}
interface Described {
  readonly paths: Record<
    string,
    Record<
      string,
      {
        operationId: string;
        parameters: { name: string; in: string; schema: object }[];
        requestBody?: Content;
        responses: Record<string, Content>;
      }
    >
  >;
}

const { ask } = control();
const described = (await (await ask('GET', '/_mock/openapi.json')).json()) as Described;
const ajv = new Ajv2020({ strict: false, validateFormats: false });
const schemaOf = (given: Content | undefined) => given?.content?.['application/json'].schema;

/** A request for each route, in an order in which each succeeds. */
const requests: [string, string, string, unknown?][] = [
  ['GET', '/state', '/state'],
  ['GET', '/clock', '/clock'],
  ['POST', '/clock', '/clock', { advance: '61s' }],
  ['GET', '/pets', '/pets'],
  ['POST', '/pets', '/pets', { name: 'A' }],
  ['POST', '/pets', '/pets', [{ name: 'A' }]],
  ['POST', '/pets', '/pets', { seed: 2 }],
  ['GET', '/pets/{id}', '/pets/1'],
  ['PATCH', '/pets/{id}', '/pets/1', { status: 'sold' }],
  ['DELETE', '/pets/{id}', '/pets/1'],
  ['GET', '/keys', '/keys'],
  ['PUT', '/keys/{key}', '/keys/own', { plan: { perMinute: 5, perDay: 50 }, ban: '10m' }],
  ['GET', '/keys/{key}', '/keys/own'],
  [
    'POST',
    '/faults',
    '/faults',
    { operation: 'listPets', sequence: [{ hang: 'after' }, 'pass'], times: 'Infinity' },
  ],
  [
    'POST',
    '/faults',
    '/faults',
    {
      sequence: [{ drift: 'huge-id', delay: '2s' }, { 'retry-after': 5 }],
      probability: 0.5,
      times: 2,
    },
  ],
  ['GET', '/faults', '/faults'],
  ['GET', '/faults/{id}', '/faults/1'],
  ['DELETE', '/faults/{id}', '/faults/1'],
  ['GET', '/requests', '/requests'],
  ['GET', '/report', '/report'],
  ['GET', '/snapshot', '/snapshot'],
  ['GET', '/traffic', '/traffic'],
  ['GET', '/worlds', '/worlds'],
  ['DELETE', '/worlds/{name}', '/worlds/w'],
  ['GET', '/assumptions', '/assumptions'],
  [
    'PUT',
    '/assumptions',
    '/assumptions',
    {
      retryAfter: { raw: 'soon' },
      strikes: 2,
      name: { pattern: '[a-z]+' },
      answers: { limitAbove: 'clamp', petNotFound: { code: 'E404' } },
    },
  ],
  ['DELETE', '/keys/{key}', '/keys/own'],
  ['DELETE', '/faults', '/faults'],
  ['DELETE', '/pets', '/pets'],
  ['PUT', '/snapshot', '/snapshot', createMockService().snapshot()],
  ['POST', '/reset', '/reset'],
];

test('every request of the control API and its response are as the description says', async () => {
  const { service, worlds, ask } = control();
  worlds.get('w');
  await service.fetch('http://x/v1/pets?limit=2', {
    headers: { Authorization: 'Bearer mock-free' },
  });
  for (const [method, route, path, body] of requests) {
    const operation = described.paths[`/_mock${route}`]![method.toLowerCase()]!;
    const given = schemaOf(operation.requestBody);
    if (body !== undefined)
      expect([route, ajv.validate(given!, body), ajv.errors]).toEqual([route, true, null]);
    const answer = await ask(method, `/_mock${path}`, body);
    const text = await answer.text();
    const schema = schemaOf(operation.responses[answer.status]);
    expect([route, answer.status, Object.keys(operation.responses)]).toEqual([
      route,
      text === '' ? 204 : 200,
      expect.arrayContaining([String(answer.status)]),
    ]);
    if (text === '') continue;
    expect([route, ajv.validate(schema!, JSON.parse(text)), ajv.errors]).toEqual([
      route,
      true,
      null,
    ]);
    expect(ajv.validate(schema!, 'no such response')).toBe(false);
  }
});

test('every route of the control API is described, with its parameters and a name of its own', () => {
  const all = Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, row]) => ({ ...row, method, path })),
  );
  expect(new Set(requests.map(([method, path]) => `${method} ${path}`))).toEqual(
    new Set(Object.keys(routes)),
  );
  expect(all.map(({ method, path }) => `${method.toUpperCase()} ${path.slice(6)}`)).toHaveLength(
    Object.keys(routes).length,
  );
  for (const { path, parameters } of all)
    expect(parameters.filter((one) => one.in === 'path').map(({ name }) => `{${name}}`)).toEqual(
      path.match(/\{\w+\}/g) ?? [],
    );
  expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(all.length);
  const { parameters } = described.paths['/_mock/pets']!['get']!;
  expect(parameters).toContainEqual({
    name: 'limit',
    in: 'query',
    schema: expect.objectContaining({ type: 'integer', minimum: 1 }) as object,
  });
});

test.each<[string, string, unknown]>([
  ['post', '/_mock/clock', { forward: 1 }],
  ['post', '/_mock/faults', { stat: 503 }],
  ['post', '/_mock/faults', { status: 199 }],
  ['post', '/_mock/faults', { drift: 'wild' }],
  ['post', '/_mock/faults', { operation: 'feedPet', status: 500 }],
  ['post', '/_mock/faults', { status: 500, times: 'often' }],
  ['post', '/_mock/faults', { delay: true }],
  ['put', '/_mock/assumptions', { minuteWindw: 'fixed' }],
  ['put', '/_mock/assumptions', { minuteWindow: 'moving' }],
  ['put', '/_mock/assumptions', { retryAfter: 'minutes' }],
  ['put', '/_mock/assumptions', { answers: { limitAbove: 'ignroe' } }],
  ['put', '/_mock/snapshot', {}],
])('the description of %s %s refuses %j, as the mock does', async (method, path, body) => {
  const schema = schemaOf(described.paths[path]![method]!.requestBody);
  expect(ajv.validate(schema!, body)).toBe(false);
  expect((await ask(method.toUpperCase(), path, body)).status).toBe(400);
});
