import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { median, ratioOf, type Ratio } from './stats.js';

/** How long one thing is measured in the steady state. */
export interface SteadyEffort {
  /** Calls before the first slice. */
  readonly warm: number;
  /** Processes of each case, one after another: what V8 decides while a process warms up, it keeps, and it does not always decide the same. */
  readonly processes: number;
  /** Of each process. */
  readonly slices: number;
  /** About how long each slice takes, ms. */
  readonly ms: number;
}

/** What a parent asks of a case: a slice of so many calls. */
export interface Slice {
  readonly count: number;
}

/** µs of one call. */
export interface Timed {
  /** By the clock. */
  readonly wall: number;
  /** CPU time of the whole process, so with the threads of the garbage collector. */
  readonly cpu: number;
}

/** What one case costs, beside the first of its group. */
export interface Steady {
  readonly wall: Ratio;
  readonly cpu: Ratio;
  /** Bytes that one call allocates on the heap. */
  readonly bytes: number;
}

/** After so many calls the event loop gets a turn, as it does after each response of a network: only then objects are finalized. */
const callsPerTurn = 10;

export async function repeat(
  work: () => Promise<unknown>,
  count: number,
  atOnce: number,
): Promise<void> {
  let left = count;
  const worker = async () => {
    while (left-- > 0) {
      await work();
      if (left % callsPerTurn === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

export async function timed(
  work: () => Promise<unknown>,
  count: number,
  atOnce: number,
): Promise<Timed> {
  const [began, spent] = [performance.now(), process.cpuUsage()];
  await repeat(work, count, atOnce);
  const { user, system } = process.cpuUsage(spent);
  return { wall: ((performance.now() - began) * 1_000) / count, cpu: (user + system) / count };
}

/**
 * Measures cases beside each other: each in processes of its own, which have made `warm` calls before the first slice, and a
 * slice of each in turns. The ratios are to the first case.
 */
export async function inTurns<Name extends string>(
  cases: Readonly<Record<Name, object>>,
  { warm, processes, slices, ms }: SteadyEffort,
): Promise<Record<Name, Steady>> {
  const names = Object.keys(cases) as Name[];
  const rounds: Timed[][] = [];
  const bytes: number[][] = [];
  for (let generation = 0; generation < processes; generation++) {
    const starting = names.map((name) => started(name, { ...cases[name], warm }));
    try {
      const running = await Promise.all(starting);
      bytes.push(running.map((one) => one.bytes));
      for (let slice = 0; slice < slices; slice++) {
        const round: Timed[] = [];
        for (const one of running) round.push(await one.slice(ms));
        rounds.push(round);
      }
    } finally {
      for (const one of await Promise.allSettled(starting))
        if (one.status === 'fulfilled') one.value.stop();
    }
  }
  const against = (at: number, by: keyof Timed) =>
    ratioOf(rounds.map((round) => [round[0]![by], round[at]![by]] as const));
  return Object.fromEntries(
    names.map((name, at) => [
      name,
      {
        wall: against(at, 'wall'),
        cpu: against(at, 'cpu'),
        bytes: median(bytes.map((of) => of[at]!)),
      },
    ]),
  ) as Record<Name, Steady>;
}

interface Running {
  readonly bytes: number;
  slice(ms: number): Promise<Timed>;
  stop(): void;
}

async function started(name: string, input: object): Promise<Running> {
  const child = fork(
    fileURLToPath(new URL('child.ts', import.meta.url)),
    ['request', JSON.stringify(input)],
    {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      execArgv: ['--expose-gc', '--import', 'tsx'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  );
  const { bytes, wall } = await message<Timed & { readonly bytes: number }>(name, child);
  const times = [wall];
  return {
    bytes,
    slice: async (ms) => {
      const slice: Slice = { count: Math.ceil((ms * 1_000) / median(times)) };
      child.send(slice);
      const found = await message<Timed>(name, child);
      times.push(found.wall);
      return found;
    },
    stop: () => child.kill('SIGKILL'),
  };
}

function message<T>(name: string, child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`${name} ended with ${code}`));
    child.once('exit', ended);
    child.once('message', (found) => {
      child.off('exit', ended);
      resolve(found as T);
    });
  });
}
