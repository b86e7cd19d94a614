/** The assumptions with the values that a replay tries: the table of the mock, and nothing beside it. */
import { rules } from '../../assumptions/answers.js';
import {
  candidates,
  chooseAssumptions,
  type GivenAssumptions,
} from '../../assumptions/assumptions.js';
import { isRecord } from '../../utils/options.js';
import type { AssumptionFinding } from '../types.js';

/** What the answers say of an assumption. */
export type Finding = Omit<AssumptionFinding, 'default' | 'evidence'>;

/** One assumption, or one rule of `answers`. */
export interface Row {
  /** Its name: `longestList`, `answers.limitBelow`. */
  readonly name: string;
  /** The values that are tried, the default first. */
  readonly candidates: readonly unknown[];
}

export const rows: readonly Row[] = [...candidates]
  .map(([name, given]) => ({ name, candidates: given.map((one) => valueAt(one, name)) }))
  .filter((row) => row.candidates.length > 1);

export const rowOf = (name: string): Row => rows.find((row) => row.name === name)!;

/** The name of every assumption that may be asked for: the rows, and what is judged by hand. */
export const rowNames: readonly string[] = [
  ...new Set([
    ...rows.map(({ name }) => name),
    'clockSkew',
    ...Object.keys(rules).map((rule) => `answers.${rule}`),
  ]),
];

/** The assumptions with one value in its place. */
export function withValue(given: GivenAssumptions, name: string, value: unknown): GivenAssumptions {
  const [own, ...fields] = name.split('.');
  if (fields.length === 0) return { ...given, [own!]: value };
  const before = (given as Readonly<Record<string, unknown>>)[own!];
  const inner = withValue((isRecord(before) ? before : {}) as never, fields.join('.'), value);
  return { ...given, [own!]: inner };
}

/** The value with this name; undefined where it is not given. */
export function valueAt(assumptions: object, name: string): unknown {
  let value: unknown = assumptions;
  for (const field of name.split('.')) value = isRecord(value) ? value[field] : undefined;
  return value;
}

/** The assumptions with the codes of rules. A rule that refuses nothing has none. */
export function withCodes(
  given: GivenAssumptions,
  codes: Readonly<Record<string, string>>,
): GivenAssumptions {
  const { answers } = chooseAssumptions(given) as { answers: Readonly<Record<string, unknown>> };
  return Object.entries(codes).reduce(
    (all, [rule, code]) =>
      isRecord(answers[rule]) ? withValue(all, `answers.${rule}.code`, code) : all,
    given,
  );
}

/** Every rule refuses with its own name as the code. */
export const withNamedCodes = (given: GivenAssumptions): GivenAssumptions =>
  withCodes(given, Object.fromEntries(Object.keys(rules).map((rule) => [rule, rule])));

export const notAsked = (why: string): Finding => ({ verdict: 'not asked', why });
export const open = (among: readonly unknown[], why: string): Finding => ({
  verdict: 'open',
  among,
  why,
});

/** `left`: the values that agree with all answers; undefined where nothing was asked that shows it, for the reason `why`. */
export function findingOf(left: readonly unknown[] | undefined, why: string): Finding {
  if (!left) return notAsked(why);
  if (left.length === 1) return { verdict: 'measured', value: left[0] };
  return left.length === 0
    ? open([], 'the service does what no value of the mock does')
    : open(left, 'these answer alike');
}
