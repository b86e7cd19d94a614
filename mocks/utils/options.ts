/** `. Did you mean status?` for `staus`; nothing where no known name is near. */
export function meant(name: unknown, known: readonly string[]): string {
  const word = typeof name === 'string' ? nearest(name, known) : undefined;
  return word === undefined ? '' : `. Did you mean ${word}?`;
}

/** The result of a function; undefined if it throws. */
export function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

/** Runs a function. Its error begins with the place of the wrong value among the options. */
export function within<T>(place: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    (error as Error).message = `${place}: ${(error as Error).message}`;
    throw error;
  }
}

/** An object with the same names, and what `to` makes of each value. */
export function mapValues<T extends object, To>(
  of: T,
  to: (value: T[keyof T]) => To,
): { readonly [Name in keyof T]: To } {
  const entries = Object.entries(of) as [string, T[keyof T]][];
  return Object.fromEntries(entries.map(([name, value]) => [name, to(value)])) as never;
}

/** The fields of an object that count as given. */
export const withoutUndefined = (of: object | undefined): object =>
  Object.fromEntries(Object.entries(of ?? {}).filter(([, value]) => value !== undefined));

/** Whether a value is an object of this kind, such as `Date`: `instanceof` would miss one of another realm. */
export const isOfKind = (value: unknown, kind: string): boolean =>
  Object.prototype.toString.call(value) === `[object ${kind}]`;

/** An object with fields of its own: no array, Map, Promise or Date. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isOfKind(value, 'Object');

/** @throws TypeError unless the value is a mock service, or one of its journal alone. */
export function checkService(of: string, value: unknown, part: 'handle' | 'requests'): void {
  const found = (value as Readonly<Record<string, unknown>> | null | undefined)?.[part];
  if (typeof found !== 'function' && !Array.isArray(found)) throw notAService(of, value);
}

export const notAService = (of: string, value: unknown): TypeError =>
  new TypeError(`${of} takes a service that createMockService made, got ${showValue(value)}`);

/** @throws TypeError that names the nearest known word, unless the value is one of them. */
export function checkName(what: string, value: unknown, known: readonly string[]): void {
  if (known.includes(value as string)) return;
  throw new TypeError(
    `There is no ${what} ${showValue(value)}; there are: ${known.join(', ')}${meant(value, known)}`,
  );
}

/** A short description of a value, for messages. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return `'${value.slice(0, 40)}'`;
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'an array';
  if (typeof value !== 'object' || value === null) return String(value);
  const { name = 'Object' } = (value.constructor as { name?: string } | undefined) ?? {};
  return name === 'Object' ? 'an object' : `an instance of ${name}`;
}

/** A number of things, in words: `1 request`, `2 requests`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * The one of `known` that a wrong name is probably meant to be: it has most pairs of letters in common, in either order, and at least
 * half of them.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const letters = `${name.toLowerCase()} `;
  let share = 0.49;
  let best: string | undefined;
  for (const word of known) {
    const common = Array.from(word.toLowerCase()).filter((letter, at, all) => {
      const next = all[at + 1] ?? ' ';
      return letters.includes(letter + next) || letters.includes(next + letter);
    });
    const found = (2 * common.length) / (word.length + name.length);
    if (found > share) [share, best] = [found, word];
  }
  return best;
}
