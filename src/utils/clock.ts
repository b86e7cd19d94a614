import type { Clock } from '../contract/handshake.js';
import { longestTimer, throwIfAborted, untilAborted, whenAborted } from './abort.js';

export type { Clock };

/** A timer that fires this much before its time on `performance.now()` is a fake timer, and then the timer defines the time. */
const tolerance = 20;
let leap = 0;

/** The system's clock: `Date.now()`, `performance.now()` and `setTimeout`, each looked up on use, so that fake timers work. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now() + leap,
  async sleep(ms, signal) {
    throwIfAborted(signal);
    const end = this.monotonic() + ms;
    for (let left = ms; left > 0;) {
      const piece = Math.min(left, longestTimer);
      await timer(piece, signal);
      const missing = end - left + piece - this.monotonic();
      if (missing > tolerance) leap += missing;
      left = end - this.monotonic();
    }
  },
};

/**
 * Waits on a clock of the caller, for one who waits again as long as the time has not come. Throws if the clock ends the wait more than a
 * second early, or gives no promise: all those waits would block the event loop.
 */
export async function sleepOn(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const end = clock.monotonic() + ms;
  await clock.sleep(ms, signal);
  if (end - clock.monotonic() > 1_000) throw new Error('sleep() ended early');
}

/** A wait of at most 2^31 - 1 ms. `onStart` receives its timer. */
export function timer(
  ms: number,
  signal: AbortSignal | undefined,
  onStart?: (handle: { readonly unref?: () => unknown }) => unknown,
): Promise<void> {
  const start = (aborted: AbortSignal) =>
    new Promise<void>((resolve) => {
      // Rounded up, because fake timers truncate a fraction and would fire at once again and again.
      const handle = setTimeout(resolve, Math.ceil(ms));
      onStart?.(handle);
      whenAborted(aborted, () => clearTimeout(handle));
    });
  return untilAborted(signal, start);
}
