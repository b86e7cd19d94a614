/** Timers take at most 2^31 - 1 ms; beyond it they fire at once. */
export const longestTimer = 2 ** 31 - 1;

/** If a timer fires this late (ms), the event loop was blocked. Data that has arrived is read first, for the same time. */
const blocked = 20;

/** Does what `signal.throwIfAborted()` does, which older runtimes do not have. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw signal.reason;
}

/** Calls a function of the caller's own. A failure, thrown now or by a promise later, is ignored. */
export function ignoreFailure(work: () => unknown): void {
  // A rejection that nobody handles would end the process.
  new Promise((resolve) => resolve(work())).catch(() => undefined);
}

/** All waits on a signal share one listener, because adding one takes longer the more there are. */
class Waits extends Set<() => void> {
  readonly run = (): void => this.forEach((call) => call());
}

const waits = new WeakMap<AbortSignal, Waits>();

/** Calls `onAbort`, a new function for each wait, when `signal` is aborted. Returns the function that ends this. The cost does not grow with the waits on a signal. */
export function whenAborted(signal: AbortSignal | undefined, onAbort: () => void): () => void {
  if (signal === undefined) return () => undefined;
  const calls = waits.get(signal) ?? new Waits();
  if (calls.size === 0) signal.addEventListener('abort', calls.run);
  waits.set(signal, calls);
  calls.add(onAbort);
  return () => {
    if (calls.delete(onAbort) && calls.size === 0) signal.removeEventListener('abort', calls.run);
  };
}

type Released = Readonly<{ signal: AbortSignal | undefined; release: () => void }>;

/**
 * A signal that is aborted with the first of two, until it is released. `AbortSignal.any` refuses a signal of another realm, and each of its
 * signals takes memory for as long as the older of the two lives.
 */
export function firstOf(one?: AbortSignal, other?: AbortSignal): Released {
  if (!one || !other) return { signal: one ?? other, release: () => undefined };
  const controller = new AbortController();
  const stops = [one, other].map((signal) => {
    if (signal.aborted) controller.abort(signal.reason);
    return whenAborted(signal, () => controller.abort(signal.reason));
  });
  return { signal: controller.signal, release: () => stops.forEach((stop) => stop()) };
}

/**
 * Settles as `work` does, but not later than the moment when `signal` is aborted (then it rejects with the reason of the
 * signal) or `ms` have passed, if they are given (then it rejects with `reason()`). The signal that `work` receives is aborted at that moment
 * with the same reason. Afterwards no timer and no listener remains.
 *
 * @param ms - in real time, whatever the clock of the client: the work happens outside of that clock. More than 24 days: no bound.
 */
export function untilAborted<T>(
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => T | Promise<T>,
  ms = Infinity,
  reason?: () => unknown,
): Promise<T> {
  return new Promise((resolve, reject) => {
    throwIfAborted(signal);
    const controller = new AbortController();
    let due = performance.now() + ms;
    const expire = () => {
      if (performance.now() < due + blocked) return stop(reason?.());
      due = Infinity;
      timer = setTimeout(expire, blocked);
    };
    let timer = ms <= longestTimer ? setTimeout(expire, Math.max(0, ms)) : undefined;
    const forget = whenAborted(signal, () => stop(signal?.reason));
    const release = () => {
      clearTimeout(timer);
      forget();
    };
    const stop = (why: unknown) => {
      release();
      reject(why as Error);
      controller.abort(why);
    };
    new Promise<T>((start) => start(work(controller.signal)))
      .finally(release)
      .then(resolve, reject);
  });
}
