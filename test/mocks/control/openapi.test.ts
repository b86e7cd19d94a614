import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { routes } from '../../../mocks/control/routes.js';
import { createMockService, type Fault } from '../../../mocks/index.js';
import { control } from '../../support/control.js';

interface Content {
  readonly content?: { readonly 'application/json': { readonly schema: object } };
}
interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { name: string; in: string; schema: object }[];
  readonly requestBody?: Content;
  readonly responses: Record<string, Content>;
}

const { ask } = control();
const described = (await (await ask('GET', '/_mock/openapi.json')).json()) as {
  readonly paths: Record<string, Record<string, Operation>>;
};
const ajv = new Ajv2020({ strict: false, validateFormats: false });
const schemaOf = (given: Content | undefined) => given?.content?.['application/json'].schema;

const faults = [
  { operation: 'listPets', sequence: [{ hang: 'after' }, 'pass'], times: 'Infinity' },
  { sequence: [{ drift: 'huge-id', delay: '2s' }, { 'retry-after': 5 }], probability: 0.5 },
] as const satisfies Fault[];
const answers = { limitAbove: 'clamp', petNotFound: { code: 'E404' } };

/** What is sent to the routes that take a body. */
const bodies: Readonly<Record<string, readonly unknown[]>> = {
  'POST /clock': [{ advance: '61s' }],
  'POST /pets': [{ name: 'A' }, [{ name: 'A' }], { seed: 2 }],
  'PATCH /pets/{id}': [{ status: 'sold' }],
  'PUT /keys/{key}': [{ plan: { perMinute: 5, perDay: 50 }, ban: '10m' }],
  'POST /faults': faults,
  'PUT /assumptions': [
    { retryAfter: { raw: 'soon' }, strikes: 2, name: { pattern: '[a-z]+' }, answers },
  ],
  'PUT /snapshot': [createMockService().snapshot()],
};

test.each(Object.keys(routes))('%s takes and returns what its description says', async (route) => {
  const [method = '', path = ''] = route.split(' ');
  const row = described.paths[`/_mock${path}`]![method.toLowerCase()]!;
  const { parameters, requestBody, responses } = row;
  const inPath = parameters.filter((one) => one.in === 'path').map(({ name }) => `{${name}}`);
  expect(inPath).toEqual(path.match(/\{\w+\}/g) ?? []);
  const given = schemaOf(requestBody);
  expect(given !== undefined).toBe(route in bodies);
  for (const body of bodies[route] ?? [undefined]) {
    const { service, worlds, ask } = control();
    worlds.get('w');
    await ask('GET', '/v1/pets?limit=2');
    service.keys.add('mock-free', { plan: { perMinute: 5, perDay: 50 } }).ban('10m');
    for (const fault of faults) service.faults.add(fault);
    if (given) expect([ajv.validate(given, body), ajv.errors]).toEqual([true, null]);
    const target = path.replace('{id}', '1').replace('{key}', 'mock-free').replace('{name}', 'w');
    const answer = await ask(method, `/_mock${target}`, body);
    const text = await answer.text();
    expect(answer.status).toBe(text === '' ? 204 : 200);
    expect(responses).toHaveProperty(String(answer.status));
    if (text === '') continue;
    const schema = schemaOf(responses[answer.status])!;
    expect([ajv.validate(schema, JSON.parse(text)), ajv.errors]).toEqual([true, null]);
    expect(ajv.validate(schema, 'no such response')).toBe(false);
  }
});

test('each route has a name of its own, and what is read from a query is described as such', () => {
  const all = Object.values(described.paths).flatMap((methods) => Object.values(methods));
  expect(all).toHaveLength(Object.keys(routes).length);
  expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(all.length);
  const schema = expect.objectContaining({ type: 'integer', minimum: 1 }) as object;
  const { parameters } = described.paths['/_mock/pets']!['get']!;
  expect(parameters).toContainEqual({ name: 'limit', in: 'query', schema });
});

test.each<[string, string, unknown]>([
  ['post', '/_mock/faults', { stat: 503 }],
  ['post', '/_mock/faults', { status: 199 }],
  ['post', '/_mock/faults', { operation: 'feedPet', status: 500 }],
  ['post', '/_mock/faults', { status: 500, times: 'often' }],
  ['post', '/_mock/faults', { delay: true }],
  ['put', '/_mock/assumptions', { minuteWindw: 'fixed' }],
  ['put', '/_mock/assumptions', { retryAfter: 'minutes' }],
  ['put', '/_mock/assumptions', { answers: { limitAbove: 'ignroe' } }],
  ['put', '/_mock/snapshot', {}],
])('the description of %s %s refuses %j, as the mock does', async (method, path, body) => {
  const schema = schemaOf(described.paths[path]![method]!.requestBody);
  expect(ajv.validate(schema!, body)).toBe(false);
  expect((await ask(method.toUpperCase(), path, body)).status).toBe(400);
});
