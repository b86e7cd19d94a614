import type { Assumptions, GivenAssumptions } from '../../assumptions/assumptions.js';
import { defaultAssumptions } from '../../assumptions/defaults.js';
import { assumptionsFormat, type AssumptionsFile } from '../../assumptions/file.js';
import { stringifyJson } from '../../../src/contract/json.js';
import type { Findings } from '../judges/judge.js';
import type { Drift, VerifyReport } from '../types.js';
import type { Fit } from '../windows/fit.js';
import type { Hypothesis } from '../windows/hypotheses.js';

/** The version of the interface that the cases ask about. */
const interfaceVersion = '1.0.0';

/**
 * What was measured, as a file of assumptions. Where several values are possible, and the default of the mock is not one of
 * them, the file has the first of them.
 */
export function measuredFile(
  { assumptions }: Findings,
  fit: Fit,
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
  for (const [name, value] of Object.entries({
    ...possibleValues(assumptions),
    ...possibleWindows(assumptions, fit),
  })) {
    values[name] = value;
    sure[name] = 'possible';
    evidence[name] = assumptions[name as keyof Assumptions].evidence.slice(0, 4).join('; ');
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

/** Of each open assumption the first possible value, unless the default is possible. */
function possibleValues(assumptions: Findings['assumptions']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(assumptions).flatMap(([name, finding]) => {
      if (finding.verdict !== 'undecided' || !finding.among || isWindow(name)) return [];
      return finding.among.some((value) => isSame(value, finding.default))
        ? []
        : [[name, finding.among[0]]];
    }),
  );
}

const windowNames = [
  'minuteWindow',
  'resetMeaning',
  'countingScope',
  'unauthorizedCount',
  'refusedCount',
] as const;
const isWindow = (name: string) => (windowNames as readonly string[]).includes(name);

/** Of the ways of counting that are left, the one that differs least from the defaults: its values are possible only together. */
function possibleWindows(
  assumptions: Findings['assumptions'],
  { left, withRefusals }: Fit,
): Record<string, unknown> {
  const others = (one: Hypothesis) =>
    windowNames.filter((name) => one[name] !== defaultAssumptions[name]);
  const [nearest] = [...(withRefusals ?? left)].toSorted(
    (a, b) => others(a).length - others(b).length,
  );
  if (!nearest) return {};
  return Object.fromEntries(
    others(nearest).flatMap((name) =>
      assumptions[name].verdict === 'undecided' ? [[name, nearest[name]]] : [],
    ),
  );
}

/** Values that were certain, likely or seen in part then and now, and are not the same. What was not measured this time is no drift. */
export function driftOf(was: AssumptionsFile, is: AssumptionsFile): Drift[] {
  const isSure = (one: string | undefined) => ['certain', 'likely', 'partly'].includes(one ?? '');
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

/**
 * The measured values, together with those of an earlier file that this run did not ask for. A value that was asked for again
 * comes from this run, or is dropped where it is no longer measured. Of another address nothing is kept.
 */
export function withEarlier(
  { measured, assumptions }: Pick<VerifyReport, 'measured' | 'assumptions'>,
  earlier: AssumptionsFile,
): AssumptionsFile {
  if (earlier.origin !== '' && earlier.origin !== measured.origin) return measured;
  const isKept = ([name]: [string, unknown]) =>
    assumptions[name as keyof Assumptions].verdict === 'not-asked';
  const kept = <Value>(values: Readonly<Record<string, Value>>): Record<string, Value> =>
    Object.fromEntries(Object.entries(values).filter(isKept));
  return {
    ...measured,
    assumptions: {
      ...(kept(earlier.assumptions as Record<string, unknown>) as GivenAssumptions),
      ...measured.assumptions,
    },
    sure: { ...kept(earlier.sure), ...measured.sure },
    evidence: { ...kept(earlier.evidence), ...measured.evidence },
    beyond: { ...kept(earlier.beyond), ...measured.beyond },
  };
}
