import { expect, test } from 'vitest';
import { createMockService, type Assumptions } from '../../../mocks/index.js';
import { call, type Raw } from '../../support/raw.js';
import { assume } from '../../support/assume.js';

const rex = { name: 'Rex', categoryId: 3 };

test.for(['available', 'pending', 'sold', 'absent'] as const)(
  'omittedStatus %s is the status of a pet created without one',
  async (omittedStatus) => {
    const service = assume({ omittedStatus });
    const { json } = await call(service, '/pets', { body: rex });
    expect(json).toEqual(
      omittedStatus === 'absent' ? { id: 5, ...rex } : { id: 5, ...rex, status: omittedStatus },
    );
    expect(service.pets.add(rex).status).toBe(
      omittedStatus === 'absent' ? undefined : omittedStatus,
    );
  },
);

/** The statuses of requests under some assumptions. */
type Case = readonly [assumptions: Partial<Assumptions>, path: string, raw: Raw, status: number];

test.for<Case>([
  [{}, '/pets', { body: { ...rex, name: '' } }, 201],
  [{ nameLength: { min: 1, max: 0 } }, '/pets', { body: { ...rex, name: '' } }, 400],
  [{ nameLength: { min: 0, max: 3 } }, '/pets', { body: { ...rex, name: 'Rex' } }, 201],
  [{ nameLength: { min: 0, max: 3 } }, '/pets', { body: { ...rex, name: 'Rexy' } }, 400],
  [{ nameCharacters: /[A-Za-z]+/ }, '/pets', { body: rex }, 201],
  [{ nameCharacters: /[A-Za-z]+/g }, '/pets', { body: { ...rex, name: 'Rex 2' } }, 400],
  [{ categories: [1, 3] }, '/pets', { body: rex }, 201],
  [{ categories: [1, 2] }, '/pets', { body: rex }, 400],
  [{}, '/pets', { body: { ...rex, colour: 'red' } }, 201],
  [{ unknownBodyFields: 'reject' }, '/pets', { body: { ...rex, colour: 'red' } }, 400],
  [{ unknownBodyFields: 'reject' }, '/pets', { body: { ...rex, status: 'sold' } }, 201],
  [{}, '/pets?limit=0', {}, 400],
  [{ invalidLimit: 422 }, '/pets?limit=0', {}, 422],
  [{ invalidLimit: 'clamp' }, '/pets?limit=x', {}, 200],
  [{ invalidLimit: 'default' }, '/pets?limit=0', {}, 200],
  [{}, '/pets?status=lost', {}, 400],
  [{ invalidStatusFilter: 422 }, '/pets?status=lost', {}, 422],
  [{ invalidStatusFilter: 'ignore' }, '/pets?status=lost', {}, 200],
  [{ invalidStatusFilter: 'match-none' }, '/pets?status=lost', {}, 200],
  [{}, '/pets?page=2', {}, 200],
  [{ unknownQuery: 'reject' }, '/pets?page=2', {}, 400],
  [{ unknownQuery: 'reject' }, '/pets?=1', {}, 400],
  [{ unknownQuery: 'reject' }, '/pets?limit=1', { body: { name: 'Rex', categoryId: 1 } }, 400],
  [{ unknownQuery: 'reject' }, '/pets/1?fields=name', {}, 400],
  [{ unknownQuery: 'reject' }, '/pets?limit=2&status=sold', {}, 200],
  [{}, '/pets?limit=2&limit=x', {}, 200],
  [{ repeatedQuery: 'last' }, '/pets?limit=2&limit=x', {}, 400],
  [{ repeatedQuery: 'reject' }, '/pets?limit=2&limit=3', {}, 400],
  [{}, '/pets/x', {}, 404],
  [{ invalidPetId: 400 }, '/pets/x', {}, 400],
  [{ invalidPetId: 422 }, '/pets/x', {}, 422],
  [{ invalidLimit: { below: 422, above: 'clamp' } }, '/pets?limit=0', {}, 422],
  [{ invalidLimit: { below: 422, above: 'clamp' } }, '/pets?limit=101', {}, 200],
  [{ invalidLimit: { below: 'default', above: 'clamp' } }, '/pets?limit=0', {}, 200],
  [{ invalidLimit: { below: 422, above: 'clamp' } }, '/pets?limit=x', {}, 400],
  [{ invalidLimit: { notANumber: 'default' } }, '/pets?limit=x', {}, 200],
  [{ invalidLimit: {} }, '/pets?limit=101', {}, 400],
  [{}, '/pets', { body: rex, type: 'text/plain' }, 400],
  [{ otherContentType: 415 }, '/pets', { body: rex, type: 'text/plain' }, 415],
  [{ otherContentType: 422 }, '/pets', { body: rex, type: 'text/plain' }, 422],
  [{ otherContentType: 'accept' }, '/pets', { body: rex, type: 'text/plain' }, 201],
  [{}, '/pets', { body: '{' }, 400],
  [{ malformedJson: 422 }, '/pets', { body: '{' }, 422],
  [{ maxBodyBytes: 10 }, '/pets', { body: rex }, 413],
  [{ maxBodyBytes: 10, bodyTooLarge: 400 }, '/pets', { body: rex }, 400],
  [{}, '/nothing', { key: null }, 401],
  [{ unknownPathNeedsKey: false }, '/nothing', { key: null }, 404],
  [{ unknownPathNeedsKey: false }, '/pets', { key: null, method: 'PUT' }, 405],
  [{ unknownPathNeedsKey: false }, '/pets', { key: null }, 401],
  [{}, '/store/orders', {}, 501],
  [{ storeOrders: 404 }, '/store/orders', {}, 404],
  [{ storeOrders: 403 }, '/store/orders', {}, 403],
])('under %j, %s with %j is answered %i', async ([assumptions, path, raw, status]) => {
  const service = assume(assumptions);
  const answer = await call(service, path, raw);
  expect(answer.status).toBe(status);
  if (status >= 400) expect(answer.json.status).toBe(status);
});

