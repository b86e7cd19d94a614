import { expect, test } from 'vitest';
import {
  type AssumptionsFile,
  explainHeader,
  type GivenAnswers,
  type GivenAssumptions,
  readAssumptions,
  readAssumptionsFile,
  writeAssumptionsFile,
} from '../../../mocks/index.js';
import { assume, call, type Raw } from '../../support/raw.js';
import { fc } from '../../support/fuzz.js';

const rex = { name: 'Rex', categoryId: 3 };

test('omittedStatus is also the status of a pet that is added without one', () => {
  for (const omittedStatus of ['available', 'pending', 'sold', 'absent'] as const)
    expect(assume({ omittedStatus }).pets.add(rex).status ?? 'absent').toBe(omittedStatus);
});

/** The status of a request under some assumptions. */
type Case = readonly [assumptions: GivenAssumptions, path: string, raw: Raw, status: number];
/** The status of a request under some answers. */
const under = (answers: GivenAnswers, path: string, raw: Raw, status: number): Case => [
  { answers },
  path,
  raw,
  status,
];
const coloured = { body: { ...rex, colour: 'red' } };
const asText = { body: rex, type: 'text/plain' };
const int64s = [3n, 9223372036854775807n];
const inCategory = (id: string) => ({ body: `{"name":"Rex","categoryId":${id}}` });

test.for<Case>([
  [{ name: /[^]+/ }, '/pets', { body: { ...rex, name: '' } }, 400],
  [{ name: /[^]{0,3}/ }, '/pets', { body: rex }, 201],
  [{ name: /[^]{0,3}/ }, '/pets', { body: { ...rex, name: 'Rexy' } }, 400],
  [{ name: /R|Rex/ }, '/pets', { body: rex }, 201],
  [{ name: /[A-Za-z]+/g }, '/pets', { body: { ...rex, name: 'Rex 2' } }, 400],
  [{ name: /^[a-z]+$/im }, '/pets', { body: { ...rex, name: 'Rex\n2' } }, 400],
  [{ categories: [1, 3] }, '/pets', { body: rex }, 201],
  [{ categories: [1, 2] }, '/pets', { body: rex }, 400],
  [{ categories: int64s }, '/pets', { body: rex }, 201],
  [{ categories: int64s }, '/pets', inCategory('9223372036854775807'), 201],
  [{ categories: int64s }, '/pets', inCategory('9223372036854775806'), 400],
  under({ unknownBodyField: { status: 422 } }, '/pets', coloured, 422),
  under({ unknownBodyField: {} }, '/pets', { body: { ...rex, status: 'sold' } }, 201),
  under({ unknownQuery: {} }, '/pets?=1', {}, 400),
  under({ unknownQuery: {} }, '/pets?limit=1', { body: { name: 'Rex', categoryId: 1 } }, 400),
  under({ unknownQuery: {} }, '/pets/1?fields=name', {}, 400),
  under({ unknownQuery: {} }, '/pets?limit=2&status=sold', {}, 200),
  under({ repeatedQuery: 'last' }, '/pets?limit=2&limit=x', {}, 400),
  under({ repeatedQuery: {} }, '/pets?limit=2&limit=3', {}, 400),
  under({ contentType: 'ignore' }, '/pets', asText, 201),
  [{ maxBodyBytes: 10 }, '/pets', { body: rex }, 413],
  [{ maxBodyBytes: 10, answers: { bodyTooLarge: { status: 400 } } }, '/pets', { body: rex }, 400],
  [{ unknownPathNeedsKey: false }, '/pets', { key: null, method: 'PUT' }, 405],
  [{ unknownPathNeedsKey: false }, '/pets', { key: null }, 401],
  [{ unknownPathNeedsKey: false }, '/store/orders', { key: null }, 401],
  [{}, '/store/orders', { method: 'POST', body: {} }, 501],
  under({ storeOrders: { status: 403 } }, '/store/orders', { method: 'POST', body: {} }, 403),
])('under %o, %s with %j is answered %i', async ([assumptions, path, raw, status]) => {
  const service = assume(assumptions);
  const answer = await call(service, path, raw);
  expect(answer.status).toBe(status);
  if (status >= 400) expect(answer.json.status).toBe(status);
});

test.for<[GivenAssumptions, query: string, count: number]>([
  [{ answers: { limitBelow: 'clamp' } }, 'limit=-5', 1],
  [{ answers: { repeatedQuery: 'last' } }, 'limit=1&limit=3', 3],
  [{ longestList: 60 }, '', 20],
  [{ longestList: 60 }, 'limit=100', 60],
  [{ longestList: 60 }, 'limit=60', 60],
  [{ longestList: 60 }, 'limit=59', 59],
  [{ longestList: 60, answers: { limitAbove: 'clamp' } }, 'limit=101', 60],
])('under %j, a list with %s has %i pets', async ([assumptions, query, count]) => {
  const service = assume(assumptions, { seed: 120 });
  expect((await call(service, `/pets?${query}`)).json).toHaveLength(count);
});

