// @ts-nocheck
import { options } from '../page.js';
import { startProcess, type Call } from '../processes.js';
import { median, ratioOf } from '../stats.js';
import type { Kind, Timed } from './measured.js';

type Measured = typeof import('./measured.js');

const { quick } = options;
const start = () => startProcess<Measured>(new URL('measured.ts', import.meta.url));

/** One call in a process of its own. */
export const inProcess: Call<Measured> = (name, ...inputs) => {
  const { call, stop } = start();
  return call(name, ...inputs).finally(stop);
};

/** What is measured in slices. */
interface Effort {
  /** So many processes of each, one after the other: what V8 decides while a process warms up, it keeps. `one`: one for all. */
  readonly processes: number | 'one';
  /** Calls before the first slice. */
  readonly calls: number;
  readonly slices: number;
  readonly ms: number;
  readonly atOnce?: number;
}

/** Slices of each in turns, so that a disturbance meets all of them. */
export async function compare(
  kind: Kind,
  names: readonly string[],
  { processes, calls, slices, ms, atOnce = 1 }: Effort,
  ...inputs: string[]
) {
  const all = names.map((name) => {
    return { name, times: [] as Timed[], bytes: [] as number[], first: 0 };
  });
  for (let again = 0; again < (quick || processes === 'one' ? 1 : processes); again++) {
    const shared = processes === 'one' ? start() : undefined;
    const running = all.map((each) => ({ each, process: shared ?? start() }));
    const prepare = async ({ each, process }: (typeof running)[number]) => {
      const count = quick ? Math.min(calls, 300) : calls;
      each.first = await process.call('prepare', each.name, count, kind, ...(inputs as never[]));
    };
    // A process does one thing at a time, and a time to the first answer is measured alone.
    if (shared || kind === 'port') for (const one of running) await prepare(one);
    else await Promise.all(running.map(prepare));
    for (let slice = 0; slice < (quick ? 2 : slices); slice++)
      for (const { each, process } of running)
        each.times.push(await process.call('slice', each.name, quick ? 20 : ms, atOnce));
    for (const { each, process } of running) {
      if (kind === 'request') each.bytes.push(await process.call('allocated', each.name));
      process.stop();
    }
  }
  const [base] = all;
  const ratio = (times: readonly Timed[], by: keyof Timed) =>
    ratioOf(times.map((time, at) => [base!.times[at]![by], time[by]]));
  return all.map(({ name, first, bytes, times }) => ({
    name,
    /** CPU time and elapsed time, divided by those of the first. */
    cpu: ratio(times, 'cpu'),
    wall: ratio(times, 'wall'),
    /** µs of CPU time of a call, and the bytes that one allocates. */
    us: median(times.map(({ cpu }) => cpu)),
    bytes: median(bytes),
    /** ms to the first answer. */
    first,
  }));
}
