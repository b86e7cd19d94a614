import { CallbackError, DeadlineExceeded, unsentRequest } from '../http/failures.js';
import { readWait } from '../rate-limit/headers.js';
import { longestAddition } from '../rate-limit/rules/hold.js';
import type { CallContext } from '../call/call-context.js';

/** The first delay before a retry is at most this, in ms; it doubles with each attempt, up to `longestDelay`. */
const firstDelay = 500;
const longestDelay = 8_000;
/** The number of 429s after which a call ends, so that one bad endpoint cannot block the others. */
const maxRateLimitedAttempts = 5;
/** Statuses of failures that may be temporary. The service interface defines none of them except 429, which the gate handles. */
const retryableStatuses: readonly number[] = [408, 500, 502, 503, 504];
/** A client has so many tokens. Each retry takes some of them, each success gives one back. */
const allTokens = 500;
const tokensOfRetry = 5;

/** What a call waits for before a retry. */
export interface Pause {
  readonly ms: number;
  /** The part that the service has stated, by `Retry-After`; 0 if it has not. */
  readonly stated: number;
}

/** Decides which attempts of a client are followed by another. Its tokens keep a long outage from multiplying the load. */
export class RetryPolicy {
  #tokens = allTokens;

  succeeded(): void {
    this.#tokens = Math.min(allTokens, this.#tokens + 1);
  }

  /** Whether another attempt follows, and after which pause: `undefined` if none does. The last attempt ended with `response`, or with `failure`. */
  next(context: CallContext, response: Response | undefined, failure: unknown): Pause | undefined {
    const { config, attempts, rateLimitedCount, deadline, waitedForLimit, isSafe } = context;
    const { gate, clock, maxRetries, maxHold, maxWait } = config;
    if (response?.status === 429)
      return gate === false || rateLimitedCount >= maxRateLimitedAttempts
        ? undefined
        : { ms: 0, stated: 0 };
    const count = attempts.length - rateLimitedCount;
    const isTemporary =
      response === undefined ? !isFinal(failure) : retryableStatuses.includes(response.status);
    const mayRetry = count <= maxRetries && this.#tokens >= tokensOfRetry;
    if (!isTemporary || !mayRetry || !isSafe) return undefined;
    const stated = response && readWait(response.headers, clock.now());
    const fromServer = stated ?? 0;
    const delay = Math.max(fromServer, backoff(count));
    // After a 503 the gate holds this call, too.
    const added =
      stated !== undefined && response?.status === 503 && gate !== false ? longestAddition : 0;
    const isTooLong =
      stated !== undefined && (stated > maxHold || stated + added > maxWait - waitedForLimit);
    if (isTooLong || clock.monotonic() + delay + added >= deadline) return undefined;
    this.#tokens -= tokensOfRetry;
    return { ms: delay, stated: fromServer };
  }
}

/** Exponential backoff with full jitter: a random time up to the doubled delay, so that callers do not retry at the same moment. */
function backoff(count: number): number {
  return Math.random() * Math.min(longestDelay, firstDelay * 2 ** (count - 1));
}

/** No other attempt follows after `totalTimeout`, a failure of a function of the caller, or a connection that can never succeed. */
function isFinal(failure: unknown): boolean {
  return failure instanceof DeadlineExceeded
    ? failure.option === 'totalTimeout'
    : failure instanceof CallbackError || unsentRequest(failure)?.[2] === true;
}
