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

/** What {@link fleetProcess} gives. */
export type FleetProcess = ReturnType<typeof fleetProcess>;

/**
 * One process in a run: a clock of its own, times at which it stands still (as by SIGSTOP), and a moment at which it dies
 * (as by SIGKILL). Nothing that waits in a process that is dead goes on.
 *
 * `skew`: how far the clock of the wall is ahead, ms.
 */
export function fleetProcess(time: MockClock, index: number, fate: Fate, skew: number) {
  const began = time.monotonic();
  const boot = 1_000_000 + 77_777 * index;
  let waits = 0;
  /** ms since the run began. */
  const passed = () => time.monotonic() - began;
  const isDead = () => passed() >= (fate.diesAt ?? Infinity);
  /** Goes on once the process runs: at once, after a stop, or never. */
  const resume = async (): Promise<void> => {
    for (;;) {
      if (isDead()) await forever();
      const stop = fate.stops.find(([from, to]) => passed() >= from && passed() < to);
      if (stop === undefined) return;
      await time.sleep(stop[1] - passed());
    }
  };
  const clock: Clock = {
    now: () => time.now() + skew,
    monotonic: () => time.monotonic() + boot,
    sleep: async (ms, signal) => {
      waits += 1;
      try {
        await time.sleep(ms, fate.isDeaf ? undefined : signal);
      } finally {
        waits -= 1;
      }
      await resume();
    },
  };
  /** Waits until so many ms of the run have passed. */
  const until = async (moment: number): Promise<void> => {
    await time.sleep(Math.max(0, moment - passed()));
    await resume();
  };
  /** How many waits on the clock of the process are not over. */
  const waiting = () => waits;
  return { clock, passed, isDead, resume, until, waiting };
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
    const passed = process.passed();
    const fault = faults.find(
      ({ span: [from, to], to: only }) =>
        passed >= from && passed < to && (only ?? index) === index,
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
