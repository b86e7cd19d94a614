import type { Clock } from '../../src/index.js';
import type { FleetGateOptions, FleetStore } from '../../src/fleet/index.js';
import type { MockClock } from '../../mocks/index.js';
import type { RunPlan } from './fleet-plan.js';
import { tap } from './fleet-tap.js';

/** From when to when, ms since the run began. */
export type Span = readonly [from: number, to: number];

/** What befalls a process. */
export interface Fate {
  readonly stops: readonly Span[];
  readonly diesAt?: number | undefined;
  /** Its clock ignores the signal of a wait. */
  readonly isDeaf?: boolean;
}

const forever = () => new Promise<never>(() => undefined);

/**
 * One process in a run: a clock of its own, times at which it stands still (as by SIGSTOP), and a moment at which it dies
 * (as by SIGKILL). Nothing that waits in a process that is dead goes on.
 */
export class FleetProcess {
  readonly clock: Clock;
  /** Waits on the clock of the process that are not over. */
  waits = 0;
  readonly #time: MockClock;
  readonly #began: number;
  readonly #fate: Fate;

  /** `skew`: how far the clock of the wall is ahead, ms. It is wrong, differently in each process. */
  constructor(time: MockClock, index: number, fate: Fate, skew = 40_000 * (index - 1)) {
    this.#time = time;
    this.#began = time.monotonic();
    this.#fate = fate;
    const boot = 1_000_000 + 77_777 * index;
    this.clock = {
      now: () => time.now() + skew,
      monotonic: () => time.monotonic() + boot,
      sleep: async (ms, signal) => {
        this.waits += 1;
        try {
          await time.sleep(ms, fate.isDeaf ? undefined : signal);
        } finally {
          this.waits -= 1;
        }
        await this.resume();
      },
    };
  }

  get isDead(): boolean {
    return this.passed >= (this.#fate.diesAt ?? Infinity);
  }

  /** ms since the run began. */
  get passed(): number {
    return this.#time.monotonic() - this.#began;
  }

  /** Goes on once the process runs: at once, after a stop, or never. */
  async resume(): Promise<void> {
    for (;;) {
      if (this.isDead) await forever();
      const stop = this.#fate.stops.find(([from, to]) => this.passed >= from && this.passed < to);
      if (stop === undefined) return;
      await this.#time.sleep(stop[1] - this.passed);
    }
  }

  /** Waits until so many ms of the run have passed. */
  async until(moment: number): Promise<void> {
    await this.#time.sleep(Math.max(0, moment - this.passed));
    await this.resume();
  }
}

type StoreFault = RunPlan['storeFaults'][number];

/** The way of one process to the store, with its faults. */
export function reach(
  inner: FleetStore,
  process: FleetProcess,
  index: number,
  { latency, faults }: { readonly latency: number; readonly faults: readonly StoreFault[] },
): FleetGateOptions['store'] {
  const wait = (ms: number) => process.clock.sleep(ms);
  return tap(inner, async (_operation, run) => {
    const fault = faults.find(
      ({ span: [from, to], to: only }) =>
        process.passed >= from && process.passed < to && (only ?? index) === index,
    );
    await wait(latency / 2);
    if (fault?.kind === 'fails') throw new Error('the store is down');
    if (fault?.kind === 'hangs') return forever();
    if (fault?.kind === 'late') await wait(fault.ms);
    const reply = await run();
    if (fault?.kind === 'forgets to answer') return forever();
    await wait(latency / 2);
    return reply;
  });
}
