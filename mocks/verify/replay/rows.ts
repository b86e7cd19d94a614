/** The assumptions with the values that a replay tries, from the table of the mock. */
import { rules } from '../../assumptions/answers.js';
import { candidates, type GivenAssumptions } from '../../assumptions/assumptions.js';
import { isRecord } from '../../utils/options.js';
import type { AssumptionFinding } from '../types.js';

/** What the answers say of an assumption. */
export type Finding = Omit<AssumptionFinding, 'default'>;

/** Of each assumption, and of each rule of `answers`, the values that are tried, the default first. */
export const rows: ReadonlyMap<string, readonly unknown[]> = new Map(
  [...candidates].filter(([, values]) => values.length > 1),
);

/** The name of every assumption that may be asked for: the rows, and what is judged by hand. */
export const rowNames: readonly string[] = [
  ...new Set([...rows.keys(), 'clockSkew', ...Object.keys(rules).map((rule) => `answers.${rule}`)]),
];

/** The assumptions with one value in its place. */
export function withValue(given: GivenAssumptions, name: string, value: unknown): GivenAssumptions {
  const [own = '', ...fields] = name.split('.');
  if (fields.length === 0) return { ...given, [own]: value };
  const before = valueAt(given, own);
  return { ...given, [own]: withValue(isRecord(before) ? before : {}, fields.join('.'), value) };
}

/** The value with this name; undefined where it is not given. */
export function valueAt(assumptions: object, name: string): unknown {
  let value: unknown = assumptions;
  for (const field of name.split('.')) value = isRecord(value) ? value[field] : undefined;
  return value;
}

export const notAsked = (why: string): Finding => ({ verdict: 'not asked', why });
export const open = (among: readonly unknown[], why: string): Finding => ({
  verdict: 'open',
  among,
  why,
});

/**
 * `left`: the values that agree with all answers; undefined where nothing was asked that shows it, for the reason `why`. `whyNone`: why no
 * value agrees.
 */
export function findingOf(
  left: readonly unknown[] | undefined,
  why = '',
  whyNone = 'the service does what no value of the mock does',
): Finding {
  if (!left) return notAsked(why);
  if (left.length === 1) return { verdict: 'measured', value: left[0] };
  return open(left, left.length === 0 ? whyNone : 'the answers fit these');
}
