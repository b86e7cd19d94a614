import type { Duration, Instant, MockClock } from './duration.js';
import { longestDuration } from '../utils/check.js';
import { readDuration, readInstant } from './duration.js';
import { nextMacrotask } from './macrotask.js';

/** The time at which a virtual clock starts by default. */
export const virtualStart = Date.UTC(2026, 0, 1);

/** Makes the clock of a service. @throws RangeError when `now` is not a time. */
export function createClock(kind: 'system' | 'virtual', now: Instant | undefined): ServiceClock {
  const clock = kind === 'virtual' ? new VirtualClock() : new SystemClock();
  const start = now === undefined && kind === 'virtual' ? virtualStart : now;
  if (start !== undefined) clock.load(readInstant(start) - clock.date());
  return clock;
}

/**
 * A clock with the methods that only the service uses. Its time can be moved: forward, which ends sleeps, and back, which changes the
 * date alone.
 */
export abstract class ServiceClock implements MockClock {
  abstract readonly kind: 'system' | 'virtual';
  /** Whether code outside of the service has read `monotonic()`: a client that was given the clock does so at each call. */
  abstract readonly isUsed: boolean;
  /** By how much time was moved forward, ms. */
  protected advanced = 0;
  #offset = 0;

  abstract monotonic(): number;
  /** The date as it passes by itself, ms since the epoch. */
  abstract date(): number;
  /** Begins a sleep, at whose end it calls `wake`, and returns how to end it early. */
  protected abstract start(ms: number, wake: () => void): () => void;
  /** Ends the sleeps that are due. */
  protected abstract wakeDue(): void;

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!(ms <= longestDuration))
        throw new RangeError(
          `sleep(ms) takes at most 100 years (${longestDuration} ms); got ${ms}`,
        );
      signal?.throwIfAborted();
      const onAbort = () => {
        stop();
        reject(signal?.reason as Error);
      };
      const stop = this.start(ms, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  now(): number {
    return this.date() + this.save();
  }

  advance(by: Duration): void {
    const ms = readDuration(by);
    readInstant(this.now() + ms);
    this.moveTo(this.advanced + ms);
  }

  set(to: Instant): void {
    const by = readInstant(to) - this.now();
    if (by < 0) this.#offset += by;
    else this.moveTo(this.advanced + by);
  }

  /** Stops a virtual clock from advancing by itself until `release()`, while the body of a request is read. */
  hold(): void {}

  release(): void {}

  /** The state, for `load`. */
  save(): number {
    return this.advanced + this.#offset;
  }

  load(saved: number): void {
    this.#offset = saved - this.advanced;
  }

  protected moveTo(advanced: number): void {
    this.advanced = Math.max(this.advanced, advanced);
    this.wakeDue();
  }
}

/** The number of macrotasks without activity after which a virtual clock advances by itself. */
const quietTurns = 4;

/** Time that advances only to the end of the earliest sleep, when nothing else is left to do. */
class VirtualClock extends ServiceClock {
  readonly kind = 'virtual';
  isUsed = false;
  /** The sleeps, the earliest end first. */
  readonly #sleeps: { readonly due: number; readonly wake: () => void }[] = [];
  #held = 0;
  #quiet = 0;
  #watching = false;

  date(): number {
    return 0;
  }

  monotonic(): number {
    this.isUsed = true;
    return this.advanced;
  }

  protected start(ms: number, wake: () => void): () => void {
    const own = { due: this.advanced + Math.max(0, ms), wake };
    const before = this.#sleeps.findLastIndex(({ due }) => due <= own.due);
    this.#sleeps.splice(before + 1, 0, own);
    this.#quiet = 0;
    this.#watch();
    return () => this.#sleeps.splice(this.#sleeps.indexOf(own), 1);
  }

  override hold(): void {
    this.#held++;
  }

  override release(): void {
    this.#held--;
    this.#quiet = 0;
    this.#watch();
  }

  protected wakeDue(): void {
    while (this.#sleeps[0] && this.#sleeps[0].due <= this.advanced) this.#sleeps.shift()!.wake();
  }

  /** While a sleep is pending and no request is being read: counts quiet macrotasks, then advances to the end of the earliest sleep. */
  #watch(): void {
    if (this.#watching || this.#held > 0 || this.#sleeps.length === 0) return;
    this.#watching = true;
    nextMacrotask(() => {
      this.#watching = false;
      const next = this.#sleeps[0];
      if (next && this.#held === 0 && ++this.#quiet >= quietTurns) {
        this.#quiet = 0;
        this.moveTo(next.due);
      }
      this.#watch();
    });
  }
}

/** Timers take at most 2^31 - 1 ms; beyond it they fire at once. */
const longestTimer = 2 ** 31 - 1;

/** The system's time, moved by `advance` and `set`. */
class SystemClock extends ServiceClock {
  readonly kind = 'system';
  readonly isUsed = true;
  /** For each sleep, what measures again how long it lasts. */
  readonly #sleeps = new Set<() => void>();

  date(): number {
    return Date.now();
  }

  monotonic(): number {
    return performance.now() + this.advanced;
  }

  protected start(ms: number, wake: () => void): () => void {
    const due = this.monotonic() + ms;
    let timer: ReturnType<typeof setTimeout>;
    // Counted down piece by piece rather than measured: a fake timer may fire without `performance.now()` moving.
    const wait = (left: number) => {
      clearTimeout(timer);
      const next = left > longestTimer ? () => wait(left - longestTimer) : end;
      timer = setTimeout(next, Math.min(Math.max(0, left), longestTimer));
    };
    const measure = () => wait(due - this.monotonic());
    const stop = () => {
      clearTimeout(timer);
      this.#sleeps.delete(measure);
    };
    const end = () => {
      stop();
      wake();
    };
    this.#sleeps.add(measure);
    wait(ms);
    return stop;
  }

  protected wakeDue(): void {
    for (const measure of [...this.#sleeps]) measure();
  }
}
