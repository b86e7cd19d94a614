import type { Duration, Instant, MockClock } from './duration.js';
import { endOf, lastInstant, longestDuration, readDuration, readInstant } from './duration.js';
import { TimerQueue } from './timer-queue.js';
import { nextMacrotask } from './macrotask.js';

/** The time at which a virtual clock starts by default. */
export const virtualStart = Date.UTC(2026, 0, 1);

/** A clock with the methods that only the service uses. */
export interface ServiceClock extends MockClock {
  /** Whether code outside of the service has read `monotonic()`: a client that was given the clock does so at each call. */
  readonly isUsed: boolean;
  /** Stops a virtual clock from advancing by itself until `release()`, while the body of a request is read. */
  hold(): void;
  release(): void;
  /** The state, for `load`. */
  save(): number;
  load(saved: number): void;
}

/** Makes the clock of a service. @throws RangeError when `now` is not a time. */
export function createClock(kind: 'system' | 'virtual', now: Instant | undefined): ServiceClock {
  return kind === 'virtual'
    ? new VirtualClock(now === undefined ? virtualStart : readInstant(now))
    : new SystemClock(now);
}

/** Rejects with the reason of `signal` as soon as it is aborted; `start` begins the wait, and returns the function that stops it. */
function abortable(
  signal: AbortSignal | undefined,
  start: (done: () => void) => () => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const onAbort = () => {
      stop();
      reject(signal?.reason as Error);
    };
    const stop = start(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** The number of macrotasks without activity after which a virtual clock advances by itself. */
const quietTurns = 4;

/** Time that advances only to the end of the earliest sleep, when nothing else is left to do. */
class VirtualClock implements ServiceClock {
  readonly kind = 'virtual';
  isUsed = false;
  readonly #timers = new TimerQueue();
  #elapsed = 0;
  #offset: number;
  #held = 0;
  #quiet = 0;
  #watching = false;

  constructor(start: number) {
    this.#offset = start;
  }

  now(): number {
    return this.#elapsed + this.#offset;
  }

  monotonic(): number {
    this.isUsed = true;
    return this.#elapsed;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const problem = waitProblem(ms, this.now());
    if (problem) return Promise.reject(problem);
    this.#quiet = 0;
    return abortable(signal, (done) => {
      const timer = this.#timers.add(this.#elapsed + Math.max(0, ms), done);
      this.#watch();
      return () => (timer.canceled = true);
    });
  }

  advance(by: Duration): void {
    const ms = readDuration(by);
    endOf(this.now(), ms);
    this.#moveTo(this.#elapsed + ms);
  }

  set(to: Instant): void {
    const by = readInstant(to) - this.now();
    if (by < 0) this.#offset += by;
    else this.#moveTo(this.#elapsed + by);
  }

  hold(): void {
    this.#held++;
  }

  release(): void {
    this.#held--;
    this.#quiet = 0;
    this.#watch();
  }

  save(): number {
    return this.now();
  }

  load(saved: number): void {
    this.#offset = saved - this.#elapsed;
  }

  #moveTo(time: number): void {
    this.#elapsed = Math.max(this.#elapsed, time);
    this.#timers.fireUntil(this.#elapsed);
  }

  /** While a sleep is pending and no request is being read: counts quiet macrotasks, then advances to the end of the earliest sleep. */
  #watch(): void {
    if (this.#watching || this.#held > 0 || !this.#timers.first()) return;
    this.#watching = true;
    nextMacrotask(() => {
      this.#watching = false;
      const next = this.#held === 0 && this.#timers.first();
      if (next && ++this.#quiet >= quietTurns) {
        this.#quiet = 0;
        this.#moveTo(next.due);
      }
      this.#watch();
    });
  }
}

/** Timers take at most 2^31 - 1 ms; beyond it they fire at once. */
const longestTimer = 2 ** 31 - 1;

/** The system's time, offset by `advance` and `set`. */
class SystemClock implements ServiceClock {
  readonly kind = 'system';
  readonly isUsed = true;
  readonly #sleeping = new Set<() => void>();
  #offset: number;
  #advanced = 0;

  constructor(now: Instant | undefined) {
    this.#offset = now === undefined ? 0 : readInstant(now) - Date.now();
  }

  now(): number {
    // A clock that was set to the last possible date stays there.
    return Math.min(Date.now() + this.#offset, lastInstant);
  }

  monotonic(): number {
    return performance.now() + this.#advanced;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const problem = waitProblem(ms, this.now());
    if (problem) return Promise.reject(problem);
    return abortable(signal, (done) => {
      const due = this.monotonic() + ms;
      let timer: ReturnType<typeof setTimeout>;
      const stop = () => {
        clearTimeout(timer);
        this.#sleeping.delete(recheck);
      };
      // Counted down piece by piece rather than measured: a fake timer may fire without `performance.now()` moving.
      const wait = (left: number) => {
        const piece = Math.min(left, longestTimer);
        const onTimer = () => {
          if (left > piece) return wait(left - piece);
          stop();
          done();
        };
        timer = setTimeout(onTimer, Math.max(0, piece));
      };
      const recheck = () => {
        clearTimeout(timer);
        wait(Math.max(0, due - this.monotonic()));
      };
      this.#sleeping.add(recheck);
      wait(ms);
      return stop;
    });
  }

  advance(by: Duration): void {
    const ms = readDuration(by);
    endOf(this.now(), ms);
    this.#offset += ms;
    this.#skip(ms);
  }

  set(to: Instant): void {
    const by = readInstant(to) - this.now();
    this.#offset += by;
    this.#skip(by);
  }

  hold(): void {}

  release(): void {}

  save(): number {
    return this.#offset;
  }

  load(saved: number): void {
    this.#offset = saved;
  }

  #skip(ms: number): void {
    if (ms <= 0) return;
    this.#advanced += ms;
    for (const recheck of [...this.#sleeping]) recheck();
  }
}

/** The error of a wait that is too long to end; undefined for any other. */
function waitProblem(ms: number, now: number): RangeError | undefined {
  if (ms <= longestDuration && now + ms <= lastInstant) return undefined;
  return new RangeError(
    `sleep(ms) takes at most 100 years (${longestDuration} ms), up to the year 275760; got ${ms}`,
  );
}
