import { expect, onTestFinished, test } from 'vitest';
import { createMockService, explainHeader } from '../../../mocks/index.js';
import { call } from '../../support/raw.js';
import { world } from '../../support/world.js';

test.for<[queryOrBody: string, mend: RegExp]>([
  ...['0', '101', 'abc', '1.5', '', '-3', '1e1'].map((limit): [string, RegExp] => [
    `?limit=${limit}`,
    /1 to 100/,
  ]),
  ['{"categoryId":1}', /name is required/],
  ['{"name":"Rex","category_id":1}', /; "category_id" is unknown: did you mean categoryId\?/],
  ['{"Name":"Rex","categoryId":1,"colour":"red"}', /; "Name" is unknown: did you mean name\?$/],
  ['{"name":"Rex","colour":"red"}', /categoryId is required: an integer \(int64\)$/],
  ['{"name":7,"categoryId":1}', /name must be a string/],
  ['{"name":"Rex","categoryId":1.5}', /categoryId must be an integer/],
  ['{"name":"Rex","categoryId":9223372036854775808}', /int64/],
  ['{"name":"R","categoryId":1,"status":""}', /status must be one of available, pending, sold/],
  ['[]', /object/],
  ['{', /JSON/i],
  ['', /empty/],
])('%j for /pets is refused with 400, and says how to mend it', async ([given, mend]) => {
  const service = createMockService();
  const isQuery = given.startsWith('?');
  const answer = call(service, isQuery ? `/pets${given}` : '/pets', isQuery ? {} : { body: given });
  const { status, json, headers } = await answer;
  expect([status, json.status]).toEqual([400, 400]);
  if (isQuery) expect(json.code).toBe('invalid_query');
  expect(headers.get(explainHeader)).toMatch(mend);
  expect(service.pets.size).toBe(0);
});

test.for([
  ['/pets?staus=sold', 'known: limit, status. Did you mean status?'],
  ['/pets?limit=2&page=2', 'known: limit, status'],
  ['/pets/1?fields=name', 'known: none'],
] as const)('the query parameter of %s that is ignored is named: %s', async ([path, known]) => {
  const { status, headers } = await call(createMockService({ seed: 1 }), path);
  const [, name] = /(\w+)=\w+$/.exec(path)!;
  const why = `unknown query parameter "${name}" is ignored; ${known}`;
  expect([status, headers.get(explainHeader)]).toEqual([200, why]);
  const answers = { unknownQuery: {} };
  const strict = await call(createMockService({ seed: 1, assumptions: { answers } }), path);
  expect(strict.headers.get(explainHeader)).toContain(known);
});

test('an unknown path is 404 and names the nearest operation', async () => {
  const service = createMockService();
  for (const path of ['/pet', '/pets/', '/Pets', '/pets/1/2', '/store', '']) {
    const { status, headers } = await call(service, path);
    expect({ path, status }).toEqual({ path, status: 404 });
    expect(headers.get(explainHeader)).toMatch(/nearest operation is \w+: GET \/v1\/pets/);
  }
});

test('a body longer than the longest is refused without being read whole, whichever way it comes, also for an override of a path', async () => {
  const service = createMockService({ assumptions: { maxBodyBytes: 1_000 } });
  const named = async (length: number) =>
    (await call(service, '/pets', { body: { name: 'é'.repeat(length), categoryId: 1 } })).status;
  expect(await named(600)).toBe(413);
  let pulled = 0;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => (pulled++, controller.enqueue(new Uint8Array(400))),
    cancel: () => void (cancelled = true),
  });
  const { status } = await call(service, '/pets', { body });
  expect([status, cancelled]).toEqual([413, true]);
  expect(pulled).toBeLessThan(10);
  expect(await named(200)).toBe(201);
  service.override('PUT /x', ({ body }) => body);
  const put = (body: string) => call(service, '/x', { method: 'PUT', body });
  expect([(await put('1')).json, (await put('1'.repeat(1_001))).status]).toEqual([1, 413]);
});

test('the explanation of a 401 names the keys of the documentation only', async () => {
  const service = createMockService({ keys: { 'secret-of-mine': { plan: 'pro' } } });
  service.keys.add('another', { plan: 'free' });
  service.keys.revoke('mock-pro');
  const { headers } = await call(service, '/pets', { key: 'nobody' });
  expect(headers.get('X-Mock-Explain')).toBe(
    'invalid_api_key: use one of mock-free, mock-business, mock-enterprise, or keys.add(key, { plan })',
  );
  for (const key of ['mock-free', 'mock-business', 'mock-enterprise']) service.keys.revoke(key);
  const none = await call(service, '/pets', { key: 'nobody' });
  expect(none.headers.get('X-Mock-Explain')).toContain('use a key of this service');
});

test('a toJSON that a program puts on bigint changes no int64, neither what a client sends nor what the service answers', async () => {
  const { prototype } = BigInt as { prototype: { toJSON?: unknown } };
  prototype.toJSON = String;
  onTestFinished(() => {
    delete prototype.toJSON;
  });
  const categoryId = 2n ** 63n - 1n;
  const pet = await world().client({ int64: 'bigint' }).createPet({ name: 'Max', categoryId });
  expect(pet.categoryId).toBe(categoryId);
});
