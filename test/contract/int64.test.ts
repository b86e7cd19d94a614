import { expect, onTestFinished, test, vi } from 'vitest';
import { INT64_MAX, INT64_MIN } from '../../src/contract/index.js';
import { parseJson, stringifyJson } from '../../src/contract/json.js';
import { RequestValidationError, ResponseValidationError } from '../../src/index.js';
import { failureOf, json, pet, stubClient, stubFetch } from '../support/stub.js';
import { rejection } from '../support/world.js';
import { fc } from '../support/fuzz.js';

/** Any int64, its bounds and the bounds of a safe integer more often than chance has them. */
const int64 = fc.oneof(
  fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
  fc.constantFrom(INT64_MIN, INT64_MAX, 0n, -1n),
  fc.constantFrom(2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n),
);
/** Whether a number holds the int64 exactly. */
const isSafe = (value: bigint): boolean => Number.isSafeInteger(Number(value));
/** White space that JSON allows between two tokens. */
const gap = fc.constantFrom('', ' ', '\n', '\t ', '\r\n');

/** `text` as a JSON string in which every character may stand as an escape. */
const escaped = (text: string): fc.Arbitrary<string> =>
  fc.array(fc.boolean(), { minLength: text.length, maxLength: text.length }).map((flags) => {
    const hex = (c: string) => c.charCodeAt(0).toString(16).padStart(4, '0');
    return `"${[...text].map((c, i) => (flags[i] ? `\\u${hex(c)}` : c)).join('')}"`;
  });

/** Names that look like the syntax around ids. */
const trickyName = fc.oneof(
  fc.string(),
  fc.constantFrom('id', '\\', '\\"', '": 12345678901234567890'),
  fc.constantFrom('"id":9007199254740993', '{"id": 9007199254740993}'),
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

const getPet = (text: string, mode: 'number' | 'bigint' = 'number') =>
  stubClient(stubFetch(json(text)), { int64: mode }).getPet(1);
const get: Parameters<typeof failureOf>[1] = (client) => client.getPet(1);

test("with int64: 'bigint' every id of the int64 range is read exactly, and with 'number' it is exact, or refused with a message that names the option", async () => {
  await fc.assert(
    fc.asyncProperty(petText, async ({ id, categoryId, name, text }) => {
      expect(await getPet(text, 'bigint')).toStrictEqual({ id, name, categoryId });
      const unsafe = Object.entries({ id, categoryId }).filter(([, value]) => !isSafe(value));
      if (unsafe.length === 0) {
        const read = { id: Number(id) + 0, name, categoryId: Number(categoryId) + 0 };
        expect(await getPet(text)).toStrictEqual(read);
        return;
      }
      const error = await failureOf(json(text), get, {}, ResponseValidationError);
      expect(error.message).toContain("set int64: 'bigint' on the client");
      expect(error.issues.map(({ path }) => path)).toEqual(unsafe.map(([field]) => [field]));
    }),
  );
});

test('every int64 is written to the body as the JSON number it is, and to the path', async () => {
  await fc.assert(
    fc.asyncProperty(int64, trickyName, async (id, name) => {
      const fetch = stubFetch(json(pet()));
      const client = stubClient(fetch, { int64: 'bigint' });
      await client.createPet({ name, categoryId: id });
      await client.getPet(id);
      expect(fetch.sent[0]!.body).toBe(`{"name":${JSON.stringify(name)},"categoryId":${id}}`);
      expect(fetch.sent[1]!.url).toBe(`https://pets.test/v1/pets/${id}`);
    }),
  );
});

test('a categoryId that the response could not hold as a number is refused before it is sent', async () => {
  await fc.assert(
    fc.asyncProperty(int64, async (categoryId) => {
      const fetch = stubFetch(json(`{"id":1,"name":"x","categoryId":${categoryId}}`));
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

test.each([
  ...['1e400', '9007199254740993.0', '1.5', '"1"', 'true'].map((id) => ['id', id] as const),
  ...['9223372036854775808', '-9223372036854775809'].map((id) => ['id', id] as const),
  ['name', '9007199254740993'],
] as const)('a pet whose %s is %s is refused, in both modes', async (field, value) => {
  const fields = { id: '1', name: '"x"', categoryId: '1', [field]: value };
  const texts = Object.entries(fields).map(([name, text]) => `"${name}":${text}`);
  const reply = json(`{${texts.join()}}`);
  for (const int64 of ['number', 'bigint'] as const) {
    const error = await failureOf(reply, get, { int64 }, ResponseValidationError);
    expect(error.issues.map(({ path }) => path)).toEqual([[field]]);
  }
});

test('1e3 and 2.0 are integers in JSON, and are read as such in both modes', async () => {
  const text = '{"id":1e3,"name":"x","categoryId":2.0}';
  expect(await getPet(text)).toEqual({ id: 1000, name: 'x', categoryId: 2 });
  expect(await getPet(text, 'bigint')).toEqual({ id: 1000n, name: 'x', categoryId: 2n });
});

test('where the engine cannot write a long integer, the call fails before anything is sent', async () => {
  const holder = JSON as { rawJSON?: unknown };
  const { rawJSON } = holder;
  delete holder.rawJSON;
  onTestFinished(() => void (holder.rawJSON = rawJSON));
  const fetch = stubFetch(json(pet()));
  const client = stubClient(fetch, { int64: 'bigint' });
  const create = (categoryId: bigint) => client.createPet({ name: 'x', categoryId });
  const { message } = await rejection(create(INT64_MAX), RequestValidationError);
  expect(message).toContain('engine cannot write 9223372036854775807 as a JSON number');
  expect(fetch.sent).toEqual([]);
  // What a number holds exactly needs no help.
  await create(-9_007_199_254_740_991n);
  expect(fetch.sent[0]!.body).toBe('{"name":"x","categoryId":-9007199254740991}');
});

test('a field __proto__ of a pet is left out, and changes no prototype', async () => {
  const text = '{"id":9007199254740993,"name":"Rex","categoryId":2,"__proto__":{"polluted":true}}';
  const found = await getPet(text, 'bigint');
  expect(Object.keys(found)).toEqual(['id', 'name', 'categoryId']);
  expect(Object.getPrototypeOf(found)).toBe(Object.prototype);
  expect('polluted' in {}).toBe(false);
});

/** A JSON text, made together with what is in it: integers beyond a double included, as bigint. */
const jsonValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    int64.map((value) => (isSafe(value) ? Number(value) + 0 : value)),
    fc.bigInt({ min: 2n ** 63n, max: 2n ** 80n }),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Number.isInteger(value)),
    trickyName,
    fc.constantFrom(
      'a:9007199254740993,b',
      ':9007199254740993,',
      '[9007199254740993]',
      null,
      true,
      false,
    ),
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
      const reply = json(space + stringifyJson(value) + space);
      const read = (mode: 'number' | 'bigint') =>
        stubClient(stubFetch(reply), { int64: mode }).request({ method: 'GET', path: '/x' });
      expect(await read('bigint')).toStrictEqual(value);
      expect(await read('number')).toStrictEqual(bigintsAsText(value));
    }),
    { numRuns: 300 },
  );
});

