import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { INT64_MAX, INT64_MIN } from '../../src/contract/index.js';
import { parseJson } from '../../src/contract/json.js';

const beyond = fc.oneof(
  fc.bigInt({ min: 2n ** 53n, max: INT64_MAX }),
  fc.bigInt({ min: INT64_MIN, max: -(2n ** 53n) }),
);
const gap = fc.constantFrom('', ' ', '\n', '\t ', '\r\n');
/** Texts that look like ids from inside a string, none of which JSON spells with `\u`. */
const name = fc.constantFrom(
  'Rex',
  '{"id":9007199254740993}',
  ',"id":9007199254740993',
  ' "id": 9007199254740993',
  '\\',
  '\\"id":9007199254740993',
);
const pet = fc.record({ id: beyond, categoryId: beyond, name, nested: beyond, a: gap, b: gap });

test('where no key is spelled with escapes, long ids are exact at any depth, and strings that look like ids stay as they are', () => {
  fc.assert(
    fc.property(fc.array(pet, { minLength: 1, maxLength: 4 }), (pets) => {
      const texts = pets.map(({ id, categoryId, name, nested, a, b }) => {
        const text = JSON.stringify(name);
        return `{${a}"id"${b}:${a}${id}${b},${a}${text}:1,"name":${text},"owner":{"id":${nested}},"no \\"id":9007199254740993,"categoryId":${b}${categoryId}${a}}`;
      });
      const text = `[${texts.join(',')}]`;
      expect(text).not.toContain('\\u');
      expect(parseJson(text)).toStrictEqual(
        pets.map(({ id, name, nested, categoryId }) => ({
          id,
          [name]: 1,
          name,
          owner: { id: nested },
          'no "id': 9007199254740993n,
          categoryId,
        })),
      );
    }),
  );
});

test('a long integer is found wherever it stands in a text, and whatever digits stand around it', () => {
  for (let place = 0; place < 40; place += 1) {
    const filled = '7'.repeat(15).concat(',').repeat(2);
    for (const digits of ['9007199254740993', '-9007199254740993', '12345678901234567890'])
      expect(parseJson(`[${filled}${' '.repeat(place)}${digits},${filled}1]`)).toContain(
        BigInt(digits),
      );
  }
});
