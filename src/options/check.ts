import { describeValue } from '../contract/json.js';
import { ConfigurationError } from '../errors/errors.js';

/** One option: what it must be, as the message says it, and its test. */
export type Row = readonly [mustBe: string, accepts: (value: unknown) => boolean];
export type Rows<Options> = Readonly<Record<keyof Options, Row>>;

/** The options that are given, checked. */
export type Given<Options> = { readonly [Name in keyof Options]?: NonNullable<Options[Name]> };

/** Any value, to look for its fields. */
type Fields = Readonly<Record<string, unknown>> | null | undefined;

const ofType = (mustBe: string, type: string): Row => [mustBe, (value) => typeof value === type];
export const aBoolean: Row = /* @__PURE__ */ ofType('true or false', 'boolean');
export const aFunction: Row = /* @__PURE__ */ ofType('a function', 'function');

export function oneOf(...values: readonly string[]): Row {
  return [`one of ${values.join(', ')}`, (value) => values.includes(value as string)];
}

export function inRange(least: number, most = Infinity): Row[1] {
  return (value) => typeof value === 'number' && value >= least && value <= most;
}

export function integer(least: number, most: number): Row {
  const isWithin = inRange(least, most);
  const accepts = (value: unknown) => Number.isInteger(value) && isWithin(value);
  return [`an integer from ${least} to ${most}`, accepts];
}

/** An object with some functions, as `a Clock: an object with now(), monotonic(), sleep()`. */
export function objectWith(what: string, ...methods: readonly string[]): Row {
  const list = methods.map((method) => `${method}()`).join(', ');
  const accepts = (value: unknown) =>
    methods.every((method) => typeof (value as Fields)?.[method] === 'function');
  return [`${what}: an object with ${list}`, accepts];
}

export const aClock: Row = /* @__PURE__ */ objectWith('a Clock', 'now', 'monotonic', 'sleep');

/** Option names of other clients and of earlier versions, and what to use instead. */
const successors: Readonly<Record<string, string>> = {
  rateLimit: ': use maxHold, maxWait and gate (gate: false for none)',
  retry: ': use maxRetries, such as maxRetries: 2',
};

/**
 * Checks each option of `given` by its row, and returns those that are not undefined. `owner` names the object in messages. Throws a
 * {@link ConfigurationError} that names the option, what it must be, and what was passed.
 */
export function check<T>(owner: string, rows: Rows<T>, given: unknown): Given<T> {
  const known = Object.keys(rows);
  checkObject(owner, given, known);
  const options = given as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    const advice = Object.hasOwn(successors, name) ? successors[name] : '';
    throw new ConfigurationError(
      `the option ${name} is unknown${advice} (options of ${owner}: ${known.join(', ')})`,
    );
  }
  const checked: Record<string, unknown> = {};
  for (const [name, row] of Object.entries<Row>(rows)) {
    const value = options[name];
    if (value === undefined) continue;
    checkValue(name, row, value);
    checked[name] = value;
  }
  return checked as Given<T>;
}

/** Refuses a value that its row does not accept. A short word is shown. Any other text may be an API key that was passed in the wrong place. */
export function checkValue(name: string, [mustBe, accepts]: Row, value: unknown): void {
  if (accepts(value)) return;
  const isWord = typeof value === 'string' && /^[a-z]{1,12}$/i.test(value);
  const got = isWord ? `"${value}"` : (opaqueKind(value) ?? describeValue(value));
  throw new ConfigurationError(`${name} must be ${mustBe}, got ${got}`);
}

/** Refuses anything but an object of options. A Map, which has none of `names`, would look like an empty one. */
export function checkObject(owner: string, given: unknown, names: readonly string[]): void {
  const isEmpty = !names.some((name) => (given as Fields)?.[name]);
  if (typeof given === 'object' && given !== null && !(isEmpty && opaqueKind(given))) return;
  const got = opaqueKind(given) ?? describeValue(given);
  throw new ConfigurationError(`the options of ${owner} must be an object, got ${got}`);
}

/** A field that is undefined is the same as one that is absent. */
export const withoutUndefined = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;

/** The kind of an object without fields of its own, such as `AbortSignal` or `Map`. */
export function opaqueKind(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  return kind === 'Object' ? undefined : kind;
}
