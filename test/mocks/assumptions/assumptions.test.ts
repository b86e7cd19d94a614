import { expect, test } from 'vitest';
import {
  type AssumptionsFile,
  explainHeader,
  type GivenAssumptions,
  readAssumptions,
  readAssumptionsFile,
  writeAssumptionsFile,
} from '../../../mocks/index.js';
import { assume, call, rex, type Raw } from '../../support/raw.js';
import { fc } from '../../support/fuzz.js';

test('omittedStatus is also the status of a pet that is added without one', () => {
  for (const omittedStatus of ['available', 'pending', 'sold', 'absent'] as const)
    expect(assume({ omittedStatus }).pets.add(rex).status ?? 'absent').toBe(omittedStatus);
});

/** The status of a request under some assumptions. */
type Case = readonly [assumptions: GivenAssumptions, path: string, raw: Raw, status: number];
const int64s = [3n, 9223372036854775807n];
const inCategory = (id: string) => ({ body: `{"name":"Rex","categoryId":${id}}` });

test.for<Case>([
  [{ name: /[^]{0,3}/ }, '/pets', { body: { ...rex, name: 'Rexy' } }, 400],
  [{ name: /R|Rex/ }, '/pets', { body: rex }, 201],
  [{ name: /[A-Za-z]+/g }, '/pets', { body: { ...rex, name: 'Rex 2' } }, 400],
  [{ name: /^[a-z]+$/im }, '/pets', { body: { ...rex, name: 'Rex\n2' } }, 400],
  [{ categories: int64s }, '/pets', { body: rex }, 201],
  [{ categories: int64s }, '/pets', inCategory('9223372036854775807'), 201],
  [{ categories: int64s }, '/pets', inCategory('9223372036854775806'), 400],
  [{ answers: { unknownQuery: {} } }, '/pets?=1', {}, 400],
  [{ answers: { unknownQuery: {} } }, '/pets?limit=1', { body: rex }, 400],
  [{ unknownPathNeedsKey: false }, '/pets', { key: null, method: 'PUT' }, 405],
  [{ unknownPathNeedsKey: false }, '/store/orders', { key: null }, 401],
  [{}, '/store/orders', { method: 'POST', body: {} }, 501],
])('under %o, %s with %j is answered %i', async ([assumptions, path, raw, status]) => {
  const service = assume(assumptions);
  const answer = await call(service, path, raw);
  expect(answer.status).toBe(status);
  if (status >= 400) expect(answer.json.status).toBe(status);
});

test('clamp takes a limit as the nearest that is allowed, and longestList leaves that of a request as it was sent', async () => {
  const answers = { limitBelow: 'clamp', limitAbove: 'clamp' } as const;
  const service = assume({ longestList: 60, answers }, { seed: 120 });
  for (const [limit, count] of Object.entries({ '-5': 1, '59': 59, '101': 60, '100': 60 }))
    expect((await call(service, `/pets?limit=${limit}`)).json).toHaveLength(count);
  expect(service.requests.at(-2)!.input).toEqual({ limit: 100 });
});

test('unknownPathNeedsKey false answers an unknown path without using quota', async () => {
  const service = assume({ unknownPathNeedsKey: false });
  await call(service, '/nothing');
  expect(service.keys.get('mock-free').usage.minute.used).toBe(0);
});

test('ids is where the ids begin; random ones are listed in order', async () => {
  const text = async (assumptions: GivenAssumptions) =>
    (await call(assume(assumptions, { seed: 1 }), '/pets', { body: rex })).text;
  expect(await text({ ids: 100n })).toContain('"id":101,');
  expect(await text({ ids: -5 })).toContain('"id":-4,');
  const random = assume({ ids: 'random' }, { seed: 50 });
  const ids = random.pets.list().map(({ id }) => id);
  expect(new Set(ids).size).toBe(50);
  expect(ids.filter((id) => !Number.isSafeInteger(id) || id <= 0)).toEqual([]);
  expect(ids).toEqual([...ids].sort((a, b) => (a < b ? -1 : 1)));
});

