import { tell } from '../utils/options.js';
import type { Core } from './context.js';
import type { Incoming } from '../http/request.js';
import { Problem } from '../http/problem.js';

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

/** Time on the way there and back, ms; or, where a function of one's own gives none, the failure that is answered instead. */
export function latencyOf({ latency, random }: Core, { method, path }: Incoming): number | Problem {
  if (typeof latency === 'number') return latency;
  if (typeof latency !== 'function') return latency[0] + random.next() * (latency[1] - latency[0]);
  const failed = (why: string) => new Problem('mockDefect', 500, 'The mock failed, not the service.', `latency() ${why}`);
  try {
    const ms: unknown = latency({ method, path });
    return typeof ms === 'number' && ms >= 0 && ms < Infinity ? ms : failed(`must give ms of 0 or more, gave ${tell(ms)}`);
  } catch (error) {
    return failed(`threw ${String(error)}`);
  }
}
