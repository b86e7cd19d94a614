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

/** Makes an empty window of `length` ms. */
export function createWindow(
  kind: WindowKind,
  length: number,
  reset: Assumptions['resetMeaning'],
): Window {
  if (kind === 'sliding') return new SlidingWindow(length, reset, { times: [] });
  if (kind === 'token-bucket') return new TokenBucket(length, reset, { lacks: 0, seen: 0 });
  return new CountedWindow(length, kind, { start: null, used: 0 });
}

/** A window whose state is plain JSON. */
abstract class StateWindow<State extends WindowState, How> {
  protected readonly length: number;
  protected readonly how: How;
  protected state: State;

  constructor(length: number, how: How, state: State) {
    this.length = length;
    this.how = how;
    this.state = state;
  }

  save(): State {
    return structuredClone(this.state);
  }

  load(state: WindowState): void {
    if (!Object.keys(this.state).every((name) => name in state))
      throw new TypeError('The state is that of a window of another kind');
    this.state = structuredClone(state) as State;
  }
}

type CountedState = Extract<WindowState, { start: unknown }>;

/** A count that starts again at 0: at each multiple of the length (UTC), or with the first request after the last window. */
class CountedWindow extends StateWindow<CountedState, 'fixed' | 'from-first'> implements Window {
  view(now: number, limit: number): View {
    const { start, used } = this.#at(now);
    const remaining = Math.max(0, limit - used);
    const resetAt = start + this.length;
    return { remaining, nextAt: remaining > 0 ? now : resetAt, resetAt };
  }

  count(now: number): void {
    const { start, used } = this.#at(now);
    this.state = { start, used: used + 1 };
  }

  setRemaining(now: number, limit: number, remaining: number): void {
    const used = limit - remaining;
    const { start } = this.#at(now);
    // A window in which nothing is counted has not begun.
    this.state = used > 0 ? { start, used } : { ...this.state, used };
  }

  /** The window that is running, or the one that a request would begin. */
  #at(now: number): { readonly start: number; readonly used: number } {
    const { start, used } = this.state;
    if (start !== null && now >= start && now < start + this.length) return { start, used };
    const isAligned = this.how === 'fixed';
    return { start: isAligned ? Math.floor(now / this.length) * this.length : now, used: 0 };
  }
}

type SlidingState = Extract<WindowState, { times: unknown }>;
const none = { at: 0, count: 0 };

/** The times of the requests of the last `length` ms. One counts until exactly `length` after it. */
class SlidingWindow
  extends StateWindow<SlidingState, Assumptions['resetMeaning']>
  implements Window
{
  #times: number[] = [];
  #head = 0;
  /** The requests that `setRemaining` counts: at one time, before all others, and often too many for a list. */
  #block = none;

  view(now: number, limit: number): View {
    this.#forget(now);
    const { at, count } = this.#block;
    const used = count + this.#times.length - this.#head;
    const freeAt = (index: number) =>
      (index < count ? at : this.#times[this.#head + index - count]!) + this.length;
    const nextAt = used < limit ? now : freeAt(used - limit);
    const resetAt = used === 0 ? now : freeAt(this.how === 'full' ? used - 1 : 0);
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

  override save(): SlidingState {
    const times = this.#times.slice(this.#head);
    return this.#block.count === 0 ? { times } : { times, block: this.#block };
  }

  override load(state: WindowState): void {
    super.load(state);
    const { times, block = none } = this.state;
    this.#times = times.toSorted((a, b) => a - b);
    this.#head = 0;
    this.#block = block;
  }

  #forget(now: number): void {
    const { at } = this.#block;
    if (at > now || at <= now - this.length) this.#block = none;
    while (this.#times.at(-1)! > now) this.#times.pop();
    while (this.#times[this.#head]! <= now - this.length) this.#head++;
    this.#head = Math.min(this.#head, this.#times.length);
    if (this.#head > 1_024 && this.#head * 2 > this.#times.length) {
      this.#times = this.#times.slice(this.#head);
      this.#head = 0;
    }
  }
}

type BucketState = Extract<WindowState, { lacks: unknown }>;

/** The largest rounding error of the floating-point level, ms. */
const rounding = 1e-6;

/** Refilled evenly, a whole limit in `length` ms. The level is stored as the ms of refilling that are missing: a number small enough to be exact. */
class TokenBucket extends StateWindow<BucketState, Assumptions['resetMeaning']> implements Window {
  view(now: number, limit: number): View {
    const lacks = this.#lacksAt(now);
    const perToken = this.length / limit;
    const remaining = Math.max(0, Math.floor((this.length - lacks + rounding) / perToken));
    const oneMoreAt = now + Math.max(0, lacks - (this.length - (remaining + 1) * perToken));
    const resetAt = this.how === 'full' || remaining >= limit ? now + lacks : oneMoreAt;
    return {
      remaining,
      nextAt: remaining > 0 ? now : now + lacks - (this.length - perToken),
      resetAt,
    };
  }

  count(now: number, limit: number): void {
    this.state = { lacks: this.#lacksAt(now) + this.length / limit, seen: now };
  }

  setRemaining(now: number, limit: number, remaining: number): void {
    this.state = { lacks: (limit - remaining) * (this.length / limit), seen: now };
  }

  /** After the clock was set back, the level stays until then. */
  #lacksAt(now: number): number {
    const { lacks, seen } = this.state;
    const left = Math.max(0, lacks - Math.max(0, now - seen));
    this.state = { lacks: left, seen: now };
    return left;
  }
}
