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
  // No string of the text begins with the mark: the text does not contain it, not as an escape either, or nobody can know it.
  const isFree = !text.includes('\u007f') && !text.includes('\\u007');
  const mark = isFree ? '\u007f' : `\u007f${Math.random()}`;
  return readMarked(parseMarked(text, mark), mark, readLongInteger);
}

/**
 * Parses a text in which each long integer has become a string with a mark: a quarter of the time of a reviver, which is called
 * for every value. A mark inside a string would end the string, and the text would not be JSON, because a mark cannot follow a
 * string. Only then are the strings of the text told apart from the rest, which takes longer.
 */
function parseMarked(text: string, mark: string): unknown {
  try {
    return JSON.parse(text.replace(longInteger, `"${mark}$&"`));
  } catch {
    JSON.parse(text); // Throws what is wrong with the text itself.
    const marked = text.replace(stringOrLongInteger, (token) =>
      token.startsWith('"') ? token : `"${mark}${token}"`,
    );
    return JSON.parse(marked);
  }
}

/** Reads the marked strings of a parsed value, in place. */
function readMarked(value: unknown, mark: string, readLongInteger: ReadLongInteger): unknown {
  if (typeof value === 'string') {
    if (!value.startsWith(mark)) return value;
    const digits = value.slice(mark.length);
    const number = Number(digits);
    return Number.isSafeInteger(number) ? number : readLongInteger(digits);
  }
  if (typeof value !== 'object' || value === null) return value;
  const holder = value as Record<string, unknown>;
  for (const name of Object.keys(holder)) {
    const field = holder[name];
    const read = readMarked(field, mark, readLongInteger);
    if (read !== field) holder[name] = read;
  }
  return value;
}

/** A safe integer has at most this many digits. Most texts contain no number of that length. */
const longDigits = 16;

/** Whether a text contains `longDigits` digits in a row. One of every `longDigits` characters is looked at, because each such row contains one of them. */
function hasLongNumber(text: string): boolean {
  for (let at = longDigits - 1; at < text.length; at += longDigits) {
    if (!isDigit(text, at)) continue;
    let [first, last] = [at, at];
    while (isDigit(text, first - 1)) first -= 1;
    while (isDigit(text, last + 1)) last += 1;
    if (last - first >= longDigits - 1) return true;
  }
  return false;
}

/** One comparison: the codes of `0` to `9` are 48 to 57, and 48 has no bit of the lower four. Beyond the text there is no digit. */
function isDigit(text: string, at: number): boolean {
  return (text.charCodeAt(at) ^ 48) <= 9;
}

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

function replaceBigint(
  this: Readonly<Record<string, unknown>>,
  name: string,
  field: unknown,
): unknown {
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
export function describe(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** As {@link describe}, but numbers and booleans as they are. */
export function describeValue(value: unknown): string {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : describe(value);
}
