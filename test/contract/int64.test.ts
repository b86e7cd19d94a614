import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { INT64_MAX, INT64_MIN } from '../../src/contract/index.js';
import { stringifyJson } from '../../src/contract/json.js';
import { RequestValidationError, ResponseValidationError } from '../../src/index.js';
import { json, stubClient, stubFetch } from '../support/stub.js';
import { rejection } from '../support/world.js';
import { int64, isSafe, gap, escaped, trickyName } from '../support/int64-texts.js';
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

test('a field called __proto__ changes no prototype', async () => {
  const text = '{"id":9007199254740993,"name":"x","categoryId":1,"__proto__":{"polluted":true}}';
  const pet = await stubClient(stubFetch(json(text)), { int64: 'bigint' }).getPet(1);
  expect((pet as unknown as { polluted?: boolean }).polluted).toBeUndefined();
  expect(Object.getPrototypeOf(pet)).toBe(Object.prototype);
});
