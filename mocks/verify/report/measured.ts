import { plans, type Quota } from '../../../src/contract/index.js';
import {
  measurableOf,
  toAssumptions,
  type Measurable,
  type MeasurableName,
} from '../earlier-names.js';
import { assumptionsFormat, type AssumptionsFile } from '../../assumptions/file.js';
import { stringifyJson } from '../../../src/contract/json.js';
import { isRecord } from '../../utils/options.js';
import type { Findings } from '../judges/judge.js';
import type { Drift, Finding, Verdict, VerifyReport } from '../types.js';
import type { Fit } from '../windows/fit.js';
import { isCounting, notDefault, type Hypothesis } from '../windows/hypotheses.js';

/** The version of the interface that the cases ask about. */
const interfaceVersion = '1.0.0';

/**
 * What was measured, as a file of assumptions. `retryAfter`: its verdict under the nearest way of counting. Where several values are possible, and the default of the mock is not one of
 * them, the file has the first of them.
 */
export function measuredFile(
  { assumptions }: Findings,
  { nearest }: Fit,
  retryAfter: Verdict,
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
    ...possibleValues(withRetryAfter(assumptions, retryAfter)),
    ...(nearest && possibleCounting(assumptions, nearest.counting)),
  })) {
    values[name] = value;
    sure[name] = 'possible';
    evidence[name] = assumptions[name as MeasurableName].evidence.slice(0, 4).join('; ');
  }
  return {
    format: assumptionsFormat,
    interface: interfaceVersion,
    origin,
    measuredAt,
    assumptions: toAssumptions(values as Measurable),
    sure,
    evidence,
    beyond,
  };
}

/** Of each open assumption the first possible value, unless the default is possible. */
function possibleValues(assumptions: Findings['assumptions']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(assumptions).flatMap(([name, finding]) => {
      if (finding.verdict !== 'undecided' || !finding.among || isCounting(name)) return [];
      return finding.among.some((value) => isSame(value, finding.default))
        ? []
        : [[name, finding.among[0]]];
    }),
  );
}

/** The values of the nearest way of counting: they are possible only together. */
function possibleCounting(
  assumptions: Findings['assumptions'],
  nearest: Hypothesis,
): Record<string, unknown> {
  return Object.fromEntries(
    notDefault(nearest).flatMap((name) =>
      assumptions[name].verdict === 'undecided' ? [[name, nearest[name]]] : [],
    ),
  );
}

/** Of several forms of Retry-After, those that agree with the waits of the nearest way of counting. */
function withRetryAfter(
  assumptions: Findings['assumptions'],
  verdict: Verdict,
): Findings['assumptions'] {
  const { retryAfter } = assumptions;
  const among =
    verdict.verdict === 'measured' ? [verdict.value] : 'among' in verdict && verdict.among;
  if (retryAfter.verdict !== 'undecided' || !retryAfter.among || !among) return assumptions;
  return { ...assumptions, retryAfter: { ...retryAfter, among } };
}

/** Values that were certain, likely or seen in part then and now, and are not the same. What was not measured this time is no drift. */
export function driftOf(
  was: AssumptionsFile,
  is: AssumptionsFile,
  { assumptions }: Findings,
): { drift: Drift[]; checked: NonNullable<VerifyReport['checked']> } {
  const isSure = (one: string | undefined) => ['certain', 'likely', 'partly'].includes(one ?? '');
  const before = measurableOf(was.assumptions) as Readonly<Record<string, unknown>>;
  const after = measurableOf(is.assumptions) as Readonly<Record<string, unknown>>;
  const compared = Object.entries(after).filter(
    ([name]) =>
      before[name] !== undefined && isSure(is.sure[name]) && isSure(was.sure[name] ?? 'certain'),
  );
  const notAsked = Object.entries(assumptions).filter(
    ([name, { verdict }]) => before[name] !== undefined && verdict === 'not-asked',
  );
  return {
    drift: compared.flatMap(([assumption, value]) =>
      isSameAssumption(assumption, before[assumption], value)
        ? []
        : [{ assumption, was: before[assumption], is: value }],
    ),
    checked: {
      values: Object.keys(before).length,
      compared: compared.length,
      notAsked: notAsked.length,
    },
  };
}

