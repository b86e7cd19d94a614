/** What the answers of a run say of every assumption. */
import { defaultAssumptions, type GivenAssumptions } from '../assumptions/assumptions.js';
import { allAsks } from './asks.js';
import { isAnswered } from './ask/exchange.js';
import { whyNotSent, type Seen } from './ask/run.js';
import { judgeClock } from './replay/clock.js';
import { judgeCounting } from './replay/counting.js';
import { infer, shownBy } from './replay/infer.js';
import { playAll, seenPets } from './replay/replay.js';
import { findingOf, open, rowNames, valueAt, type Finding } from './replay/rows.js';
import { codesIn, differencesIn, withCodes } from './replay/trace.js';
import type { AssumptionFinding, Difference } from './types.js';

/** `isWanted`: whether a finding was to be made. `values`: one set of them that agrees with all that was seen. */
export async function judge(
  seen: Seen,
  isWanted: (name: string) => boolean,
): Promise<{
  findings: Record<string, AssumptionFinding>;
  values: GivenAssumptions;
  differences: Difference[];
}> {
  const { exchanges } = seen;
  const { left, values: inferred } = await infer(exchanges);
  const counting = await judgeCounting(seen, inferred);
  const clockSkew = judgeClock(exchanges);
  const byHand: Readonly<Record<string, Finding>> = { ...counting.findings, clockSkew };
  const uncoded: GivenAssumptions = { ...inferred, ...counting.values };
  const answered = exchanges.filter(isAnswered);
  const played = await playAll(answered, {
    assumptions: withCodes(uncoded),
    pets: seenPets(answered),
    start: answered[0]!.receivedAt,
  });
  const { codes, unstable } = codesIn(answered, played);
  const values = withCodes(uncoded, codes);
  const shown = await shownBy();
  const findings: Record<string, AssumptionFinding> = {};
  for (const name of rowNames.filter(isWanted)) {
    const shows = ({ name: ask }: { name: string }) => shown.get(name)?.has(ask) === true;
    const first = allAsks.find(shows);
    const why = first ? whyNotSent(first, seen) : 'no request shows it';
    const [, rule = ''] = name.split('answers.');
    let finding = byHand[name] ?? findingOf(left.get(name), why);
    // By hand: a code may be any text, and is read from the answer.
    if (finding.verdict === 'not asked' && rule in codes) finding = findingOf([undefined], '');
    if (finding.verdict === 'not asked' && rule in unstable) finding = open([], unstable[rule]!);
    // By hand: a length that was not tried may be the limit as well.
    if (finding.verdict === 'measured' && name === 'maxBodyBytes')
      finding = open([finding.value], 'the limit is this or less, and more than what was accepted');
    findings[name] = {
      ...finding,
      ...(finding.verdict === 'measured' && { value: valueAt(values, name) ?? finding.value }),
      default: valueAt(defaultAssumptions, name),
    };
  }
  return { findings, values, differences: differencesIn(answered, played, values) };
}
