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
  return (JSON.parse as ParseWithSource)(text, (_name, value, context) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    const source = context?.source;
    if (source === undefined) return Number.isInteger(value) ? NaN : value;
    return plainInteger.test(source) ? readLongInteger(source) : value;
  });
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

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
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
