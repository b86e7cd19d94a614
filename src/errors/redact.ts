/** What a key's place is taken by, wherever the service or a runtime repeats it. */
const redacted = '[API key]';

/** What is wrong with a key, without repeating any of it; `undefined` when it can be sent. */
export function keyProblem(key: unknown): string | undefined {
  if (typeof key !== 'string')
    return `it must be a string, got ${key === null ? 'null' : typeof key}`;
  if (key.trim() === '') return 'it is empty';
  if (/^bearer\s/i.test(key.trim())) return 'it begins with "Bearer ": pass the key alone';
  if (/[\r\n]/.test(key)) return 'it holds a line break: was it read from a file? trim it';
  if (/\s/.test(key)) return 'it holds white space: trim it';
  if (/["'`\\‘’“”]/.test(key)) return 'it holds quotes or a backslash: pass the key without them';
  if (!/^[\x21-\x7e]+$/.test(key)) return 'it holds characters outside printable ASCII';
  return undefined;
}

/** Takes keys out of what did not come from this package: answers of the service, messages of the runtime. */
export interface Redactor {
  /** `text` without any of the keys. */
  text(text: string): string;
  /** A copy of a JSON value without any of the keys, in its strings and in its field names. */
  json(value: unknown): unknown;
  /** A copy of an error and its causes, with names, messages and codes only. */
  cause(error: unknown, depth?: number): Error | undefined;
}

/** Keys beyond so many are those of long ago: no answer repeats them. */
const mostKeys = 100;

/** The keys that a client has used: all that its errors and events show is kept free of them. */
export class KnownKeys {
  readonly #keys = new Set<string>();
  #scrubber: Redactor | undefined;

  add(key: string): void {
    if (this.#keys.has(key)) return;
    this.#keys.add(key);
    for (const oldest of this.#keys) if (this.#keys.size > mostKeys) this.#keys.delete(oldest);
    this.#scrubber = undefined;
  }

  get redactor(): Redactor {
    return (this.#scrubber ??= createRedactor(this.#keys));
  }
}

function createRedactor(keys: ReadonlySet<string>): Redactor {
  // The longest first, for one key may hold another.
  const patterns = [...keys].sort((a, b) => b.length - a.length).map(patternOf);
  const whole = (from: string) =>
    patterns.reduce((rest, pattern) => rest.replaceAll(pattern, redacted), from);
  const text = (from: string) => withoutTail(whole(from), keys);
  const json = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map(json);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [text(name), json(field)]),
    );
  };
  const cause = (error: unknown, depth = 0): Error | undefined => {
    if (!(error instanceof Error) || depth > 4) return undefined;
    // An error of someone else's may have anything for its fields, getters that throw included.
    const { name: from, message, code, cause: behind } = fieldsOf(error);
    const inner = cause(behind, depth + 1);
    const name = text(from as string);
    const copy = new Error(
      text(message as string),
      inner === undefined ? undefined : { cause: inner },
    );
    copy.stack = `${name}: ${copy.message}`;
    Object.defineProperty(copy, 'name', { value: name, configurable: true });
    return typeof code === 'string' ? Object.assign(copy, { code: text(code) }) : copy;
  };
  return { text, json, cause };
}

/** What is read of an error, that of others included: anything may stand in its fields. */
export interface ErrorFields {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

export function fieldsOf(error: object): ErrorFields {
  try {
    const { name, message, code, cause, errors } = error as ErrorFields;
    return { name: String(name), message: String(message), code, cause, errors };
  } catch {
    return { name: 'Error', message: 'an error that cannot be read' };
  }
}

/** The first characters of a key, this many or more, are cut off where a text breaks off within it. */
const telling = 8;

function withoutTail(text: string, keys: ReadonlySet<string>): string {
  for (const key of keys)
    for (let length = key.length - 1; length >= telling; length -= 1)
      if (text.endsWith(key.slice(0, length))) return text.slice(0, -length) + redacted;
  return text;
}

const entities: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt' };

/** Finds a key as it is, and as URLs, JSON and HTML spell it. Letters and digits are the same in all of them. */
function patternOf(key: string): RegExp {
  return new RegExp(key.replaceAll(/[^A-Za-z0-9]/g, spellings), 'g');
}

function spellings(character: string): string {
  const code = character.charCodeAt(0);
  const hex = code.toString(16).replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const entity = entities[character] ?? `#${code}`;
  return `(?:\\\\?\\x${code.toString(16)}|%${hex}|\\\\u00${hex}|&(?:${entity}|#${code}|#[xX]${hex});)`;
}

/** The headers of an answer that an error or an event may show: these, and no others. */
const shown = [
  'age',
  'allow',
  'content-length',
  'content-type',
  'date',
  'deprecation',
  'location',
  'request-id',
  'retry-after',
  'sunset',
  'x-mock-explain',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
] as const;

/** A copy with the allowed headers alone, the key taken out of their values. */
export function safeHeaders(headers: Headers, redactor: Redactor): Headers {
  const copy = new Headers();
  for (const name of shown) {
    const value = headers.get(name);
    if (value !== null) copy.set(name, redactor.text(value));
  }
  return copy;
}
