/** What the interface says of the limit itself: asked by reaching it, which must be allowed. */
import type { Verdict } from '../types.js';
import { ErrorSchema, headers as names } from '../../../src/contract/index.js';
import { readRate } from '../ask/rate.js';
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
import { judgeRetryAfter, toldWait } from '../judges/retry-after.js';
import * as ask from './asks.js';

/** No more requests than these in a burst: with a larger limit, a key of the Free plan is asked for. */
const mostInBurst = 350;
/** The last request of the second burst comes so much later, ms, that its wait is another one. */
const pause = 7_000;

const burstOf = (round: number, nth: number, notBefore?: number): Ask =>
  ask.get(`/pets?limit=1`, {
    nth: round * 10_000 + nth,
    burst: true,
    ...(notBefore !== undefined && { notBefore }),
  });
const afterwards = (notBefore?: number): Ask =>
  ask.get('/pets?limit=1', {
    nth: 9_999,
    burst: true,
    ...(notBefore !== undefined && { notBefore }),
  });

/** The requests of one burst that were sent. */
function sent(known: Known, round: number): Exchange[] {
  return known.exchanges.filter(
    ({ ask: { burst, nth = 0 } }) =>
      burst === true && Math.floor(nth / 10_000) === round && nth !== 9_999,
  );
}

function refusedIn(known: Known, round: number): Exchange | undefined {
  return sent(known, round).find(({ answer }) => answer?.status === 429);
}

/** The next request of a burst: none once it is refused, or when too many would be needed. */
function nextOf(known: Known, round: number): readonly Ask[] {
  const so = sent(known, round);
  const last =
    so.at(-1) ?? known.exchanges.findLast(({ ask: { key }, answer }) => key === 'own' && answer);
  const rate = last?.answer && readRate(last.answer, last.receivedAt);
  if (!rate || refusedIn(known, round) || rate.limit > mostInBurst || so.length > rate.limit + 20)
    return [];
  const paused = so.some(({ ask: { notBefore } }) => notBefore !== undefined);
  const wait = round === 2 && rate.remaining === 0 && !paused ? last.receivedAt + pause : undefined;
  return [burstOf(round, so.length, wait)];
}

/** Both bursts, and the request after the first: each step when the one before is done. */
function requests(known: Known): readonly Ask[] {
  const first = nextOf(known, 1);
  if (first.length > 0) return first;
  const refused = refusedIn(known, 1);
  const wait = refused && toldWait(refused);
  if (!refused || wait === undefined) return [];
  return [
    afterwards(refused.receivedAt + wait),
    // Refused again: whoever goes on now is on the way to a ban.
    ...([undefined, 429].includes(answerOf(known, afterwards())?.status) ? [] : nextOf(known, 2)),
  ];
}

const whyNone = (known: Known) => {
  const limit = sent(known, 1).length === 0 ? undefined : 'was not refused';
  return limit ?? `a limit of more than ${mostInBurst} requests: ask with a key of the Free plan`;
};

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
  judge: (known: Known): Verdict => {
    const refused = refusedIn(known, 1);
    return refused ? judge(known, refused) : undecided(whyNone(known));
  },
});

export const limitStatements: readonly Case[] = [
  {
    id: 'limit.429',
    title: 'A request beyond the limit is answered 429',
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
    'After the wait that a 429 tells, a request is admitted',
    'Behaviour at the limit, 2',
    (known, refused) => {
      if (toldWait(refused) === undefined)
        return undecided('it tells to wait longer than this run may');
      const answer = answerOf(known, afterwards());
      if (!answer) return undecided('nothing was asked after it');
      return answer.status === 429 ? fails('it was answered 429 again') : holds;
    },
  ),
  limitCase(
    'assumption.retryAfter',
    'Unit and format of the Retry-After value',
    'Gaps: Retry-After',
    (known) =>
      judgeRetryAfter(
        known,
        known.exchanges.filter(
          ({ ask: { key }, answer }) =>
            (key === 'own' || key === 'second') && answer?.status === 429,
        ),
      ),
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
