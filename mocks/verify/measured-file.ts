import { plans } from '../../src/contract/index.js';
import { stringifyJson } from '../../src/contract/json.js';
import type { GivenAssumptions } from '../assumptions/assumptions.js';
import { assumptionsFormat, type AssumptionsFile } from '../assumptions/file.js';
import { isRecord } from '../utils/options.js';
import { valueAt, withValue } from './replay/rows.js';
import type { Drift, VerifyReport } from './types.js';

/**
 * What was measured, as a file of assumptions. Of an open assumption whose default is impossible, the file has a value that
 * is possible: `open` names it.
 */
export function measuredFile(
  findings: VerifyReport['assumptions'],
  values: GivenAssumptions,
  origin: string,
  measuredAt: string,
): AssumptionsFile {
  let assumptions: GivenAssumptions = {};
  const open: string[] = [];
  for (const [name, finding] of Object.entries(findings)) {
    const value = finding.verdict === 'measured' ? finding.value : valueAt(values, name);
    if (finding.verdict === 'not asked' || value === undefined) continue;
    if (finding.verdict === 'open') {
      if (finding.among?.length === 0 || isSame(value, finding.default)) continue;
      open.push(name);
    }
    assumptions = withValue(assumptions, name, value);
  }
  return { format: assumptionsFormat, origin, measuredAt, assumptions, open };
}

/** Values that were measured then and now, and are not the same. What was not measured this time is no drift. */
export function driftOf(file: AssumptionsFile, findings: VerifyReport['assumptions']): Drift[] {
  return Object.entries(findings)
    .map(([name, { value }]) => ({
      assumption: name,
      was: valueAt(file.assumptions, name),
      is: value,
    }))
    .filter(({ was, is }) => was !== undefined && is !== undefined)
    .filter(({ assumption, was, is }) =>
      // A clock is known to a second.
      assumption === 'clockSkew' ? Math.abs(Number(was) - Number(is)) > 1_000 : !isSame(was, is),
    )
    .filter(({ assumption }) => !file.open.includes(assumption));
}

/** True for values that mean the same: of objects only the fields that both have are compared, and of a quota the minute. */
export function isSame(one: unknown, other: unknown): boolean {
  const [left, right] = [one, other].map(asQuota);
  if (!isRecord(left) || !isRecord(right)) return textOf(left) === textOf(right);
  return Object.entries(left).every(
    ([name, value]) => !(name in right) || name === 'perDay' || isSame(value, right[name]),
  );
}

/** A value that is left out equals only another one. */
const textOf = (value: unknown) => (value === undefined ? '' : stringifyJson(value));

/** The quota of a plan, where a value is the name of one. */
const asQuota = (value: unknown): unknown =>
  typeof value === 'string' && Object.hasOwn(plans, value) ? plans[value as 'free'] : value;
