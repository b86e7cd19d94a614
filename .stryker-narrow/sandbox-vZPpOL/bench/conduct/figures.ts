// @ts-nocheck
import { average } from '../stats.js';
import type { Outcome, Run } from './run.js';

/** What one run comes to. */
export type Figures = ReturnType<typeof figures>;

/** The figures of one run. */
export function figures({ scenario, calls, outcomes, journal, inCoolDown, bans, best }: Run) {
  const served = outcomes.filter(({ ok }) => ok);
  const refused = journal.filter(({ status }) => status === 429).length;
  const waits = waitsOf(served);
  const isAll = served.length >= best.length;
  const ideal = (best.at(-1) ?? 0) + (scenario.rtt ?? 100);
  return {
    /** Calls that were served, and their share of those that the quota of the day allows: 0 to 1. */
    served: served.length,
    done: served.length / best.length,
    /** Calls that were still waiting when the run was over. */
    hanging: calls - outcomes.length,
    /** Requests answered with 429, and those in 1,000 served calls. */
    refused,
    refusedPerThousand: (refused * 1_000) / served.length,
    /** The same without each process's first request, which cannot know that the key is spent. */
    laterRefusedPerThousand: ((refused - firstRefused(journal)) * 1_000) / served.length,
    /** Requests that reached the service while an earlier 429 or a ban told to wait. */
    inCoolDown,
    bans,
    /** Time until the last call was served, in times of the optimum and one round trip; NaN when not all were served. */
    span: isAll ? Math.max(...served.map(({ endedAt }) => endedAt)) / ideal : NaN,
    /** Order of the ends against order of the calls, within a process: 1 as called, 0 random. */
    order: order(served),
    /** Jain's index of served calls between processes: 1 is equal. */
    fairness: fairness(served, scenario.processes ?? 1),
    /** ms from the call to its end, served calls only. */
    waitMedian: waits.p50,
    waitP99: waits.p99,
  };
}

/** ms from the calls to their ends; NaN without calls. */
export function waitsOf(outcomes: readonly Outcome[]) {
  const waits = outcomes.map(({ wantedAt, endedAt }) => endedAt - wantedAt).sort((a, b) => a - b);
  const at = (part: number) => waits[Math.floor(waits.length * part)] ?? NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

/** Processes whose very first request was answered with 429. */
function firstRefused(journal: Run['journal']): number {
  const firsts = new Map([...journal].reverse().map(({ process, status }) => [process, status]));
  return [...firsts.values()].filter((status) => status === 429).length;
}

/** The mean of each figure: of `span` NaN if a run has none. */
export function mean<Each extends Readonly<Record<string, number>>>(all: readonly Each[]): Each {
  const of = (name: string) => average(all.map((each) => each[name]!));
  return Object.fromEntries(Object.keys(all[0]!).map((name) => [name, of(name)])) as Each;
}

/** Kendall's tau between the order of the calls of a process and that of their ends. */
function order(served: readonly Outcome[]): number {
  let [inOrder, swapped] = [0, 0];
  for (const [at, earlier] of served.entries())
    for (const later of served.slice(at + 1)) {
      if (later.process !== earlier.process) continue;
      if (later.index > earlier.index) inOrder++;
      else swapped++;
    }
  return inOrder + swapped === 0 ? 1 : (inOrder - swapped) / (inOrder + swapped);
}

function fairness(served: readonly Outcome[], count: number): number {
  const calls = Array<number>(count).fill(0);
  for (const { process } of served) calls[process]! += 1;
  const squares = calls.reduce((sum, each) => sum + each * each, 0);
  return squares === 0 ? 1 : served.length ** 2 / (count * squares);
}
