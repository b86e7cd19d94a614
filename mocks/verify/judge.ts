/** What the answers of a run say of every assumption. */
import { defaultAssumptions, type GivenAssumptions } from '../assumptions/assumptions.js';
import { isRecord } from '../utils/options.js';
import { asks, burst } from './asks.js';
import { whyNotSent } from './ask/why-not-sent.js';
import { describeExchange, type Exchanges } from './ask/exchange.js';
import type { Seen } from './ask/run.js';
import { clockOffsetOf, isCached, middleOf } from './replay/clock.js';
import {
  countingRows,
  hasRefused,
  makesDifference,
  narrow,
  samplesOf,
  valuesIn,
  whyHidden,
} from './replay/counting.js';
import { infer, shownBy } from './replay/infer.js';
import { judgeRetryAfter } from './replay/retry-after.js';
import {
  defaultOf,
  rowNames,
  valueAt,
  withCodes,
  withNamedCodes,
  withValue,
} from './replay/rows.js';
import { codesIn, differencesIn, replayAll } from './replay/trace.js';
import type { AssumptionFinding, Difference } from './types.js';

/** What a run has shown of the assumptions. */
export interface Judged {
  readonly findings: Readonly<Record<string, AssumptionFinding>>;
  /** One set of values that agrees with all that was seen. */
  readonly values: GivenAssumptions;
  readonly differences: readonly Difference[];
}

type Finding = Omit<AssumptionFinding, 'default' | 'evidence'>;

/** `ways`: the ways of counting that the run has left. */
export async function judge(seen: Seen, ways: readonly GivenAssumptions[]): Promise<Judged> {
  const { exchanges } = seen;
  const shown = await shownBy();
  const { left, values: inferred } = await infer(exchanges);
  const counting = await judgeCounting(seen, ways, inferred);
  let values: GivenAssumptions = { ...inferred, ...counting.values };
  const pairs = await replayAll(exchanges, withNamedCodes(values));
  const { codes, open: unstable } = codesIn(pairs);
  const skew = judgeClock(exchanges);
  if (skew.verdict === 'measured') values = withValue(values, 'clockSkew', skew.value);
  values = withCodes(values, codes);
  const byHand: Record<string, Finding> = { ...counting.findings, clockSkew: skew };
  const findings: Record<string, AssumptionFinding> = {};
  for (const name of rowNames) {
    const names = shown.get(name)?.asks ?? new Set<string>();
    const shownHere = byHand[name] ?? findingOf(left.get(name), whyNotShown(names, seen));
    const [, rule = ''] = name.split('answers.');
    const finding = withCode(bounded(name, shownHere), codes[rule], unstable[rule]);
    const own = exchanges.filter(({ ask }) => names.has(ask.name));
    const evidence = own.slice(0, 4).map(describeExchange);
    findings[name] = { ...finding, default: valueAt(defaultAssumptions, name), evidence };
  }
  return { findings, values, differences: differencesIn(pairs, values) };
}

const notAsked = (why: string): Finding => ({ verdict: 'not asked', why });
const open = (among: readonly unknown[], why: string): Finding => ({ verdict: 'open', among, why });

function findingOf(left: readonly unknown[] | undefined, why: string): Finding {
  if (!left) return notAsked(why);
  if (left.length === 1) return { verdict: 'measured', value: left[0] };
  return left.length === 0
    ? open([], 'the service does what no value of the mock does')
    : open(left, 'these answer alike');
}

/** Why nothing was asked that shows an assumption. */
function whyNotShown(names: ReadonlySet<string>, seen: Seen): string {
  const first = [...asks, burst].find(({ name }) => names.has(name));
  return first ? whyNotSent(first, seen) : 'no request shows it';
}

async function judgeCounting(
  run: Seen,
  before: readonly GivenAssumptions[],
  more: GivenAssumptions,
): Promise<{ findings: Record<string, Finding>; values: GivenAssumptions }> {
  const seen = samplesOf(run.exchanges);
  const ways = seen.limit === undefined ? [] : await narrow(before, seen, more);
  // A 401 need not be counted as the mock does it.
  const withRefusals = await narrow(ways, seen, more, { refusals: true });
  const left = withRefusals.length > 0 ? withRefusals : ways;
  const findings: Record<string, Finding> = {};
  for (const name of countingRows) {
    const among = valuesIn(left, name);
    const hidden =
      seen.withheld ??
      (left.length === 0
        ? 'no way of counting explains all answers: another program may use the key'
        : whyHidden(left, seen, name));
    if (left.length > 0 && !makesDifference(left, seen, name))
      findings[name] = notAsked(
        name === 'refusedCount' && !hasRefused(seen)
          ? whyNotSent(burst, run)
          : 'it makes no difference where requests are counted so',
      );
    else if (name === 'refusedCount' && among.length > 1)
      findings[name] = notAsked('it takes repeated requests after a 429, which may ban the key');
    else if (hidden !== undefined) findings[name] = open(among, hidden);
    else if (name === 'unauthorizedCount' && withRefusals.length === 0)
      findings[name] = open([], 'no way of counting explains the answers without a key');
    else findings[name] = findingOf(among, '');
  }
  const [nearest] = left.toSorted((a, b) => notDefault(a) - notDefault(b));
  const forms = await judgeRetryAfter(run.exchanges, left, seen, more);
  findings['retryAfter'] = findingOf(forms, whyNotSent(burst, run));
  const form = forms?.includes('seconds') === false ? forms[0] : undefined;
  const values = { ...nearest, ...(form !== undefined && { retryAfter: form }) };
  return { findings, values: values as GivenAssumptions };
}

const notDefault = (way: GivenAssumptions) =>
  countingRows.filter((name) => valueAt(way, name) !== defaultOf(name)).length;

/** By hand: a code may be any text, and is read from the answer. */
function withCode(finding: Finding, code: string | undefined, unstable = ''): Finding {
  const { verdict, value } = finding;
  if (verdict === 'not asked' && code !== undefined)
    return { verdict: 'measured', value: { code } };
  if (verdict === 'not asked' && unstable !== '') return open([], unstable);
  return isRecord(value) && code !== undefined ? { verdict, value: { ...value, code } } : finding;
}

/** By hand: a length that was not tried may be the limit as well. */
function bounded(name: string, finding: Finding): Finding {
  return name === 'maxBodyBytes' && finding.verdict === 'measured'
    ? open([finding.value], 'the limit is this or less, and more than what was accepted')
    : finding;
}

/** By hand: the clock is a number, and the answers bound it from both sides. */
function judgeClock(exchanges: Exchanges): Finding {
  const offset = clockOffsetOf(exchanges);
  if (!offset) return notAsked('no answer has a Date');
  if (isCached(exchanges)) return open([], 'a cache has answered: its Date is old');
  if (offset.low > offset.high) return open([], 'no single clock explains every Date');
  return { verdict: 'measured', value: middleOf(offset) };
}
