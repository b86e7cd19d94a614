import type { RateLimitHeaders } from '../rate-limit/headers.js';
import {
  fewInFlight,
  inFlightBound,
  isAlone,
  isDayNearlySpent,
  longWindow,
  publishedPerDay,
  roomForOthers,
  shareOf,
  slice,
} from '../rate-limit/rules/pace.js';

const minute = 60_000;
/** Requests of this process after which it can tell whether it is alone. A fleet, in whose count are all its processes, needs fewer. */
const evidence = 20;

/**
 * What one process may send of the quota of its key, learned from the headers of its responses. Other processes may use the
 * key too. If Remaining falls faster than this process's own requests explain, the difference counts as theirs, and this
 * process leaves room for them.
 *
 * Times are monotonic ms, except `windowReset`, which is on the clock of the service.
 */
export class Budget {
  /** Requests left in the window; `Infinity` while unknown. */
  #remaining = Infinity;
  /** Limit of the minute window. */
  #limit: number | undefined;
  #windowLimit: number | undefined;
  /** End of the window, ms since the epoch on the clock of the service. */
  windowReset: number | undefined;
  /** The requests of this process and of others: decaying sums of past windows, and counts of this one. */
  readonly #usage = { own: 0, others: 0, ownNow: 0, othersNow: 0 };
  /** Remaining at the first response of the window. */
  #base = Infinity;
  #foldedAt = 0;
  #learnedAt = -Infinity;
  #roundTrip = 0;
  #day = { number: 0, count: 0 };

  /** A hold begins, so the state of the window is no longer valid. */
  forget(): void {
    this.#remaining = Infinity;
  }

  /** An unexpected 429: other processes use more of the quota than was known, so their share grows. */
  countUnexpected429(): void {
    this.#usage.others += this.#usage.own + this.#usage.ownNow + 1;
  }

  /** There was no response, or one without headers. Assumes that the request was counted, or that it is going to be. */
  spend(): void {
    this.#remaining = Math.max(0, this.#remaining - 1);
  }

  /** Counts a success towards the published daily quota of the observed limit. `now`: ms since the epoch. */
  countDay(now: number): void {
    const number = Math.floor(now / 86_400_000);
    this.#day = { number, count: number === this.#day.number ? this.#day.count + 1 : 1 };
  }

  /** The largest number of requests in flight. */
  maxInFlight(): number {
    return Math.min(this.#byRemaining(), this.#byLimit());
  }

  #byRemaining(): number {
    if (this.#limit === undefined || this.#remaining === Infinity) return fewInFlight;
    const available = this.#remaining - roomForOthers(this.#usage, this.#limit);
    if (available <= 0) return 0;
    const part = this.#isAlone() ? 1 / 2 : Math.min(slice, shareOf(this.#usage) / 2);
    return Math.max(1, Math.floor(available * part));
  }

  #byLimit(): number {
    // Without a Reset that can be read, the Limit is not trusted either.
    if (this.#limit === undefined || this.windowReset === undefined) return fewInFlight;
    if (isDayNearlySpent(this.#day.count, publishedPerDay(this.#limit), this.#limit))
      return fewInFlight;
    return inFlightBound(this.#limit, this.#roundTrip, this.#isAlone());
  }

  /** Whether nobody else seems to use the key, and this process has sent enough to tell. */
  #isAlone(): boolean {
    return this.#usage.own + this.#usage.ownNow >= evidence && isAlone(this.#usage);
  }

  /** Updates the budget from a response that is not a 429. `resetIn`: ms until the window resets, if that is known. */
  learn(
    { limit, remaining, reset }: RateLimitHeaders,
    sentAt: number,
    receivedAt: number,
    inFlight: number,
    resetIn: number | undefined,
  ): void {
    this.#roundTrip += (this.#roundTrip === 0 ? 1 : 0.1) * (receivedAt - sentAt - this.#roundTrip);
    if (limit === undefined || remaining === undefined) return this.spend();
    const inOrder = sentAt > this.#learnedAt;
    const isOther = limit !== this.#windowLimit;
    const later = reset === undefined ? 0 : reset - (this.windowReset ?? reset);
    // A late response of a window that has ended: with its Remaining, others would seem to have used the rest of the window.
    if (!isOther && later < -1_000 && !inOrder) return;
    const hasReset = reset !== undefined && this.windowReset !== undefined;
    const isNext = hasReset ? Math.abs(later) > 1_000 : inOrder && remaining > this.#remaining;
    const isFresh = isOther || isNext;
    if (isFresh && (this.#remaining === Infinity || remaining >= this.#remaining))
      this.#beginWindow(remaining, receivedAt);
    else this.#count(remaining, inFlight);
    const isKnown = !isFresh && this.#remaining < Infinity;
    this.#remaining = isKnown ? Math.min(this.#remaining, remaining) : remaining;
    // The limit of a day does not say how many requests a minute allows.
    const isLong = resetIn !== undefined && resetIn > longWindow;
    this.#limit = isLong ? Math.min(limit, this.#limit ?? limit) : limit;
    this.#windowLimit = limit;
    this.windowReset = reset;
    this.#learnedAt = receivedAt;
  }

  /** The counts of the last window go into the sums, which halve each minute. */
  #beginWindow(remaining: number, now: number): void {
    const decay = 2 ** ((this.#foldedAt - now) / minute);
    const usage = this.#usage;
    usage.own = (usage.own + usage.ownNow + 1) * decay;
    usage.others = (usage.others + usage.othersNow) * decay;
    usage.ownNow = usage.othersNow = 0;
    this.#base = remaining;
    this.#foldedAt = now;
  }

  /** Counts a response of this process. The requests of others are what Remaining has fallen by, minus those of this process. */
  #count(remaining: number, inFlight: number): void {
    const usage = this.#usage;
    usage.ownNow += 1;
    const others = this.#base - remaining - usage.ownNow - inFlight;
    usage.othersNow = Math.max(usage.othersNow, others);
  }

  /**
   * Shortest time, in ms, that the call at `position` of the queue waits: whole windows, after a hold or the beginning of a `window` if
   * one comes next. The end of a window whose beginning is unknown may be near.
   */
  queueTime(position: number, inFlight: number, next: 'now' | 'hold' | 'window'): number {
    if (this.#limit === undefined) return 0;
    const isFull = next !== 'now' || this.#remaining === Infinity;
    const credits = isFull ? this.#limit : Math.max(0, this.#remaining - inFlight);
    if (position < credits) return 0;
    const perWindow = Math.max(1, this.#limit * shareOf(this.#usage));
    return minute * (Math.floor((position - credits) / perWindow) + (next === 'window' ? 1 : 0));
  }
}
