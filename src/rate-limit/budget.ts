import { plans } from '../contract/rate-limits.js';
import type { RateLimitHeaders } from './headers.js';

const minute = 60_000;
/** A window that ends later than this is not a minute window, and its limit says nothing about the number of requests in flight. */
const longWindow = 65_000;
/** The plans with numbers. */
export const publishedPlans = Object.values(plans).filter((plan) => plan !== 'custom');

/** The values that identify a window. */
type Window = Pick<RateLimitHeaders, 'reset'> & { readonly limit: number };

/**
 * What one process may send of the quota of its key, learned from the headers of its responses. Other processes may use the
 * key too. If Remaining falls faster than this process's own requests explain, the difference counts as theirs, and this
 * process leaves room for them.
 *
 * Times are monotonic ms, except `windowReset`, which is on the clock of the service.
 */
export class Budget {
  /** Requests left in the window; `Infinity` while unknown. */
  remaining = Infinity;
  /** Limit of the minute window, if a response or the plan has shown it. */
  limit: number | undefined;
  /** End of the window, ms since the epoch on the clock of the service. */
  windowReset: number | undefined;
  #windowLimit: number | undefined;
  /** The requests of this process and of others: decaying sums of past windows, and counts of this one. */
  #own = 0;
  #others = 0;
  #ownNow = 0;
  #othersNow = 0;
  #base = Infinity;
  #foldedAt = 0;
  /** When requests of the last minute ended without a response. */
  #unseen: readonly number[] = [];
  #acceptedAt = -Infinity;
  /** The largest number of requests in flight while Remaining is unknown. */
  #blindWindow = 1;
  #rtt = 0;
  /** No hold so far: the first burst of a process may be faster, because no request has been rate-limited. */
  #first = true;
  /** The plan was given as an option, and no response has contradicted it. */
  #planned = false;
  #day = { number: 0, count: 0 };

