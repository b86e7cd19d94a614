import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { INT64_MAX, INT64_MIN } from '../../src/contract/index.js';
import { parseJson, stringifyJson } from '../../src/contract/json.js';
import { RequestValidationError, ResponseValidationError } from '../../src/index.js';
import { json, stubClient, stubFetch } from '../support/stub.js';
import { rejection } from '../support/world.js';

/** Any int64, its bounds and the bounds of a safe integer more often than chance has them. */
const int64 = fc.oneof(
  fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
  fc.constantFrom(
    INT64_MIN,
    INT64_MAX,
    2n ** 53n - 1n,
    2n ** 53n,
    2n ** 53n + 1n,
    -(2n ** 53n) - 1n,
    0n,
    -1n,
  ),
);
const isSafe = (value: bigint) => Number.isSafeInteger(Number(value));
/** White space that JSON allows between two tokens. */
const gap = fc.constantFrom('', ' ', '\n', '\t ', '\r\n');
/** `text` as a JSON string in which every character may stand as an escape. */
const escaped = (text: string) =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((flags) =>
      [...text]
        .map((c, i) => (flags[i] ? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}` : c))
        .join(''),
    )
    .map((inner) => `"${inner}"`);
/** Names that look like the syntax around ids. */
const trickyName = fc.oneof(
  fc.string(),
  fc.constantFrom(
    '"id":9007199254740993',
    '\\',
    '\\"',
    '{"id": 9007199254740993}',
    'id',
    '": 12345678901234567890',
  ),
);
/** The text of a pet, and the ids it holds. */
const petText = fc
  .record({
    id: int64,
    categoryId: int64,
    name: trickyName,
    id1: escaped('id'),
    id2: escaped('categoryId'),
    a: gap,
    b: gap,
  })
  .map(({ id, categoryId, name, id1, id2, a, b }) => ({
    id,
    categoryId,
    name,
    text: `{${a}${id1}${b}:${a}${id}${b},"name":${a}${JSON.stringify(name)},${id2}:${b}${categoryId}${a}}`,
  }));

test("with int64: 'bigint' every id of the int64 range is read exactly, however its key is spelled", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(petText, { maxLength: 5 }), async (pets) => {
      const client = stubClient(stubFetch(json(`[${pets.map(({ text }) => text).join(',')}]`)), {
        int64: 'bigint',
      });
      const found = await client.listPets();
      expect(found).toStrictEqual(
        pets.map(({ id, categoryId, name }) => ({ id, name, categoryId })),
      );
    }),
  );
});

test("with int64: 'number' an id is exact, or refused with a message that names the option", async () => {
  await fc.assert(
    fc.asyncProperty(petText, async ({ id, categoryId, name, text }) => {
      const call = stubClient(stubFetch(json(text))).getPet(1);
      if (isSafe(id) && isSafe(categoryId)) {
        expect(await call).toStrictEqual({
          id: Number(id) + 0,
          name,
          categoryId: Number(categoryId) + 0,
        });
        return;
      }
      const error = await rejection<ResponseValidationError>(call);
      expect(error).toBeInstanceOf(ResponseValidationError);
      expect(error.message).toContain("set int64: 'bigint' on the client");
      expect(error.issues.map(({ path }) => path)).toEqual([
        ...(isSafe(id) ? [] : [['id']]),
        ...(isSafe(categoryId) ? [] : [['categoryId']]),
      ]);
    }),
  );
});

test('every int64 is written to the body as the JSON number it is', async () => {
  await fc.assert(
    fc.asyncProperty(int64, trickyName, async (categoryId, name) => {
      const fetch = stubFetch(json({ id: 1, name: 'x', categoryId: 1 }, { status: 201 }));
      await stubClient(fetch, { int64: 'bigint' }).createPet({ name, categoryId });
      expect(fetch.sent[0]!.body).toBe(
        `{"name":${JSON.stringify(name)},"categoryId":${categoryId}}`,
      );
    }),
  );
});

test('a categoryId that the response could not hold as a number is refused before it is sent', async () => {
  await fc.assert(
    fc.asyncProperty(int64, async (categoryId) => {
      const body = `{"id":1,"name":"x","categoryId":${categoryId}}`;
      const fetch = stubFetch(() => json(body, { status: 201 }));
      const outcome: unknown = await stubClient(fetch)
        .createPet({ name: 'x', categoryId })
        .catch((error: unknown) => error);
      expect(fetch.sent).toHaveLength(isSafe(categoryId) ? 1 : 0);
      if (isSafe(categoryId)) expect(outcome).toMatchObject({ categoryId: Number(categoryId) });
      else
        expect(outcome).toMatchObject({
          name: 'RequestValidationError',
          message: expect.stringContaining(`categoryId is ${categoryId}`),
          issues: [{ path: ['categoryId'], message: expect.stringContaining("int64: 'bigint'") }],
        });
    }),
  );
});

test('every int64 is written to the path exactly', async () => {
  await fc.assert(
    fc.asyncProperty(int64, async (petId) => {
      const fetch = stubFetch(json({ id: 1, name: 'x', categoryId: 1 }));
      await stubClient(fetch).getPet(petId);
      expect(fetch.sent[0]!.url).toBe(`https://pets.test/v1/pets/${petId}`);
    }),
  );
});

