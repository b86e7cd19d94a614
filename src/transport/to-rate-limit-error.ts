import { RateLimitError, type ApiErrorDetails, type WaitBound } from '../errors/api-errors.js';
import type { RawResponse } from '../http/fetch.js';
import type { GateConfig } from '../options/config.js';
import { dateOf, readRateLimit, readWait } from '../rate-limit/headers.js';
import type { RateLimit } from '../rate-limit/types.js';
import { apiDetails, statedMessage } from './to-api-error.js';
import type { CallContext } from './call-context.js';
import { errorDetails, messageOf, nextStep } from './messages.js';

/** The latest moment that a `Date` can hold. */
const latest = 8.64e15;

/** The error of a call whose last response is a 429. */
export function to429Error({ response }: RawResponse, context: CallContext): RateLimitError {
  return toRateLimitError(context, 'attempts', retryAfterOf(response, context));
}

/**
 * The error of a call that the rate limit has stopped: by a 429, or before it was sent. `known` is the quota as the client
 * knows it, for a call without a 429 response.
 */
export function toRateLimitError(
  context: CallContext,
  reason: RateLimitError['reason'],
  wait: number | undefined,
  known?: RateLimit,
): RateLimitError {
  // Rounded up: timers and dates have whole ms, and a call that is repeated a part of one too early would have to wait.
  // A custom gate may name what is no time.
  const retryAfter =
    wait !== undefined && wait >= 0 && wait < Infinity ? Math.ceil(wait) : undefined;
  const { clock, rateLimit } = context.config;
  const { maxHold } = context.options;
  // Without a gate there is no queue.
  const { maxQueue } = rateLimit as GateConfig;
  const api: ApiErrorDetails =
    context.rateLimitResponse === undefined
      ? {
          ...errorDetails(context),
          status: 429,
          code: undefined,
          body: undefined,
          headers: new Headers(),
          rateLimit: known,
        }
      : apiDetails(context.rateLimitResponse, context);
  const retryAt =
    retryAfter === undefined
      ? undefined
      : new Date(Math.min(latest, Math.ceil(clock.now() + retryAfter)));
  const { isUnsure, rateLimitedCount } = context;
  const requestSent = rateLimitedCount > 0 ? 'yes' : isUnsure ? 'unknown' : 'no';
  const bound = reason === 'wait' ? boundOf(context, retryAfter) : undefined;
  const because = {
    attempts:
      context.config.rateLimit === false
        ? 'the service responded 429, and rateLimit is false'
        : `the service responded 429 ${rateLimitedCount} times`,
    hold: `the rate limit holds this key for longer than maxHold (${maxHold} ms)`,
    wait: describeBound(bound),
    queue: `the queue for the rate limit is full (maxQueue: ${maxQueue})`,
  }[reason];
  const usedUp = reason === 'hold' || reason === 'wait' ? exhaustedQuota(api, clock.now()) : '';
  const said = api.code === undefined ? '' : ` ("${statedMessage(api)}")`;
  const orWait = reason === 'hold' ? ', or set maxHold: Infinity to wait' : '';
  const when =
    retryAt === undefined ? 'try again later' : `try again after ${retryAt.toISOString()}`;
  // Only a request that changes nothing is sent again after another failure than a 429.
  const processed = isUnsure ? 'nothing was changed' : 'it was not processed';
  const ifSafe = `${processed}: ${when}${orWait}`;
  const text = messageOf(context, usedUp + because + said, nextStep(context, ifSafe));
  return new RateLimitError(text, { ...api, reason, retryAfter, retryAt, requestSent, bound });
}

/** The option that ends the wait first. `undefined` if a custom gate refuses a call that has no bound. */
function boundOf(context: CallContext, retryAfter = 0): WaitBound | undefined {
  const waitLeft = context.options.maxWait - context.waited;
  const timeLeft = context.deadline - context.config.clock.monotonic();
  const left = Math.min(waitLeft, timeLeft);
  if (left === Infinity) return undefined;
  const option = left === waitLeft ? 'maxWait' : 'totalTimeout';
  const ms = context.options[option] as number;
  const needed = Math.ceil(ms - left + retryAfter);
  // With maxWait: 0, the wait for a request in flight has no known length.
  return { option, ms, needed: needed > ms ? needed : undefined };
}

function describeBound(bound: WaitBound | undefined): string {
  if (bound === undefined) return 'rateLimit.gate refused the wait';
  const { option, ms, needed } = bound;
  const number = needed === undefined ? '' : `: the call would need at least ${needed} ms`;
  return `the wait for the rate limit would pass ${option} (${ms} ms)${number}`;
}

/**
 * Says that a quota is used up, if the newest response reported that none is left. It does not say which: the headers do not name
 * the window, and can be those of a ban. The service's own message, where there is one, knows it.
 */
function exhaustedQuota({ rateLimit: quota, code, headers }: ApiErrorDetails, now: number): string {
  return code === undefined &&
    quota?.remaining === 0 &&
    quota.resetAt.getTime() > dateOf(headers, now)
    ? `a quota (${quota.limit} requests) is used up, or the key is banned, and `
    : '';
}

/** The wait that a 429 states, based on its own Date header, otherwise on the local clock. */
function retryAfterOf({ headers }: Response, { config }: CallContext): number | undefined {
  const now = config.clock.now();
  const reset = readRateLimit(headers)?.resetAt.getTime();
  return (
    readWait(headers, now) ??
    (reset === undefined ? undefined : Math.max(0, reset - dateOf(headers, now)))
  );
}
