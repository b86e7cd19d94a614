// @ts-nocheck
import type { Clock } from '../../src/index.js';
import type { Span } from '../../test/support/fleet-process.js';
import { burst, closed, perMinute, poisson } from '../conduct/scenario.js';
import type { Limiter, PlanName, Scenario } from '../conduct/scenario.js';

/** What may happen to the store. */
export interface StoreControl {
  readonly clock: Clock;
  /** A replica takes its place, which lacks what was written in the last `ms`. `Infinity`: it loses its memory. */
  readonly rollBack: (ms: number) => void;
  /** Its clock is set by `ms`. */
  readonly setClock: (ms: number) => void;
}

/** What goes wrong during a run. Everything left out goes well. */
export interface Conditions {
  /** The store does not answer, or answers this many ms late. */
  readonly down?: readonly Span[];
  readonly slow?: number;
  /** When a process stands still, as by SIGSTOP, and when it dies, as by SIGKILL. */
  readonly stopped?: (process: number) => Span;
  readonly killed?: (process: number) => number | undefined;
  /** The first process makes calls of high priority. */
  readonly high?: boolean;
  /** Called once at the start of the run: plans what happens to the store. */
  readonly start?: (store: StoreControl) => void;
}

/** One row of a table: runs whose figures are put together. */
export interface Row {
  /** The number of processes, or what goes wrong. */
  readonly name: string;
  readonly scenarios: readonly Scenario[];
  readonly conditions?: Conditions;
}

/** Five workloads of each process: together they want 2 to 3 windows, or run for four minutes. */
function rowsOf(
  counts: readonly number[],
  windows: readonly Limiter['window'][],
  plans: readonly PlanName[] = ['free', 'pro', 'business'],
): Row[] {
  return counts.map((processes) => {
    const scenarios = windows.flatMap((window) =>
      plans.flatMap((plan) => {
        const share = perMinute({ plan }) / processes;
        return [
          burst(Math.max(1, Math.floor(3.3 * share))),
          closed(Math.max(2, Math.floor(2.2 * share)), 5),
          ...[0.5, 0.95, 1.2].map((load) => poisson(load, 4)),
        ].map((workload) => ({ plan, workload, processes, limiter: { window } }));
      }),
    );
    return { name: String(processes), scenarios };
  });
}

/** More calls than the limit allows, evenly from all processes. Those of the first process have high priority, or none has. */
const priorityRows = [4, 16].flatMap((processes) =>
  [true, false].map((high): Row => {
    const windows = ['fixed', 'from-first'] as const;
    return {
      name: `${processes}, ${high ? 'the first with high priority' : 'without priorities'}`,
      conditions: { high },
      scenarios: windows.map((window) => {
        return { plan: 'pro', processes, limiter: { window }, workload: poisson(1.2, 4) };
      }),
    };
  }),
);

const every = (ms: number, length: number): Span[] =>
  Array.from({ length: 20 }, (_, at) => [at * ms + ms, at * ms + ms + length] as const);

/** Something that happens to the store at some moments. */
const thrice = (happens: (store: StoreControl) => void) => (store: StoreControl) => {
  for (const at of [45_000, 90_000, 135_000]) void store.clock.sleep(at).then(() => happens(store));
};

/** What goes wrong, by its name: with 4 and 16 processes on Pro, at 0.95 of the limit and as a burst. */
const faults: Readonly<Record<string, Conditions>> = {
  'nothing goes wrong': {},
  'store down from the start': { down: [[0, 1e9]] },
  'store down from 1.5 min on': { down: [[90_000, 1e9]] },
  'store down from 1 to 2 min': { down: [[60_000, 120_000]] },
  'store down 5 s in each 20 s': { down: every(20_000, 5_000) },
  'store paused 3 s in each 45 s': { down: every(45_000, 3_000) },
  'store slow, 30 ms on average': { slow: 30 },
  'store wiped three times': { start: thrice(({ rollBack }) => rollBack(Infinity)) },
  'a replica takes over three times, and lacks the last 2 s': {
    start: thrice(({ rollBack }) => rollBack(2_000)),
  },
  "the store's clock a day ahead for a minute": {
    start({ clock, setClock }) {
      void clock.sleep(45_000).then(() => setClock(86_400_000));
      void clock.sleep(105_000).then(() => setClock(-86_400_000));
    },
  },
  'every second process killed at 70 s': {
    killed: (index) => (index % 2 === 1 ? 70_000 + index * 500 : undefined),
  },
  'each process stopped for 20 s': {
    stopped: (index) => [30_000 + index * 3_000, 50_000 + index * 3_000],
  },
  'each process stopped for 90 s': {
    stopped: (index) => [10_000 + index * 2_000, 100_000 + index * 2_000],
  },
};
const faultRows = Object.entries(faults).map(([name, conditions]): Row => {
  const scenarios = [4, 16].flatMap((processes): Scenario[] => [
    { plan: 'pro', processes, workload: poisson(0.95, 4) },
    { plan: 'pro', processes, workload: burst(Math.floor((3.3 * 300) / processes)) },
  ]);
  return { name, conditions, scenarios };
});
const lateRow: Row = {
  name: '200 processes that join within 40 s',
  scenarios: [{ plan: 'pro', processes: 200, stagger: 200, workload: burst(4) }],
};

const counts = [1, 2, 4, 7, 16, 64, 200];
/** The tables of the bench. */
export const tables = {
  fixed: rowsOf(counts, ['fixed', 'from-first']),
  rolling: rowsOf(counts, ['sliding', 'token-bucket']),
  business: rowsOf(counts.slice(0, 5), ['fixed'], ['business']),
  priority: priorityRows,
  faults: [...faultRows, lateRow],
} as const satisfies Readonly<Record<string, readonly Row[]>>;

export type TableName = keyof typeof tables;