test('unknownPathNeedsKey false answers an unknown path without using quota', async () => {
  const service = assume({ unknownPathNeedsKey: false });
  await call(service, '/nothing');
  expect(service.keys.get('mock-free').usage.minute.used).toBe(0);
});

test('ids is where the ids begin, and where they begin again; random ones are listed in order', async () => {
  const text = async (assumptions: GivenAssumptions) =>
    (await call(assume(assumptions, { seed: 1 }), '/pets', { body: rex })).text;
  expect(await text({ ids: 100n })).toContain('"id":101,');
  expect(await text({ ids: 9007199254740991 })).toContain('"id":9007199254740992,');
  expect(await text({ ids: 9223372036854775807n })).toContain('"id":1,');
  expect(await text({ ids: -5 })).toContain('"id":-4,');
  const random = assume({ ids: 'random' }, { seed: 50 });
  const ids = random.pets.list().map(({ id }) => id);
  expect([new Set(ids).size, ids.every((id) => Number.isSafeInteger(id) && id > 0)]).toEqual([
    50,
    true,
  ]);
  expect(ids).toEqual([...ids].sort((a, b) => (a < b ? -1 : 1)));
});

test('getPet is gone from 5 December 2030 on, and only then; removed and removedFrom decide how, and from when', async () => {
  const service = assume({}, { now: '2030-12-04T23:59:59Z' });
  expect((await call(service, '/pets/1')).status).toBe(200);
  service.clock.advance('1s');
  const { status: gone, headers } = await call(service, '/pets/1');
  expect([gone, headers.get(explainHeader)]).toEqual([410, expect.stringMatching(/listPets/)]);
  expect((await call(service, '/pets')).status).toBe(200);
  const status = async (now: string, assumptions: GivenAssumptions) =>
    (await call(assume(assumptions, { now }), '/pets/1')).status;
  expect(await status('2030-12-05T00:00:00Z', { answers: { removed: { status: 404 } } })).toBe(404);
  expect(await status('2035-01-01T00:00:00Z', { answers: { removed: 'ignore' } })).toBe(200);
  expect(await status('2030-12-05T23:59:59Z', { removedFrom: 'end-of-day' })).toBe(200);
  expect(await status('2030-12-06T00:00:00Z', { removedFrom: 'end-of-day' })).toBe(410);
});

test('answers names status, code and body of each rule; what is left out keeps its default', async () => {
  const service = assume({
    answers: { petNotFound: { status: 410, code: 'E410' }, unknownPath: { body: false } },
  });
  expect((await call(service, '/pets/99')).json).toMatchObject({ status: 410, code: 'E410' });
  expect(await call(service, '/nothing')).toMatchObject({ status: 404, text: '' });
  expect((await call(service, '/pets', { method: 'PUT' })).json.code).toBe('method_not_allowed');
});

const file = (assumptions: GivenAssumptions): AssumptionsFile => ({
  format: 'petstore-assumptions/2',
  origin: 'https://staging.petstore.example',
  measuredAt: '2026-01-01T00:00:00.000Z',
  assumptions,
  open: ['listOrder'],
});

test('what is written to a file of assumptions is read from it again, each on one line, in alphabetical order', () => {
  const given = file({
    minuteWindow: 'sliding',
    answers: { limitBelow: { status: 422, code: 'E422' }, limitAbove: 'clamp' },
    ids: 9223372036854775807n,
    categories: [1, 9007199254740993n],
    name: /[a-z]+/iu,
    retryAfter: { raw: 'soon' },
  });
  const text = writeAssumptionsFile(given);
  expect(readAssumptionsFile(text)).toEqual(given);
  expect(readAssumptions(text)).toEqual(given.assumptions);
  expect(text).toContain('"ids": 9223372036854775807,');
  const names = [...text.matchAll(/^ {4}"(\w+)": .+$/gm)].map(([, name]) => name);
  expect(names).toEqual(Object.keys(given.assumptions).toSorted());
});

test('an object of assumptions written by hand is a file too', () => {
  const text = '\uFEFF{ "minuteWindow": "sliding", "name": { "pattern": "[a-z]+" } }';
  const read = readAssumptionsFile(text);
  expect(read.assumptions).toEqual({ minuteWindow: 'sliding', name: /[a-z]+/ });
  expect([read.origin, read.open]).toEqual(['', []]);
});

