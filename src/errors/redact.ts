/** What stands in place of a text that contains an API key. */
export const withheld = '[text withheld: it contains the API key]';
/**
 * This many first characters of a key give it away, wherever they are: a text may show a key that was cut, or masked behind its beginning. A
 * shorter key counts only where it is a whole word, because by chance it is a part of many words.
 */
const telling = 8;
/** The words that many keys begin with, such as `sk_live_`, do not count, up to this many characters. */
const longestLabel = 16;
/** What URLs, JSON (also JSON within JSON) and HTML write for one character. */
const escapes = /%([0-9a-f]{2})|\\+u00([0-9a-f]{2})|&#x([0-9a-f]+);|&#(\d+);|&(amp|lt|gt);|\\+/gi;
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>' };

/**
 * `text`, cut to `most` characters. A text in which the beginning of one of the keys is found is withheld as a whole: as it is, or as URLs,
 * JSON, HTML and base64 encode it.
 */
export function redact(text: string, keys: readonly string[], most = Infinity): string {
  const plain = withoutEscapes(text);
  const forms = plain === text ? [text] : [text, plain];
  const base64 = forms.map((form) => form.replaceAll('-', '+').replaceAll('_', '/'));
  const isFound = (key: string) =>
    key.length < telling
      ? forms.some((form) => form.split(key).some(isAfterWholeWord))
      : beginningsOf(key).some((beginning) => forms.some((form) => form.includes(beginning))) ||
        base64Forms(beginningOf(key)).some((form) => base64.some((one) => one.includes(form)));
  return keys.some(isFound) ? withheld : text.slice(0, most);
}

function beginningOf(key: string): string {
  const [label] = /^(?:[a-z]+[._-])*/i.exec(key) as RegExpExecArray;
  return key.slice(0, Math.max(telling, Math.min(label.length + 1, longestLabel)));
}

/** A key may itself contain what looks like an escape. A key of digits may come back as a JSON number, rounded. */
function beginningsOf(key: string): string[] {
  const forms = [key, withoutEscapes(key), /^\d+$/.test(key) ? String(Number(key)) : key];
  return [...forms.map(beginningOf), withoutEscapes(beginningOf(key))].filter(
    // What is left of escapes may be in any text.
    (one) => one.length >= telling / 2,
  );
}

/** Whether the key before this part of a text is a whole word. */
function isAfterWholeWord(part: string, at: number, parts: readonly string[]): boolean {
  return at > 0 && !/^\w/.test(part) && !/\w$/.test(parts[at - 1] as string);
}

/** A text without escapes. A key has no backslash. */
function withoutEscapes(text: string): string {
  if (!/[%\\&]/.test(text)) return text;
  return text.replaceAll(escapes, (_, url, json, hex, decimal, name) => {
    if (name !== undefined) return entities[(name as string).toLowerCase()] as string;
    const digits = (url ?? json ?? hex) as string | undefined;
    const code = decimal === undefined ? parseInt(digits ?? '', 16) : Number(decimal);
    return Number.isNaN(code) ? '' : String.fromCharCode(code);
  });
}

/** The characters of base64 that the key alone decides, for each place that it can have within three bytes. */
function base64Forms(key: string): string[] {
  // A key with other characters cannot be sent.
  if (!/^[\x20-\x7e]+$/.test(key)) return [];
  return [0, 1, 2].map((before) => {
    const form = btoa(' '.repeat(before) + key).replace(/=+$/, '');
    return form.slice(before === 0 ? 0 : before + 1, -1);
  });
}

/** A copy of a JSON value, with other leaves (all but arrays and objects) and other names of fields. */
function mapJson(
  value: unknown,
  leaf: (value: unknown) => unknown,
  name: (name: string) => string = String,
): unknown {
  if (Array.isArray(value)) return value.map((item) => mapJson(item, leaf, name));
  if (typeof value !== 'object' || value === null) return leaf(value);
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [name(key), mapJson(field, leaf, name)]),
  );
}

/** A copy of a JSON value in which each bigint is the text of its digits, which `JSON.stringify` can write. */
export function bigintsAsText(value: unknown): unknown {
  return mapJson(value, (leaf) => (typeof leaf === 'bigint' ? String(leaf) : leaf));
}

/** A copy of a JSON value in which names, strings and numbers that contain a key are withheld; strings are cut to `most`. */
export function redactJson(value: unknown, keys: readonly string[], most = Infinity): unknown {
  const leaf = (one: unknown) => {
    if (typeof one === 'string') return redact(one, keys, most);
    if (typeof one !== 'number' && typeof one !== 'bigint') return one;
    const digits = String(one);
    // A key of digits that was cut and then read as a number is rounded at its end: its first digits give it away.
    const first = digits.replace(/[-.]/g, '').slice(0, telling);
    const isBeginning = first.length === telling && keys.some((key) => key.startsWith(first));
    return isBeginning || redact(digits, keys) === withheld ? withheld : one;
  };
  return mapJson(value, leaf, (name) => redact(name, keys));
}

/** A copy of an error and its causes, with names, messages and codes only. `instanceof` would miss errors of another realm. */
export function safeCause(error: unknown, keys: readonly string[], depth = 0): Error | undefined {
  if (typeof error !== 'object' || error === null || depth > 4) return undefined;
  const { name, message, code, cause } = fieldsOf(error);
  if (typeof message !== 'string') return undefined;
  const inner = safeCause(cause, keys, depth + 1);
  const shownName = redact(typeof name === 'string' ? name : 'Error', keys);
  const copy = new Error(redact(message, keys), inner === undefined ? undefined : { cause: inner });
  copy.stack = `${shownName}: ${copy.message}`;
  Object.defineProperty(copy, 'name', { value: shownName, configurable: true });
  return typeof code === 'string' ? Object.assign(copy, { code: redact(code, keys) }) : copy;
}

/** The fields that are read from an error. In an error of other code they may contain anything. */
type ErrorField = 'name' | 'message' | 'code' | 'syscall' | 'cause' | 'errors';

export function fieldsOf(error: object): Partial<Record<ErrorField, unknown>> {
  try {
    const { name, message, code, syscall, cause, errors } = error as Partial<
      Record<ErrorField, unknown>
    >;
    return { name, message, code, syscall, cause, errors };
  } catch {
    return { name: 'Error', message: 'an error that cannot be read' };
  }
}

/** A message in one line, because a text of a service or a runtime may contain line breaks and terminal escape codes. */
export function singleLine(message: string): string {
  return message.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}
