/** What the interface says of keys, of every answer, and of the limit. */
import { ErrorSchema, headers as names, plans } from '../../../src/contract/index.js';
import { isExactPet, petsOf, type Exchange } from '../ask/exchange.js';
import { readRate, resetOf } from '../ask/rate.js';
import {
  allGet,
  limitOf,
  notJudged,
  ofEveryAnswer,
  statement,
  type Statement,
} from './statement.js';

const refused = allGet(401, 'Authentication, 3');

/** True for what the interface says something of: its three operations. */
const isOperation = ({ ask: { path } }: Exchange) => /^\/pets(?:[/?]|$)/.test(path);
const isError = (status: number) => status >= 400 && status !== 429;
const published: ReadonlySet<number> = new Set(
  Object.values(plans).flatMap((plan) => (plan === 'custom' ? [] : [plan.perMinute, plan.perDay])),
);

export const answerStatements: readonly Statement[] = [
  refused(
    'auth.missing-401',
    'A request without a key gets status 401',
    'withoutKey',
    'petWithoutKey',
  ),
  refused(
    'auth.invalid-401',
    'A request with an invalid key gets status 401',
    'invalidKey',
    'petWithInvalidKey',
  ),
  refused('auth.create-401', 'A POST of a pet without a key gets status 401', 'postWithoutKey'),
  statement(
    'plan.limit-published',
    'X-RateLimit-Limit is the limit of a published plan',
    'Rate limits by plan',
    ['list'],
    ({ of }) => {
      const limit = readRate(of('list'), 0)?.limit;
      if (limit === undefined) return notJudged('no response has X-RateLimit-Limit');
      return published.has(limit)
        ? undefined
        : notJudged(`${limit} is of no published plan: the key may be an Enterprise key`);
    },
  ),
  ofEveryAnswer(
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
  ofEveryAnswer(
    'answer.reset-timestamp',
    'X-RateLimit-Reset is a Unix timestamp',
    'Rate limit headers',
    ({ answer }) => {
      const reset = resetOf(answer.headers) ?? Infinity;
      return reset < 1e8 ? `${reset} is not a Unix timestamp of today` : undefined;
    },
  ),
  ofEveryAnswer(
    'answer.remaining-within-limit',
    'X-RateLimit-Remaining is 0 or more, and no more than the limit',
    'Rate limit headers',
    ({ answer, receivedAt }) => {
      const { remaining, limit } = readRate(answer, receivedAt) ?? { remaining: 0, limit: 0 };
      return remaining > limit ? `${remaining} of ${limit}` : undefined;
    },
  ),
  ofEveryAnswer(
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
  ofEveryAnswer('error.shape', 'An error has code, message and status', 'Errors, 1', (exchange) => {
    const { status, json } = exchange.answer;
    const isWrong =
      isError(status) && isOperation(exchange) && !ErrorSchema.safeParse(json).success;
    return isWrong ? 'no object with code, message and status' : undefined;
  }),
  ofEveryAnswer(
    'error.status-repeats',
    'status repeats the HTTP status',
    'Errors, 1',
    (exchange) => {
      const { status, json } = exchange.answer;
      const inBody = (json as { status?: unknown } | null | undefined)?.status;
      const isTold = isError(status) && isOperation(exchange) && typeof inBody === 'number';
      return isTold && inBody !== status ? `the body says ${inBody}` : undefined;
    },
  ),
  ofEveryAnswer(
    'answer.int64',
    'id and categoryId are int64, written as numbers',
    'Resources and their fields: Pet',
    (exchange) => {
      const { json, status } = exchange.answer;
      if (status > 201 || !isOperation(exchange)) return undefined;
      return (Array.isArray(json) ? json : [json]).every(isExactPet)
        ? undefined
        : 'a pet whose id or categoryId is not an int64';
    },
  ),
  ofEveryAnswer(
    'list.id-unique',
    'Each pet of a list has an id of its own',
    'Resources and their fields: Pet',
    ({ answer }) => {
      const ids = (petsOf(answer) ?? []).map(({ id }) => String(id));
      const twice = ids.find((id, at) => ids.indexOf(id) < at);
      return twice === undefined ? undefined : `two pets have the id ${twice}`;
    },
  ),
  statement(
    'limit.429',
    'A request beyond the limit gets status 429',
    'Behaviour at the limit, 1',
    'limit',
    ({ exchanges }) => {
      const { sent, refused, last } = limitOf(exchanges);
      if (refused) return undefined;
      // A bucket that refills as fast as one asks is never empty.
      const isEmpty = last !== undefined && readRate(last, 0)?.remaining === 0;
      return isEmpty ? `${sent} requests, and no 429` : notJudged('X-RateLimit-Remaining is not 0');
    },
  ),
  statement(
    'limit.retry-after',
    'A 429 has Retry-After',
    'Behaviour at the limit, 2',
    'limit',
    ({ exchanges }) => {
      const { refused } = limitOf(exchanges);
      if (!refused) return notJudged('there was no 429');
      return names.retryAfter.toLowerCase() in refused.headers ? undefined : 'no Retry-After';
    },
  ),
  statement(
    'limit.true',
    'After the wait that a 429 announces, a request is allowed',
    'Behaviour at the limit, 2',
    'limit',
    ({ exchanges }) => {
      const { after } = limitOf(exchanges);
      if (!after) return notJudged('no request was sent after a 429 and its wait');
      return after.status === 429 ? 'the request after the wait was answered 429 again' : undefined;
    },
  ),
];
