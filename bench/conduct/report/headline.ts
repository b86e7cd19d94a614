import type { Scenario } from '../scenario/scenario.js';

/** The situations through which every client goes. */
export const headline: readonly Scenario[] = [
  { name: '500 at once, Free', plan: 'free', workload: { kind: 'burst', calls: 500 } },
  {
    name: '1,000 by 50, Pro',
    plan: 'pro',
    workload: { kind: 'closed', calls: 1_000, concurrency: 50 },
  },
  { name: '3,000 at once, Business', plan: 'business', workload: { kind: 'burst', calls: 3_000 } },
  {
    name: 'half the limit, Pro',
    plan: 'pro',
    workload: { kind: 'poisson', load: 0.5, minutes: 10 },
  },
  {
    name: '0.95 × the limit, Pro',
    plan: 'pro',
    workload: { kind: 'poisson', load: 0.95, minutes: 10 },
  },
  {
    name: '1.5 × the limit, Pro',
    plan: 'pro',
    workload: { kind: 'poisson', load: 1.5, minutes: 6 },
  },
  {
    name: '4 processes × 100 at once, Free',
    plan: 'free',
    workload: { kind: 'burst', calls: 100 },
    processes: 4,
  },
  {
    name: '4 processes, 1.2 × the limit, Pro',
    plan: 'pro',
    workload: { kind: 'poisson', load: 1.2, minutes: 5 },
    processes: 4,
  },
  {
    name: '300 at once, 100 left today, Free',
    plan: 'free',
    workload: { kind: 'burst', calls: 300 },
    dayLeft: 100,
  },
  {
    name: '100 at once, minute exhausted, Free',
    plan: 'free',
    workload: { kind: 'burst', calls: 100 },
    spent: true,
  },
];
