import { RateLimitError, type RateLimitReason } from '../errors/errors.js';
import type { ResponseFailure } from '../http/fetch.js';
import { dateOf, readRateLimit, readWait } from '../rate-limit/headers.js';
import { GateRefusedError, type RateLimit } from '../rate-limit/types.js';
import type { CallContext } from './call-context.js';
import { apiFields, statedMessage, type ApiFields, type Description } from './describe-status.js';

/** The latest moment that a `Date` can hold. */
const latest = 8.64e15;

/**
 * The error of a call that the rate limit has stopped: by a 429, or before it was sent. `known` is the quota as the client
 * knows it, for a call without a 429 response.
 */
export function describeRateLimit(
  failure: GateRefusedError | ResponseFailure,
  context: CallContext,
  known: RateLimit | undefined,
): Description {
  const { isUnsure, rateLimitedCount, rateLimitResponse } = context;
  const now = context.config.clock.now();
  const isRefused = failure instanceof GateRefusedError;
  const stoppedBy = isRefused ? failure.reason : 'attempts';
  const reason = stoppedBy === 'wait' ? firstBound(context) : stoppedBy;
  const wait = isRefused ? failure.retryAfter : statedWait(failure, now);
  // Rounded up: a call that is repeated a part of a millisecond too early would have to wait. A custom gate may state a `retryAfter` that is not a duration.
  const retryAfter =
    wait !== undefined && wait >= 0 && wait < Infinity ? Math.ceil(wait) : undefined;
  const retryAt =
    retryAfter === undefined ? undefined : new Date(Math.min(latest, Math.ceil(now + retryAfter)));
  const api: ApiFields =
    rateLimitResponse === undefined
      ? { ...apiFields(noResponse(), context), body: undefined, rateLimit: known }
      : apiFields(rateLimitResponse, context);
  const usedUp = reason === 'attempts' || reason === 'queue' ? '' : exhaustedQuota(api, now);
  const said = api.code === undefined ? '' : ` ("${statedMessage(api)}")`;
  // Only a request that changes nothing is sent again after another failure than a 429.
  const processed = isUnsure ? 'nothing was changed' : 'it was not processed';
  const when =
    retryAt === undefined ? 'try again later' : `try again after ${retryAt.toISOString()}`;
  const { maxWait } = context.config;
  const alsoWait =
    maxWait < context.waitedForLimit + (retryAfter ?? 0) ? ' and maxWait: Infinity' : '';
  const orWait = reason === 'hold' ? `, or set maxHold: Infinity${alsoWait} to wait` : '';
  const requestSent = rateLimitedCount > 0 ? 'yes' : isUnsure ? 'unknown' : 'no';
  return [
    RateLimitError,
    usedUp + because(context, reason, retryAfter) + said,
    context.nextStep(`${processed}: ${when}${orWait}`),
    { ...api, reason, retryAfter, retryAt, requestSent },
  ];
}

/** For a call that was stopped before any response: as if it had been a 429 that says nothing. */
const noResponse = () => ({ response: new Response(null, { status: 429 }), text: '' });

/** ms until the call can be repeated, as a 429 says: based on its own `Date`, otherwise on the local clock. */
function statedWait({ raw }: ResponseFailure, now: number): number | undefined {
  const { headers } = raw.response;
  const reset = readRateLimit(headers)?.resetAt.getTime();
  const untilReset = reset === undefined ? undefined : Math.max(0, reset - dateOf(headers, now));
  return readWait(headers, now) ?? untilReset;
}

/** Which option ends the wait first. */
function firstBound(context: CallContext): 'wait' | 'deadline' {
  const { deadline, config, waitedForLimit } = context;
  return deadline - config.clock.monotonic() < config.maxWait - waitedForLimit
    ? 'deadline'
    : 'wait';
}

function because(context: CallContext, reason: RateLimitReason, retryAfter = 0): string {
  const { config, rateLimitedCount, waitedForLimit, beganAt } = context;
  switch (reason) {
    case 'attempts':
      return config.gate === false
        ? 'the service responded 429, and gate is false'
        : `the service responded 429 ${rateLimitedCount} times`;
    case 'hold':
      return `the rate limit holds this key for longer than maxHold (${config.maxHold} ms)`;
    case 'queue':
      return 'the queue for the rate limit is full (10,000 calls)';
    case 'wait':
      if (config.maxWait === Infinity) return 'the option gate refused the wait';
      return passes('maxWait', config.maxWait, retryAfter && waitedForLimit + retryAfter);
    case 'deadline':
      return passes(
        'totalTimeout',
        config.totalTimeout as number,
        retryAfter && config.clock.monotonic() - beganAt + retryAfter,
      );
  }
}

/** `ms` is 0 where the wait has no known length, as with `maxWait: 0` that for a request in flight. */
function passes(option: string, bound: number, ms: number): string {
  const needed = ms > bound ? `: the call would need at least ${Math.ceil(ms)} ms` : '';
  return `the wait for the rate limit would pass ${option} (${bound} ms)${needed}`;
}

/**
 * Says that a quota is used up, if the newest response reported that none is left. It does not say which: the headers do not name
 * the window, and can be those of a ban. The service's own message, where there is one, knows it.
 */
function exhaustedQuota({ rateLimit: quota, code, headers }: ApiFields, now: number): string {
  return code === undefined &&
    quota?.remaining === 0 &&
    quota.resetAt.getTime() > dateOf(headers, now)
    ? `a quota (${quota.limit} requests) is used up, or the key is banned, and `
    : '';
}
