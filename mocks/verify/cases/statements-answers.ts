/** What the interface says of keys, and of every answer. */
import { ErrorSchema, headers as names, plans } from '../../../src/contract/index.js';
import { isInt64 } from '../../../src/contract/int64.js';
import { readRate, resetOf } from '../ask/rate.js';
import { describeAsk, type Exchange } from '../ask/request.js';
import {
  allGet,
  answered,
  type Answered,
  type Case,
  fails,
  holds,
  isPet,
  type Known,
  limitsOf,
  petsOf,
  undecided,
} from '../case.js';
import type { Verdict } from '../types.js';
import * as ask from './asks.js';

/** Looks at every answer at no cost. */
const invariant = (
  id: string,
  title: string,
  section: string,
  wrong: (exchange: Answered) => string | undefined,
): Case => ({
  id,
  title,
  section,
  level: 'get',
  isPassive: true,
  after: ['reach'],
  requests: () => [ask.list],
  judge: (known) => {
    const all = answered(known).filter(({ answer }) => answer.status < 500);
    const broken = all.flatMap((exchange) => {
      const what = wrong(exchange);
      return what === undefined ? [] : [{ exchange, what }];
    });
    if (broken.length === 0) return holds;
    const [{ exchange, what }] = broken as [(typeof broken)[0]];
    return fails(
      `${broken.length} of ${all.length} answers: ${describeAsk(exchange.ask)} → ${exchange.answer.status}: ${what}`,
    );
  },
});

const refused = allGet(401, 'Authentication, 3');

/** True for what the interface says something of: its three operations. */
const isOperation = ({ ask: { path } }: Exchange) => /^\/pets(?:[/?]|$)/.test(path);

const isError = (status: number) => status >= 400 && status !== 429;

export const answerStatements: readonly Case[] = [
  refused(
    'auth.missing-401',
    'A request without a key gets status 401',
    [ask.withoutKey, ask.petWithoutKey],
    'get',
  ),
  refused(
    'auth.invalid-401',
    'A request with an invalid key gets status 401',
    [ask.invalidKey, ask.petWithInvalidKey],
    'get',
  ),
  refused(
    'auth.create-401',
    'A POST of a pet without a key gets status 401',
    [ask.postWithoutKey],
    'posts',
  ),
  {
    id: 'plan.limit-published',
    title: 'X-RateLimit-Limit is the limit of a published plan',
    section: 'Rate limits by plan',
    level: 'get',
    after: ['reach'],
    requests: () => [ask.list],
    judge: judgePlan,
  },
  invariant(
    'answer.rate-limit-headers',
    'Every answer has the three rate-limit headers, with numbers',
    'Rate limit headers',
    ({ answer }) => {
      const missing = [names.limit, names.remaining, names.reset].filter(
        (name) => !/^\d+(\.\d+)?$/.test(answer.headers[name.toLowerCase()] ?? ''),
      );
      return missing.length === 0 ? undefined : `no number in ${missing.join(', ')}`;
    },
  ),
  invariant(
    'answer.reset-timestamp',
    'X-RateLimit-Reset is a Unix timestamp',
    'Rate limit headers',
    ({ answer }) => {
      const reset = resetOf(answer.headers);
      return reset !== undefined && reset < 1e8
        ? `${reset} is not a Unix timestamp of today`
        : undefined;
    },
  ),
  invariant(
    'answer.remaining-within-limit',
    'X-RateLimit-Remaining is 0 or more, and no more than the limit',
    'Rate limit headers',
    ({ answer, receivedAt }) => {
      const rate = readRate(answer, receivedAt);
      return rate && rate.remaining > rate.limit ? `${rate.remaining} of ${rate.limit}` : undefined;
    },
  ),
  invariant(
    'answer.json',
    'Bodies are JSON, and declared so',
    'What the service does',
    (exchange) => {
      const { headers, text, json, status } = exchange.answer;
      if (text === '' || status === 429 || !isOperation(exchange)) return undefined;
      if (json === undefined) return 'the body is not JSON';
      const type = headers['content-type'] ?? 'none';
      return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)
        ? undefined
        : `Content-Type: ${type}`;
    },
  ),
  invariant('error.shape', 'An error has code, message and status', 'Errors, 1', (exchange) => {
    const { status, json } = exchange.answer;
    if (!isError(status) || !isOperation(exchange) || ErrorSchema.safeParse(json).success)
      return undefined;
    return 'no object with code, message and status';
  }),
  invariant('error.status-repeats', 'status repeats the HTTP status', 'Errors, 1', (exchange) => {
    const { status, json } = exchange.answer;
    const inBody = (json as { status?: unknown } | null | undefined)?.status;
    if (!isError(status) || !isOperation(exchange) || typeof inBody !== 'number') return undefined;
    return inBody === status ? undefined : `the body says ${inBody}`;
  }),
  invariant(
    'answer.int64',
    'id and categoryId are int64, written as numbers',
    'Resources and their fields: Pet',
    (exchange) => {
      const { json, status } = exchange.answer;
      if (status > 201 || !isOperation(exchange)) return undefined;
      for (const pet of Array.isArray(json) ? json : [json])
        if (!isPet(pet) || !isInt64(pet.id) || !isInt64(pet.categoryId))
          return 'a pet whose id or categoryId is not an int64';
      return undefined;
    },
  ),
  invariant(
    'list.id-unique',
    'Each pet of a list has an id of its own',
    'Resources and their fields: Pet',
    ({ answer }) => {
      const ids = (petsOf(answer) ?? []).map(({ id }) => String(id));
      const twice = ids.find((id, at) => ids.indexOf(id) < at);
      return twice === undefined ? undefined : `two pets have the id ${twice}`;
    },
  ),
];

function judgePlan(known: Known): Verdict {
  const limits = limitsOf(known, ({ ask: { key } }) => key === 'own');
  const published = new Set(
    Object.values(plans).flatMap((plan) =>
      plan === 'custom' ? [] : [plan.perMinute, plan.perDay],
    ),
  ) as ReadonlySet<number>;
  const other = limits.filter((limit) => !published.has(limit));
  if (limits.length === 0) return undecided('no response has X-RateLimit-Limit');
  return other.length === 0
    ? holds
    : undecided(
        `${other.join(', ')} is not the limit of a published plan: the key may be an Enterprise key`,
      );
}
