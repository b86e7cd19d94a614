/** What the interface leaves open of headers, windows and codes: read from the answers to all other cases. */
import { headers as names, plans } from '../../../src/contract/index.js';
import { resetOf, unitOf } from '../ask/rate.js';
import {
  answered,
  answerOf,
  beyond,
  type Case,
  type Known,
  limitsOf,
  measured,
  ratesOf,
  undecided,
} from '../case.js';
import { clockOffsetOf, isCached, middleOf } from '../windows/clock.js';
import { judgeCodes } from '../judges/codes.js';
import { valuesOf, type Hypothesis } from '../windows/hypotheses.js';
import type { Verdict } from '../types.js';
import * as ask from './asks.js';
import { type Exchange, hasKey } from '../ask/request.js';

/** A limit that resets later than this, ms, is the day's: a bucket in debt takes longer than a minute too. */
const dayReset = 120_000;

const isOwn = ({ ask: { key } }: Exchange) => key === 'own';

const showsDay = (known: Known, isOf: (exchange: Exchange) => boolean) =>
  ratesOf(known, isOf).some(({ resetIn }) => resetIn > dayReset);

const refusals = [ask.withoutKey, ask.withoutKeyAgain, ask.withoutKeyThird];

/** Read from all answers: it asks for nothing of its own. */
const passive = (
  name: string,
  title: string,
  section: string,
  judge: Case['judge'],
  requests: Case['requests'] = () => [ask.list],
): Case => ({
  id: `assumption.${name}`,
  title,
  section,
  level: 'get',
  after: ['reach'],
  requests,
  judge,
});

