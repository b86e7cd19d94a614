/** The first delay before a retry is at most this, in ms; it doubles with each attempt, up to `longestDelay`. */
const firstDelay = 500;
const longestDelay = 8_000;

/** Statuses of failures that may be temporary. The service interface defines none of them except 429, which the gate handles. */
export const retryableStatuses: ReadonlySet<number> = /* @__PURE__ */ new Set([
  408, 500, 502, 503, 504,
]);

/** Exponential backoff with full jitter: a random time up to the doubled delay, so that callers do not retry at the same moment. */
export function backoff(attemptCount: number, random: number): number {
  return random * Math.min(longestDelay, firstDelay * 2 ** (attemptCount - 1));
}

/**
 * The budget for the retries of a client, so that a long outage does not multiply the load: each retry takes `cost`,
 * each success gives 1 back, up to `capacity`. While it is used up, calls fail without another retry.
 */
export const retryBudget = { capacity: 500, cost: 5 } as const;
