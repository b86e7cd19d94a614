/** The text that replaces an API key. */
const placeholder = '[API key]';
/** The largest number of characters that one character of a key takes in any encoding: `\\\u0026`, `&#x26;`. */
const longestSpelling = 8;
/**
 * If a text ends within a key, at least this many first characters of the key are removed. A shorter key is removed where it is a
 * whole word, because by chance it is a part of many words.
 */
const shortestTail = 8;
/**
 * A long key is found by its first piece, which the other pieces follow: an engine may refuse a pattern of some thousand
 * characters, and a text that nearly repeats a long key would take long. A piece does not end with `%` or `&`, because only
 * what follows tells whether the text encodes them.
 */
const piece = /[^]{1,199}(?:[^%&]|$)|[^]{1,200}/g;
/** Characters that HTML escapes by name. */
const entities: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt' };
/** The number of keys of finished calls that are still removed: a response rarely repeats an older one. */
const maxIdleKeys = 100;

/**
 * Removes API keys from foreign text: responses of the service, messages of the runtime. A client has one. It knows the
 * keys of all calls in flight, however many, and the newest keys of finished calls.
 */
export class Redactor {
  /** Each key with the number of calls that use it. Idle keys are in the order in which they became idle. */
  readonly #uses = new Map<string, number>();
  #idle = 0;
  /** Created on first use. The longest key is first, because one key may contain another. */
  #patterns: readonly KeyPatterns[] | undefined;

  /** Adds a key. It stays known until it has been released as often as it was added, and for some time after. */
  add(key: string): void {
    const uses = this.#uses.get(key);
    if (uses === undefined) this.#patterns = undefined;
    if (uses === 0) this.#idle -= 1;
    this.#uses.set(key, (uses ?? 0) + 1);
  }

