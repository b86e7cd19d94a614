import type { AssumptionFinding } from '../types.js';

/** What the answers say of an assumption. */
export type Finding = Omit<AssumptionFinding, 'default' | 'evidence'>;

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
