import type { Limiter, PlanName, Scenario, Workload } from '../conduct/scenario/scenario.js';
import { perMinute } from '../conduct/scenario/scenario.js';
import type { Conditions, Span, StoreControl } from './conditions.js';

/** One row of a table: runs whose figures are put together. */
export interface Row {
  /** The number of processes, or what goes wrong. */
  readonly name: string;
  readonly scenarios: readonly Scenario[];
  readonly conditions: Conditions;
}

/** The store's clock is an hour behind the service's. */
const plain: Conditions = { storeSkew: 3_600_000 };
const plans: readonly PlanName[] = ['free', 'pro', 'business'];
const limitOf = (plan: PlanName) => perMinute({ name: '', plan, workload: none });
const none: Workload = { kind: 'burst', calls: 0 };

/** The five workloads of each process: together they want 2 to 3 windows, or run for four minutes. */
function workloads(plan: PlanName, processes: number): Workload[] {
  const share = limitOf(plan) / processes;
  return [
    { kind: 'burst', calls: Math.max(1, Math.floor(3.3 * share)) },
    { kind: 'closed', calls: Math.max(2, Math.floor(2.2 * share)), concurrency: 5 },
    { kind: 'poisson', load: 0.5, minutes: 4 },
    { kind: 'poisson', load: 0.95, minutes: 4 },
    { kind: 'poisson', load: 1.2, minutes: 4 },
  ];
}

function scenarios(
  processes: number,
  limiters: readonly Limiter[],
  wanted: readonly PlanName[] = plans,
): Scenario[] {
  return limiters.flatMap((limiter) =>
    wanted.flatMap((plan) =>
      workloads(plan, processes).map((workload) => ({
        name: `${plan} ${limiter.window} ${workload.kind}`,
        plan,
        workload,
        processes,
        limiter,
        stagger: 0,
      })),
    ),
  );
}

const fixed: readonly Limiter[] = [{ window: 'fixed' }, { window: 'from-first' }];
const rolling: readonly Limiter[] = [{ window: 'sliding' }, { window: 'token-bucket' }];
const counts: readonly number[] = [1, 2, 4, 7, 16, 64, 200];

function rowsOf(limiters: readonly Limiter[]): Row[] {
  return counts.map((processes) => ({
    name: String(processes),
    scenarios: scenarios(processes, limiters),
    conditions: plain,
  }));
}

const businessRows: readonly Row[] = [1, 2, 4, 7, 16].map((processes) => ({
  name: String(processes),
  scenarios: scenarios(processes, [{ window: 'fixed' }], ['business']),
  conditions: plain,
}));

/** More calls than the limit allows, evenly from all processes. Those of the first process have high priority, or none has. */
const priorityRows: readonly Row[] = [4, 16].flatMap((processes) =>
  [true, false].map((isHigh) => ({
    name: `${processes}, ${isHigh ? 'the first with high priority' : 'without priorities'}`,
    conditions: { ...plain, ...(isHigh && { high: (process: number) => process === 0 }) },
    scenarios: fixed.map((limiter) => ({
      name: `priority ${limiter.window}`,
      plan: 'pro' as const,
      processes,
      limiter,
      workload: { kind: 'poisson', load: 1.2, minutes: 4 } as const,
    })),
  })),
);

const every = (ms: number, length: number): Span[] =>
  Array.from({ length: 20 }, (_, at) => [at * ms + ms, at * ms + ms + length] as const);

/** 4 and 16 processes on Pro, at 0.95 of the limit and as a burst. */
function faulty(name: string, conditions: Partial<Conditions>, counted = [4, 16]): Row {
  return {
    name,
    conditions: { ...plain, ...conditions },
    scenarios: counted.flatMap((processes) => [
      {
        name,
        plan: 'pro' as const,
        processes,
        workload: { kind: 'poisson', load: 0.95, minutes: 4 } as const,
      },
      {
        name,
        plan: 'pro' as const,
        processes,
        workload: { kind: 'burst', calls: Math.floor((3.3 * 300) / processes) } as const,
      },
    ]),
  };
}

/** Something that happens to the store at some moments. */
const thrice =
  (happens: (store: StoreControl) => void): NonNullable<Conditions['start']> =>
  (store) => {
    for (const at of [45_000, 90_000, 135_000])
      void store.clock.sleep(at).then(() => happens(store));
  };

const faultRows: readonly Row[] = [
  faulty('nothing goes wrong', {}),
  faulty('store down from the start', { down: [[0, 1e9]] }),
  faulty('store down from 1.5 min on', { down: [[90_000, 1e9]] }),
  faulty('store down from 1 to 2 min', { down: [[60_000, 120_000]] }),
  faulty('store down 5 s in each 20 s', { down: every(20_000, 5_000) }),
  faulty('store paused 3 s in each 45 s', { down: every(45_000, 3_000) }),
  faulty('store slow, 30 ms on average', { slow: { span: [0, 1e9], ms: 30 } }),
  faulty('store wiped three times', { start: thrice(({ wipe }) => wipe()) }),
  faulty('a replica takes over three times, and lacks the last 2 s', {
    start: thrice(({ rollBack }) => rollBack(2_000)),
  }),
  faulty("the store's clock a day ahead for a minute", {
    start: ({ clock, setClock }) => {
      void clock.sleep(45_000).then(() => setClock(86_400_000));
      void clock.sleep(105_000).then(() => setClock(-86_400_000));
    },
  }),
  faulty('every second process killed at 70 s', {
    stopped: (index) => (index % 2 === 1 ? [[70_000 + index * 500, Infinity]] : []),
  }),
  faulty('each process stopped for 20 s', {
    stopped: (index) => [[30_000 + index * 3_000, 50_000 + index * 3_000]],
  }),
  faulty('each process stopped for 90 s', {
    stopped: (index) => [[10_000 + index * 2_000, 100_000 + index * 2_000]],
  }),
  {
    name: '200 processes that join within 40 s',
    conditions: plain,
    scenarios: [
      {
        name: 'late joiners',
        plan: 'pro',
        processes: 200,
        stagger: 200,
        workload: { kind: 'burst', calls: 4 },
      },
    ],
  },
];

/** The tables of the bench. */
export const tables = {
  fixed: rowsOf(fixed),
  rolling: rowsOf(rolling),
  business: businessRows,
  priority: priorityRows,
  faults: faultRows,
} as const satisfies Readonly<Record<string, readonly Row[]>>;

export type TableName = keyof typeof tables;
