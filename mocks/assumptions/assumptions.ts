import * as z from 'zod/mini';
import { check } from '../utils/check.js';
import { rules } from './answers.js';
import { table } from './table.js';

type Table = typeof table;

/** The points that the service interface leaves open: `docs/assumptions.md` describes each, with its default. */
export type Assumptions = {
  readonly [Name in keyof Table]: z.output<Table[Name]>;
};

/** Assumptions for `createMockService`. Omitted assumptions keep their defaults, and so do omitted fields of an object. */
export type GivenAssumptions = {
  readonly [Name in keyof Table]?: z.input<Table[Name]>;
};

/**
 * How a window counts. `'fixed'`: aligned to the minute (the UTC day), full again at its end. `'from-first'`: begins with
 * the first request. `'sliding'`: counts the requests of the last minute (24 hours). `'token-bucket'`: refilled evenly.
 */
export type WindowKind = Assumptions['minuteWindow'];

/**
 * The form of `Retry-After`. `'seconds'` is rounded up, `'seconds-floored'` down, `'decimal'` has milliseconds; an HTTP date
 * and Unix timestamps, rounded up; a number: the same seconds always; `{ raw }`: the same text always; or a function, where
 * `undefined` leaves the header out.
 */
export type RetryAfterForm = Assumptions['retryAfter'];

/** What all assumptions may be. */
export const assumptionsSchema = z.strictObject(table);

/** The parts of a schema that name values. */
type Naming = Pick<z.core.$ZodDefaultDef, 'defaultValue' | 'innerType'> &
  Pick<z.core.$ZodUnionDef, 'options'> &
  Pick<z.core.$ZodLiteralDef<z.core.util.Literal>, 'values'> &
  Pick<z.core.$ZodEnumDef, 'entries'>;

/** The values that a schema names: its default, and each of its literals. */
function valuesOf(schema: z.core.$ZodType): readonly unknown[] {
  const def = schema._zod.def as object as Partial<Naming>;
  const { defaultValue, innerType, options = [], values = [], entries = {} } = def;
  const inside = innerType ? [defaultValue, ...valuesOf(innerType)] : [];
  return [...inside, ...options.flatMap(valuesOf), ...values, ...Object.values(entries)];
}

/** Values of a range that are worth trying too. */
const samples: Readonly<Record<string, readonly number[]>> = {
  longestList: [50],
  maxBodyBytes: [1_023, 65_535, 2_000_000],
};

/**
 * The values that are worth trying when a service is measured, the default first: by the name of the assumption, or
 * `'answers.'` and the name of the rule. Those with one value cannot be enumerated.
 */
// In a function, which a bundle of the mock leaves out.
export const candidates: ReadonlyMap<string, readonly unknown[]> = /* @__PURE__ */ (() =>
  new Map([
    ...Object.entries(table)
      .filter(([name]) => name !== 'answers')
      .map(
        ([name, row]) =>
          [name, [...new Set([...valuesOf(row), ...(samples[name] ?? [])])]] as const,
      ),
    ...Object.entries(rules).map(([rule, row]) => [`answers.${rule}`, row.candidates] as const),
  ]))();

const inAnswers = (rules: string) => `answers: { ${rules} }`;
const status = '{ status: 422 }';

/** The names of earlier versions, each with what is written today. */
const earlierNames: Readonly<Record<string, string>> = {
  nameLength: 'name: /[\\s\\S]{1,100}/',
  nameCharacters: 'name: /[a-z]+/, a RegExp that the whole name must match',
  idAssignment: "ids: 'random', or the first id of a sequence",
  firstId: 'ids: 1000',
  unknownBodyFields: inAnswers('unknownBodyField: { status: 400 } or "ignore"'),
  invalidLimit: inAnswers(`limitBelow: ${status}, limitAbove: "clamp", limitNotANumber: "ignore"`),
  invalidStatusFilter: inAnswers(`invalidStatusFilter: ${status}, "ignore" or "match-none"`),
  unknownQuery: inAnswers('unknownQuery: { status: 400 } or "ignore"'),
  repeatedQuery: inAnswers('repeatedQuery: { status: 400 }, "first" or "last"'),
  invalidPetId: inAnswers(`invalidPetId: ${status}`),
  otherContentType: inAnswers('contentType: { status: 415 } or "ignore"'),
  malformedJson: inAnswers(`malformedJson: ${status}`),
  bodyTooLarge: inAnswers('bodyTooLarge: { status: 400 }'),
  storeOrders: inAnswers('storeOrders: { status: 403 } or "ignore"'),
  removedOperation: inAnswers('removed: { status: 404 } or "ignore"'),
  codes: inAnswers('petNotFound: { code: "E404" }'),
  rateLimitBody: inAnswers('rateLimited: { body: false }'),
  bannedAnswer: inAnswers('banned: { status: 403, body: false, retryAfter: false }'),
  strikeRule: 'strikes: 5 or "never", grace: "in-flight" or ms, ban: ms',
};

/**
 * The assumptions of a service: the given ones merged into the defaults.
 *
 * @throws TypeError that names every assumption that does not exist, and every invalid value.
 */
export function chooseAssumptions(given: GivenAssumptions): Assumptions {
  for (const name of Object.keys(given))
    if (Object.hasOwn(earlierNames, name))
      throw new TypeError(`assumptions.${name} is written ${earlierNames[name]} today`);
  return Object.freeze(check(assumptionsSchema, given, 'assumptions')) as unknown as Assumptions;
}

/** The default of each assumption. `docs/assumptions.md` describes them. */
export const defaultAssumptions: Assumptions = /* @__PURE__ */ chooseAssumptions({});
