/** What stands in place of a text that contains an API key. */
const withheld = '[text withheld: it contains the API key]';
/**
 * This many first characters of a key give it away, wherever they are: a text may show a key that was cut, or masked behind its beginning. A
 * shorter key counts only where it is a whole word, because by chance it is a part of many words.
 */
const telling = 8;
/** The words that many keys begin with, such as `sk_live_`, do not count, up to this many characters. */
const longestLabel = 16;
/** What URLs, JSON (also JSON within JSON) and HTML write for one character. */
const escapes = /(?:%|\\+u00)([0-9a-f]{2})|&#x([0-9a-f]+);|&#(\d+);|&(amp|lt|gt);|\\+/gi;
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>' };

/**
 * A copy of a text or a JSON value. Each string, number and name in which the beginning of one of the keys is found is withheld as a whole: as it
 * is, or as URLs, JSON, HTML and base64 encode it. Other strings and names are cut to `most` characters.
 */
export function redact<Value>(value: Value, keys: readonly string[], most = Infinity): Value {
  const patterns = keys.map(patternOf);
  return mapJson(value, (one) => {
    if (!['string', 'number', 'bigint'].includes(typeof one)) return one;
    const text = String(one);
    // A numeric key may have become a number with a point or an exponent.
    const digits = typeof one === 'string' ? '' : text.replace('.', '');
    const forms = [text, withoutEscapes(text), digits].join('\n');
    if (patterns.some((pattern) => pattern.test(forms))) return withheld;
    return typeof one === 'string' ? one.slice(0, most) : one;
  }) as Value;
}

/** A text without escapes. A key has no backslash. */
function withoutEscapes(text: string): string {
  return text.replaceAll(escapes, (...match: (string | undefined)[]) => {
    const [, pair, hex = pair, decimal = hex && parseInt(hex, 16), name = ''] = match;
    if (decimal !== undefined) return String.fromCharCode(Number(decimal));
    return entities[name.toLowerCase()] ?? '';
  });
}

/** That of the newest key: an error redacts a dozen texts. */
let newest: { readonly key: string; readonly pattern: RegExp } | undefined;

/** Finds what gives a key away. */
function patternOf(key: string): RegExp {
  if (newest?.key !== key) newest = { key, pattern: new RegExp(sourceOf(key)) };
  return newest.pattern;
}

/** A key may itself contain what looks like an escape, and one of digits may come back as a JSON number, rounded. */
function sourceOf(key: string): string {
  const literal = (text: string) => text.replaceAll(/\W/g, '\\$&');
  if (key.length < telling) return `(?<!\\w)${literal(key)}(?!\\w)`;
  const number = /^\d+$/.test(key) ? String(Number(key)) : key;
  const beginning = beginningOf(key);
  const plain = [withoutEscapes(beginning), ...[withoutEscapes(key), number].map(beginningOf)];
  // A short remainder without its escapes may occur in any text.
  const telltale = plain.filter(({ length }) => length >= telling / 2);
  const encoded = [0, 1, 2].flatMap((before) => base64(beginning, before));
  return [beginning, ...telltale, ...encoded].map(literal).join('|');
}

function beginningOf(key: string): string {
  const [label] = /^(?:[a-z]+[._-])*/i.exec(key) as RegExpExecArray;
  return key.slice(0, Math.max(telling, Math.min(label.length + 1, longestLabel)));
}

/** The characters that a key alone decides, `before` bytes behind the beginning of three, in both alphabets of base64. */
function base64(key: string, before: number): string[] {
  // A key with other characters cannot be sent.
  const text = btoa(' '.repeat(before) + key.replaceAll(/[^ -~]/g, '?'));
  const form = text.replace(/=+$/, '').slice(before && before + 1, -1);
  return [form, form.replaceAll('+', '-').replaceAll('/', '_')];
}

/** A copy of a JSON value, with other leaves (all but arrays and objects) and names of fields. */
function mapJson(value: unknown, leaf: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mapJson(item, leaf));
  if (typeof value !== 'object' || value === null) return leaf(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [leaf(name), mapJson(field, leaf)]),
  );
}

/** A copy of a JSON value in which each bigint is the text of its digits, which `JSON.stringify` can write. */
export function bigintsAsText(value: unknown): unknown {
  return mapJson(value, (one) => (typeof one === 'bigint' ? String(one) : one));
}

/** A copy of an error and its causes, with names, messages and codes only. `instanceof` would miss errors of another realm. */
export function safeCause(error: unknown, keys: readonly string[], depth = 0): Error | undefined {
  if (typeof error !== 'object' || error === null || depth > 4) return undefined;
  const { name, message, code, cause } = fieldsOf(error);
  if (typeof message !== 'string') return undefined;
  const inner = safeCause(cause, keys, depth + 1);
  const copy = new Error(redact(message, keys), inner && { cause: inner });
  const value = redact(typeof name === 'string' ? name : 'Error', keys);
  copy.stack = `${value}: ${copy.message}`;
  Object.defineProperty(copy, 'name', { value });
  return typeof code === 'string' ? Object.assign(copy, { code: redact(code, keys) }) : copy;
}

/** The fields that are read from an error. In an error of other code they may contain anything. */
export function fieldsOf(error: object): Readonly<Record<string, unknown>> {
  try {
    const { name, message, code, syscall, cause, errors } = error as Record<string, unknown>;
    return { name, message, code, syscall, cause, errors };
  } catch {
    return { name: 'Error', message: 'an error that cannot be read' };
  }
}

/** A message in one line, because a text of a service or a runtime may contain line breaks and terminal escape codes. */
export function singleLine(message: string): string {
  return message.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}
