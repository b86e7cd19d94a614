/** What the answers of a run say of every assumption. */
import { defaultAssumptions, type GivenAssumptions } from '../assumptions/assumptions.js';
import { isRecord } from '../utils/options.js';
import { allAsks } from './asks.js';
import { whyNotSent } from './ask/why-not-sent.js';
import { describeExchange, isAnswered } from './ask/exchange.js';
import type { Seen } from './ask/run.js';
import { judgeClock } from './replay/clock.js';
import { judgeCounting } from './replay/counting.js';
import { infer, shownBy } from './replay/infer.js';
import {
  findingOf,
  open,
  rowNames,
  valueAt,
  withCodes,
  withNamedCodes,
  withValue,
  type Finding,
} from './replay/rows.js';
import { playAll, seenPets } from './replay/replay.js';
import { codesIn, differencesIn } from './replay/trace.js';
import type { AssumptionFinding, Difference } from './types.js';

/** What a run has shown of the assumptions. */
export interface Judged {
  readonly findings: Readonly<Record<string, AssumptionFinding>>;
  /** One set of values that agrees with all that was seen. */
  readonly values: GivenAssumptions;
  readonly differences: readonly Difference[];
}

/** `isWanted`: whether a finding was to be made. */
export async function judge(seen: Seen, isWanted: (name: string) => boolean): Promise<Judged> {
  const { exchanges } = seen;
  const { left, values: inferred } = await infer(exchanges);
  const counting = await judgeCounting(seen, inferred);
  const skew = judgeClock(exchanges);
  let values: GivenAssumptions = { ...inferred, ...counting.values };
  const answered = exchanges.filter(isAnswered);
  const played = await playAll(answered, {
    assumptions: withNamedCodes(values),
    pets: seenPets(answered),
    start: answered[0]!.receivedAt,
  });
  const { codes, open: unstable } = codesIn(answered, played);
  if (skew.verdict === 'measured') values = withValue(values, 'clockSkew', skew.value);
  values = withCodes(values, codes);
  const byHand: Record<string, Finding> = { ...counting.findings, clockSkew: skew };
  const findings: Record<string, AssumptionFinding> = {};
  for (const name of rowNames.filter(isWanted)) {
    const shows = (await shownBy()).get(name) ?? new Set<string>();
    const first = allAsks.find((ask) => shows.has(ask.name));
    const why = first ? whyNotSent(first, seen) : 'no request shows it';
    const finding = byHand[name] ?? bounded(name, findingOf(left.get(name), why));
    const [, rule = ''] = name.split('answers.');
    const own = exchanges.filter(({ ask }) => shows.has(ask.name));
    findings[name] = {
      ...withCode(finding, codes[rule], unstable[rule]),
      default: valueAt(defaultAssumptions, name),
      evidence: own.slice(0, 4).map(describeExchange),
    };
  }
  return { findings, values, differences: differencesIn(answered, played, values) };
}

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
