/** Timers take at most 2^31 - 1 ms; beyond it they fire at once. */
export const longestTimer = 2 ** 31 - 1;

/** As the method of a signal, which older ones have not. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw signal.reason;
}

/**
 * Settles as `work` does, but not later than the moment when `signal` is aborted (then it rejects with the reason of the
 * signal) or `ms` have passed (then it rejects with `reason()`). The signal that `work` gets is aborted at that moment,
 * for the same reason. No timer and no listener is left behind.
 *
 * @param ms - in real time, whatever the clock of the client: what is waited for happens outside of it. `Infinity`: no bound.
 */
export function withDeadline<T>(
  signal: AbortSignal | undefined,
  ms: number,
  reason: () => unknown,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const release = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    const stop = (why: unknown) => {
      release();
      reject(why);
      controller.abort(why);
    };
    const onAbort = () => stop((signal as AbortSignal).reason);
    const arm = (left: number) => {
      const piece = Math.min(Math.max(0, left), longestTimer);
      timer = setTimeout(() => (left > piece ? arm(left - piece) : stop(reason())), piece);
    };
    signal?.addEventListener('abort', onAbort);
    if (ms < Infinity) arm(ms);
    new Promise<T>((begin) => begin(work(controller.signal)))
      .finally(release)
      .then(resolve, reject);
  });
}
