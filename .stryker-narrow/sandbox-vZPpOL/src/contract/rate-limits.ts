/** Requests that a key may make. */
// @ts-nocheck

export interface Quota {
  /** Requests a minute. */
  readonly perMinute: number;
  /** Requests a day. */
  readonly perDay: number;
}

/** The published plans. Enterprise is agreed individually, so it has no numbers. Service interface: "Rate limits by plan". */
export const plans = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
  enterprise: 'custom',
} as const satisfies Record<string, Quota | 'custom'>;

/** The name of a plan. */
export type PlanName = keyof typeof plans;

/** Names of the headers of the service. Service interface: "Rate limit headers", "Behaviour at the limit". */
export const headers = {
  /** Limit that applies to the caller. */
  limit: 'X-RateLimit-Limit',
  /** Requests remaining in the current window. */
  remaining: 'X-RateLimit-Remaining',
  /** Unix timestamp at which the limit resets. */
  reset: 'X-RateLimit-Reset',
  /** How long to wait after a 429; unit and format are not published. */
  retryAfter: 'Retry-After',
} as const;
