import { nearest } from './did-you-mean.js';

/** The values that one option takes. */
export interface OptionRule {
  /** In words, behind "must be". */
  readonly takes: string;
  readonly is: (value: never) => boolean;
  /** An additional hint for an invalid value. */
  readonly hint?: (value: unknown) => string | undefined;
}

/**
 * Checks that the options of a function are known and valid. Undefined counts as left out.
 *
 * @throws TypeError that names the option and what it takes; RangeError for a number out of bounds.
 */
export function checkOptions(
  of: string,
  options: unknown,
  rules: Readonly<Record<string, OptionRule>>,
): void {
  const known = Object.keys(rules);
  if (!isRecord(options))
    throw new TypeError(
      `${of} takes an object of options: ${known.join(', ')}; got ${describeValue(options)}`,
    );
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(rules, name))
      throw new TypeError(
        `${of} has no option ${name}; it has: ${known.join(', ')}${meant(name, known)}`,
      );
    const { takes, is, hint } = rules[name]!;
    if (value === undefined || is(value as never)) continue;
    const Kind = typeof value === 'number' ? RangeError : TypeError;
    const advice = hint?.(value);
    throw new Kind(
      `${name} must be ${takes}, got ${describeValue(value)}${advice === undefined ? '' : `: ${advice}`}`,
    );
  }
}

/** `. Did you mean status?` for `staus`; nothing where no known name is near. */
export function meant(name: string, known: readonly string[]): string {
  const word = nearest(name, known);
  return word === undefined ? '' : `. Did you mean ${word}?`;
}

/** One of these values, and nothing else. */
export function oneOf(...values: readonly unknown[]): OptionRule {
  return { takes: values.map(describeValue).join(' or '), is: (value) => values.includes(value) };
}

/** An integer from `least` to `most`. */
export function integerFrom(least: number, most: number = Infinity): OptionRule {
  const takes =
    most === Infinity ? `an integer of ${least} or more` : `an integer from ${least} to ${most}`;
  return { takes, is: (value) => Number.isInteger(value) && value >= least && value <= most };
}

/** An object that is not an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @throws TypeError unless the value is a mock service, or one of its journal alone. */
export function checkService(of: string, value: unknown, part: 'handle' | 'requests'): void {
  const found = (value as Readonly<Record<string, unknown>> | null | undefined)?.[part];
  if (typeof found === 'function' || Array.isArray(found)) return;
  throw new TypeError(
    `${of} takes a service that createMockService made, got ${describeValue(value)}`,
  );
}

/** @throws TypeError that names the nearest known word, unless the value is one of them. */
export function checkName(what: string, value: unknown, known: readonly string[]): void {
  if (known.includes(value as string)) return;
  const near = typeof value === 'string' ? meant(value, known) : '';
  throw new TypeError(
    `There is no ${what} ${describeValue(value)}; there are: ${known.join(', ')}${near}`,
  );
}

/** A short description of a value, for messages. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return `'${value.slice(0, 40)}'`;
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'an array';
  if (!isRecord(value)) return String(value);
  const { name = 'Object' } = (value.constructor as { name?: string } | undefined) ?? {};
  return name === 'Object' ? 'an object' : `an instance of ${name}`;
}

/** A number of things, in words: `1 request`, `2 requests`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
