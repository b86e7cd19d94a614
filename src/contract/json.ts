/**
 * JSON that is exact over int64. `JSON.parse` rounds 9007199254740993 to its neighbour, so an `id` or `categoryId`
 * that a double cannot hold is read from the text instead, as a bigint. All other numbers are left to `JSON.parse`.
 */

/** What stands before the digits while an int64 passes through `JSON.parse` as a string: no service can guess it. */
const mark = /* @__PURE__ */ `int64:${Math.random().toString(36).slice(2)}:`;
const marked = /* @__PURE__ */ new RegExp(`"${mark}(-?\\d+)"`, 'g');

/** A whole JSON string, and, where it is a key, the long integer behind it. Strings are consumed whole, so nothing inside one is touched. */
const keyAndLongInteger = /"([^"\\]*(?:\\.[^"\\]*)*)"(?:\s*:\s*(-?[1-9]\d{15,})(?![\d.eE]))?/g;

/**
 * The same, much faster, where no key can be spelled with escapes: what stands before the quote that opens a key is no
 * part of a string, in which every quote has a backslash before it.
 */
const plainKeyAndLongInteger = /([{,\s]"(?:id|categoryId)"\s*:\s*)(-?[1-9]\d{15,})(?![\d.eE])/g;

/**
 * `JSON.parse`, exact for the int64 fields of a body in the shape of the contract: an object, or an array of objects.
 * Looks at the parsed ids first, and reads the text a second time only when one of them is not safe.
 *
 * @throws SyntaxError as `JSON.parse` does.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!(Array.isArray(value) ? value.some(isRounded) : isRounded(value))) return value;
  return unmark(JSON.parse(markAll(text)));
}

/** As {@link parseJson}, for a body of any shape: int64 fields at any depth are exact. */
export function parseJsonDeep(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(markAll(text), (_key, value: unknown) => readMarked(value));
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

type Int64Fields = { id?: unknown; categoryId?: unknown };

function isRounded(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { id, categoryId } = value as Int64Fields;
  return (typeof id === 'number' && !Number.isSafeInteger(id)) || (typeof categoryId === 'number' && !Number.isSafeInteger(categoryId));
}

function markAll(text: string): string {
  return text.includes('\\u') ? text.replace(keyAndLongInteger, markInt64) : text.replace(plainKeyAndLongInteger, `$1"${mark}$2"`);
}

function markInt64(whole: string, key: string, digits: string | undefined): string {
  if (digits === undefined) return whole;
  const name: unknown = key.includes('\\') ? JSON.parse(`"${key}"`) : key;
  return name === 'id' || name === 'categoryId' ? `${whole.slice(0, -digits.length)}"${mark}${digits}"` : whole;
}

/** Marked ids may stand at any depth, in fields that the contract does not know. */
function unmark(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return readMarked(value);
  const fields = value as Record<string, unknown>;
  for (const name of Object.keys(fields)) {
    const field = fields[name];
    if (typeof field === 'object') unmark(field);
    else if (typeof field === 'string' && field.startsWith(mark)) fields[name] = readMarked(field);
  }
  return value;
}

/** Only what is not safe becomes a bigint, so that one value has one form. */
function readMarked(value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith(mark)) return value;
  const digits = value.slice(mark.length);
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}
