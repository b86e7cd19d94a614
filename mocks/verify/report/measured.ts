import type { GivenAssumptions } from '../../assumptions/assumptions.js';
import { assumptionsFormat, type AssumptionsFile } from '../../assumptions/file.js';
import { stringifyJson } from '../../../src/contract/json.js';
import type { Findings } from '../judges/judge.js';
import type { Drift } from '../types.js';

/** The version of the interface that the cases ask about. */
const interfaceVersion = '1.0.0';

/** What was measured, as a file of assumptions. */
export function measuredFile(
  { assumptions }: Findings,
  origin: string,
  measuredAt: string,
): AssumptionsFile {
  const values: Record<string, unknown> = {};
  const sure: Record<string, string> = {};
  const evidence: Record<string, string> = {};
  const beyond: Record<string, string> = {};
  for (const [name, finding] of Object.entries(assumptions)) {
    if (finding.verdict === 'beyond') beyond[name] = finding.seen;
    if (finding.verdict !== 'measured') continue;
    values[name] = finding.value;
    sure[name] = finding.sure;
    evidence[name] = finding.evidence.slice(0, 4).join('; ');
  }
  return {
    format: assumptionsFormat,
    interface: interfaceVersion,
    origin,
    measuredAt,
    assumptions: values as GivenAssumptions,
    sure,
    evidence,
    beyond,
  };
}

/** Values that were sure then and now, and are not the same. What was not measured this time is no drift. */
export function driftOf(was: AssumptionsFile, is: AssumptionsFile): Drift[] {
  const isSure = (one: string | undefined) => one === 'certain' || one === 'likely';
  return Object.entries(is.assumptions).flatMap(([assumption, value]) => {
    const before = (was.assumptions as Readonly<Record<string, unknown>>)[assumption];
    if (
      before === undefined ||
      !isSure(is.sure[assumption]) ||
      !isSure(was.sure[assumption] ?? 'certain')
    )
      return [];
    return isSame(before, value) ? [] : [{ assumption, was: before, is: value }];
  });
}

/** True for equal values. Of `codes` only the rules that were met both times are compared. */
export function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return stringifyJson(one) === stringifyJson(other);
  if (Array.isArray(one) || Array.isArray(other))
    return stringifyJson(one) === stringifyJson(other);
  return Object.entries(one).every(
    ([name, value]) => !(name in other) || isSame(value, (other as Record<string, unknown>)[name]),
  );
}
