import type { FleetStore } from '../types.js';

/**
 * A store in the memory of this process: for tests, and for several gates of one process. It forgets everything with the
 * process, and other processes do not see it.
 *
 * @param now the time of the store, ms since the epoch. Default: `Date.now`.
 *
 * @example
 * ```ts
 * import { createFleetGate, memoryStore } from 'petstore-client/fleet';
 *
 * const store = memoryStore();
 * const one = createFleetGate({ store });
 * const other = createFleetGate({ store });
 * ```
 */
export function memoryStore(now: () => number = () => Date.now()): FleetStore {
  const texts = new Map<string, string>();
  return {
    // eslint-disable-next-line @typescript-eslint/require-await -- what is thrown becomes a rejection
    async update(key, change) {
      texts.set(key, change(texts.get(key), now()));
    },
  };
}
