/** Judges every statement of the interface. */
import { allAsks, afterwards, describeAsk, type Ask } from '../asks.js';
import { answerOf, isAnswered, petsOf } from '../ask/exchange.js';
import type { Seen } from '../ask/run.js';
import { whyNotSent } from '../ask/why-not-sent.js';
import type { StatementFinding } from '../types.js';
import { notJudged, type Outcome } from './look.js';
import { statements, type Statement } from './table.js';

/** The planned requests that show a statement: none for one about every answer. */
export const showing = (id: string): readonly Ask[] =>
  [...allAsks, afterwards].filter(({ shows }) => shows?.includes(id));

/** Outages that say nothing of what was asked. */
const outages: readonly number[] = [429, 502, 503, 504];

/** What the answers of a run say of every statement. `isWanted`: whether it was to be asked. */
export function judgeStatements(
  seen: Seen,
  basePath: string,
  isWanted: (id: string) => boolean,
): Record<string, StatementFinding> {
  const { exchanges, stopped } = seen;
  const answered = exchanges.filter(isAnswered);
  const isWhole = stopped === undefined && statements.every(({ id }) => isWanted(id));
  const judged = ({ id, judge }: Statement): Outcome => {
    const shows = showing(id);
    const own = answered.filter(({ ask, answer }) =>
      shows.length === 0 ? answer.status < 500 : ask.shows?.includes(id),
    );
    const outcome = judge({
      exchanges,
      basePath,
      own,
      of: (name) => answerOf(exchanges, name)!,
      pets: (name) => petsOf(answerOf(exchanges, name)),
    });
    return shows.length > 0 || outcome !== undefined || isWhole
      ? outcome
      : notJudged(stopped ?? 'only some requests were sent: --only');
  };
  const [reach, ...others] = statements;
  // It is asked in any case: everything else is judged by its list.
  const reached = judged(reach!);
  const judgeOne = (one: Statement): Outcome => {
    if (!isWanted(one.id)) return notJudged('left out by --only');
    if (reached !== undefined)
      return typeof reached === 'string' ? notJudged('reach does not hold') : reached;
    const missing = whyMissing(one, seen);
    return missing === undefined ? judged(one) : notJudged(missing);
  };
  return Object.fromEntries([
    [reach!.id, findingOf(reach!, reached)],
    ...others.map((one) => [one.id, findingOf(one, judgeOne(one))]),
  ]) as Record<string, StatementFinding>;
}

function findingOf({ title, section }: Statement, outcome: Outcome): StatementFinding {
  if (outcome === undefined) return { verdict: 'holds', title, section };
  return typeof outcome === 'string'
    ? { verdict: 'fails', title, section, why: outcome }
    : { verdict: 'not judged', title, section, why: outcome.notJudged };
}

/** Why a statement cannot be judged; undefined where all that shows it was answered. */
function whyMissing({ id }: Statement, seen: Seen): string | undefined {
  for (const ask of showing(id)) {
    const exchange = seen.exchanges.find((one) => one.ask.name === ask.name);
    if (!exchange) return whyNotSent(ask, seen);
    const status = exchange.answer?.status;
    const isOutage = ask.needs !== 'rate-limit' && outages.includes(status!);
    if (status === undefined || isOutage)
      return `${describeAsk(exchange.ask)} → ${status ?? exchange.failed!}`;
  }
  return undefined;
}
