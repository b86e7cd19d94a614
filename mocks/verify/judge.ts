/**
 * Measures every assumption from the responses of a run, and lists where the mock with the measured values responds
 * differently.
 */
import { rules } from '../assumptions/answers.js';
import {
  chooseAssumptions,
  defaultAssumptions,
  type GivenAssumptions,
} from '../assumptions/assumptions.js';
import { isRecord } from '../utils/options.js';
import { allAsks, describeAsk, isCounting } from './asks.js';
import {
  answerOf,
  createdPet,
  isAnswered,
  isPet,
  type ReceivedAnswer,
  type Answered,
} from './ask/exchange.js';
import { isOfDay } from './ask/rate.js';
import { whyNoneSent, type Seen } from './ask/run.js';
import { scrubbed } from './ask/scrub.js';
import { judgeClock, judgeCounting, ofDay } from './replay/counting.js';
import { infer, shownBy } from './replay/infer.js';
import { playAll, seenPets, type Asked } from './replay/replay.js';
import { findingOf, open, rowNames, valueAt, withValue, type Finding } from './replay/rows.js';
import { viewsOf, type View } from './replay/view.js';
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
  const codes = codesIn(answered, played);
  const values = withCodes(uncoded, codes);
  const isCreated = answered.some(({ answer }) => createdPet(answer));
  const shown = await shownBy();
  const findings: Record<string, AssumptionFinding> = {};
  for (const name of rowNames.filter(isWanted)) {
    const shows = ({ name: ask }: { name: string }) => shown.get(name)?.has(ask) === true;
    const why = whyNoneSent(allAsks.filter(shows).slice(0, 1), seen);
    let finding = byHand[name] ?? findingOf(left.get(name), why);
    // Judged by hand: a code may be any text, so it is read from the answer.
    if (finding.verdict === 'not asked') finding = codes.get(name) ?? finding;
    // Judged by hand: a sequence may begin with any id.
    if (finding.verdict === 'measured' && name === 'ids' && finding.value !== 'random')
      finding = open([finding.value], 'a sequence, whose first id does not show');
    // Judged by hand: a length that was not tried may also be the limit. Of the longest candidate, nothing was too long.
    if (finding.verdict === 'measured' && name === 'maxBodyBytes')
      finding = open([finding.value], 'above what was accepted, below what was too long');
    // By hand: the category of the new pets may be the reason.
    if (finding.verdict === 'measured' && name === 'answers.unknownBodyField' && !isCreated)
      finding = open(['ignore', finding.value], 'the service has accepted no new pet');
    // By hand: without that 401, an unknown path may need a key too.
    if (name === 'unknownPathNeedsKey' && (answerOf(answered, 'withoutKey')?.status ?? 401) !== 401)
      finding = open([true, false], 'a request without a key is not answered 401');
    // By hand: the limit of a day says nothing of that of the minute.
    if (name === 'unauthorizedQuota' && answered.some(reportsDay)) finding = open([], ofDay);
    findings[name] = {
      ...finding,
      ...(finding.verdict === 'measured' && { value: valueAt(values, name) ?? finding.value }),
      default: valueAt(defaultAssumptions, name),
    };
  }
  return { findings, values, differences: differencesIn(answered, played, values) };
}

/** Whether a 401 shows the quota of the day, by the time of its reset. */
const reportsDay = ({ answer: { status, rate } }: Answered) =>
  status === 401 && rate !== undefined && isOfDay(rate);

/** By the name of its assumption, the code of a rule. */
type Codes = Iterable<readonly [name: string, code: Finding]>;

const ownNames: Codes = Object.keys(rules).map((rule) => [`answers.${rule}`, findingOf([rule])]);

/** The assumptions with the codes of rules; by default, each has its own name. A rule that refuses nothing has none. */
function withCodes(given: GivenAssumptions, codes: Codes = ownNames): GivenAssumptions {
  const all = chooseAssumptions(given);
  return [...codes]
    .filter(([name, { verdict }]) => verdict === 'measured' && isRecord(valueAt(all, name)))
    .reduce((values, [name, { value }]) => withValue(values, `${name}.code`, value), given);
}

/** The code of each rule that was met, where the mock gives the name of the rule as its code. */
function codesIn(seen: readonly Asked[], played: readonly Asked[]): Map<string, Finding> {
  const codes = new Map<string, Finding>();
  for (const [at, { answer }] of seen.entries()) {
    const other = played[at]!.answer;
    const [rule, code] = [other, answer].map(codeOf);
    if (typeof rule !== 'string' || typeof code !== 'string') continue;
    if (answer.status !== other.status) continue;
    const name = `answers.${rule}`;
    const before = codes.get(name)?.value;
    if (code.includes(scrubbed) || code.length > 100)
      codes.set(name, open([], 'its code repeats the request'));
    else if (codes.has(name) && before !== code) codes.set(name, open([], 'it has several codes'));
    else codes.set(name, findingOf([code]));
  }
  return codes;
}

const codeOf = ({ json }: ReceivedAnswer) => (json as { code?: unknown } | null | undefined)?.code;

/** Every answer that differs, besides times, quotas and codes. Where lists are shuffled, their order says nothing. */
function differencesIn(
  seen: readonly Asked[],
  played: readonly Asked[],
  { listOrder }: GivenAssumptions,
): Difference[] {
  const unsaid = listOrder === 'shuffled' ? ['order', 'again', 'ids'] : [];
  const [services, mocks] = [seen, played].map((all) =>
    viewsOf(all).map((view, at): View => ({ ...view, ids: idsIn(all[at]!) })),
  );
  return seen.flatMap(({ ask }, at) => {
    const [service, mock] = [services![at]!, mocks![at]!];
    const apart = Object.keys(service).filter(
      (aspect) => service[aspect] !== mock[aspect] && !unsaid.includes(aspect),
    );
    const say = (view: View) =>
      apart.map((aspect) => `${aspect} ${JSON.stringify(view[aspect] ?? null)}`).join(', ');
    return apart.length === 0
      ? []
      : [{ request: describeAsk(ask), service: say(service), mock: say(mock) }];
  });
}

/** The ids of an answer. New pets have other ones, and stand in the lists that only count. */
function idsIn({ ask, answer }: Asked): string {
  if (ask.needs === 'create' || isCounting(ask)) return '';
  const pets = [answer.json].flat().filter(isPet);
  return pets.map(({ id }) => id).join();
}
