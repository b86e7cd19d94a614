import { longestTimer, throwIfAborted } from './abort.js';

/**
 * The clock that the client reads and waits on. To test without waiting, pass a virtual clock, such as
 * `createMockService({ clock: 'virtual' }).clock`.
 *
 * @example
 * ```ts
 * import { PetStoreClient } from 'petstore-client';
 * import { createMockService } from 'petstore-client/mocks';
 *
 * const { fetch, clock } = createMockService({ clock: 'virtual' });
 * const client = new PetStoreClient({ apiKey: 'mock-free', fetch, clock });
 * const began = clock.now();
 * await Promise.all(Array.from({ length: 61 }, () => client.listPets()));
 * console.log(clock.now() - began > 30_000); // true: the 61st waited for the next minute, in no real time
 * ```
 */
export interface Clock {
  /** Wall-clock time, ms since the Unix epoch. Used for dates that are shown (in errors), never to measure durations. */
  now(): number;
  /** A time that never goes back, ms since any fixed moment. All waits are measured on it. */
  monotonic(): number;
  /**
   * Resolves after `ms` milliseconds.
   *
   * @throws the signal's reason, as a rejection, as soon as `signal` is aborted; its timer and listener are removed.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/**
 * The clock that a `fetch` brings along: that of a mock service whose time is virtual. A wait in real time for a reset in
 * virtual time would not end.
 */
export function clockOf(fetch: unknown): Clock | undefined {
  return (fetch as { [clockSymbol]?: Clock } | undefined)?.[clockSymbol];
}

const clockSymbol = Symbol.for('petstore-client.clock');

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

function timer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(handle);
      reject(signal?.reason as Error);
    };
    // Rounded up, because fake timers truncate a fraction and would fire at once again and again.
    const handle = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, Math.ceil(ms));
    signal?.addEventListener('abort', stop, { once: true });
  });
}
