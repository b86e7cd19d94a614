import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { parseJson } from '../../src/contract/json.js';

const gap = fc.constantFrom('', ' ', '\n', '\t ', '\r\n');

test('a long integer is found wherever it stands in a text, and whatever digits stand around it', () => {
  for (let place = 0; place < 40; place += 1) {
    const filled = '7'.repeat(15).concat(',').repeat(2);
    for (const digits of ['9007199254740993', '-9007199254740993', '12345678901234567890'])
      expect(parseJson(`[${filled}${' '.repeat(place)}${digits},${filled}1]`)).toContain(
        BigInt(digits),
      );
  }
  expect(parseJson('9007199254740993')).toBe(9007199254740993n);
  expect(parseJson(' -9007199254740993 ')).toBe(-9007199254740993n);
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
])('%j is not JSON, and its long integer does not make it JSON', (text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError);
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
