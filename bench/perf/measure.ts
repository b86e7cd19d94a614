import { Bench } from 'tinybench';
import { ratioOf, type Ratio } from './stats.js';

/** µs of one run. */
export interface Timed {
  /** By the clock. */
  readonly wall: number;
  /** CPU time of the whole process, so with the threads of the garbage collector. */
  readonly cpu: number;
}

/** How many slices of so many ms are measured. */
export interface Effort {
  readonly slices: number;
  readonly ms: number;
}

/** Measures for about so many ms. */
export type Slice = (ms: number) => Promise<Timed>;

/** Bytes on the heap that something still refers to. Needs `--expose-gc`. */
export async function heldBytes(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    // What is registered for finalization (each Request is) goes a turn after it was collected.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return process.memoryUsage().heapUsed;
}

/** After so many runs the event loop gets a turn, as it does after each response of a network: only then objects are finalized. */
const runsPerTurn = 10;

/** A slice of `work`: once, and its promise awaited if it gives one. With `atOnce`, so many at the same time. */
export function sliceOf(work: () => unknown, atOnce = 1): Slice {
  // A loop that awaits is no loop to time a synchronous function with.
  let isAsync = true;
  const batch = async () => {
    if (atOnce > 1) await Promise.all(Array.from({ length: atOnce }, work));
    else if (isAsync) for (let run = 0; run < runsPerTurn; run++) await work();
    else for (let run = 0; run < runsPerTurn; run++) work();
    await new Promise((resolve) => setImmediate(resolve));
  };
  const runs = atOnce > 1 ? atOnce : runsPerTurn;
  return async (ms) => {
    const first = work();
    isAsync = first instanceof Promise;
    await first;
    const bench = new Bench({ time: ms, iterations: 1, warmup: false, throws: true });
    bench.add('work', batch);
    const began = process.cpuUsage();
    const [task] = await bench.run();
    const { user, system } = process.cpuUsage(began);
    if (task?.result.state !== 'completed') throw new Error('A slice has not ended.');
    const { latency } = task.result;
    return {
      wall: (latency.mean * 1_000) / runs,
      cpu: (user + system) / (latency.samplesCount * runs),
    };
  };
}

/** A slice of each in turns, so that a disturbance meets all of them. */
export async function inTurns<Name extends string>(
  cases: Readonly<Record<Name, Slice>>,
  { slices, ms }: Effort,
): Promise<Record<Name, Timed[]>> {
  const entries = Object.entries(cases) as [Name, Slice][];
  const times = Object.fromEntries(entries.map(([name]) => [name, [] as Timed[]]));
  for (let round = 0; round < slices; round++)
    for (const [name, slice] of entries) times[name]!.push(await slice(ms));
  return times as Record<Name, Timed[]>;
}

/** The same for work in this process, warm. */
export async function warmInTurns<Name extends string>(
  cases: Readonly<Record<Name, () => unknown>>,
  effort: Effort,
): Promise<Record<Name, Timed[]>> {
  const entries = Object.entries(cases) as [Name, () => unknown][];
  const slices = entries.map(([name, work]) => [name, sliceOf(work)] as const);
  // Twice: what is compiled late in the first round would count in the second.
  for (let round = 0; round < 2; round++) for (const [, slice] of slices) await slice(300);
  return inTurns(Object.fromEntries(slices) as Record<Name, Slice>, effort);
}

/** Each case divided by the first, by the clock or in CPU time. */
export function ratios<Name extends string>(
  times: Readonly<Record<Name, readonly Timed[]>>,
  by: keyof Timed = 'cpu',
): Record<Name, Ratio> {
  const entries = Object.entries(times) as [Name, readonly Timed[]][];
  const [, base] = entries[0]!;
  return Object.fromEntries(
    entries.map(([name, own]) => [
      name,
      ratioOf(own.map((slice, at) => [base[at]![by], slice[by]] as const)),
    ]),
  ) as Record<Name, Ratio>;
}
