import { Bench } from 'tinybench';

/** µs of one run. */
export interface Timed {
  /** By the clock. */
  readonly wall: number;
  /** CPU time of the whole process, so with the threads of the garbage collector. */
  readonly cpu: number;
}

/** After so many runs the event loop gets a turn, as it does after each response of a network: only then objects are finalized. */
const runsPerTurn = 10;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** So many runs of `work`, one after the other. */
export async function many(work: () => unknown, runs: number): Promise<void> {
  for (let run = 1; run <= runs; run++) {
    await work();
    if (run % runsPerTurn === 0) await turn();
  }
}

/** Bytes on the heap that something still refers to. Needs `--expose-gc`. */
export async function heldBytes(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    // What is registered for finalization (each Request is) goes a turn after it was collected.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return process.memoryUsage().heapUsed;
}

/** Measures `work` for about so many ms: once, or so many at the same time. */
export async function sliceOf(work: () => unknown, ms: number, atOnce: number): Promise<Timed> {
  const together = () => Promise.all(Array.from({ length: atOnce }, work)).then(turn);
  const bench = new Bench({ time: ms, iterations: 1, warmup: false, throws: true });
  bench.add('work', atOnce > 1 ? together : () => many(work, runsPerTurn));
  const began = process.cpuUsage();
  const [task] = await bench.run();
  const { user, system } = process.cpuUsage(began);
  if (task?.result.state !== 'completed') throw new Error('A slice has not ended.');
  const { latency } = task.result;
  const runs = atOnce > 1 ? atOnce : runsPerTurn;
  return {
    wall: (latency.mean * 1_000) / runs,
    cpu: (user + system) / (latency.samplesCount * runs),
  };
}
