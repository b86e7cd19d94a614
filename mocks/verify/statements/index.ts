/** Judges every statement of the interface. */
import { operations } from '../../../src/contract/index.js';
import { allAsks, describeAsk } from '../asks.js';
import { answerOf, isAnswered, petsOf } from '../ask/exchange.js';
import { whyNotSent, type Seen } from '../ask/run.js';
import type { StatementFinding } from '../types.js';
import { notJudged, type Outcome } from './judges.js';
import { isShownByAll, statements, type Statement } from './table.js';

/** Outages that say nothing of what was asked. */
const outages: readonly unknown[] = [429, 502, 503, 504];

/** What the answers of a run say of every statement. `isWanted`: whether it was to be asked. */
export function judgeStatements(
  seen: Seen,
  basePath: string,
  isWanted: (id: string) => boolean,
): Record<string, StatementFinding> {
  const { exchanges, closed } = seen;
  const answered = exchanges.filter(isAnswered);
  const isWhole = !closed.all && statements.every(({ id }) => isWanted(id));
  const judged = ({ id, judge }: Statement): Outcome => {
    const isOfAll = isShownByAll(id);
    const outcome = judge({
      exchanges,
      basePath,
      own: answered.filter(({ ask, answer }) =>
        isOfAll ? answer.status < 500 : ask.shows?.includes(id),
      ),
      of: (name) => answerOf(exchanges, name)!,
      pets: (name) => petsOf(answerOf(exchanges, name)),
    });
    return isOfAll && outcome === undefined && !isWhole
      ? notJudged(closed.all ?? 'only some requests were sent: --only')
      : outcome;
  };
  // It is always asked, because its list is needed to judge the others.
  const reached = judged(statements[0]!);
  const { removedOn } = operations.getPet.deprecated;
  const isRemoved = exchanges.some(({ receivedAt }) => receivedAt >= Date.parse(removedOn));
  const outcomeOf = (one: Statement): Outcome => {
    if (one === statements[0]) return reached;
    if (!isWanted(one.id)) return notJudged('left out by --only');
    if (isRemoved && one.section === 'Get an animal')
      return notJudged(`getPet was removed on ${removedOn}`);
    if (typeof reached === 'string') return notJudged('reach does not hold');
    return reached ?? whyMissing(one, seen) ?? judged(one);
  };
  return Object.fromEntries(
    statements.map((one) => {
      const { id, title, section } = one;
      return [id, { ...findingOf(outcomeOf(one)), title, section }];
    }),
  );
}

function findingOf(outcome: Outcome): Pick<StatementFinding, 'verdict' | 'why'> {
  if (outcome === undefined) return { verdict: 'holds' };
  return typeof outcome === 'string' ? { verdict: 'fails', why: outcome } : outcome;
}

/** Why a statement cannot be judged; undefined where all that shows it was answered. */
function whyMissing({ id }: Statement, seen: Seen): Outcome {
  for (const ask of allAsks.filter(({ shows }) => shows?.includes(id))) {
    const exchange = seen.exchanges.find((one) => one.ask.name === ask.name);
    if (!exchange) return notJudged(whyNotSent(ask, seen));
    const { status } = exchange.answer ?? {};
    if (status === undefined || (ask.needs !== 'rate-limit' && outages.includes(status)))
      return notJudged(`${describeAsk(exchange.ask)} → ${status ?? exchange.failed!}`);
  }
  return undefined;
}
