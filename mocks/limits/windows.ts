import type { Assumptions, WindowKind } from '../assumptions/assumptions.js';

/** The state of a window at one moment. */
export interface View {
  /** Whole requests left, 0 or more. */
  readonly remaining: number;
  /** When the next request is allowed: now or later, ms since the epoch. */
  readonly nextAt: number;
  /** When the limit resets. */
  readonly resetAt: number;
}

/** The state of a window as plain JSON, by its kind. Times are ms since the epoch. */
export type WindowState =
  /** `'fixed'` and `'from-first'`: when it began (null: it has not), and the requests counted since. */
  | { readonly start: number | null; readonly used: number }
  /** `'sliding'`: when each request was counted; `block`: many at one time, before all others. */
  | {
      readonly times: readonly number[];
      readonly block?: { readonly at: number; readonly count: number } | undefined;
    }
  /** `'token-bucket'`: the ms of refilling that are missing, as of the time `seen`. */
  | { readonly lacks: number; readonly seen: number };

/** Counts requests over a length of time. Times are ms since the epoch. A count in the future was
 * made before the clock was set back, and is dropped (a bucket keeps its level). */
export interface Window {
  view(now: number, limit: number): View;
  count(now: number, limit: number): void;
  /** Sets the number of requests left, from 0 to the limit. */
  setRemaining(now: number, limit: number, remaining: number): void;
  /** The state as plain JSON. */
  save(): WindowState;
  /** @throws TypeError for the state of a window of another kind. */
  load(state: WindowState): void;
}

const otherKind = () => new TypeError('The state is that of a window of another kind');

/** Makes an empty window of `length` ms. */
export function createWindow(
  kind: WindowKind,
  length: number,
  reset: Assumptions['resetMeaning'],
): Window {
  if (kind === 'sliding') return new SlidingWindow(length, reset);
  return kind === 'token-bucket'
    ? new TokenBucket(length, reset)
    : new CountedWindow(length, kind === 'fixed');
}

/** A count that starts again at 0: at each multiple of the length (UTC), or with the first request after the last window. */
class CountedWindow implements Window {
  readonly #length: number;
  readonly #aligned: boolean;
  #start = NaN;
  #used = 0;

  constructor(length: number, aligned: boolean) {
    this.#length = length;
    this.#aligned = aligned;
  }

  view(now: number, limit: number): View {
    const running = this.#isRunning(now);
    const remaining = Math.max(0, limit - (running ? this.#used : 0));
    const resetAt = (running ? this.#start : this.#startAt(now)) + this.#length;
    return { remaining, nextAt: remaining > 0 ? now : resetAt, resetAt };
  }

  count(now: number): void {
    if (!this.#isRunning(now)) {
      this.#start = this.#startAt(now);
      this.#used = 0;
    }
    this.#used++;
  }

  setRemaining(now: number, limit: number, remaining: number): void {
    this.#used = limit - remaining;
    // A window in which nothing is counted has not begun.
    if (this.#used > 0 && !this.#isRunning(now)) this.#start = this.#startAt(now);
  }

  save(): WindowState {
    return { start: Number.isNaN(this.#start) ? null : this.#start, used: this.#used };
  }

  load(state: WindowState): void {
    if (!('start' in state)) throw otherKind();
    this.#start = state.start ?? NaN;
    this.#used = state.used;
  }

  #isRunning(now: number): boolean {
    return now >= this.#start && now < this.#start + this.#length;
  }

  #startAt(now: number): number {
    return this.#aligned ? Math.floor(now / this.#length) * this.#length : now;
  }
}

const none = { at: 0, count: 0 };

/** The times of the requests of the last `length` ms. One counts until exactly `length` after it. */
class SlidingWindow implements Window {
  readonly #length: number;
  readonly #reset: Assumptions['resetMeaning'];
  #times: number[] = [];
  #head = 0;
  /** The requests that `setRemaining` counts: at one time, before all others, and often too many for a list. */
  #block = none;

  constructor(length: number, reset: Assumptions['resetMeaning']) {
    this.#length = length;
    this.#reset = reset;
  }

  view(now: number, limit: number): View {
    this.#forget(now);
    const { at, count } = this.#block;
    const used = count + this.#times.length - this.#head;
    const freeAt = (index: number) =>
      (index < count ? at : this.#times[this.#head + index - count]!) + this.#length;
    const nextAt = used < limit ? now : freeAt(used - limit);
    const resetAt = used === 0 ? now : freeAt(this.#reset === 'full' ? used - 1 : 0);
    return { remaining: Math.max(0, limit - used), nextAt, resetAt };
  }

  count(now: number): void {
    this.#forget(now);
    this.#times.push(now);
  }

  setRemaining(now: number, limit: number, remaining: number): void {
    this.#times = [];
    this.#head = 0;
    this.#block = { at: now, count: limit - remaining };
  }

  save(): WindowState {
    const times = this.#times.slice(this.#head);
    return this.#block.count === 0 ? { times } : { times, block: this.#block };
  }

  load(state: WindowState): void {
    if (!('times' in state)) throw otherKind();
    this.#times = state.times.toSorted((a, b) => a - b);
    this.#head = 0;
    this.#block = state.block ?? none;
  }

  #forget(now: number): void {
    const { at } = this.#block;
    if (at > now || at <= now - this.#length) this.#block = none;
    while (this.#times.at(-1)! > now) this.#times.pop();
    while (this.#times[this.#head]! <= now - this.#length) this.#head++;
    this.#head = Math.min(this.#head, this.#times.length);
    if (this.#head > 1_024 && this.#head * 2 > this.#times.length) {
      this.#times = this.#times.slice(this.#head);
      this.#head = 0;
    }
  }
}

/** The largest rounding error of the floating-point level, ms. */
const rounding = 1e-6;

/** Refilled evenly, a whole limit in `length` ms. The level is stored as the ms of refilling that are missing: a number small enough to be exact. */
class TokenBucket implements Window {
  readonly #length: number;
  readonly #reset: Assumptions['resetMeaning'];
  #lacks = 0;
  #seen = 0;

  constructor(length: number, reset: Assumptions['resetMeaning']) {
    this.#length = length;
    this.#reset = reset;
  }

  view(now: number, limit: number): View {
    this.#refill(now);
    const perToken = this.#length / limit;
    const remaining = Math.max(0, Math.floor((this.#length - this.#lacks + rounding) / perToken));
    const oneMoreAt = now + Math.max(0, this.#lacks - (this.#length - (remaining + 1) * perToken));
    const resetAt = this.#reset === 'full' || remaining >= limit ? now + this.#lacks : oneMoreAt;
    return {
      remaining,
      nextAt: remaining > 0 ? now : now + this.#lacks - (this.#length - perToken),
      resetAt,
    };
  }

  count(now: number, limit: number): void {
    this.#refill(now);
    this.#lacks += this.#length / limit;
  }

  setRemaining(now: number, limit: number, remaining: number): void {
    this.#lacks = (limit - remaining) * (this.#length / limit);
    this.#seen = now;
  }

  save(): WindowState {
    return { lacks: this.#lacks, seen: this.#seen };
  }

  load(state: WindowState): void {
    if (!('lacks' in state)) throw otherKind();
    this.#lacks = state.lacks;
    this.#seen = state.seen;
  }

  #refill(now: number): void {
    this.#lacks = Math.max(0, this.#lacks - Math.max(0, now - this.#seen));
    this.#seen = now;
  }
}
