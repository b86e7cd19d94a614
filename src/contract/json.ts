/**
 * JSON that is exact over int64. `JSON.parse` rounds 9007199254740993 to its neighbour, so an integer that a number cannot
 * hold is read from its digits instead. All other values are what `JSON.parse` makes of them.
 */

/** Makes a value of the digits of an integer beyond 2^53 - 1. */
export type ReadLongInteger = (digits: string) => unknown;

/**
 * A long integer between two tokens of JSON, or a piece of a string that looks like one. A number with more digits is not an
 * id, and conversion of millions of digits to a bigint takes seconds.
 */
const longInteger = /(?<![^:,[\s])-?[1-9]\d{15,399}(?=\s*(?:[,\]}]|$))/g;
const stringOrLongInteger = new RegExp(`"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"|${longInteger.source}`, 'g');

/**
 * `JSON.parse`, exact for integers: `readLongInteger` makes the value of an integer in plain digits that a number cannot hold,
 * by default a bigint.
 *
 * @throws SyntaxError as `JSON.parse` does.
 */
export function parseJson(text: string, readLongInteger: ReadLongInteger = BigInt): unknown {
  if (!hasLongNumber(text)) return JSON.parse(text);
  // Each long integer becomes a string with a mark: a quarter of the time of a reviver, which is called for every value. No string of
  // the text begins with the mark, because nobody can know it.
  const mark = `\u007f${Math.random()}`;
  let value: unknown;
  try {
    value = JSON.parse(text.replace(longInteger, `"${mark}$&"`));
  } catch {
    JSON.parse(text); // Throws what is wrong with the text itself.
    // A mark inside a string ended the string. Now the strings of the text are skipped, which takes longer.
    const marked = text.replace(stringOrLongInteger, (token) =>
      token.startsWith('"') ? token : `"${mark}${token}"`,
    );
    value = JSON.parse(marked);
  }
  return readMarked(value, mark, readLongInteger);
}

/** Reads the marked strings of a parsed value, in place. */
function readMarked(value: unknown, mark: string, readLongInteger: ReadLongInteger): unknown {
  if (typeof value === 'string' && value.startsWith(mark)) {
    const digits = value.slice(mark.length);
    const number = Number(digits);
    return Number.isSafeInteger(number) ? number : readLongInteger(digits);
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Record<string, unknown>;
  for (const name of Object.keys(fields))
    fields[name] = readMarked(fields[name], mark, readLongInteger);
  return value;
}

/** A safe integer has at most this many digits. */
const longDigits = 16;

/**
 * Whether a text contains `longDigits` digits in a row, as few texts do. Such a row is read from its end, so most characters are
 * skipped: bench `int64, no id long`.
 */
function hasLongNumber(text: string): boolean {
  let digits: number;
  for (let end = longDigits - 1; end < text.length; end += longDigits - digits) {
    digits = 0;
    while (isDigit(text.charCodeAt(end - digits))) {
      digits += 1;
      if (digits === longDigits) return true;
    }
  }
  return false;
}

const isDigit = (code: number) => code >= 48 && code <= 57;

/**
 * `JSON.stringify`, with a bigint written as the JSON number it is.
 *
 * @throws TypeError for what JSON has no text for: a circle, a function, or a bigint beyond 2^53 - 1 where the JavaScript
 * engine cannot write it.
 */
export function stringifyJson(value: unknown): string {
  let text: unknown;
  try {
    // The replacer is several times slower. A program that has added toJSON to BigInt.prototype would get strings without it.
    text = JSON.stringify(value, 'toJSON' in BigInt.prototype ? replaceBigint : undefined);
  } catch {
    text = JSON.stringify(value, replaceBigint);
  }
  if (typeof text === 'string') return text;
  throw new TypeError('JSON has no text for this value');
}

function replaceBigint(this: Record<string, unknown>, name: string, field: unknown): unknown {
  // The value is read from its holder, because toJSON has already been called on `field`.
  const value = this[name];
  if (typeof value !== 'bigint') return field;
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown };
  if (rawJSON === undefined)
    throw new TypeError(`this JavaScript engine cannot write ${value} as a JSON number`);
  return rawJSON(String(value));
}

/** The kind of a value, for messages. The value itself may be long or private, so messages never contain it. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** As {@link kindOf}, but numbers and booleans as they are. */
export function describeValue(value: unknown): string {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kindOf(value);
}
