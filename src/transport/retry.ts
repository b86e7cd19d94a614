/** The first delay before a retry is at most this, in ms; it doubles with each try, to `longestDelay`. */
const firstDelay = 500;
const longestDelay = 8_000;

/** Failures that a retry may cure. Service interface: silent on all of them but 429, which the gate handles. */
const curable: ReadonlySet<number> = /* @__PURE__ */ new Set([408, 500, 502, 503, 504]);

/** True for an answer that may be different a moment later. */
export function isRetryableStatus(status: number): boolean {
  return curable.has(status);
}

/** Exponential backoff with full jitter: any moment up to the doubled delay, so that callers do not come back together. */
export function backoff(attemptCount: number, random: number): number {
  return random * Math.min(longestDelay, firstDelay * 2 ** (attemptCount - 1));
}

const capacity = 500;
const retryCost = 5;

/**
 * A quota for retries, so that a long outage does not multiply the load: each takes from it, each success gives a
 * little back. When it is spent, calls fail with their first failure.
 */
export class RetryQuota {
  #left = capacity;

  /** True when a retry may be made. */
  take(): boolean {
    if (this.#left < retryCost) return false;
    this.#left -= retryCost;
    return true;
  }

  giveBack(): void {
    this.#left = Math.min(capacity, this.#left + 1);
  }
}
