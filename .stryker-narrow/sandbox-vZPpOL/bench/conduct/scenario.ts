// @ts-nocheck
import type { createMockService, MockServiceOptions } from '../../mocks/index.js';
import { Random as Generator } from '../../mocks/utils/random.js';

export type CreateMockService = typeof createMockService;

/** Requests a minute that each plan allows. */
const published = { free: 60, pro: 300, business: 1_000 };
export type PlanName = keyof typeof published;

/** When the calls are made: all at once, a fixed number under way, or at random moments that want a share of the limit. */
export const burst = (calls: number) => ({ kind: 'burst', calls }) as const;
export const closed = (calls: number, concurrency: number) =>
  ({ kind: 'closed', calls, concurrency }) as const;
export const poisson = (load: number, minutes: number) =>
  ({ kind: 'poisson', load, minutes }) as const;
export type Workload = ReturnType<typeof burst | typeof closed | typeof poisson>;

/** How the service counts. `full`: Reset says when all of the limit is free again; else when the next request fits. */
export interface Limiter {
  readonly window: 'fixed' | 'from-first' | 'sliding' | 'token-bucket';
  readonly reset?: 'next' | 'full';
  readonly refusedCount?: boolean;
}

/** What each form of the headers assumes of the service: what a 429 says, and which headers a response has. */
const forms = {
  seconds: { retryAfter: 'seconds' },
  floored: { retryAfter: 'seconds-floored' },
  'http-date': { retryAfter: 'http-date' },
  'no-retry-after': { retryAfter: 'absent' },
  'constant-1': { retryAfter: 1 },
  'no-hints': { retryAfter: 'absent', resetUnit: 'absent' },
  'no-date': { retryAfter: 'seconds', dateHeader: false },
} as const satisfies Record<string, MockServiceOptions['assumptions']>;
export type HeaderForm = keyof typeof forms;
export const headerForms = Object.keys(forms) as HeaderForm[];

export type Strikes = 'strict' | 'lenient';

/** One situation for a client. Everything left out is the plainest case. */
export interface Scenario {
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
  /** The clock of our client minus the service's, ms, a process. */
  readonly skews?: readonly number[];
  /** Every refused request during a cool-down is a strike (default), or those of its first 2 s are spared. */
  readonly strikes?: Strikes;
  /** Mean round trip, ms. Default 100: each way 30 + Exp(20). */
  readonly rtt?: number;
  /** Requests left in the day when the run starts. */
  readonly dayLeft?: number;
  /** The minute's quota is spent when the run starts. */
  readonly spent?: boolean;
  /** Nodes that disagree: Remaining is up to 3 too high, and clocks differ by up to 0.3 s. */
  readonly nodes?: boolean;
}

/** Requests a minute that the service allows. */
export function perMinute({ plan, limit }: Pick<Scenario, 'plan' | 'limit'>): number {
  return limit ?? published[plan];
}

/** The service of a scenario. Strikes are forgotten with the next request that is admitted; the day's window is never announced. */
export function serviceOptions(scenario: Scenario, key: string, seed: number): MockServiceOptions {
  const { plan, limit, limiter, headers = 'seconds', strikes = 'strict', nodes } = scenario;
  return {
    random: seed,
    journalLimit: 10_000_000,
    keys: {
      [key]: { plan: limit === undefined ? plan : { perMinute: limit, perDay: 1_000 * limit } },
    },
    assumptions: {
      ...forms[headers],
      minuteWindow: limiter?.window ?? 'fixed',
      resetMeaning: limiter?.reset === 'full' ? 'full' : 'next-slot',
      refusedCount: limiter?.refusedCount ?? false,
      announcedWindow: 'minute',
      strikes: 5,
      grace: strikes === 'strict' ? 0 : 2_000,
      ban: 600_000,
      ...(nodes && { nodes: { remaining: [0, 3], clock: [-300, 300] } }),
    },
  };
}

/** A source of numbers in [0, 1): the same seed gives the same run. */
export type Random = () => number;

export function seeded(seed: number): Random {
  const generator = new Generator(seed);
  return () => generator.next();
}

/** A sample of the exponential distribution with this mean. */
export function exponential(random: Random, mean: number): number {
  return -mean * Math.log(1 - random());
}

/** When each call of one process is wanted, ms after the start of the run. */
export function arrivals(scenario: Scenario, process: number, random: Random): number[] {
  const start = process * (scenario.stagger ?? 0);
  const { workload } = scenario;
  if (workload.kind !== 'poisson') return Array<number>(workload.calls).fill(start);
  const gap = 60_000 / ((perMinute(scenario) * workload.load) / (scenario.processes ?? 1));
  const times: number[] = [];
  const next = () => (times.at(-1) ?? 0) + exponential(random, gap);
  for (let at = next(); at < workload.minutes * 60_000; at = next()) times.push(at);
  return times.map((at) => start + at);
}
