import type { Core } from './core.js';
import type { Incoming } from './incoming.js';

/** Waits for what never comes: ends only when the request is aborted. */
export function forever(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason as Error);
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

/** `work`, but no longer than until the request is aborted. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let stop: () => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Time on the way there and back, ms. @throws RangeError when a function of one's own gives none. */
export function latencyOf({ latency, random }: Core, { method, path }: Incoming): number {
  if (latency === 0) return 0;
  const ms =
    typeof latency === 'number'
      ? latency
      : typeof latency === 'function'
        ? latency({ method, path })
        : latency[0] + random.next() * (latency[1] - latency[0]);
  if (!(ms >= 0 && ms < Infinity)) throw new RangeError(`latency must be ms, 0 or more, got ${ms}`);
  return ms;
}
