/**
 * JSON that is exact over int64. `JSON.parse` rounds 9007199254740993 to its neighbour, so an integer that a double cannot
 * hold is read from the text instead, as a bigint. All other values are what `JSON.parse` makes of them.
 */

/** What stands before a number while it passes through `JSON.parse` as a string: no service can guess it. */
const mark = /* @__PURE__ */ `int64:${Math.random().toString(36).slice(2)}:`;
const marked = /* @__PURE__ */ new RegExp(`"${mark}(-?\\d+)"`, 'g');

/** A longer integer is Infinity, and no id: to make a bigint of millions of digits takes seconds. */
const longest = 400;

/** Between the marks of JSON, but perhaps inside a string that looks like JSON. */
const longInteger = /([:,[]\s*)(-?[1-9]\d{15,399})(?=\s*[,}\]])/g;
const fraction = /([:,[]\s*)(-?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE]-\d+))(?=\s*[,}\]])/g;
/** The same in one, surely outside of strings, since it takes these whole; several times slower. */
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/**
 * `JSON.parse`, exact for integers: a bigint where a number cannot hold one. An `id` or `categoryId` with a fraction that
 * a number would drop is NaN, which no schema takes. Reads the text again only when something in it may have been rounded.
 *
 * @throws SyntaxError as `JSON.parse` does.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const isSuspect = Array.isArray(value) ? value.some(mayBeRounded) : mayBeRounded(value);
  const hasFractions = (text.includes('.') || text.includes('-')) && /\d(?:\.|[eE]-)\d/.test(text);
  if (!isSuspect && !hasFractions) return value;
  // In brackets, every number stands between two marks.
  const whole = `[${text}]`;
  let marks = whole.replace(longInteger, `$1"${mark}$2"`);
  if (hasFractions)
    marks = marks.replace(fraction, (all, before: string, digits: string) =>
      isRounded(digits) ? before + quoted(digits) : all,
    );
  return marks === whole ? value : (unmark(parseMarked(marks, whole)) as [unknown])[0];
}

/**
 * `JSON.stringify`, with a bigint written as the JSON number it is.
 *
 * @throws TypeError for what JSON has no text for: a circle, a function.
 */
export function stringifyJson(value: unknown): string {
  // Read from its holder: a toJSON that a program has put on BigInt.prototype would have made it a string already.
  const text = JSON.stringify(value, function (this: Record<string, unknown>, key, field: unknown) {
    const held = this[key];
    return typeof held === 'bigint' ? mark + held.toString() : field;
  });
  return text.includes(mark) ? text.replace(marked, '$1') : text;
}

/** True for what holds, or may hold deeper down, a number that is not safe. */
function mayBeRounded(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isUnsafe(value);
  const fields = value as Record<string, unknown>;
  for (const name in fields) {
    const field = fields[name];
    if (typeof field === 'object' ? field !== null : isUnsafe(field)) return true;
  }
  return false;
}

function isUnsafe(value: unknown): boolean {
  return typeof value === 'number' && !Number.isSafeInteger(value);
}

/** A mark inside a string ends it, which is an error of syntax: then the strings are told apart from the rest. */
function parseMarked(marks: string, whole: string): unknown {
  try {
    return JSON.parse(marks);
  } catch {
    return JSON.parse(
      whole.replace(stringOrNumber, (found) =>
        !found.startsWith('"') && isRounded(found) ? quoted(found) : found,
      ),
    );
  }
}

function quoted(digits: string): string {
  return `"${mark}${digits}"`;
}

/** True for an integer that a number cannot hold, and for a fraction that it drops. */
function isRounded(digits: string): boolean {
  const number = Number(digits);
  if (/^-?\d+$/.test(digits)) return digits.length <= longest && !Number.isSafeInteger(number);
  const [mantissa, exponent = '0'] = digits.split(/e/i) as [string, string?];
  const [before, after = ''] = mantissa.split('.') as [string, string?];
  const dropped = (before + after).slice(Math.max(0, before.length + Number(exponent)));
  return Number.isInteger(number) && /[1-9]/.test(dropped);
}

/** Puts the numbers in the place of their marks, at any depth. */
function unmark(value: unknown): unknown {
  const fields = value as Record<string, unknown>;
  for (const name of Object.keys(fields)) {
    const field = fields[name];
    if (typeof field === 'object' && field !== null) unmark(field);
    else if (typeof field === 'string' && field.startsWith(mark))
      fields[name] = readMarked(name, field.slice(mark.length));
  }
  return value;
}

/** Only what is not safe becomes a bigint, so that one value has one form. */
function readMarked(name: string, digits: string): unknown {
  const number = Number(digits);
  if (!/^-?\d+$/.test(digits)) return name === 'id' || name === 'categoryId' ? NaN : number;
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}