test('a bigint stays a number in the body where a program has put a toJSON on BigInt.prototype', () => {
  const prototype = BigInt.prototype as { toJSON?: () => string };
  prototype.toJSON = function (this: bigint) {
    return this.toString();
  };
  try {
    expect(stringifyJson({ categoryId: INT64_MAX, nested: [INT64_MIN] })).toBe(
      '{"categoryId":9223372036854775807,"nested":[-9223372036854775808]}',
    );
  } finally {
    delete prototype.toJSON;
  }
});

test.each([
  [2 ** 53, 'pass a bigint'],
  [1.5, 'must be an integer (int64), got 1.5'],
  [INT64_MAX + 1n, 'must be an int64'],
  ['12', 'must be an integer (int64), got a string'],
  [NaN, 'got NaN'],
  [null, 'got null'],
])(
  'an id that is no exact int64 (%s) is refused before anything is sent',
  async (petId, problem) => {
    const fetch = stubFetch();
    const error = await rejection<RequestValidationError>(
      stubClient(fetch).getPet(petId as number),
    );
    expect(error).toBeInstanceOf(RequestValidationError);
    expect(error.message).toMatch(/^getPet: petId .* Nothing was sent\.$/);
    expect(error.message).toContain(problem);
    expect(fetch.sent).toEqual([]);
  },
);

test.each([
  '1e400',
  '9007199254740993.0',
  '1.5',
  '9223372036854775808',
  '"1"',
  'true',
  '-9223372036854775809',
])('a pet whose id is %s is refused, in both modes', async (id) => {
  for (const int64 of ['number', 'bigint'] as const) {
    const client = stubClient(stubFetch(json(`{"id":${id},"name":"x","categoryId":1}`)), { int64 });
    expect(await rejection(client.getPet(1))).toBeInstanceOf(ResponseValidationError);
  }
});

test('1e3 and 2.0 are integers in JSON, and are read as such in both modes', async () => {
  const answer = () => stubFetch(json('{"id":1e3,"name":"x","categoryId":2.0}'));
  expect(await stubClient(answer()).getPet(1)).toEqual({ id: 1000, name: 'x', categoryId: 2 });
  expect(await stubClient(answer(), { int64: 'bigint' }).getPet(1)).toEqual({
    id: 1000n,
    name: 'x',
    categoryId: 2n,
  });
});

test('ids inside fields that the contract does not know come out exact, not as a mark of ours', async () => {
  const text =
    '{"id":9007199254740993,"name":"x","categoryId":1,"owner":{"id":9007199254740995,"tags":[{"id":7}]}}';
  const pet = await stubClient(stubFetch(json(text)), { int64: 'bigint' }).getPet(1);
  expect(pet).toEqual({
    id: 9007199254740993n,
    name: 'x',
    categoryId: 1n,
    owner: { id: 9007199254740995n, tags: [{ id: 7 }] },
  });
});

