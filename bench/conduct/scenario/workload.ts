import { exponential, type Random } from './random.js';
import { perMinute, type Scenario } from './scenario.js';

/** When each call of one process is wanted, ms after the start of the run. */
export function arrivals(scenario: Scenario, process: number, random: Random): number[] {
  const start = process * (scenario.stagger ?? 0);
  const { workload } = scenario;
  if (workload.kind !== 'poisson') return Array<number>(workload.calls).fill(start);
  const gap = 60_000 / ((perMinute(scenario) * workload.load) / (scenario.processes ?? 1));
  const times: number[] = [];
  for (
    let at = exponential(random, gap);
    at < workload.minutes * 60_000;
    at += exponential(random, gap)
  )
    times.push(start + at);
  return times;
}
