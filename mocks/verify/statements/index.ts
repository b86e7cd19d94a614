/** Every statement of the interface, and the judge of them all. */
import { asks as plan, describeAsk } from '../asks.js';
import { answerOf, petsOf, type Exchanges } from '../ask/exchange.js';
import type { Seen } from '../ask/run.js';
import { whyNotSent } from '../ask/why-not-sent.js';
import type { StatementFinding } from '../types.js';
import { answerStatements } from './answers.js';
import { petStatements } from './pets.js';
import { lookAt, notJudged, type NotJudged, type Outcome, type Statement } from './statement.js';

const reach: Statement = {
  id: 'reach',
  title: 'GET /pets returns 200 with a JSON array of pets',
  section: 'List animals',
  asks: ['list'],
  judge: () => undefined,
};

/** Every statement, in the order of the report. */
export const statements: readonly Statement[] = [reach, ...answerStatements, ...petStatements];

/** Outages that say nothing of what was asked. */
const outages: readonly number[] = [429, 502, 503, 504];

/** What the answers of a run say of every statement. `isWanted`: whether it was to be asked. */
export function judgeStatements(
  seen: Seen,
  basePath: string,
  isWanted: (id: string) => boolean,
): Record<string, StatementFinding> {
  const reached = judgeReach(seen.exchanges, basePath);
  const look = lookAt(seen.exchanges, basePath);
  const isWhole = seen.stopped === undefined && statements.every(({ id }) => isWanted(id));
  const judgeOne = (one: Statement): Outcome => {
    // It is asked in any case: everything else is judged by its list.
    if (one === reach) return reached;
    if (!isWanted(one.id)) return notJudged('left out by --only');
    if (reached !== undefined) return notJudged(whyUnreached(reached));
    const missing = whyMissing(one, seen);
    if (missing !== undefined) return notJudged(missing);
    const outcome = one.judge(look);
    const isPart = one.asks === 'all' && outcome === undefined && !isWhole;
    return isPart ? notJudged(seen.stopped ?? 'only some requests were sent: --only') : outcome;
  };
  return Object.fromEntries(statements.map((one) => [one.id, findingOf(one, judgeOne(one))]));
}

function findingOf({ title, section }: Statement, outcome: Outcome): StatementFinding {
  if (outcome === undefined) return { verdict: 'holds', title, section };
  return typeof outcome === 'string'
    ? { verdict: 'fails', title, section, why: outcome }
    : { verdict: 'not judged', title, section, why: outcome.notJudged };
}

const whyUnreached = (reached: string | NotJudged) =>
  typeof reached === 'string' ? 'reach does not hold' : reached.notJudged;

/** Why a statement cannot be judged; undefined where everything that it asks for was answered. */
function whyMissing({ asks }: Statement, seen: Seen): string | undefined {
  if (asks === 'all') return undefined;
  if (asks === 'limit') {
    const wasSent = seen.exchanges.some(({ ask }) => ask.name === 'burst');
    return wasSent ? undefined : whyNotSent({ needs: 'rate-limit' }, seen);
  }
  for (const ask of plan.filter(({ name }) => (asks as readonly string[]).includes(name))) {
    const exchange = seen.exchanges.find((one) => one.ask.name === ask.name);
    if (!exchange) return whyNotSent(ask, seen);
    const status = exchange.answer?.status;
    if (status === undefined || outages.includes(status))
      return `${describeAsk(exchange.ask)} → ${status ?? exchange.failed ?? 'no answer'}`;
  }
  return undefined;
}

/** Without a list of pets nothing else can be judged. */
function judgeReach(exchanges: Exchanges, basePath: string): string | undefined | NotJudged {
  const answer = answerOf(exchanges, 'list');
  if (!answer)
    return notJudged(`GET /pets got no response: ${exchanges[0]?.failed ?? 'it was not sent'}`);
  const { status, headers, json } = answer;
  if (petsOf(answer)) return undefined;
  if (status === 401 || status === 403)
    return notJudged(
      `the API key was refused with ${status}: check that it is a key of this environment`,
    );
  if (status === 429) return notJudged('the quota of the key is used up (429)');
  if (status >= 500) return notJudged(`the service is out of order (${status})`);
  if (status >= 300 && status < 400)
    return `it redirects (${status}) to ${headers['location'] ?? 'nowhere'}: give that address`;
  if (status === 404)
    return `status 404 for ${basePath}/pets: is the address right? --base-path sets what stands before /pets`;
  if (status !== 200) return `status ${status}`;
  return json === undefined
    ? `the body is not JSON (Content-Type: ${headers['content-type'] ?? 'none'})`
    : 'the JSON is not an array of pets with id, name and categoryId';
}