/** A JSON text, made together with what is in it: integers beyond a double included, as bigint. */
const jsonValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    int64.map((value) => (isSafe(value) ? Number(value) + 0 : value)),
    fc.bigInt({ min: 2n ** 63n, max: 2n ** 80n }),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Number.isInteger(value)),
    trickyName,
    fc.constantFrom('a:9007199254740993,b', ':9007199254740993,', '[9007199254740993]', null, true),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('id', 'petId')), tie('value'), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  ),
})).value;

/** The value as `int64: 'number'` reads it: a bigint is the string of its digits. */
function bigintsAsText(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map(bigintsAsText);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, bigintsAsText(field)]),
  );
}

test('request() reads every integer of an answer exactly, whatever its field, and leaves all else as JSON.parse has it', async () => {
  await fc.assert(
    fc.asyncProperty(jsonValue, gap, async (value, space) => {
      const text = space + stringifyJson(value) + space;
      const read = (int64: 'number' | 'bigint') =>
        stubClient(stubFetch(json(text)), { int64 }).request({
          method: 'GET',
          path: '/store/orders',
        });
      expect(await read('bigint')).toStrictEqual(value);
      expect(await read('number')).toStrictEqual(bigintsAsText(value));
    }),
    { numRuns: 500 },
  );
});

test("with int64: 'number' whatever a service adds to a pet is exact, and JSON.stringify writes it", async () => {
  const fields = fc.dictionary(
    fc
      .string()
      .filter((name) => !['id', 'name', 'categoryId', 'status', '__proto__'].includes(name)),
    jsonValue,
    { noNullPrototype: true },
  );
  await fc.assert(
    fc.asyncProperty(fields, async (unknown) => {
      const text = stringifyJson([{ id: 1, name: 'Rex', categoryId: 2, ...unknown }]);
      const [pet] = await stubClient(stubFetch(json(text))).listPets();
      const expected = { id: 1, name: 'Rex', categoryId: 2, ...(bigintsAsText(unknown) as object) };
      expect(pet).toEqual(expected);
      expect(JSON.parse(JSON.stringify(pet))).toEqual(JSON.parse(JSON.stringify(expected)));
    }),
  );
});

test('a field __proto__ of a pet is left out, and changes no prototype', async () => {
  const text = '[{"id":1,"name":"Rex","categoryId":2,"__proto__":{"polluted":true}}]';
  const [pet] = await stubClient(stubFetch(json(text))).listPets();
  expect(Object.keys(pet!)).toEqual(['id', 'name', 'categoryId']);
  expect(Object.getPrototypeOf(pet)).toBe(Object.prototype);
  expect('polluted' in {}).toBe(false);
});

test("in a field that the contract does not know, a long integer is text with int64: 'number', and a bigint with 'bigint'", async () => {
  const text =
    '{"id":1,"name":"Rex","categoryId":2,"chip":9007199254740993,"weight":12.5,"height":1.00000000000000001,"owner":{"phones":[4917012345678901234567]}}';
  const read = (int64: 'number' | 'bigint') =>
    stubClient(stubFetch(json(text)), { int64 }).getPet(1);
  expect(await read('number')).toEqual({
    id: 1,
    name: 'Rex',
    categoryId: 2,
    chip: '9007199254740993',
    weight: 12.5,
    height: 1,
    owner: { phones: ['4917012345678901234567'] },
  });
  expect(await read('bigint')).toMatchObject({
    chip: 9007199254740993n,
    owner: { phones: [4917012345678901234567n] },
  });
});

test('a long integer where the contract wants text is refused, in both modes', async () => {
  for (const int64 of ['number', 'bigint'] as const) {
    const fetch = stubFetch(json('{"id":1,"name":9007199254740993,"categoryId":1}'));
    const error = await rejection<ResponseValidationError>(stubClient(fetch, { int64 }).getPet(1));
    expect(error.issues.map(({ path }) => path)).toEqual([['name']]);
  }
});

