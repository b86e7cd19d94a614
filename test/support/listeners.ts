import { turns } from './world.js';

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
