import * as fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { parseJson, stringifyJson } from '../../src/contract/json.js';

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
  onTestFinished(() => spy.mockRestore());
  const parsed = parseJson(text);
  spy.mockRestore();
  expect(parsed).toHaveLength(2_001);
  expect(looked).toBeGreaterThan(0);
});