test('categories may be any int64, in either form', async () => {
  const service = assume({ categories: [3n, 9223372036854775807n] });
  expect((await call(service, '/pets', { body: rex })).status).toBe(201);
  expect(
    (await call(service, '/pets', { body: '{"name":"Rex","categoryId":9223372036854775807}' }))
      .status,
  ).toBe(201);
  expect(
    (await call(service, '/pets', { body: '{"name":"Rex","categoryId":9223372036854775806}' }))
      .status,
  ).toBe(400);
});

test('invalidLimit brings a limit into the bounds, or takes it as left out', async () => {
  const count = async (invalidLimit: Assumptions['invalidLimit'], limit: string) =>
    (await call(assume({ invalidLimit }, { seed: 120 }), `/pets?limit=${limit}`)).json.length;
  expect([
    await count('clamp', '0'),
    await count('clamp', '-5'),
    await count('clamp', '500'),
    await count('clamp', 'x'),
  ]).toEqual([1, 1, 100, 20]);
  expect([await count('default', '0'), await count('default', 'x')]).toEqual([20, 20]);
});

test('invalidStatusFilter takes a status as left out, or as matched by no pet', async () => {
  expect(
    (await call(assume({ invalidStatusFilter: 'ignore' }), '/pets?status=lost')).json,
  ).toHaveLength(4);
  expect(
    (await call(assume({ invalidStatusFilter: 'match-none' }), '/pets?status=lost')).json,
  ).toHaveLength(0);
});

test('repeatedQuery takes the first or the last value', async () => {
  expect(
    (await call(assume({ repeatedQuery: 'first' }), '/pets?limit=1&limit=3')).json,
  ).toHaveLength(1);
  expect(
    (await call(assume({ repeatedQuery: 'last' }), '/pets?limit=1&limit=3')).json,
  ).toHaveLength(3);
});

test('unknownPathNeedsKey false answers an unknown path without using quota', async () => {
  const service = assume({ unknownPathNeedsKey: false });
  await call(service, '/nothing');
  expect(service.keys.get('mock-free').usage.minute.used).toBe(0);
});

