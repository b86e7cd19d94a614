/** Requests that a key may make. */
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
