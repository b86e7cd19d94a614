import { noHold, type Hold, type Sendable } from '../rate-limit/gate-calls.js';
import type { RateLimitHeaders, RateLimitInfo } from '../rate-limit/headers.js';
import * as pace from '../rate-limit/rules/pace.js';

const minute = 60_000;
/** Requests after which this process decides whether others use the key. A fleet, which counts all its processes, needs fewer. */
const evidence = 20;
/** A hold that ends at most so long (ms) after a reset ends at the beginning of a window. */
const startOfWindow = 2_000;

/**
 * What one process may send of the quota of its key, learned from the headers of its responses. Other processes may use the
 * key too. If Remaining falls faster than this process's own requests explain, the difference counts as theirs, and this
 * process leaves room for them. Times are monotonic ms.
 */
export class Budget {
  /** Requests left in the window; `Infinity` while unknown. */
  remaining = Infinity;
  /** The newest end of a window that was known. */
  reset: RateLimitInfo['reset'];
  /** The headers of the newest response that counted, and when it arrived. */
  #window: RateLimitHeaders = {};
  #learnedAt = -Infinity;
  /** Limit of the minute window. */
  #limit = Infinity;
  /** The requests of this process and of others: decaying sums of past windows, and counts of this one. */
  readonly #usage = { own: 0, others: 0, ownNow: 0, othersNow: 0 };
  /** Remaining at the first response of the window, and when it arrived. */
  #base = 0;
  #begunAt = 0;
  #roundTrip = 0;
  #day = { number: 0, count: 0 };

  /** An unexpected 429: other processes use more of the quota than was known, so their share grows. */
  countUnexpected429(): void {
    this.#usage.others += this.#usage.own + this.#usage.ownNow + 1;
  }

  /** There was no response, or one without headers. Assumes that the request was counted, or that it is going to be. */
  spend(): void {
    this.remaining = Math.max(0, this.remaining - 1);
  }

  /** The largest number of requests in flight. */
  maxInFlight(): number {
    const [limit, usage] = [this.#limit, this.#usage];
    if (this.remaining === Infinity) return pace.fewInFlight;
    const available = this.remaining - pace.roomForOthers(usage, limit);
    if (available <= 0) return 0;
    const alone = usage.own + usage.ownNow >= evidence && pace.isAlone(usage);
    const part = alone ? 1 / 2 : Math.min(pace.slice, pace.shareOf(usage) / 2);
    const isDayShort = pace.isDayNearlySpent(this.#day.count, pace.publishedPerDay(limit), limit);
    // Without a readable Reset, the Limit is not used either.
    const isHidden = this.#window.reset === undefined || isDayShort;
    const bound = isHidden ? pace.fewInFlight : pace.inFlightBound(limit, this.#roundTrip, alone);
    return Math.min(bound, Math.max(1, Math.floor(available * part)));
  }

  /** Updates the budget from a response that is not a 429. `today`: the number of the day, whose successes are counted. */
  learn(info: RateLimitInfo, inFlight: number, today: number): void {
    const { sentAt, receivedAt, quota } = info;
    const { limit, remaining, reset = NaN } = quota;
    const usage = this.#usage;
    this.#day = { number: today, count: today === this.#day.number ? this.#day.count + 1 : 1 };
    this.#roundTrip += (this.#roundTrip === 0 ? 1 : 0.1) * (receivedAt - sentAt - this.#roundTrip);
    if (limit === undefined || remaining === undefined) return this.spend();
    const inOrder = sentAt > this.#learnedAt;
    const isOther = limit !== this.#window.limit;
    // NaN, if one of the two has no Reset.
    const later = reset - (this.#window.reset ?? NaN);
    // Ignores a late response of an earlier window: its Remaining would count as requests of others.
    if (!isOther && later < -1_000 && !inOrder) return;
    const hasRisen = inOrder && remaining > this.remaining;
    const isFresh = isOther || (Number.isNaN(later) ? hasRisen : Math.abs(later) > 1_000);
    if (isFresh && (this.remaining === Infinity || remaining >= this.remaining)) {
      // The counts of the last window go into the sums, which halve each minute.
      const decay = 2 ** Math.min(0, (this.#begunAt - receivedAt) / minute);
      usage.own = (usage.own + usage.ownNow + 1) * decay;
      usage.others = (usage.others + usage.othersNow) * decay;
      usage.ownNow = usage.othersNow = 0;
      [this.#base, this.#begunAt] = [remaining, receivedAt];
    } else {
      usage.ownNow += 1;
      // The decrease of Remaining that the requests of this process do not explain.
      const others = this.#base - remaining - usage.ownNow - inFlight;
      usage.othersNow = Math.max(usage.othersNow, others);
    }
    this.remaining = isFresh ? remaining : Math.min(this.remaining, remaining);
    // The limit of a day does not say how many requests a minute allows.
    const isLong = (info.reset?.wait ?? 0) > pace.longWindow;
    this.#limit = isLong ? Math.min(limit, this.#limit) : limit;
    this.#window = quota;
    this.#learnedAt = receivedAt;
    this.reset = info.reset ?? this.reset;
  }

  /** How many waiting calls can be sent in this window, or after a hold, and in each that follows; whether a window begins when the hold ends. */
  sendable(inFlight: number, hold: Hold): Sendable {
    const isFull = hold !== noHold || this.remaining === Infinity;
    const first = isFull ? this.#limit : Math.max(0, this.remaining - inFlight);
    const perWindow = Math.max(1, this.#limit * pace.shareOf(this.#usage));
    const late = hold.resumeAt - (this.reset?.at ?? Infinity);
    return [first, perWindow, late >= 0 && late < startOfWindow];
  }
}