test('listOrder decides the order of a list', async () => {
  const ids = async (listOrder: Assumptions['listOrder'], query = '') =>
    (await call(assume({ listOrder }, { seed: 40 }), `/pets?limit=8${query}`)).json.map(
      ({ id }) => id,
    );
  expect(await ids('id-ascending')).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(await ids('id-descending')).toEqual([40, 39, 38, 37, 36, 35, 34, 33]);
  expect(await ids('id-descending', '&status=sold')).toEqual([40, 35, 30, 25, 20, 15, 10, 5]);
  expect(await ids('shuffled')).not.toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect((await ids('shuffled')).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test('firstId and idAssignment decide the ids', async () => {
  const text = async (assumptions: Partial<Assumptions>) =>
    (await call(assume(assumptions, { seed: 1 }), '/pets', { body: rex })).text;
  expect(await text({ firstId: 100n })).toContain('"id":101,');
  expect(await text({ firstId: 9007199254740991 })).toContain('"id":9007199254740992,');
  expect(await text({ firstId: 9223372036854775807n })).toContain('"id":1,');
  expect(await text({ firstId: -5 })).toContain('"id":-4,');
  const random = assume({ idAssignment: 'random' }, { seed: 50 });
  const ids = random.pets.list().map(({ id }) => id);
  expect([new Set(ids).size, ids.every((id) => Number.isSafeInteger(id) && id > 0)]).toEqual([
    50,
    true,
  ]);
  expect(ids).toEqual([...ids].sort((a, b) => (a < b ? -1 : 1)));
});

test('removedOperation and removedFrom decide what getPet answers after its removal, and from when', async () => {
  const status = async (now: string, assumptions: Partial<Assumptions>) =>
    (await call(assume(assumptions, { now }), '/pets/1')).status;
  expect(await status('2030-12-05T00:00:00Z', {})).toBe(410);
  expect(await status('2030-12-05T00:00:00Z', { removedOperation: 404 })).toBe(404);
  expect(await status('2035-01-01T00:00:00Z', { removedOperation: 'works' })).toBe(200);
  expect(await status('2030-12-05T23:59:59Z', { removedFrom: 'end-of-day' })).toBe(200);
  expect(await status('2030-12-06T00:00:00Z', { removedFrom: 'end-of-day' })).toBe(410);
});

test('codes replaces the value of code of single rules', async () => {
  const service = assume({ codes: { petNotFound: 'E404' } });
  expect((await call(service, '/pets/99')).json.code).toBe('E404');
  expect((await call(service, '/nothing')).json.code).toBe('path_not_found');
});

test.for([
  [{ retryafter: 'seconds' }, /no assumption retryafter; there are: environments/],
  [{ minuteWindow: 'rolling' }, /assumptions.minuteWindow must be one of "fixed"/],
  [{ strikeRule: { strikes: 0 } }, /assumptions.strikeRule/],
  [{ bannedAnswer: { status: 200 } }, /assumptions.bannedAnswer.status must be one of 429, 403/],
  [{ nameLength: { max: -1 } }, /assumptions.nameLength.max must be 0 or more/],
  [{ codes: { petNotFonud: 'x' } }, /assumptions.codes has an unknown field "petNotFonud"/],
  [{ nodes: { remaining: [0.5, 1.5] } }, /assumptions.nodes.remaining.0 must be an integer/],
  [{ nodes: { remaining: [0, NaN] } }, /assumptions.nodes.remaining.1 must be an integer/],
  [{ retryAfter: 'minutes' }, /assumptions.retryAfter must be one of seconds/],
  [{ enterpriseQuota: { perMinute: 1 } }, /assumptions.enterpriseQuota.perDay must be an integer/],
] as [never, RegExp][])(
  'the assumption %j is refused with a message that names it',
  ([assumptions, message]) => {
    expect(() => createMockService({ assumptions })).toThrow(message);
    expect(() => createMockService({ assumptions })).toThrow(TypeError);
  },
);
