import type { Call } from '../call/call.js';
import { ConfigurationError } from '../errors/errors.js';
import { DeadlineExceeded, ResponseFailure, unsentRequest } from '../http/failures.js';
import { readWait } from '../rate-limit/headers.js';
import { largestJitter, pad } from '../rate-limit/rules/hold-rule.js';
import { untilAborted } from '../utils/abort.js';

/** The first delay before a retry is at most this, in ms; it doubles with each attempt, up to `longestDelay`. */
const firstDelay = 500;
const longestDelay = 8_000;
/** The number of 429s after which a call ends, so that one bad endpoint cannot block the others. */
const maxRateLimitedAttempts = 5;
/** Statuses of failures that may be temporary. The service interface defines none of them except 429, which the gate handles. */
const retryableStatuses: readonly number[] = [408, 500, 502, 503, 504];
/** The retry budget of a client: a retry takes some tokens, a success returns one. */
const allTokens = 500;
const tokensOfRetry = 5;

/** Decides which attempts of a client are followed by another. Its tokens keep a long outage from multiplying the load. */
export class RetryPolicy {
  #tokens = allTokens;

  succeeded(): void {
    this.#tokens = Math.min(allTokens, this.#tokens + 1);
  }

  /** Waits until the next attempt may go to the gate. Returns `false`, at once, if none follows. The last attempt ended with `failure`. */
  async pause(call: Call, failure: unknown): Promise<boolean> {
    const { config, rateLimited, waitedForLimit } = call;
    const { gate, clock, signal, maxRetries, maxHold, maxWait } = config;
    const response = failure instanceof ResponseFailure ? failure.raw.response : undefined;
    // The gate has learned of the 429 from the response, and holds the next attempt.
    if (response?.status === 429)
      return gate !== false && rateLimited.length < maxRateLimitedAttempts;
    const count = call.attempts.length - rateLimited.length;
    const isTemporary =
      response === undefined ? !isFinal(failure) : retryableStatuses.includes(response.status);
    const mayRetry = count <= maxRetries && this.#tokens >= tokensOfRetry;
    if (!isTemporary || !mayRetry || !call.request?.isSafe) return false;
    const stated = (response && readWait(response.headers, clock.now())) ?? -Infinity;
    // Full jitter, so that callers do not retry at the same moment.
    const backoff = Math.random() * Math.min(longestDelay, firstDelay * 2 ** (count - 1));
    const ms = Math.max(stated, backoff);
    // After a 503 the gate holds this call, too.
    const isHeld = stated >= 0 && response?.status === 503 && gate !== false;
    const added = isHeld ? pad + largestJitter : 0;
    const isTooLong = stated > maxHold || stated + added > maxWait - waitedForLimit;
    if (isTooLong || clock.monotonic() + ms + added >= call.deadline) return false;
    this.#tokens -= tokensOfRetry;
    // A wait that the service stated is a wait for the rate limit: it counts towards `maxWait`, and is shown.
    if (stated > 0) {
      call.beginWait('overload', false);
      call.waitedForLimit += stated;
    }
    try {
      // A clock of the caller may ignore its signal.
      if (ms > 0) await untilAborted(signal, (aborted) => clock.sleep(ms, aborted));
    } catch (failure) {
      throw new ConfigurationError('the option clock failed', { cause: failure });
    } finally {
      call.endWait();
    }
    return true;
  }
}

/** No other attempt follows after `totalTimeout`, a failure of a function of the caller, or a connection that can never succeed. */
function isFinal(failure: unknown): boolean | undefined {
  return failure instanceof DeadlineExceeded
    ? failure.option === 'totalTimeout'
    : failure instanceof ConfigurationError || unsentRequest(failure)?.[2];
}
