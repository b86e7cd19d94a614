/** What the interface says of the limit itself: asked by reaching it, which must be allowed. */
import type { Verdict } from '../types.js';
import { ErrorSchema, headers as names } from '../../../src/contract/index.js';
import { readRate, type Rate } from '../ask/rate.js';
import type { Ask, Exchange } from '../ask/request.js';
import {
  answerOf,
  beyond,
  fails,
  holds,
  measured,
  undecided,
  type Case,
  type Known,
} from '../case.js';
import { judgeRetryAfter, announcedWait } from '../judges/retry-after.js';
import * as ask from './asks.js';

/** No more requests than these in a burst: with a larger limit, a key of the Free plan is asked for. */
const mostInBurst = 350;
/** The last request of the second burst comes so much later, ms, that its wait is another one. */
const pause = 7_000;

const burstRequest = (nth: number, notBefore?: number): Ask =>
  ask.get('/pets?limit=1', { nth, burst: true, ...(notBefore !== undefined && { notBefore }) });
/** The request after the wait that the first 429 announced. */
const afterwards = (notBefore?: number): Ask => burstRequest(9_999, notBefore);

/** The requests of one burst that were sent. */
function sent(known: Known, round: number): Exchange[] {
  return known.exchanges.filter(
    ({ ask: { burst, nth = 0 } }) => burst === true && Math.floor(nth / 10_000) === round,
  );
}

/** The last exchange with the key that was answered. */
const lastOfKey = (known: Known) =>
  known.exchanges.findLast(({ ask: { key }, answer }) => key === 'own' && answer);

const rateOf = ({ answer, receivedAt }: Exchange) => answer && readRate(answer, receivedAt);

function refusedIn(known: Known, round: number): Exchange | undefined {
  return sent(known, round).find(({ answer }) => answer?.status === 429);
}

/** How many more requests the run may send. */
const requestsLeft = ({ exchanges, maxRequests }: Known) => maxRequests - exchanges.length;

/** How many requests it takes to be refused, and in the first round one more after the wait. */
const requestsToReach = ({ limit, remaining }: Rate, round: number) =>
  round === 1 ? remaining + 2 : limit + 1;

/** The next request of a burst: none once it is refused, or when too many would be needed. */
function nextOf(known: Known, round: number): readonly Ask[] {
  const so = sent(known, round);
  const last = so.at(-1) ?? lastOfKey(known);
  const rate = last && rateOf(last);
  if (!rate || refusedIn(known, round) || rate.limit > mostInBurst || so.length > rate.limit + 20)
    return [];
  if (so.length === 0 && requestsLeft(known) < requestsToReach(rate, round)) return [];
  const paused = so.some(({ ask: { notBefore } }) => notBefore !== undefined);
  const wait = round === 2 && rate.remaining === 0 && !paused ? last.receivedAt + pause : undefined;
  return [burstRequest(round * 10_000 + so.length, wait)];
}

/** Both bursts, and the request after the first: each step when the one before is done. */
function requests(known: Known): readonly Ask[] {
  const first = nextOf(known, 1);
  if (first.length > 0) return first;
  const refused = refusedIn(known, 1);
  const wait = refused && announcedWait(refused);
  if (!refused || wait === undefined) return [];
  return [
    afterwards(refused.receivedAt + wait),
    // Refused again: whoever goes on now is on the way to a ban.
    ...([undefined, 429].includes(answerOf(known, afterwards())?.status) ? [] : nextOf(known, 2)),
  ];
}

/** Why the limit was not reached on purpose. */
function whyNone(known: Known): string {
  const { length } = sent(known, 1);
  if (length > 0) return `${length} requests, and no 429`;
  const last = lastOfKey(known);
  const rate = last && rateOf(last);
  if (!rate) return 'no response has rate-limit headers';
  if (rate.limit > mostInBurst)
    return `a limit of more than ${mostInBurst} requests: ask with a key of the Free plan`;
  const needed = requestsToReach(rate, 1);
  if (requestsLeft(known) < needed)
    return `it takes ${needed} requests to reach the limit, and --max-requests leaves ${requestsLeft(known)} of ${known.maxRequests}`;
  return 'no request was sent';
}

const limitCase = (
  id: string,
  title: string,
  section: string,
  judge: (known: Known, refused: Exchange) => ReturnType<Case['judge']>,
): Case => ({
  id,
  title,
  section,
  level: 'rate-limit',
  after: ['reach'],
  requests,
  judge: (known) => {
    const refused = refusedIn(known, 1);
    return refused ? judge(known, refused) : undecided(whyNone(known));
  },
});

export const limitStatements: readonly Case[] = [
  {
    id: 'limit.429',
    title: 'A request beyond the limit gets status 429',
    section: 'Behaviour at the limit, 1',
    level: 'rate-limit',
    after: ['reach'],
    requests,
    judge: (known: Known): Verdict => {
      const burst = sent(known, 1);
      if (burst.length === 0) return undecided(whyNone(known));
      return refusedIn(known, 1) ? holds : fails(`${burst.length} requests, and no 429`);
    },
  },
  limitCase(
    'limit.retry-after',
    'A 429 has Retry-After',
    'Behaviour at the limit, 2',
    (_known, refused) =>
      names.retryAfter.toLowerCase() in refused.answer!.headers ? holds : fails('no Retry-After'),
  ),
  limitCase(
    'limit.true',
    'After the wait that a 429 announces, a request is allowed',
    'Behaviour at the limit, 2',
    (known, refused) => {
      if (announcedWait(refused) === undefined)
        return undecided('the 429 announces a longer wait than 5 minutes');
      const answer = answerOf(known, afterwards());
      if (!answer) return undecided('no request was sent after the wait');
      return answer.status === 429
        ? fails('the request after the wait was answered 429 again')
        : holds;
    },
  ),
  limitCase(
    'assumption.retryAfter',
    'Unit and format of the Retry-After value',
    'Gaps: Retry-After',
    (known) => judgeRetryAfter(known),
  ),
  limitCase(
    'assumption.rateLimitBody',
    'The body of a 429',
    'Gaps: body shape of the 429 response',
    (_known, refused) => {
      const { text, json } = refused.answer!;
      if (text === '') return measured('none');
      return ErrorSchema.safeParse(json).success
        ? measured('error')
        : beyond('a body that is no Error', 'error');
    },
  ),
];
