import {
  blindHold,
  holdAfter429,
  longestPlausibleWait,
  pad,
  type RateLimitedResponse,
} from './hold-rule.js';
import type { WaitCause } from '../types.js';

/** Spread of the first requests of several processes (ms). With a larger spread, the first process would take the whole window. */
const largestJitter = 100;
/** What a hold adds, at most, to the time that the service states (ms). */
export const longestAddition = pad + largestJitter;

/** A time in which nothing is sent. Monotonic ms. */
export type HoldTimes = Readonly<Pick<Hold, 'resumeAt' | 'endsAt' | 'serverHoldUntil' | 'cause'>>;

/**
 * Decides how long nothing may be sent: after a 429, after a 503 that says how long, and when the window is exhausted.
 * All times are monotonic ms.
 */
export class Hold {
  readonly #random: () => number;
  /** Nothing is sent before this moment: `endsAt` with pad and jitter. */
  resumeAt = -Infinity;
  /** End of the hold without pad and jitter. A call whose maxHold is shorter is rejected, whether the service stated the hold or the gate chose it. */
  endsAt = -Infinity;
  /** The part that the service stated in a header, without backoff and estimates. */
  serverHoldUntil = -Infinity;
  cause: WaitCause = 'probe';
  /** Consecutive 429s. Those to requests that were already in flight do not count. */
  #rateLimitedCount = 0;
  #rateLimitedAt = -Infinity;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** The window is exhausted: waits for its Reset, or for a fixed time if the Reset is unknown. */
  afterExhausted(now: number, resetAt: number | undefined, estimated: boolean): void {
    const wait = resetAt === undefined ? blindHold : resetAt - now;
    this.#extend('exhausted', now, wait, pad, resetAt === undefined || estimated ? 0 : wait);
  }

  /** A 429, or a 403 of a banned key. Returns false when the request was in flight already when the limit was hit. */
  after429(response: RateLimitedResponse, sentAt: number, receivedAt: number): boolean {
    const isNew = sentAt > this.#rateLimitedAt;
    if (isNew) this.#rateLimitedCount += 1;
    this.#rateLimitedAt = receivedAt;
    const { stated, wait, padded } = holdAfter429(response, this.#rateLimitedCount);
    const fromServer = response.reset?.estimated === true ? (response.retryAfter ?? 0) : stated;
    this.#extend('429', receivedAt, wait, padded - wait, fromServer);
    return isNew;
  }

  /** A 503 with `Retry-After`: the service is overloaded. */
  afterOverload(retryAfter: number, receivedAt: number): void {
    this.#extend('overload', receivedAt, retryAfter, pad, retryAfter);
  }

  /** A request that was sent at `sentAt` was not rate-limited, so the count of consecutive 429s starts again. */
  succeeded(sentAt: number): void {
    if (sentAt > this.#rateLimitedAt) this.#rateLimitedCount = 0;
  }

  /** A hold never becomes shorter, and a header cannot make it longer than is plausible. */
  #extend(cause: WaitCause, now: number, wait: number, extra: number, fromServer: number): void {
    const end = now + Math.min(wait, longestPlausibleWait);
    const resumeAt = end + extra + this.#random() * largestJitter;
    if (resumeAt > this.resumeAt) this.cause = cause;
    this.resumeAt = Math.max(this.resumeAt, resumeAt);
    this.endsAt = Math.max(this.endsAt, end);
    this.serverHoldUntil = Math.max(this.serverHoldUntil, now + fromServer);
  }
}
