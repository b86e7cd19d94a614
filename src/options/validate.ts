import { describeValue } from '../contract/int64.js';
import { ConfigurationError } from '../errors/errors.js';

/** Returns the value of an option in the form that the client keeps. Throws a ConfigurationError that names the option. */
export type Check<T> = (value: unknown, name: string) => T;

/** The valid values of one option, and its default. */
export interface Rule<T> {
  readonly check: Check<T>;
  readonly fallback: T;
}

/** The check of each option of one object. */
export type Checks = Readonly<Record<string, Pick<Rule<unknown>, 'check'>>>;

/** The rule of each option of one object: its names, checks and defaults. */
export type Rules = Readonly<Record<string, Rule<unknown>>>;

/** The values of an object of options after the checks. */
export type Checked<C extends Checks> = {
  readonly [Name in keyof C]: C[Name] extends { readonly check: Check<infer T> } ? T : never;
};

/** How messages speak of an object of options. */
export interface OptionsText {
  /** One of its options, such as `option of retry`. */
  readonly kind: string;
  /** Stands before the names of its options, such as `retry.`. */
  readonly prefix: string;
  /** What the object must be, with an example. */
  readonly mustBe: string;
}

/** How messages speak of an option `name` that is an object of options itself. */
export function textOf(name: string, what: string): OptionsText {
  return { kind: `option of ${name}`, prefix: `${name}.`, mustBe: `${name} must be ${what}` };
}

export function rule<T, F>(check: Check<T>, fallback: F): Rule<T | F> {
  return { check, fallback } as Rule<T | F>;
}

/** Checks each option of `given`. Absent options, and those that are undefined, are left out. */
export function checkGiven<C extends Checks>(
  { kind, prefix, mustBe }: OptionsText,
  checks: C,
  given: unknown,
): Partial<Checked<C>> {
  if (typeof given !== 'object' || given === null)
    throw new ConfigurationError(`${mustBe}; got ${describeValue(given)}`);
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(checks, name));
  if (unknown !== undefined) throw unknownOption(kind, unknown, Object.keys(checks));
  const checked: Record<string, unknown> = {};
  for (const [name, { check }] of Object.entries(checks)) {
    const value = (given as Record<string, unknown>)[name];
    if (value !== undefined) checked[name] = check(value, prefix + name);
  }
  const opaque = opaqueKind(given);
  if (opaque !== undefined && Object.keys(checked).length === 0)
    throw new ConfigurationError(`${mustBe}; got ${opaque}`);
  return checked as Partial<Checked<C>>;
}

/** The kind of an object without fields of its own, such as `AbortSignal` or `Map`, which would pass for an empty object. */
export function opaqueKind(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  return kind === 'Object' ? undefined : kind;
}

/** Checks each option of `given` by its rule. Absent options have their defaults. */
export function checkOptions<R extends Rules>(
  text: OptionsText,
  rules: R,
  given: unknown,
): Checked<R> {
  const checked: Record<string, unknown> = checkGiven(text, rules, given);
  for (const [name, { fallback }] of Object.entries(rules))
    if (!Object.hasOwn(checked, name)) checked[name] = fallback;
  return checked as Checked<R>;
}

function unknownOption(kind: string, name: string, known: readonly string[]): ConfigurationError {
  const written = name.toLowerCase().replaceAll(/[_-]/g, '');
  // The same in other case or with other marks, or without one of its letters.
  const near = known.find((one) => {
    const plain = one.toLowerCase();
    const shorter = Array.from(`${plain} `, (_, i) => plain.slice(0, i) + plain.slice(i + 1));
    return shorter.includes(written);
  });
  const hint = near === undefined ? `; known: ${known.join(', ')}` : `: did you mean ${near}?`;
  return new ConfigurationError(`unknown ${kind}: ${describeName(name)}${hint}`);
}

/** A value that `accepts` accepts. `what` says in the message what the option must be. */
export function must<T>(what: string, accepts: (value: unknown) => boolean): Check<T> {
  return (value, name) => {
    if (accepts(value)) return value as T;
    throw new ConfigurationError(`${name} must be ${what}, got ${describeValue(value)}`);
  };
}

export const boolean: Check<boolean> = /* @__PURE__ */ must(
  'true or false',
  (value) => typeof value === 'boolean',
);

const timeoutNumber = /* @__PURE__ */ must<number>(
  'a number of ms above 0, or false for none',
  (value) => typeof value === 'number' && value > 0,
);

/** A timeout in ms. `false` and Infinity mean no timeout. */
export function timeout(value: unknown, name: string): number | false {
  return value !== false && value !== Infinity && timeoutNumber(value, name);
}

/** Numbers of at least `minimum`. */
export function numberFrom(minimum: number, unit: string): Check<number> {
  return must(
    `a number of ${unit} from ${minimum} up`,
    (value) => typeof value === 'number' && value >= minimum,
  );
}

export function oneOf<const T extends string>(values: readonly T[]): Check<T> {
  return must(`one of ${values.join(', ')}`, (value) => values.includes(value as T));
}

export function functionCheck<T>(): Check<T> {
  return must('a function', (value) => typeof value === 'function');
}

/** Objects with some functions. `what` describes such an object in messages. */
export function objectWith<T>(methods: readonly (keyof T)[], what: string): Check<T> {
  return must(what, (value) =>
    methods.every((method) => typeof (value as Partial<T> | null)?.[method] === 'function'),
  );
}

/** Headers by their names in lower case. */
export type HeaderRecord = Readonly<Record<string, string>>;

const headersObject = /* @__PURE__ */ must<object>(
  'an object of names and values, or Headers',
  (value) => typeof value === 'object' && value !== null,
);

/** Checks headers of the caller. Messages do not contain their values. */
export function headers(value: unknown): HeaderRecord {
  const given = headersObject(value, 'headers');
  const pairs =
    Symbol.iterator in given ? [...(given as Iterable<unknown>)] : Object.entries(given);
  for (const pair of pairs) checkHeader(pair);
  const checked = new Headers(pairs as [string, string][]);
  if (checked.has('authorization'))
    throw new ConfigurationError(
      'headers: authorization cannot be set here: use the option apiKey',
    );
  if (checked.has('cookie')) throw new ConfigurationError('headers: cookie cannot be set here');
  return Object.fromEntries(checked);
}

function checkHeader(pair: unknown): void {
  const [name, value] = Array.isArray(pair) ? (pair as unknown[]) : [];
  if (typeof name !== 'string')
    throw new ConfigurationError('headers: an iterable must yield [name, value] pairs');
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name))
    throw new ConfigurationError(
      `headers: ${JSON.stringify(describeName(name))} is not a valid header name`,
    );
  if (typeof value !== 'string' || /[^\t\x20-\xff]/.test(value))
    throw new ConfigurationError(`headers: the value of ${describeName(name)} cannot be sent`);
}

/** A name that the caller chose. A long name is not shown: a shortened name might end within the API key, and the redactor would not find it. */
function describeName(name: string): string {
  return name.length <= 40 ? name : `a name of ${name.length} characters`;
}