/** True for values that mean the same, as a person may have written them. Of a quota the day is not seen. */
function isSameAssumption(name: string, one: unknown, other: unknown): boolean {
  if (/^(?:unauthorized|enterprise)Quota$/.test(name))
    return perMinuteOf(one) === perMinuteOf(other);
  if (name === 'invalidLimit') return isSame(threeKinds(one), threeKinds(other));
  return isSame(one, other);
}

function perMinuteOf(quota: unknown): unknown {
  return isRecord(quota) ? quota['perMinute'] : (plans[quota as 'free'] as Quota).perMinute;
}

/** One value for all kinds, as one for each. Text has no nearest limit: `clamp` is `default` for it. */
function threeKinds(value: unknown): Record<string, unknown> {
  const kinds = isRecord(value) ? value : { below: value, above: value, notANumber: value };
  return 'notANumber' in kinds && kinds['notANumber'] === 'clamp'
    ? { ...kinds, notANumber: 'default' }
    : kinds;
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

/** How sure a value is, the surest last. What a person wrote has no word for it, and is certain. */
const ranks = ['possible', 'bounded', 'partly', 'likely', 'certain'];
const rankOf = (sure = 'certain') => ranks.indexOf(sure);

/** Left open, these say that the earlier value is no longer seen: nothing is kept. */
const seenWhenOpen: readonly string[] = [
  'codes',
  'longestList',
  'maxBodyBytes',
  'bodyTooLarge',
  'nameCharacters',
];

/**
 * The measured values, together with those of an earlier file that this run did not ask for, or knows less of: a value that
 * was surer then is kept where the responses of this run allow it. Of another address nothing is kept.
 */
export function withEarlier(
  { measured, assumptions }: Pick<VerifyReport, 'measured' | 'assumptions'>,
  earlier: AssumptionsFile,
): AssumptionsFile {
  if (earlier.origin !== '' && earlier.origin !== measured.origin) return measured;
  const before = measurableOf(earlier.assumptions) as Readonly<Record<string, unknown>>;
  const findings = assumptions as Readonly<Record<string, Finding>>;
  const agrees = (name: string): boolean => {
    const finding = findings[name]!;
    if (before[name] === undefined || finding.verdict === 'not-asked') return true;
    if (finding.verdict === 'measured') return isSameAssumption(name, before[name], finding.value);
    return (
      finding.verdict === 'undecided' &&
      (finding.among?.some((value) => isSame(value, before[name])) ?? !seenWhenOpen.includes(name))
    );
  };
  // The values of a way of counting are possible only together.
  const agreesOnCounting = Object.keys(findings).filter(isCounting).every(agrees);
  const isKept = (name: string): boolean => {
    const finding = findings[name];
    if (!finding || finding.verdict === 'not-asked') return finding !== undefined;
    if (isCounting(name) && !agreesOnCounting) return false;
    const now = finding.verdict === 'measured' ? finding.sure : 'possible';
    return before[name] !== undefined && rankOf(earlier.sure[name]) > rankOf(now) && agrees(name);
  };
  const keepsCounting = Object.keys(before).some((name) => isCounting(name) && isKept(name));
  const isOwn = (name: string): boolean =>
    !isKept(name) && !(keepsCounting && isCounting(name) && measured.sure[name] === 'possible');
  const merge = <Value>(
    mine: Readonly<Record<string, Value>>,
    theirs: Readonly<Record<string, Value>>,
  ): Record<string, Value> =>
    Object.fromEntries([
      ...Object.entries(theirs).filter(([name]) => isKept(name)),
      ...Object.entries(mine).filter(([name]) => isOwn(name)),
    ]);
  const values = merge(
    measurableOf(measured.assumptions) as Readonly<Record<string, unknown>>,
    before,
  );
  if (isRecord(before['codes']) && isRecord(values['codes']))
    values['codes'] = { ...before['codes'], ...values['codes'] };
  return {
    ...measured,
    assumptions: toAssumptions(values as Measurable),
    sure: merge(measured.sure, earlier.sure),
    evidence: merge(measured.evidence, earlier.evidence),
    beyond: merge(measured.beyond, earlier.beyond),
  };
}