  /** Sets the plan before any response. The window counts as unused until a response shows otherwise. */
  expect(perMinute: number): void {
    if (this.#windowLimit !== undefined) return;
    this.limit = this.remaining = this.#base = perMinute;
    this.#planned = true;
  }

  /** A hold begins, so the state of the window is no longer valid. */
  forget(): void {
    this.remaining = Infinity;
    this.#planned = this.#first = false;
    this.#blindWindow = 1;
  }

  /** An unexpected 429: other processes use more of the quota than was known, so their share grows. */
  countUnexpected429(wasOpen: boolean): void {
    if (wasOpen) this.#others += this.#ours + 1;
  }

  /** There was no response, or one without headers. Assumes that the request was counted, or that it is going to be. */
  spendUnseen(now: number): void {
    this.remaining = Math.max(0, this.remaining - 1);
    this.#unseen = [...this.#unseen.filter((at) => at > now - minute), now];
  }

  /** The largest number of requests in flight, from what remains. */
  maxInFlightForRemaining(): number {
    if (this.remaining === Infinity) return this.#blindWindow;
    if (this.#planned && this.#othersNow === 0) return this.remaining;
    // If Remaining is known, the Limit is known too.
    const limit = this.limit as number;
    const room = Math.max(
      0,
      Math.min(Math.ceil(this.#theirs / (this.#ours + 1) - 0.25), 8, Math.floor(limit / 20)),
    );
    const available = this.remaining - room;
    if (available <= 0) return 0;
    const part = this.#alone() ? (this.#first ? 1 : 1 / 2) : Math.min(1 / 8, this.share() / 2);
    return Math.max(1, Math.floor(available * part));
  }

  /** The largest number of requests in flight, whatever remains, because a limit that the headers do not show would affect all of them. */
  cap(): number {
    // Without a Reset that can be read, the Limit is not trusted either.
    if (this.#windowLimit === undefined || this.windowReset === undefined || this.#dayNearlySpent())
      return 4;
    if (this.#planned && this.#othersNow === 0) return 256;
    const limit = this.limit as number;
    return Math.min(
      256,
      Math.max(
        4,
        this.#alone() ? Math.floor(limit / (this.#first ? 12 : 15)) : 0,
        Math.ceil((2 * limit * this.#rtt) / minute),
      ),
    );
  }

  /** The share of the quota that this process uses, 0 to 1. */
  share(): number {
    return (this.#ours + 1) / (this.#ours + 1 + this.#theirs);
  }

  get #ours(): number {
    return this.#own + this.#ownNow;
  }

  get #theirs(): number {
    return this.#others + this.#othersNow;
  }

  /**
   * Shortest time, in ms, that the call at `position` of the queue waits: whole windows, after a hold or the beginning of a `window` if
   * one comes next. The end of a window whose beginning is unknown may be near.
   */
  queueTime(position: number, inFlight: number, next: 'now' | 'hold' | 'window'): number {
    if (this.limit === undefined) return 0;
    const isFull = next !== 'now' || this.remaining === Infinity;
    const credits = isFull ? this.limit : Math.max(0, this.remaining - inFlight);
    if (position < credits) return 0;
    const perWindow = Math.max(1, this.limit * this.share());
    return minute * (Math.floor((position - credits) / perWindow) + (next === 'window' ? 1 : 0));
  }

  /** Updates the budget from a response that is not a 429. */
  learn(
    quota: RateLimitHeaders,
    sentAt: number,
    receivedAt: number,
    inFlight: number,
    resetIn: number | undefined,
  ): void {
    this.#rtt += (this.#rtt === 0 ? 1 : 0.1) * (receivedAt - sentAt - this.#rtt);
    if (this.remaining === Infinity) this.#blindWindow += 1;
    const { limit, remaining, reset } = quota;
    if (limit === undefined || remaining === undefined) return this.spendUnseen(receivedAt);
    const window = { limit, reset };
    // Its Remaining does not belong to the current window. With it, other processes would seem to have used the rest of the window.
    if (this.#isLate(window, sentAt)) return;
    const fresh = this.#isFresh(window, remaining, sentAt);
    const known = this.remaining;
    if (fresh && (known === Infinity || remaining >= known)) this.#fold(remaining, receivedAt);
    else this.#count(remaining, inFlight);
    this.#accept(window, receivedAt, resetIn);
    // The service may count a request that was given up later than this one.
    const unseen = this.#unseen.filter((at) => at >= sentAt).length;
    const left = Math.max(0, remaining - unseen);
    this.remaining = fresh || known === Infinity ? left : Math.min(known, left);
  }

  /** Reads only the window from a 429. Its Remaining is not valid after the hold. */
  learnWindow(
    quota: RateLimitHeaders,
    sentAt: number,
    receivedAt: number,
    resetIn: number | undefined,
  ): void {
    const { limit, reset } = quota;
    if (limit !== undefined && !this.#isLate({ limit, reset }, sentAt))
      this.#accept({ limit, reset }, receivedAt, resetIn);
  }

  /** Counts a success towards the published daily quota of the observed limit, which the minute headers do not show. */
  countDay(now: number): void {
    const number = Math.floor(now / 86_400_000);
    if (number !== this.#day.number) this.#day = { number, count: 0 };
    this.#day.count += 1;
  }

  #dayNearlySpent(): boolean {
    const perDay = publishedPlans.find((plan) => plan.perMinute === this.limit)?.perDay;
    return perDay !== undefined && this.#day.count >= 0.9 * perDay;
  }

  /** Whether nobody else seems to use the key: this process has sent enough to tell, and hardly any request was not its own. */
  #alone(): boolean {
    return (
      this.#ours >= (this.#first ? 8 : 20) &&
      this.#theirs <= this.#ours / 10 &&
      this.#othersNow <= 1 + this.#ownNow / 20
    );
  }

  /** The first response of a window that was not known: another limit, another Reset, or, without a Reset, more requests left. */
  #isFresh({ limit, reset }: Window, remaining: number, sentAt: number): boolean {
    if (limit !== this.#windowLimit) return true;
    const inOrder = sentAt > this.#acceptedAt;
    if (reset === undefined || this.windowReset === undefined)
      return inOrder && remaining > this.remaining;
    return reset > this.windowReset + 1_000 || (reset < this.windowReset - 1_000 && inOrder);
  }

  /** A late response of a past window, which arrived after a response of the next window. */
  #isLate({ limit, reset }: Window, sentAt: number): boolean {
    return (
      limit === this.#windowLimit &&
      reset !== undefined &&
      this.windowReset !== undefined &&
      reset < this.windowReset - 1_000 &&
      sentAt <= this.#acceptedAt
    );
  }

  #accept({ limit, reset }: Window, receivedAt: number, resetIn: number | undefined): void {
    if (this.#planned && limit !== this.limit) this.#planned = false;
    this.#windowLimit = limit;
    this.windowReset = reset;
    this.#acceptedAt = receivedAt;
    // The limit of a day window does not say how many requests a minute allows.
    this.limit =
      resetIn !== undefined && resetIn > longWindow ? Math.min(limit, this.limit ?? limit) : limit;
  }

  /** A window begins: the counts of the last one go into the sums, which halve each minute. */
  #fold(remaining: number, now: number): void {
    const decay = 2 ** (-(now - this.#foldedAt) / minute);
    this.#own = (this.#own + this.#ownNow + 1) * decay;
    this.#others = (this.#others + this.#othersNow) * decay;
    this.#ownNow = this.#othersNow = 0;
    this.#base = remaining;
    this.#foldedAt = now;
  }

  /** A response of the known window: what its Remaining has fallen by, but for the requests of this process, others have sent. */
  #count(remaining: number, inFlight: number): void {
    this.#ownNow += 1;
    if (this.#base < Infinity)
      this.#othersNow = Math.max(this.#othersNow, this.#base - remaining - this.#ownNow - inFlight);
  }
}
