/** Judges a run: every case, in order. Pure: the same run is judged again offline. */
import { defaultMeasurable, type MeasurableName } from '../earlier-names.js';
import { describeAsk, describeExchange } from '../ask/request.js';
import { assumptionOf, exchangeOf, notAsked, undecided, type Case, type Known } from '../case.js';
import type { AssumptionFinding, Finding, Verdict } from '../types.js';

/** What a case was kept from. */
export interface Limits {
  /** Why a case was not to be asked; undefined when it was. */
  readonly excluded: (one: Case) => string | undefined;
  readonly stopped: string | undefined;
  readonly postsEnded: string | undefined;
}

/** The findings of a run. */
export interface Findings {
  readonly statements: Record<string, Finding>;
  readonly assumptions: Record<MeasurableName, AssumptionFinding>;
}

/** Outages that say nothing of what was asked. */
const outages: readonly number[] = [502, 503, 504];

export function judgeCases(cases: readonly Case[], known: Known, limits: Limits): Findings {
  const verdictOf = createJudge(cases, known, limits);
  const statements: Record<string, Finding> = {};
  const assumptions: Record<string, AssumptionFinding> = {};
  for (const one of cases) {
    const verdict = verdictOf(one);
    const finding: Finding = {
      ...verdict,
      title: one.title,
      section: one.section,
      evidence: verdict.verdict === 'not-asked' ? [] : evidenceOf(one, known),
    };
    const name = assumptionOf(one);
    if (name === undefined) statements[one.id] = finding;
    else assumptions[name] = { ...finding, default: defaultMeasurable[name] };
  }
  return { statements, assumptions: assumptions as Findings['assumptions'] };
}

/** Judges each case once, and the cases that it depends on before it, wherever they stand in the list. */
function createJudge(cases: readonly Case[], known: Known, limits: Limits): (one: Case) => Verdict {
  const verdicts = new Map<Case, Verdict>();
  const verdictOf = (one: Case): Verdict => {
    const judged = verdicts.get(one) ?? judgeCase(one, known, limits, beforeOf(one));
    verdicts.set(one, judged);
    return judged;
  };
  const beforeOf = ({ after = [] }: Case) =>
    new Map(after.map((id) => [id, verdictOf(cases.find((other) => other.id === id)!)]));
  return verdictOf;
}

/** `before`: the verdicts on the cases that must hold, or be measured, first. */
function judgeCase(
  one: Case,
  known: Known,
  limits: Limits,
  before: ReadonlyMap<string, Verdict>,
): Verdict {
  const excluded = limits.excluded(one);
  if (excluded !== undefined) return notAsked(excluded);
  for (const [id, verdict] of before) {
    const why = whyMissing(id, verdict);
    if (why !== undefined) return notAsked(why);
  }
  const wanted = one.requests(known);
  if (wanted.length === 0 && one.level === 'create')
    return notAsked('more pets than --max-pets allows');
  for (const request of wanted) {
    const exchange = exchangeOf(known, request);
    if (!exchange) {
      const ended = request.method === 'POST' ? limits.postsEnded : undefined;
      return notAsked(ended ?? limits.stopped ?? 'too little of the quota was left');
    }
    if (one.judgesFailures === true) continue;
    const { answer, failed } = exchange;
    if (!answer) return undecided(`${describeAsk(request)}: ${failed ?? 'no answer'}`);
    if (outages.includes(answer.status) || (answer.status === 429 && request.burst !== true))
      return undecided(`${describeAsk(request)} → ${answer.status}`);
  }
  return one.judge(known);
}

/** Why a case cannot be judged after another; undefined when it can. */
function whyMissing(id: string, verdict: Verdict): string | undefined {
  switch (verdict.verdict) {
    case 'holds':
    case 'measured':
      return undefined;
    case 'undecided':
      return id === 'reach' ? verdict.why : undefined;
    case 'not-asked':
      return verdict.why;
    default:
      return `${id} does not hold`;
  }
}

function evidenceOf(one: Case, known: Known): string[] {
  if (one.isPassive === true) return [];
  return one.requests(known).flatMap((request) => {
    const exchange = exchangeOf(known, request);
    return exchange && request.burst !== true ? [describeExchange(exchange)] : [];
  });
}
