import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringifyJson } from '../../src/contract/json.js';
import type { ResponseValidationError } from '../../src/index.js';
import { json, stubClient, stubFetch } from '../support/stub.js';
import { rejection } from '../support/world.js';
import { int64, isSafe, gap, trickyName } from '../support/int64-texts.js';

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