  /** Ends one use of a key that was added. */
  release(key: string): void {
    const uses = this.#uses.get(key) as number;
    this.#uses.delete(key);
    this.#uses.set(key, uses - 1);
    if (uses > 1 || ++this.#idle <= maxIdleKeys) return;
    for (const [oldest, count] of this.#uses) {
      if (count > 0) continue;
      this.#uses.delete(oldest);
      this.#idle -= 1;
      this.#patterns = undefined;
      return;
    }
  }

  /**
   * `text` without any of the keys, then cut to `most` characters: a text that is cut first may end within a key. A key of
   * which only the beginning stands at the end of `text` is taken out too.
   */
  text(text: string, most = Infinity): string {
    const patterns = (this.#patterns ??= patternsOf(this.#uses.keys()));
    const longest = (patterns[0]?.[0].length ?? 0) * longestSpelling;
    // Only a few hundred characters are shown, so a long body is not searched to its end.
    let rest = text.slice(0, most + longest);
    for (const [, pieces] of patterns) rest = withoutKey(rest, pieces);
    return rest.slice(0, most);
  }

  /** A copy of a JSON value without any of the keys, in strings, numbers and field names; strings are shortened to `most`. */
  json(value: unknown, most = Infinity): unknown {
    const shown = (leaf: unknown) => {
      if (typeof leaf === 'string') return this.text(leaf, most);
      return typeof leaf === 'number' || typeof leaf === 'bigint' ? this.#number(leaf) : leaf;
    };
    return mapJson(value, shown, (name) => this.text(name));
  }

  /** A copy of an error and its causes, with names, messages and codes only. */
  cause(error: unknown, depth = 0): Error | undefined {
    if (!(error instanceof Error) || depth > 4) return undefined;
    // An error of other code may have fields of any kind, including getters that throw.
    const { name: givenName, message, code, cause: innerError } = fieldsOf(error);
    const inner = this.cause(innerError, depth + 1);
    const name = this.text(givenName as string);
    const copy = new Error(
      this.text(message as string),
      inner === undefined ? undefined : { cause: inner },
    );
    copy.stack = `${name}: ${copy.message}`;
    Object.defineProperty(copy, 'name', { value: name, configurable: true });
    return typeof code === 'string' ? Object.assign(copy, { code: this.text(code) }) : copy;
  }

  #number(value: number | bigint): number | bigint | string {
    const digits = String(value);
    const text = this.text(digits);
    if (text !== digits) return text;
    // A key of digits that was cut and then read as a number is rounded at its end: its first digits give it away.
    const first = digits.replace(/[-.]/g, '').slice(0, shortestTail);
    const isBeginning = [...this.#uses.keys()].some(
      (key) => first.length === shortestTail && key.startsWith(first),
    );
    return isBeginning ? placeholder : value;
  }
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

/** The fields that are read from an error. In an error of other code they may contain anything. */
export interface ErrorFields {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

export function fieldsOf(error: object): ErrorFields {
  try {
    const { name, message, code, syscall, cause, errors } = error as ErrorFields;
    return { name: String(name), message: String(message), code, syscall, cause, errors };
  } catch {
    return { name: 'Error', message: 'an error that cannot be read' };
  }
}

function withoutKey(text: string, [first, ...others]: KeyPatterns[1]): string {
  let shown = '';
  let from = 0;
  first.lastIndex = 0;
  for (let found = first.exec(text); found !== null; found = first.exec(text)) {
    shown += text.slice(from, found.index) + placeholder;
    from = first.lastIndex;
    for (const next of others) {
      next.lastIndex = from;
      if (!next.test(text)) break;
      from = next.lastIndex;
    }
    first.lastIndex = from;
  }
  return shown + text.slice(from);
}

type KeyPatterns = readonly [key: string, pieces: readonly [RegExp, ...RegExp[]]];

function patternsOf(keys: Iterable<string>): readonly KeyPatterns[] {
  return [...keys]
    .flatMap((key) => {
      // A key of digits alone may come back as a JSON number, rounded.
      const number = /^\d+$/.test(key) ? String(Number(key)) : key;
      return number === key || number.length < shortestTail ? [key] : [key, number];
    })
    .sort((a, b) => b.length - a.length)
    .map((key) => {
      const [first, ...others] = key.match(piece) as [string, ...string[]];
      return [key, [patternOf(first), ...others.map((next) => patternOf(next, 0, 'y'))]];
    });
}

/**
 * Finds a key as it is, and as URLs, JSON and HTML encode it, and the beginning of a key at the end of a text, from `least`
 * characters on.
 */
function patternOf(key: string, least = shortestTail, flags = 'g'): RegExp {
  const characters = key.split('').map((character, at) => {
    // Letters and digits are the same in all encodings.
    const isPlain = /[A-Za-z0-9]/.test(character);
    const spellings = isPlain ? [character] : spellingsOf(character);
    if (at < least) return `(?:${spellings.join('|')})`;
    // The text may end before this character, or within its spelling. What follows in the pattern is then empty.
    return `(?:${spellings.join('|')}|${isPlain ? '' : String.raw`(?:[%&\\][#\\\w]{0,6})?`}$)`;
  });
  const pattern = characters.join('');
  return new RegExp(key.length < least ? `(?<!\\w)${pattern}(?!\\w)` : pattern, flags);
}

/** No two spellings match the same text: an engine would try both at each character, 2^n ways in a key of n such characters. */
function spellingsOf(character: string): readonly string[] {
  const code = character.charCodeAt(0);
  const hex = code.toString(16).replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const name = entities[character];
  return [
    `%${hex}`,
    // A string of JSON may contain JSON, in which a backslash is doubled.
    `\\\\{1,3}u00${hex}`,
    `&(?:${name === undefined ? '' : `${name}|`}#${code}|#[xX]${hex});`,
    // The last, so that nothing of `%25` is left where a key ends with `%`.
    `\\\\{0,3}\\x${code.toString(16)}`,
  ];
}
