import * as fc from 'fast-check';
import { INT64_MAX, INT64_MIN } from '../../src/contract/index.js';

/** Any int64, its bounds and the bounds of a safe integer more often than chance has them. */
export const int64 = fc.oneof(
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

/** Whether a number holds the int64 exactly. */
export const isSafe = (value: bigint): boolean => Number.isSafeInteger(Number(value));

/** White space that JSON allows between two tokens. */
export const gap = fc.constantFrom('', ' ', '\n', '\t ', '\r\n');

/** `text` as a JSON string in which every character may stand as an escape. */
export const escaped = (text: string): fc.Arbitrary<string> =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((flags) =>
      [...text]
        .map((c, i) => (flags[i] ? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}` : c))
        .join(''),
    )
    .map((inner) => `"${inner}"`);

/** Names that look like the syntax around ids. */
export const trickyName = fc.oneof(
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
