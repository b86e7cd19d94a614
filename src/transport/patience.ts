import { DeadlineExceeded } from '../http/fetch.js';
import { boundOf, type ResolvedRequestOptions } from '../options/request-options.js';
import type { CallContext } from './call-context.js';
import { longestTimer } from '../utils/clock.js';

/** Aborts `work` through `late` when the caller gives up, or after `ms`. No timer and no listener outlives it. */
export function bounded<T>(
  context: CallContext,
  ms: number,
  tooLate: () => Error,
  late: AbortController,
  work: Promise<T>,
): Promise<T> {
  const { signal } = context;
  const stop = () => late.abort((signal as AbortSignal).reason);
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop);
  // Real time, whatever the clock: what is waited for happens outside of it, or is bounded by the gate.
  const timer = setTimeout(() => late.abort(tooLate()), Math.min(Math.max(0, ms), longestTimer));
  return work.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  });
}

/**
 * Waits for what a function of the caller gives (a key, the verdict of a schema), but no longer than the caller does, nor
 * beyond the time of the whole call.
 */
export function untilDeadline<T>(
  context: CallContext,
  limits: ResolvedRequestOptions,
  work: () => T | Promise<T>,
): Promise<T> {
  const bound = boundOf({ ...limits, timeout: false }, context.config.clock.monotonic());
  if (bound === undefined) return abortable(context.signal, work);
  const late = new AbortController();
  return bounded(
    context,
    bound.ms,
    () => new DeadlineExceeded(bound),
    late,
    abortable(late.signal, work),
  );
}

export function abortable<T>(
  signal: AbortSignal | undefined,
  work: () => T | Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => reject((signal as AbortSignal).reason);
    // Once: the work may never settle.
    signal?.addEventListener('abort', stop, { once: true });
    Promise.resolve()
      .then(work)
      .finally(() => signal?.removeEventListener('abort', stop))
      .then(resolve, reject);
  });
}
