import { longestPlausibleWait } from './headers.js';
import type { PlacedReset } from './server-clock.js';
import type { GateCall } from './types.js';

/** Added to every hold (ms): headers are whole seconds, and some services round them down. */
export const pad = 1_000;
/** First hold (ms) if no header says how long. It is long, because holds of 1, 2, 4 and 8 s would be several requests in one window. */
export const blindHold = 15_000;
export const longestBlindHold = 15 * 60_000;
export const longestBackoff = 60_000;
/** A Reset further away than this (ms) does not belong to a minute window. */
export const farReset = 120_000;
/** Spread of the first requests of several processes (ms). With a larger spread, the first process would take the whole window. */
const largestJitter = 100;

/** The wait that a 429, or a 403 with `Retry-After`, asks for. */
export interface RateLimitedResponse {
  /** The value of `Retry-After`, ms. */
  readonly retryAfter: number | undefined;
  /** When the window resets, if that is known. */
  readonly reset: PlacedReset | undefined;
  /** Whether the headers say that the window is exhausted. */
  readonly exhausted: boolean;
  /** Longest hold, in ms, that the call accepts. */
  readonly maxHold: number;
}

/** How long nothing may be sent after a 429, ms from its arrival. */
export interface HoldDuration {
  /** What the headers state. */
  readonly stated: number;
  /** The longer of `stated` and the exponential backoff. */
  readonly wait: number;
  /** `wait` and the pad. */
  readonly padded: number;
}

/**
 * The hold after a 429, or a 403 with `Retry-After`: the longest of what `Retry-After` says, the time to the Reset where it
 * counts, and the exponential backoff. `count`: consecutive 429s with this one. The Lua script of the fleet has the same rule.
 */
export function holdAfter429(response: RateLimitedResponse, count: number): HoldDuration {
  const { retryAfter, reset } = response;
  const untilReset = resetCounts(response, count) ? Math.max(reset?.wait ?? 0, 0) : 0;
  const stated = Math.max(retryAfter ?? 0, untilReset);
  const wait = Math.max(stated, backoff(retryAfter !== undefined || reset !== undefined, count));
  // Retry-After may be the time to the Reset, rounded up: the pad after the Reset covers both.
  const isRoundedReset = untilReset > 0 && stated <= untilReset + pad;
  return { stated, wait, padded: Math.max(wait, (isRoundedReset ? untilReset : stated) + pad) };
}

/**
 * Where the window is exhausted, the later of Reset and `Retry-After` counts, because a `Retry-After` may be too short. A
 * Reset that is far away (that of a day), of a window with requests left, or only estimated counts from the second 429 on.
 */
function resetCounts(
  { retryAfter, reset, exhausted, maxHold }: RateLimitedResponse,
  count: number,
): boolean {
  if (retryAfter === undefined || count >= 2) return true;
  const isNear = reset !== undefined && reset.wait <= Math.min(maxHold, farReset);
  return exhausted && isNear && !reset.estimated;
}

/** Exponential backoff: from 15 s to 15 min if no header says how long; otherwise from the second 429 on, 4 s to 1 min. */
function backoff(hasHint: boolean, count: number): number {
  if (!hasHint) return Math.min(blindHold * 4 ** Math.max(0, count - 1), longestBlindHold);
  return count <= 1 ? 0 : Math.min(1_000 * 2 ** count, longestBackoff);
}

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
  /** Consecutive 429s. Those to requests that were already in flight do not count. */
  #rateLimitedCount = 0;
  #rateLimitedAt = -Infinity;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** The window is exhausted: waits for its Reset, or for a fixed time if the Reset is unknown. */
  afterExhausted(now: number, resetAt: number | undefined, estimated = false): void {
    const wait = resetAt === undefined ? blindHold : resetAt - now;
    this.#extend(now, wait, pad);
    if (resetAt !== undefined && !estimated) this.#noteServerHold(now, wait);
  }

  /** A 429, or a 403 with `Retry-After`. Returns false when the request was in flight already when the limit was hit. */
  after429(response: RateLimitedResponse, sentAt: number, receivedAt: number): boolean {
    const isNew = sentAt > this.#rateLimitedAt;
    if (isNew) this.#rateLimitedCount += 1;
    this.#rateLimitedAt = receivedAt;
    const { stated, wait, padded } = holdAfter429(response, this.#rateLimitedCount);
    this.#extend(receivedAt, wait, padded - wait);
    const isEstimated = response.reset?.estimated === true;
    this.#noteServerHold(receivedAt, isEstimated ? (response.retryAfter ?? 0) : stated);
    return isNew;
  }

  /** A 503 with `Retry-After`: the service is overloaded. The hold lasts as long as the header says. The response contains no information about the quota. */
  afterOverload(retryAfter: number, receivedAt: number): void {
    this.#extend(receivedAt, retryAfter, pad);
    this.#noteServerHold(receivedAt, retryAfter);
  }

  /** A request that was sent at `sentAt` was not rate-limited, so the count of consecutive 429s starts again. */
  succeeded(sentAt: number): void {
    if (sentAt > this.#rateLimitedAt) this.#rateLimitedCount = 0;
  }

  /** A hold never becomes shorter, and a header cannot make it longer than is plausible. */
  #extend(now: number, wait: number, extra: number): void {
    const bounded = Math.min(wait, longestPlausibleWait);
    this.endsAt = Math.max(this.endsAt, now + bounded);
    this.resumeAt = Math.max(this.resumeAt, now + bounded + extra + this.#random() * largestJitter);
  }

  #noteServerHold(now: number, wait: number): void {
    this.serverHoldUntil = Math.max(this.serverHoldUntil, now + wait);
  }
}

/** Notifies the clients with waiting calls of the beginning and the end of a hold. */
export class HoldListeners {
  readonly #notified = new Set<NonNullable<GateCall['onHold']>>();

  get size(): number {
    return this.#notified.size;
  }

  /** Notifies each client once of a hold, however many of its calls wait. */
  announce(
    { onHold }: GateCall,
    { resumeAt, serverHoldUntil }: Pick<Hold, 'resumeAt' | 'serverHoldUntil'>,
    now: number,
  ): void {
    if (onHold === undefined || this.#notified.has(onHold)) return;
    this.#notified.add(onHold);
    onHold({ type: 'hold', delay: resumeAt - now, fromServer: serverHoldUntil > now });
  }

  /** Notifies the same clients that the hold is over. Returns whether there were any. */
  resume(): boolean {
    if (this.size === 0) return false;
    const listeners = [...this.#notified];
    this.#notified.clear();
    for (const listener of listeners) listener({ type: 'resume' });
    return true;
  }
}