export const headerAssumptions: readonly Case[] = [
  passive('codes', 'The set of values of code', 'Errors, 3', judgeCodes, () => [
    ask.missingPet,
    ask.missingPetAgain,
    ...refusals.slice(0, 2),
    ask.invalidKey,
    ask.unknownPath,
    ask.limitBelow,
    ask.storeOrders,
  ]),
  passive('resetUnit', 'Unit of X-RateLimit-Reset', 'Rate limit headers', (known) => {
    const all = answered(known).map(({ answer }) => {
      const reset = resetOf(answer.headers);
      if (reset !== undefined) return unitOf(reset);
      return names.reset.toLowerCase() in answer.headers ? 'no number' : 'absent';
    });
    const [unit, ...others] = [...new Set(all)];
    if (others.length > 0 || unit === 'no number')
      return beyond([unit, ...others].join(', '), 'unix-seconds');
    return measured(unit);
  }),
  passive('dateHeader', 'Whether answers carry a Date', 'Rate limit headers', (known) => {
    const all = answered(known);
    const dated = all.filter(({ answer }) => 'date' in answer.headers).length;
    if (isCached(known)) return undecided('a cache has answered: it may have added the Date');
    if (dated === all.length) return measured(true);
    return dated === 0
      ? measured(false)
      : beyond(`${dated} of ${all.length} answers have one`, true);
  }),
  passive(
    'clockSkew',
    'How far the clock of the service is off, ms',
    'Rate limit headers',
    (known) => {
      const offset = clockOffsetOf(known);
      if (!offset) return undecided('no answer has a Date');
      if (isCached(known)) return undecided('a cache has answered: its Date is old');
      if (offset.low > offset.high)
        return undecided('no single clock explains every Date: see nodes');
      return measured(middleOf(offset), 'bounded');
    },
  ),
  passive('minuteWindow', 'How the minute is counted', 'Rate limit headers', (known) =>
    fitted(known, 'minuteWindow'),
  ),
  passive(
    'resetMeaning',
    'What "resets" means for a sliding window or a bucket',
    'Rate limit headers',
    (known) => {
      const rolls = known.fit?.left.some(({ minuteWindow }) => /sliding|bucket/.test(minuteWindow));
      return known.fit && known.fit.left.length > 0 && !rolls
        ? undecided('the windows of this service reset as a whole, so it makes no difference')
        : fitted(known, 'resetMeaning');
    },
  ),
  passive(
    'countingScope',
    'Whether counting is per key or per other scope',
    'Gaps: counting',
    (known) => {
      const verdict = fitted(known, 'countingScope');
      return verdict.verdict === 'undecided' &&
        !known.hasSecondKey &&
        known.fit?.withheld === undefined
        ? { ...verdict, why: `${verdict.why}; --second-key distinguishes them` }
        : verdict;
    },
    (known) => (known.hasSecondKey ? inTurn : [ask.list]),
  ),
  passive(
    'unauthorizedCount',
    'Whether requests without a valid key are counted',
    'Authentication, 3',
    (known) => {
      return refusedLimits(known).length === 0
        ? undecided('no 401 has rate-limit headers')
        : fitted(known, 'unauthorizedCount');
    },
    () => refusals,
  ),
  passive(
    'unauthorizedQuota',
    'The quota that the headers of a 401 show',
    'Authentication, 3',
    (known) => {
      const limits = refusedLimits(known);
      const [limit] = limits;
      if (limit === undefined) return undecided('no 401 has X-RateLimit-Limit');
      if (limits.length > 1) return beyond(`several limits: ${limits.join(', ')}`, 'free');
      const plan = planOf(limit);
      // The day is not seen: that of the plan, or so large that it never binds.
      if (plan !== undefined) return measured(plan, 'partly');
      if (limit > 0) return measured({ perMinute: limit, perDay: 1_000_000_000 }, 'partly');
      return beyond('a limit of 0', 'free');
    },
    () => refusals,
  ),
  passive(
    'enterpriseQuota',
    'The Enterprise quota, which is agreed individually',
    'Rate limits by plan',
    (known) => {
      const limit = known.fit?.limit;
      if (limit === undefined || showsDay(known, isOwn))
        return undecided('no response shows the limit of the minute');
      if (planOf(limit) !== undefined)
        return undecided(`the key is not an Enterprise key: ${limit} is a published plan's`);
      if (limit < 1) return beyond(`a limit of ${limit}`);
      return measured({ perMinute: limit, perDay: 1_000_000_000 }, 'partly');
    },
  ),
  passive(
    'nodes',
    'Whether its nodes agree on Remaining and on the time',
    'Rate limit headers',
    (known) => {
      const offset = clockOffsetOf(known);
      const width = offset ? Math.max(0, offset.low - offset.high) : 0;
      if (isCached(known)) return undecided('a cache has answered');
      if (width > 50) return beyond(`clocks that differ by at least ${Math.round(width)} ms`);
      const { nodes } = known.fit ?? {};
      // A range that was seen is less than the range that there is, and a window that is off by one looks the same.
      if (nodes)
        return undecided(
          `Remaining goes up and down by up to ${nodes[1] - nodes[0]}, as of nodes that disagree`,
        );
      if (!known.fit || known.fit.withheld !== undefined)
        return undecided(known.fit?.withheld ?? 'not fitted');
      return undecided('no responses disagree, but other nodes may still do');
    },
  ),
  passive(
    'announcedWindow',
    'Which of the two windows the headers report',
    'Rate limit headers',
    (known) => {
      const limits = limitsOf(known, isOwn);
      if (limits.length > 2) return undecided(`the limit changes: ${limits.join(', ')}`);
      return showsDay(known, (exchange) => hasKey(exchange.ask))
        ? measured('binding', 'likely')
        : undecided('it shows only when fewer requests are left in the day than in the minute', [
            'binding',
            'minute',
          ]);
    },
  ),
  passive('dayWindow', 'How the day is counted', 'Rate limit headers', () =>
    undecided('a run would need more than a day'),
  ),
  passive('removedOperation', 'Response of getPet after its removal', 'Get an animal', (known) => {
    const request = ask.firstPet(known);
    const answer = request && answerOf(known, request);
    const date = Date.parse(answer?.headers['date'] ?? '');
    if (!answer || Number.isNaN(date) || date < Date.parse('2030-12-06'))
      return undecided('it can be asked from 6 December 2030 on');
    if (answer.status === 200) return measured('works');
    return answer.status === 410 || answer.status === 404
      ? measured(answer.status)
      : beyond(`status ${answer.status}`, 410);
  }),
  never(
    'removedFrom',
    'When on that day it is removed',
    'only a run on 5 December 2030 can show it',
  ),
  never(
    'environments',
    'Whether production and staging have pets and quotas of their own',
    'a run asks one address, and this needs both: docs/assumptions.md says how to see it',
  ),
  never('firstId', 'The first id', 'the pet with the first id was created long ago'),
  {
    ...passive(
      'refusedCount',
      'Whether a refused request counts',
      'Behaviour at the limit, 1',
      (known) => fitted(known, 'refusedCount'),
    ),
    level: 'rate-limit',
    after: ['limit.429'],
  },
  never(
    'strikeRule',
    'Which repeated requests after a 429 lead to a ban',
    'asking would ban the key: ask the provider',
  ),
  never(
    'bannedAnswer',
    'How a banned key is answered',
    'asking would ban the key: ask the provider',
  ),
];

/** Two keys in turn, which show whether they are counted together. */
const inTurn = [0, 1, 2, 3].map((index) =>
  ask.get('/pets?limit=2', {
    key: index % 2 === 0 ? 'second' : 'own',
    nth: 2 + Math.floor(index / 2),
  }),
);

function never(name: string, title: string, why: string): Case {
  return {
    id: `assumption.${name}`,
    title,
    section: 'Gaps',
    level: 'never',
    why,
    requests: () => [],
    judge: () => undecided(why),
  };
}

function fitted(known: Known, name: keyof Hypothesis): Verdict {
  const { fit } = known;
  if (!fit) return undecided('the windows were not fitted');
  if (fit.withheld !== undefined) return undecided(fit.withheld);
  const left = name === 'unauthorizedCount' ? (fit.withRefusals ?? fit.left) : fit.left;
  const values = name === 'countingScope' ? fit.scopes : valuesOf(left, name);
  if (values.length === 1) return measured(values[0], 'likely');
  return undecided(`${values.join(' or ')}: each explains all of ${fit.answers} answers`, values);
}

/** The published plan with so many requests a minute. */
const planOf = (limit: number) =>
  Object.entries(plans).find(
    ([, quota]) => quota !== 'custom' && (quota.perMinute as number) === limit,
  )?.[0];

/** The limits in the headers of 401s. */
const refusedLimits = (known: Known) => limitsOf(known, ({ answer }) => answer.status === 401);
