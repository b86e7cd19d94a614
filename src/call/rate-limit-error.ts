import { RateLimitError, type RateLimitReason } from '../errors/errors.js';
import type { ResponseFailure } from '../http/fetch.js';
import { dateOf, readRateLimit, readWait } from '../rate-limit/headers.js';
import { GateRefusedError } from '../rate-limit/types.js';
import type { Call } from './call.js';
import { apiFields, statedMessage, type Description } from './status-error.js';

/** The latest moment that a `Date` can hold. */
const latest = 8.64e15;

/** The error of a call that the rate limit has stopped: by a 429, or before it was sent. */
export function describeRateLimit(
  failure: GateRefusedError | ResponseFailure,
  call: Call,
): Description {
  const { config, isUnsure, rateLimited, waitedForLimit } = call;
  const { clock, maxWait } = config;
  const now = clock.now();
  const isRefused = failure instanceof GateRefusedError;
  // Whether `totalTimeout` ends before `maxWait`.
  const isDeadline = call.deadline - clock.monotonic() < maxWait - waitedForLimit;
  const stoppedBy = isRefused ? failure.reason : 'attempts';
  const reason = stoppedBy === 'wait' && isDeadline ? 'deadline' : stoppedBy;
  const wait = isRefused ? failure.retryAfter : statedWait(failure.raw.response, now);
  // Rounded up: a call that is repeated a part of a millisecond too early would have to wait. A custom gate may state a `retryAfter` that is not a duration.
  const isKnown = wait !== undefined && wait >= 0 && wait < Infinity;
  const retryAfter = isKnown ? Math.ceil(wait) : undefined;
  const retryAt = isKnown
    ? new Date(Math.min(latest, Math.ceil(now + Math.ceil(wait))))
    : undefined;
  const api = rateLimited === undefined ? unsentFields(call) : apiFields(rateLimited, call);
  const said = api.code === undefined ? '' : ` ("${statedMessage(api)}")`;
  // The headers do not distinguish a used-up quota from a ban. The service's message does.
  const { remaining, limit, resetAt } = api.rateLimit ?? {};
  const isUsedUp = remaining === 0 && Number(resetAt) > dateOf(api.headers, now);
  const tellsQuota = isUsedUp && said === '' && reason !== 'attempts' && reason !== 'queue';
  const quota = `a quota (${limit} requests) is used up, or the key is banned, and `;
  // After failures other than a 429, only requests that change nothing are sent again.
  const processed = isUnsure ? 'nothing was changed' : 'it was not processed';
  const when = isKnown ? `after ${retryAt?.toISOString()}` : 'later';
  const alsoWait = maxWait < waitedForLimit + (retryAfter ?? 0) ? ' and maxWait: Infinity' : '';
  const toWait: Partial<Record<RateLimitReason, string | false>> = {
    hold: `set maxHold: Infinity${alsoWait}`,
    wait: maxWait < Infinity && 'raise maxWait',
    deadline: 'raise totalTimeout',
  };
  const orWait = toWait[reason] ? `, or ${toWait[reason]} to wait` : '';
  const requestSent = rateLimited !== undefined ? 'yes' : isUnsure ? 'unknown' : 'no';
  return [
    RateLimitError,
    (tellsQuota ? quota : '') + because(call, reason, retryAfter) + said,
    call.nextStep(`${processed}: try again ${when}${orWait}`),
    { ...api, reason, retryAfter, retryAt, requestSent },
  ];
}

/** The fields for a call that received no 429: the quota is what the client knows. */
const unsentFields = ({ rateLimit }: Call): ReturnType<typeof apiFields> => ({
  ...{ status: 429, code: undefined, body: undefined, requestId: undefined },
  ...{ headers: new Headers(), rateLimit },
});

/** ms until the call can be repeated, as a 429 says: based on its own `Date`, otherwise on the local clock. */
function statedWait({ headers }: Response, now: number): number | undefined {
  const reset = readRateLimit(headers)?.resetAt.getTime();
  const untilReset = reset === undefined ? undefined : Math.max(0, reset - dateOf(headers, now));
  return readWait(headers, now) ?? untilReset;
}

function because(call: Call, reason: RateLimitReason, retryAfter = 0): string {
  const { config, waitedForLimit } = call;
  switch (reason) {
    case 'attempts':
      return config.gate === false
        ? 'the service responded 429, and gate is false'
        : `the service responded 429 ${call.rateLimitedCount} times`;
    case 'hold':
      return `the rate limit holds this key for longer than maxHold (${config.maxHold} ms)`;
    case 'queue':
      return 'the queue for the rate limit is full (10,000 calls)';
    case 'wait':
      if (config.maxWait === Infinity) return 'the option gate refused the wait';
      return wouldPass('maxWait', config.maxWait, waitedForLimit, retryAfter);
    case 'deadline': {
      const took = config.clock.monotonic() - call.beganAt;
      return wouldPass('totalTimeout', config.totalTimeout as number, took, retryAfter);
    }
  }
}

/** `wait` is 0 if its length is unknown, as for a request in flight. */
function wouldPass(option: string, bound: number, took: number, wait: number): string {
  const ms = wait && took + wait;
  const needed = ms > bound ? `: the call would need at least ${Math.ceil(ms)} ms` : '';
  return `the wait for the rate limit would pass ${option} (${bound} ms)${needed}`;
}
