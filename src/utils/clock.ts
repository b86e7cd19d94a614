import { longestTimer, throwIfAborted } from './abort.js';

/**
 * Where the client reads time and waits. Give one of your own to test without waiting: `createMockService({ clock:
 * 'virtual' }).clock` is one.
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
  /** Wall-clock time, ms since the Unix epoch. Used for what is shown (dates in errors), never to measure. */
  now(): number;
  /** A time that never goes back, ms since any fixed moment. All waiting is measured on it. */
  monotonic(): number;
  /**
   * Resolves after `ms` milliseconds.
   *
   * @throws the signal's reason, as a rejection, as soon as `signal` is aborted; its timer and listener are gone then.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A timer that fires this much before `performance.now()` says so is a faked one: time is what it says, then. */
const tolerance = 20;
let leap = 0;

/** The system's clock: `Date.now()`, `performance.now()` and `setTimeout`, each looked up at use, so that faked timers work. */
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
    // Rounded up: faked timers cut a fraction off, and fire at once for ever.
    const handle = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, Math.ceil(ms));
    signal?.addEventListener('abort', stop, { once: true });
  });
}