test('where the engine gives no source text of a number, an id that it cannot read exactly is refused, and no number is rounded', async () => {
  const { parse } = JSON;
  const withoutSource = (text: string, reviver?: (name: string, value: unknown) => unknown) =>
    reviver === undefined
      ? (parse(text) as unknown)
      : (parse(text, (name: string, value: unknown) => reviver(name, value)) as unknown);
  JSON.parse = withoutSource as typeof parse;
  try {
    for (const int64 of ['number', 'bigint'] as const) {
      const fetch = stubFetch(json('{"id":9007199254740993,"name":"Rex","categoryId":1}'));
      const error = await rejection<ResponseValidationError>(
        stubClient(fetch, { int64 }).getPet(1),
      );
      expect(error.message).toContain('id is beyond 2^53 - 1');
      expect(error.message).toContain('this JavaScript engine cannot read exactly');
    }
    expect(parseJson('{"chip":9007199254740993,"id":1234567890123456,"weight":1.5}')).toEqual({
      chip: NaN,
      id: 1234567890123456,
      weight: 1.5,
    });
  } finally {
    JSON.parse = parse;
  }
});

test('where the engine cannot write a long integer, the call fails before anything is sent', async () => {
  const holder = JSON as { rawJSON?: unknown };
  const { rawJSON } = holder;
  delete holder.rawJSON;
  try {
    const fetch = stubFetch(json({ id: 1, name: 'x', categoryId: 1 }, { status: 201 }));
    const client = stubClient(fetch);
    const error = await rejection(client.createPet({ name: 'x', categoryId: INT64_MAX }));
    expect(error).toBeInstanceOf(RequestValidationError);
    expect(fetch.sent).toEqual([]);
    await client.createPet({ name: 'x', categoryId: 5n });
    expect(fetch.sent[0]!.body).toBe('{"name":"x","categoryId":5}');
  } finally {
    holder.rawJSON = rawJSON;
  }
});

test('what JSON.parse refuses is refused, however long the integers in it are', () => {
  for (const text of [
    '{"id":00000000000000001}',
    '{"id":9007199254740993',
    '{"id":9007199254740993x}',
    '{"id":-00000000000000000001}',
    '["id":9007199254740993]',
  ]) {
    expect(() => parseJson(text), text).toThrow(SyntaxError);
  }
});

test('any JSON text without long integers comes out of parseJson as JSON.parse has it', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), (text) => {
      fc.pre(!/(?<![.\d])\d{16}/.test(text));
      expect(parseJson(text)).toStrictEqual(JSON.parse(text));
      expect(JSON.parse(stringifyJson(JSON.parse(text)))).toStrictEqual(JSON.parse(text));
    }),
  );
});

test('a body of many long ids and long strings is read in linear time', () => {
  const pets = Array.from(
    { length: 2_000 },
    (_, i) =>
      `{"id":${2n ** 60n + BigInt(i)},"name":${JSON.stringify('\\"'.repeat(50))},"categoryId":1}`,
  );
  const read: string[] = [];
  const parsed = parseJson(`[${pets.join(',')}]`, (digits) => (read.push(digits), digits));
  expect(parsed).toHaveLength(2_000);
  expect(read).toEqual(pets.map((_, i) => String(2n ** 60n + BigInt(i))));
});

test('a body of many integers that are nearly long is looked through once', () => {
  const text = `[${'123456789012345,'.repeat(2_000)}1]`;
  const at = Reflect.get(String.prototype, 'charCodeAt') as (this: string, at: number) => number;
  let looked = 0;
  const spy = vi.spyOn(String.prototype, 'charCodeAt').mockImplementation(function (
    this: string,
    index,
  ) {
    if ((looked += 1) > 2 * text.length) throw new Error('looked at again');
    return at.call(this, index);
  });
  const parsed = parseJson(text);
  spy.mockRestore();
  expect(parsed).toHaveLength(2_001);
  expect(looked).toBeGreaterThan(0);
});

test('a field called __proto__ changes no prototype', async () => {
  const text = '{"id":9007199254740993,"name":"x","categoryId":1,"__proto__":{"polluted":true}}';
  const pet = await stubClient(stubFetch(json(text)), { int64: 'bigint' }).getPet(1);
  expect((pet as unknown as { polluted?: boolean }).polluted).toBeUndefined();
  expect(Object.getPrototypeOf(pet)).toBe(Object.prototype);
});