type Row = readonly [given: unknown, message: RegExp | string];
const century = 36_525 * 86_400_000;
const wrong: Readonly<Record<string, readonly Row[]>> = {
  assume: [
    [{ clockSkew: 1e15 }, 'assumptions.clockSkew must be 3155760000000 ms (100 years) or less'],
    [{ ban: 1e15 }, 'ban must be an integer from 0 to 3155760000000 ms (100 years), got'],
    [{ nodes: { remaining: [3, 0] } }, 'nodes.remaining must be [least, most]: least first'],
    [{ nodes: { clock: [300, -300] } }, 'nodes.clock must be [least, most]: least first'],
    ...[century + 1, -century - 1, 1e300, NaN].flatMap((time): Row[] => [
      [{ clockSkew: time }, 'assumptions.clockSkew'],
      [{ nodes: { clock: [time, time] } }, 'assumptions.nodes.clock'],
    ]),
    ...[century + 1, 1e300, NaN, -1, 0.5].flatMap((time): Row[] => [
      [{ ban: time }, 'assumptions.ban'],
      [{ grace: time }, 'assumptions.grace'],
    ]),
    ...[19, 101, 50.5, NaN].map((longestList): Row => [
      { longestList },
      'assumptions.longestList must be',
    ]),
    [{ retryafter: 9 }, /assumptions has no retryafter; it has: environments, .*mean retryAfter/],
    [{ minuteWindow: 'rolling' }, /minuteWindow must be one of "fixed".*, got 'rolling'/],
    [{ strikes: 0 }, 'assumptions.strikes must be an integer of 1 or more, got 0'],
    [{ ids: 'none' }, /assumptions.ids must be "random", or an integer \(int64\), got 'none'/],
    [{ answers: { banned: { status: 200 } } }, 'banned.status must be an integer from 400 to 599'],
    [{ answers: { petNotFonud: {} } }, /answers has no petNotFonud; .* Did you mean petNotFound\?/],
    [
      { answers: { limitAbove: 422 } },
      /one of "clamp", "ignore", or an object of status, .*got 422/,
    ],
    [{ answers: { limitAbove: { staus: 422 } } }, /limitAbove has no staus; it has: status, code/],
    [{ nodes: { remaining: [0.5, 1.5] } }, /nodes.remaining.0 must be an integer, got 0.5/],
    [{ nodes: { remaining: [0, NaN] } }, /assumptions.nodes.remaining.1 must be a number, got NaN/],
    [
      { retryAfter: 'minutes' },
      /one of "seconds", .*, or a number, or an object of raw, or a func/,
    ],
    [
      { retryAfter: { raw: '10 €' } },
      /retryAfter.raw must be visible ASCII characters, got '10 €'/,
    ],
    [
      { enterpriseQuota: { perMinute: 1 } },
      /perDay must be an integer of 1 or more, got undefined/,
    ],
    [{ strikeRule: 'never' }, 'assumptions.strikeRule is written strikes: 5 or "never", grace'],
    [{ codes: {} }, 'codes is written answers: { petNotFound: { code: "E404" } } today'],
  ],
  readAssumptions: [
    ['', /^The file of assumptions is not JSON/],
    [Buffer.from('{}'), 'takes the text of a file, got an instance of Buffer'],
    ['[]', /must hold a JSON object/],
    ['{"format":"petstore-assumptions/3"}', /format must be one of .*, got 'petstore-assum/],
    ['{"format":"petstore-assumptions/2"}', /assumptions must be a record, got undefined/],
    ['{"invalidLimit":422}', /invalidLimit is written answers: { limitBelow: .* } today/],
    ['{"minuteWindows":"sliding"}', /has no minuteWindows; .* Did you mean minuteWindow\?/],
    ['{"minuteWindow":"rolling"}', /assumptions\.minuteWindow must be one of/],
    ['{"name":{"pattern":"["}}', /name must be "any", or a RegExp/],
    ['{"name":{"flags":"i"}}', /name must be "any", or a RegExp.*, got an object/],
  ],
  writeAssumptionsFile: [
    [undefined, /^The file of assumptions must be an object of format, .*, got undefined$/],
    [{ minuteWindow: 'sliding' }, /file of assumptions.assumptions must be .*, got undefined/],
    [{ format: 'petstore-assumptions/2', assumptions: { ids: 'no' } }, /^assumptions.ids must be/],
  ],
};
const takers = { assume, readAssumptions, writeAssumptionsFile };

test.each(
  Object.entries(wrong).flatMap(([taker, rows]) => rows.map((row) => [taker, ...row] as const)),
)('%s refuses %o, and says what is known', (taker, given, message) => {
  const take = () => takers[taker as 'assume'](given as never);
  expect(take).toThrow(TypeError);
  expect(take).toThrow(message);
});

test('no text makes the reader fail with anything but a TypeError', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      try {
        readAssumptionsFile(text);
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError);
      }
    }),
  );
});
