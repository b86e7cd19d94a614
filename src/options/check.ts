import { describeValue } from '../contract/json.js';
import { ConfigurationError } from '../errors/errors.js';
import type { Clock } from '../utils/clock.js';

/** One option: what it must be, as the message says it; its test; its default. */
export type Row<T = unknown> = readonly [
  mustBe: string,
  accepts: (value: unknown) => boolean,
  fallback: T,
];
export type Rows = Readonly<Record<string, Row>>;

/** The values of the options after the check. */
export type Checked<R extends Rows> = {
  readonly [Name in keyof R]: R[Name] extends Row<infer T> ? T : never;
};

export function row<T, F = undefined>(
  mustBe: string,
  accepts: (value: unknown) => boolean,
  fallback?: F,
): Row<T | F> {
  return [mustBe, accepts, fallback as F];
}

export function oneOf<const T extends string, F>(values: readonly T[], fallback: F): Row<T | F> {
  return row(`one of ${values.join(', ')}`, (value) => values.includes(value as T), fallback);
}

export function msFrom(minimum: number, fallback: number): Row<number> {
  return row(
    `a number of ms from ${minimum} up`,
    (value) => typeof value === 'number' && value >= minimum,
    fallback,
  );
}

export function timeout(fallback: number | false): Row<number | false> {
  return row(
    'a number of ms above 0, or false for none',
    (value) => value === false || (typeof value === 'number' && value > 0),
    fallback,
  );
}

export function functionRow<T>(): Row<T | undefined> {
  return row('a function', (value) => typeof value === 'function');
}

/** An object with some functions, as `a Clock: an object with now(), monotonic(), sleep()`. */
export function objectWith<T>(
  what: string,
  ...methods: readonly (keyof T & string)[]
): Row<T | undefined> {
  const list = methods.map((method) => `${method}()`).join(', ');
  return row(`${what}: an object with ${list}`, (value) =>
    methods.every((method) => typeof (value as Partial<T> | null)?.[method] === 'function'),
  );
}

export const clockRow: Row<Clock | undefined> = /* @__PURE__ */ objectWith<Clock>(
  'a Clock',
  'now',
  'monotonic',
  'sleep',
);

export const boolean: Row<boolean> = /* @__PURE__ */ row(
  'true or false',
  (value) => typeof value === 'boolean',
  false,
);

/** What other clients name so, with what to write instead. */
const successors: Readonly<Record<string, string>> = {
  rateLimit: 'its options are flat: maxHold, maxWait and gate (gate: false for none)',
  retry: 'use maxRetries, such as maxRetries: 2',
};

/**
 * Checks each option of `given` by its row. Absent options, and those that are undefined, have their defaults. `owner` names the object in
 * messages. Throws a {@link ConfigurationError} that names the option, what it must be, and what came.
 */
export function check<R extends Rows>(owner: string, rows: R, given: unknown): Checked<R> {
  const known = Object.keys(rows);
  checkObject(owner, given, known);
  const options = given as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    const advice = Object.hasOwn(successors, name) ? `: ${successors[name]}` : '';
    throw new ConfigurationError(
      `the option ${name} is unknown${advice} (options of ${owner}: ${known.join(', ')})`,
    );
  }
  const checked: Record<string, unknown> = {};
  for (const [name, [mustBe, accepts, fallback]] of Object.entries(rows)) {
    const value = options[name];
    if (value !== undefined && !accepts(value))
      throw new ConfigurationError(`${name} must be ${mustBe}, got ${describeValue(value)}`);
    checked[name] = value === undefined ? fallback : value;
  }
  return checked as Checked<R>;
}

/** Refuses what is no object of options. One that has none of `names`, such as a Map, would pass for an empty one. */
export function checkObject(owner: string, given: unknown, names: readonly string[]): void {
  const isObject = typeof given === 'object' && given !== null;
  const isEmpty = !names.some((name) => (given as Record<string, unknown> | null)?.[name]);
  const kind = isEmpty ? opaqueKind(given) : undefined;
  if (!isObject || kind !== undefined)
    throw new ConfigurationError(
      `the options of ${owner} must be an object, got ${kind ?? describeValue(given)}`,
    );
}

/** The kind of an object without fields of its own, such as `AbortSignal` or `Map`. */
export function opaqueKind(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  return kind === 'Object' ? undefined : kind;
}
