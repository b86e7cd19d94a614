/** The plans of the service whose limits are published. */
export type PlanName = 'free' | 'pro' | 'business';

/** When the calls are made: all at once, a fixed number under way, or at random moments. */
export type Workload =
  | { readonly kind: 'burst'; readonly calls: number }
  | { readonly kind: 'closed'; readonly calls: number; readonly concurrency: number }
  | { readonly kind: 'poisson'; readonly load: number; readonly minutes: number };

/** How the service counts. `full`: Reset says when all of the limit is free again; else when the next request fits. */
export interface Limiter {
  readonly window: 'fixed' | 'from-first' | 'sliding' | 'token-bucket';
  readonly reset?: 'next' | 'full';
  readonly refusedCount?: boolean;
}

/** What a 429 says, and which headers a response has. */
export type HeaderForm =
  'seconds' | 'floored' | 'http-date' | 'no-retry-after' | 'constant-1' | 'no-hints' | 'no-date';

/** One situation for a client. Everything left out is the plainest case. */
export interface Scenario {
  readonly name: string;
  readonly plan: PlanName;
  /** Requests a minute, instead of the plan's, and any number a day. */
  readonly limit?: number;
  readonly workload: Workload;
  /** Processes that share the key, each with a client of its own. The workload is that of each process. Default 1. */
  readonly processes?: number;
  /** ms between the starts of two processes. Default 0. */
  readonly stagger?: number;
  readonly limiter?: Limiter;
  readonly headers?: HeaderForm;
  /** The client's clock minus the service's, ms, a process. Whole seconds. */
  readonly skews?: readonly number[];
  /** Every refused request during a cool-down is a strike (default), or those of its first 2 s are spared. */
  readonly strikes?: 'strict' | 'lenient';
  /** Mean round trip, ms. Default 100: each way 30 + Exp(20). */
  readonly rtt?: number;
  /** Requests left in the day when the run starts. */
  readonly dayLeft?: number;
  /** The minute's quota is spent when the run starts. */
  readonly spent?: boolean;
  /** Nodes that disagree: Remaining is up to 3 too high, and clocks differ by up to 0.3 s. */
  readonly nodes?: boolean;
}

const published: Readonly<Record<PlanName, number>> = { free: 60, pro: 300, business: 1_000 };

/** Requests a minute that the service allows. */
export function perMinute({ plan, limit }: Scenario): number {
  return limit ?? published[plan];
}
