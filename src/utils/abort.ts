/** Timers take at most 2^31 - 1 ms; beyond it they fire at once. */
export const longestTimer = 2 ** 31 - 1;

/** Does what `signal.throwIfAborted()` does, which older runtimes do not have. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw signal.reason;
}

/**
 * Settles as `work` does, but not later than the moment when `signal` is aborted (then it rejects with the reason of the
 * signal) or `ms` have passed (then it rejects with `reason()`). The signal that `work` receives is aborted at that moment
 * with the same reason. Afterwards no timer and no listener remains.
 *
 * @param ms - in real time, whatever the clock of the client: the work happens outside of that clock. `Infinity`: no bound.
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
    let left = ms;
    const expiry = releasable(() => (left > 0 ? arm() : stop(reason())));
    const release = () => {
      clearTimeout(timer);
      expiry.release();
      signal?.removeEventListener('abort', onAbort);
    };
    const stop = (why: unknown) => {
      release();
      reject(why);
      controller.abort(why);
    };
    const onAbort = () => stop((signal as AbortSignal).reason);
    const arm = () => {
      const piece = Math.min(Math.max(0, left), longestTimer);
      left -= piece;
      timer = setTimeout(expiry.call, piece);
    };
    signal?.addEventListener('abort', onAbort);
    if (ms < Infinity) arm();
    settled(() => work(controller.signal)).then(
      (value) => {
        release();
        resolve(value);
      },
      (failure: unknown) => {
        release();
        reject(failure);
      },
    );
  });
}

/** The promise that `work` gives, itself: an `async` function would follow it with two more. */
function settled<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return Promise.resolve(work());
  } catch (failure) {
    return Promise.reject(failure as Error);
  }
}

/**
 * `call` calls `work` until `release` is called, and does nothing afterwards.
 *
 * For functions that timers and ky keep after their use. Whatever these refer to would survive many collections of the young
 * objects. V8 would then allocate such objects among the old ones from the start, which makes every call slower.
 */
export function releasable<T>(work: () => T): {
  readonly call: () => T;
  readonly release: () => void;
} {
  let current = work;
  return { call: () => current(), release: () => void (current = nothing as () => T) };
}

const nothing = () => undefined as unknown;
