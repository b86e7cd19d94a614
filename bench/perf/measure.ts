import { cpuTime } from './cpu-time.js';
import { ratioOf, type Ratio } from './stats.js';

/** Something to be timed: once, and its promise awaited if it gives one. */
export type Work = () => unknown;

/** How long each slice is, ms, how many there are, and how long each thing is warmed up. */
export interface Effort {
  readonly slices: number;
  readonly ms: number;
  readonly warm: number;
}

export const thorough: Effort = { slices: 25, ms: 20, warm: 600 };
export const quick: Effort = { slices: 7, ms: 8, warm: 80 };

/**
 * Times `own` beside `base`, a slice of one right before a slice of the other, warm. CPU time of the thread, which other
 * programs on the machine disturb less than the time of the clock: what waits is not measured, only what works.
 */
export async function paired(base: Work, own: Work, { slices, ms, warm }: Effort): Promise<Ratio> {
  const counts: [number, number] = [1, 1];
  // Each twice: what is compiled late in the first round would count in the second.
  for (let round = 0; round < 2; round++)
    for (const [at, work] of [base, own].entries())
      counts[at as 0 | 1] = await calibrate(work, warm / 2, ms);
  const pairs: [number, number][] = [];
  for (let slice = 0; slice < slices; slice++) {
    // Loops of microtasks alone keep the event loop, and what it would clean up, from its turn.
    await new Promise((resolve) => setImmediate(resolve));
    const before = await timed(base, counts[0]);
    await new Promise((resolve) => setImmediate(resolve));
    pairs.push([before, await timed(own, counts[1])]);
  }
  return ratioOf(pairs);
}

/** µs of `work` in each of so many slices, warm. */
export async function calibrated(work: Work, { slices, ms, warm }: Effort): Promise<number[]> {
  const count = await calibrate(work, warm, ms);
  const times: number[] = [];
  for (let slice = 0; slice < slices; slice++) {
    await new Promise((resolve) => setImmediate(resolve));
    times.push(await timed(work, count));
  }
  return times;
}

/** µs of CPU time for each of `count` runs. */
export async function timed(work: Work, count: number): Promise<number> {
  const began = cpuTime();
  const first = work();
  // A loop that awaits is no loop to time a synchronous function with.
  if (first instanceof Promise) {
    await first;
    for (let done = 1; done < count; done++) await work();
  } else for (let done = 1; done < count; done++) work();
  return (cpuTime() - began) / count;
}

/** Warms `work` up for `warm` ms, and says how many runs fill `ms`. */
async function calibrate(work: Work, warm: number, ms: number): Promise<number> {
  for (let count = 1, spent = 0; ; count *= 2) {
    const total = (await timed(work, count)) * count;
    spent += total;
    if (spent >= warm * 1_000)
      return Math.max(1, Math.round((count * ms * 1_000) / Math.max(total, 1)));
  }
}
