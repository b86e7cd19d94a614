import type { PlanName, Scenario } from './scenario.js';

/** A burst inside the quota, by a process that has just started: what it takes to be careful. */
export interface FirstBurst {
  readonly plan: PlanName;
  readonly calls: number;
  /** Seconds until all calls are served. */
  readonly learned: number;
  /** The same, when the client was told the plan. */
  readonly told: number;
}

/** The bursts that are timed, at 100 ms a round trip. */
export const firstBursts = (
  [
    ['free', 10],
    ['free', 50],
    ['pro', 20],
    ['pro', 200],
    ['business', 500],
  ] as const
).map(([plan, calls]): Scenario & { workload: { calls: number } } => ({
  name: `${calls} at once on ${plan}`,
  plan,
  workload: { kind: 'burst', calls },
}));
