// @ts-nocheck
import { vi } from 'vitest';
import { turns } from './world.js';

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

/** The rejections during some work that nobody handles; the event comes after the microtasks of a turn. */
export async function unhandledDuring(work: () => Promise<unknown>): Promise<unknown[]> {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  const others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', note);
  try {
    await work();
    await turns(2);
  } finally {
    process.off('unhandledRejection', note);
    for (const other of others) process.on('unhandledRejection', other);
  }
  return unhandled;
}
