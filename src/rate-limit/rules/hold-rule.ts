// The rules that the gate of one process and the fleet share. This file imports nothing: the fleet's script for Redis is made of it.

/** Longest wait that a header can plausibly mean: a day, and an hour for a clock change. */
export const longestPlausibleWait = 25 * 3_600_000;
/** Added to every hold (ms): headers are whole seconds, and some services round them down. */
export const pad = 1_000;
/** Spread of the first requests of several processes (ms). With a larger spread, the first process would take the whole window. */
export const largestJitter = 100;
/** First hold (ms) if no header says how long. It is long, because holds of 1, 2, 4 and 8 s would be several requests in one window. */
export const blindHold = 15_000;
const longestBlindHold = 15 * 60_000;
const longestBackoff = 60_000;
/** A Reset further away than this (ms) does not belong to a minute window. */
export const farReset = 120_000;

/**
 * Where the service's clock is unknown, a window is assumed to end within a minute. After more 429s in a row than this, if the last says
 * nothing of the wait in a `Retry-After`, a reset that is far ahead is believed: it is that of a day. Another program can use up a window
 * twice in a row.
 */
export const refusedProbes = 2;

/** A 503 may come from a proxy, which knows nothing of this key: after this time (ms) one request asks again. */
export const longestOverload = 60_000;

/** The wait that a 429, or a 403 with `Retry-After`, asks for. */
export interface RateLimitedResponse {
  /** The value of `Retry-After`, ms. */
  readonly retryAfter: number | undefined;
  /**
   * When the window resets, if that is known: ms from now until it has surely been reached; negative when it has passed. If it is
   * `estimated`, the wait is only an upper bound, derived from the length of a minute window.
   */
  readonly reset: { readonly wait: number; readonly estimated: boolean } | undefined;
  /** Whether the headers say that the window is exhausted. */
  readonly exhausted: boolean;
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
 * counts, and the exponential backoff. `count`: consecutive 429s with this one. The `maxHold` of a call
 * bounds that call alone: the hold belongs to the key.
 */
export function holdAfter429(response: RateLimitedResponse, count: number): HoldDuration {
  const { retryAfter, reset } = response;
  const untilReset = resetCounts(response, count) ? Math.max(reset?.wait ?? 0, 0) : 0;
  const stated = Math.max(retryAfter ?? 0, untilReset);
  const hasHint = retryAfter !== undefined || reset !== undefined;
  const wait = Math.max(stated, holdBackoff(hasHint, count));
  // Retry-After may be the time to the Reset, rounded up: the pad after the Reset covers both.
  const isRoundedReset = untilReset > 0 && stated <= untilReset + pad;
  return { stated, wait, padded: Math.max(wait, (isRoundedReset ? untilReset : stated) + pad) };
}

/**
 * Where the window is exhausted, the later of Reset and `Retry-After` counts, because a `Retry-After` may be too short. A
 * Reset that is far away (that of a day), of a window with requests left, or only estimated counts from the second 429 on.
 */
function resetCounts(response: RateLimitedResponse, count: number): boolean {
  const { retryAfter, reset, exhausted } = response;
  if (retryAfter === undefined || count >= 2) return true;
  const isNear = reset !== undefined && reset.wait <= farReset;
  return exhausted && isNear && !reset.estimated;
}

/** Exponential backoff: from 15 s to 15 min if no header says how long; otherwise from the second 429 on, 4 s to 1 min. */
function holdBackoff(hasHint: boolean, count: number): number {
  if (!hasHint) return Math.min(blindHold * 4 ** Math.max(0, count - 1), longestBlindHold);
  return count <= 1 ? 0 : Math.min(1_000 * 2 ** count, longestBackoff);
}
