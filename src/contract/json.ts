/**
 * JSON that is exact over int64. `JSON.parse` rounds 9007199254740993 to its neighbour, so an integer that a number cannot
 * hold is read from its source text instead. All other values are what `JSON.parse` makes of them.
 */

interface ReviverContext {
  /** The text of a number, string, boolean or null. */
  readonly source?: string;
}
type Reviver = (name: string, value: unknown, context?: ReviverContext) => unknown;
type ParseWithSource = (text: string, reviver: Reviver) => unknown;

/** Makes a value of the digits of an integer beyond 2^53 - 1. */
export type ReadLongInteger = (digits: string) => unknown;

/** A number with more digits is not an id, and conversion of millions of digits to a bigint takes seconds. */
const plainInteger = /^-?\d{16,400}$/;

/**
 * `JSON.parse`, exact for integers: `readLongInteger` makes the value of an integer in plain digits that a number cannot hold,
 * by default a bigint. Where the JavaScript engine does not give the source text of a number, such an integer is NaN, which
 * no schema accepts: it is never rounded.
 *
 * @throws SyntaxError as `JSON.parse` does.
 */
export function parseJson(text: string, readLongInteger: ReadLongInteger = BigInt): unknown {
  if (!hasLongNumber(text)) return JSON.parse(text);
  const marked = givesSource() ? parseMarked(text) : undefined;
  if (marked !== undefined) return readMarked(marked.value, readLongInteger);
  return (JSON.parse as ParseWithSource)(text, (_name, value, context) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    const source = context?.source;
    if (source === undefined) return Number.isInteger(value) ? NaN : value;
    return plainInteger.test(source) ? readLongInteger(source) : value;
  });
}

/** Without it no text is read with marks either: whether an id can be read must not depend on the strings around it. */
function givesSource(): boolean {
  return (JSON.parse as ParseWithSource)('0', (_name, _value, context) => context?.source) === '0';
}

/** First character of a string that holds the digits of a long integer. */
const mark = '\u007f';
/** The same character, and its neighbours, as an escape. */
const escapedMark = '\\u007';
/** A long integer between two tokens of JSON, or a piece of a string that looks like one. */
const longInteger = /(?<![^:,[\s])-?[1-9]\d{15,399}(?=\s*(?:[,\]}]|$))/g;

/**
 * Parses a text in which each long integer has become a string with a mark: a quarter of the time of a reviver, which is called
 * for every value. `undefined` if the text is not JSON, or if the marks would not be certain. They are certain, because
 *
 * - no string of the text begins with the mark, neither as it is nor as an escape, and
 * - a mark in the middle of a string would end the string. The text would not be JSON, because nothing may follow a string but
 *   white space and punctuation.
 */
function parseMarked(text: string): { readonly value: unknown } | undefined {
  if (text.includes(mark) || text.includes(escapedMark)) return undefined;
  try {
    return { value: JSON.parse(text.replace(longInteger, `"${mark}$&"`)) };
  } catch {
    return undefined;
  }
}

/** Reads the marked strings of a parsed value, in place. */
function readMarked(value: unknown, readLongInteger: ReadLongInteger): unknown {
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
    const read = readMarked(field, readLongInteger);
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
  const text = stringifyFast(value) ?? JSON.stringify(value, replaceBigint);
  if (typeof text === 'string') return text;
  throw new TypeError('JSON has no text for this value');
}

/** Writes without the replacer, which is several times slower; `undefined` if the value needs the replacer. */
function stringifyFast(value: unknown): string | undefined {
  // If a program has added toJSON to BigInt.prototype, a bigint would become a string.
  if ('toJSON' in BigInt.prototype) return undefined;
  try {
    return JSON.stringify(value);
  } catch {
    // The value contains a bigint, or something that the replacer cannot write either.
    return undefined;
  }
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