test('getPet is gone from 5 December 2030 on, and only then; removed and removedFrom decide how, and from when', async () => {
  const service = assume({}, { now: '2030-12-04T23:59:59Z' });
  expect((await call(service, '/pets/1')).status).toBe(200);
  service.clock.advance('1s');
  const { status: gone, headers } = await call(service, '/pets/1');
  expect([gone, headers.get(explainHeader)]).toEqual([410, expect.stringMatching(/listPets/)]);
  expect((await call(service, '/pets')).status).toBe(200);
  const status = async (now: string, assumptions: GivenAssumptions, raw: Raw = {}) =>
    (await call(assume(assumptions, { now }), '/pets/1', raw)).status;
  expect(await status('2030-12-05T00:00:00Z', { answers: { removed: { status: 404 } } })).toBe(404);
  expect(await status('2035-01-01T00:00:00Z', { answers: { removed: 'ignore' } })).toBe(200);
  expect(await status('2030-12-05T23:59:59Z', { removedFrom: 'end-of-day' })).toBe(200);
  expect(await status('2030-12-06T00:00:00Z', { removedFrom: 'end-of-day' })).toBe(410);
  // A removed operation is no unknown path.
  const keyless = { unknownPathNeedsKey: false } as const;
  expect(await status('2030-12-06T00:00:00Z', keyless, { key: null })).toBe(401);
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
    [{ clockSkew: century + 1 }, 'clockSkew must be 3155760000000 ms (100 years) or less'],
    [{ clockSkew: NaN }, 'assumptions.clockSkew'],
    [{ nodes: { clock: [-century - 1, 0] } }, 'assumptions.nodes.clock'],
    ...[[3, 0], [3], 3, null].map((remaining): Row => [
      { nodes: { remaining } },
      'nodes.remaining must be [least, most]: least first, got ',
    ]),
    [{ name: { pattern: 'a', flag: 'i' } }, /name must be "any", or a RegExp, .*, got an object/],
    [
      { maxBodyBytes: 1e300 },
      /^assumptions.maxBodyBytes must be an integer of 0 or more, got 1e\+300$/,
    ],
    [{ categories: [1e300] }, /pass a bigint \(got 1e\+300\)$/],
    [{ ban: century + 1 }, 'ban must be an integer from 0 to 3155760000000 ms (100 years), got'],
    [{ ban: 0.5 }, 'assumptions.ban'],
    [{ grace: -1 }, 'assumptions.grace'],
    [{ longestList: 19 }, 'assumptions.longestList must be'],
    [{ longestList: 101 }, 'assumptions.longestList must be'],
    [{ retryafter: 9 }, /assumptions has no retryafter; it has: environments, .*mean retryAfter/],
    [{ strikes: 0 }, 'assumptions.strikes must be an integer of 1 or more, got 0'],
    [{ ids: 'none' }, /assumptions.ids must be "random", or an integer \(int64\), got 'none'/],
    [{ answers: { banned: { status: 200 } } }, 'banned.status must be an integer from 400 to 599'],
    [{ answers: { limitAbove: { staus: 422 } } }, /limitAbove has no staus; it has: status, code/],
    [{ nodes: { remaining: [0.5, 1.5] } }, /nodes.remaining.0 must be an integer, got 0.5/],
    [{ enterpriseQuota: { perMinute: 1 } }, /perDay must be an integer of 1 or more, got und/],
    [{ answers: { petNotFonud: {} } }, /answers has no petNotFonud; .* Did you mean petNotFound\?/],
    [
      { retryAfter: 'minutes' },
      /one of "seconds", .*, or a number, or an object of raw, or a func/,
    ],
    [
      { retryAfter: { raw: '10 €' } },
      /retryAfter.raw must be visible ASCII characters, got '10 €'/,
    ],
    [{ strikeRule: 'never' }, 'assumptions.strikeRule is written strikes: 5 or "never", grace'],
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
