import { vi } from 'vitest';

/** Watches a signal: how many of the listeners it was given from now on are still there. */
export function watchListeners(signal: AbortSignal): () => number {
  const added = vi.spyOn(signal, 'addEventListener');
  const removed = vi.spyOn(signal, 'removeEventListener');
  return () => {
    if (added.mock.calls.length === 0) throw new Error('no listener was ever added');
    const gone = new Set(removed.mock.calls.map(([, listener]) => listener));
    return added.mock.calls.filter(([, listener]) => !gone.has(listener)).length;
  };
}
