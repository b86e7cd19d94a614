import type { Outcome, Run } from '../run/run.js';

/** What one run comes to. */
export interface Figures {
  /** Share of the calls that were served, of those that the quota of the day allows: 0 to 1. */
  readonly done: number;
  /** Calls that were still waiting when the run was over. */
  readonly hanging: number;
  readonly requests: number;
  /** Requests answered with 429. */
  readonly refused: number;
  /** Those, in 1,000 served calls. */
  readonly refusedPerThousand: number;
  /** The same without each process's first request, which cannot know that the key is spent. */
  readonly laterRefusedPerThousand: number;
  /** Requests that reached the service while an earlier 429 or a ban told to wait. */
  readonly inCoolDown: number;
  readonly bans: number;
  /** Time until the last call was served, in times of the optimum and one round trip; only when all were served. */
  readonly span: number | undefined;
  /** Order of the ends against order of the calls, within a process: 1 as called, 0 random. */
  readonly order: number;
  /** Jain's index of served calls between processes: 1 is equal. */
  readonly fairness: number;
  /** ms from the call to its end, served calls only. */
  readonly waitMedian: number;
  readonly waitP99: number;
}

/** The figures of one run. */
export function figures(run: Run): Figures {
  const served = run.outcomes.filter((outcome) => outcome.ok);
  const refused = run.journal.filter((sent) => sent.status === 429).length;
  const waits = served.map((outcome) => outcome.endedAt - outcome.wantedAt).sort((a, b) => a - b);
  const ideal = (run.best.at(-1) ?? 0) + (run.scenario.rtt ?? 100);
  return {
    done: served.length / run.best.length,
    hanging: run.calls - run.outcomes.length,
    requests: run.journal.length,
    refused,
    refusedPerThousand: served.length === 0 ? Infinity : (refused * 1_000) / served.length,
    laterRefusedPerThousand:
      served.length === 0 ? Infinity : ((refused - firstRefused(run)) * 1_000) / served.length,
    inCoolDown: run.inCoolDown,
    bans: run.bans,
    span:
      served.length < run.best.length
        ? undefined
        : Math.max(...served.map((outcome) => outcome.endedAt)) / ideal,
    order: order(served),
    fairness: fairness(
      served.map((outcome) => outcome.process),
      run.scenario.processes ?? 1,
    ),
    waitMedian: waits[Math.floor(waits.length / 2)] ?? 0,
    waitP99: waits[Math.floor(waits.length * 0.99)] ?? 0,
  };
}

/** Processes whose very first request was answered with 429. */
function firstRefused({ journal }: Run): number {
  const firsts = new Map<number, number | undefined>();
  for (const { process, status } of journal) if (!firsts.has(process)) firsts.set(process, status);
  return [...firsts.values()].filter((status) => status === 429).length;
}

/** The mean of each figure; `span` over the runs that have one, or none if a run has none. */
export function mean(all: readonly Figures[]): Figures {
  const of = (name: keyof Figures) =>
    all.reduce((sum, each) => sum + (each[name] ?? NaN), 0) / all.length;
  const span = of('span');
  return {
    done: of('done'),
    hanging: of('hanging'),
    requests: of('requests'),
    refused: of('refused'),
    refusedPerThousand: of('refusedPerThousand'),
    laterRefusedPerThousand: of('laterRefusedPerThousand'),
    inCoolDown: of('inCoolDown'),
    bans: of('bans'),
    span: Number.isNaN(span) ? undefined : span,
    order: of('order'),
    fairness: of('fairness'),
    waitMedian: of('waitMedian'),
    waitP99: of('waitP99'),
  };
}

/** Kendall's tau between the order of the calls of a process and that of their ends. */
function order(served: readonly Outcome[]): number {
  let [inOrder, swapped] = [0, 0];
  served.forEach((earlier, at) => {
    for (let next = at + 1; next < served.length; next++) {
      const later = served[next] as Outcome;
      if (later.process !== earlier.process) continue;
      if (later.index > earlier.index) inOrder++;
      else swapped++;
    }
  });
  return inOrder + swapped === 0 ? 1 : (inOrder - swapped) / (inOrder + swapped);
}

function fairness(processes: readonly number[], count: number): number {
  const served = Array<number>(count).fill(0);
  for (const process of processes) served[process] = (served[process] ?? 0) + 1;
  const squares = served.reduce((sum, each) => sum + each * each, 0);
  return squares === 0 ? 1 : processes.length ** 2 / (count * squares);
}