test("tolerant is the default: whatever a service adds to a pet is kept, an unknown status is passed on, and a long integer is text with int64: 'number', and a bigint with 'bigint'", async () => {
  const known = ['id', 'name', 'categoryId', 'status', '__proto__'];
  const field = fc.string().filter((name) => !known.includes(name));
  const fields = fc.dictionary(field, jsonValue, { noNullPrototype: true });
  await fc.assert(
    fc.asyncProperty(fields, fc.string(), async (unknown, status) => {
      const text = stringifyJson({ ...pet({ status }), ...unknown });
      const exact = { ...pet({ id: 1n, categoryId: 1n, status }), ...unknown };
      const pets = stubClient(stubFetch(json(`[${text},${text}]`)), { int64: 'bigint' });
      expect(await pets.listPets()).toEqual([exact, exact]);
      const found = await getPet(text);
      const expected = { ...pet({ status }), ...(bigintsAsText(unknown) as object) };
      expect(found).toEqual(expected);
      expect(JSON.parse(JSON.stringify(found))).toEqual(JSON.parse(JSON.stringify(expected)));
    }),
  );
});

/** Texts that a reader with marks could take for its own, or for integers: as characters, and as escapes. */
const lookalike = fc.constantFrom(
  ...['"\u007f9007199254740993"', '"\\u007f9007199254740993"', '"\\u007F9007199254740993"'],
  ...['"\u007f"', '"x, 9007199254740993, y"', '",9007199254740993,"', '"9007199254740993"'],
  ...['"[ 9007199254740993 ]"', '"\\\\ 9007199254740993 "', '"\\", 9007199254740993"'],
  ...['"{\\"id\\":9007199254740993}"', '9007199254740993', '-9007199254740993'],
  ...['1234567890123456', '9007199254740993.5', '9007199254740993e2', '1e-9007199254740993'],
  ...['0.9007199254740993', `1${'0'.repeat(399)}`, `1${'0'.repeat(400)}`],
);
type Source = { readonly source: string };
/** `JSON.parse` with the source text of each number. */
const withSource = (text: string): unknown =>
  (JSON.parse as (text: string, reviver: unknown) => unknown)(
    text,
    (_name: string, value: unknown, { source }: Source) =>
      typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d{16,400}$/.test(source)
        ? BigInt(source)
        : value,
  );

test('a string that looks like a long integer, or like a mark of one, stays a string', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(gap, lookalike, gap)), fc.array(lookalike), (items, values) => {
      const list = items.map(([before, item, after]) => `${before}${item}${after}`).join(',');
      const fields = values.map((value, at) => `"field ${at}" : ${value}`).join(' ,');
      const text = `[[${list}],{${fields}},9007199254740993]`;
      expect(parseJson(text)).toStrictEqual(withSource(text));
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ...['{"id":1,9007199254740993:2}', '{"id":1,9007199254740993 :2}', '{9007199254740993:2}'],
  ...['{"id":1,9007199254740993}', '{"id":00000000000000001}', '{"id":-00000000000000000001}'],
  ...['{"id":9007199254740993', '{"id":9007199254740993x}', '["id":9007199254740993]'],
  ...['["\\9007199254740993"]', '["\\ 9007199254740993"]', '["\\9007199254740993,"x"]'],
  ...['["\\ 9007199254740993,"x"]', '["\n9007199254740993 ,"]', '[,9007199254740993]'],
  ...['[9007199254740993 9007199254740993]', '[--9007199254740993]', '[+9007199254740993]'],
  ...['[9007199254740993\u00a0]', '9007199254740993,'],
])('%j is not JSON, for the reason that JSON.parse gives', async (text) => {
  const reasonOf = (parse: (text: string) => unknown) =>
    rejection(Promise.resolve(text).then(parse));
  expect(await reasonOf((own) => parseJson(own))).toEqual(await reasonOf((own) => JSON.parse(own)));
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
