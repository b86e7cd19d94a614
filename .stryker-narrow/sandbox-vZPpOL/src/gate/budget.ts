// @ts-nocheck
function stryNS_9fa48() {
  var g = typeof globalThis === 'object' && globalThis && globalThis.Math === Math && globalThis || new Function("return this")();
  var ns = g.__stryker__ || (g.__stryker__ = {});
  if (ns.activeMutant === undefined && g.process && g.process.env && g.process.env.__STRYKER_ACTIVE_MUTANT__) {
    ns.activeMutant = g.process.env.__STRYKER_ACTIVE_MUTANT__;
  }
  function retrieveNS() {
    return ns;
  }
  stryNS_9fa48 = retrieveNS;
  return retrieveNS();
}
stryNS_9fa48();
function stryCov_9fa48() {
  var ns = stryNS_9fa48();
  var cov = ns.mutantCoverage || (ns.mutantCoverage = {
    static: {},
    perTest: {}
  });
  function cover() {
    var c = cov.static;
    if (ns.currentTestId) {
      c = cov.perTest[ns.currentTestId] = cov.perTest[ns.currentTestId] || {};
    }
    var a = arguments;
    for (var i = 0; i < a.length; i++) {
      c[a[i]] = (c[a[i]] || 0) + 1;
    }
  }
  stryCov_9fa48 = cover;
  cover.apply(null, arguments);
}
function stryMutAct_9fa48(id) {
  var ns = stryNS_9fa48();
  function isActive(id) {
    if (ns.activeMutant === id) {
      if (ns.hitCount !== void 0 && ++ns.hitCount > ns.hitLimit) {
        throw new Error('Stryker: Hit count limit reached (' + ns.hitCount + ')');
      }
      return true;
    }
    return false;
  }
  stryMutAct_9fa48 = isActive;
  return isActive(id);
}
import type { RateLimitInfo } from '../rate-limit/headers.js';
import type { Hold } from '../rate-limit/rules/hold.js';
import * as pace from '../rate-limit/rules/pace.js';
const minute = 60_000;
/** Requests after which this process decides whether others use the key. A fleet, which counts all its processes, needs fewer. */
const evidence = 20;
/** A hold that ends at most so long (ms) after a reset ends at the beginning of a window. */
const startOfWindow = 2_000;

/**
 * What one process may send of the quota of its key, learned from the headers of its responses. Other processes may use the
 * key too. If Remaining falls faster than this process's own requests explain, the difference counts as theirs, and this
 * process leaves room for them.
 *
 * Times are monotonic ms, except `#windowReset`, which is on the clock of the service.
 */
export class Budget {
  /** Requests left in the window; `Infinity` while unknown. */
  remaining = Infinity;
  /** Limit of the minute window. */
  #limit: number | undefined;
  #windowLimit: number | undefined;
  /** End of the window, ms since the epoch on the clock of the service. */
  #windowReset: number | undefined;
  /** The newest end of a window that was known, monotonic ms. */
  reset: {
    readonly at: number;
    readonly estimated: boolean;
  } | undefined;
  /** The requests of this process and of others: decaying sums of past windows, and counts of this one. */
  readonly #usage = {
    own: 0,
    others: 0,
    ownNow: 0,
    othersNow: 0
  };
  /** Remaining at the first response of the window. */
  #base = Infinity;
  #foldedAt = 0;
  #learnedAt = -Infinity;
  #roundTrip = 0;
  #day = {
    number: 0,
    count: 0
  };

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
    if (limit === undefined || this.remaining === Infinity) return pace.fewInFlight;
    const available = this.remaining - pace.roomForOthers(usage, limit);
    if (available <= 0) return 0;
    const alone = usage.own + usage.ownNow >= evidence && pace.isAlone(usage);
    const part = alone ? 1 / 2 : Math.min(pace.slice, pace.shareOf(usage) / 2);
    const isDayShort = pace.isDayNearlySpent(this.#day.count, pace.publishedPerDay(limit), limit);
    // Without a Reset that can be read, the Limit is not trusted either.
    const isHidden = this.#windowReset === undefined || isDayShort;
    const bound = isHidden ? pace.fewInFlight : pace.inFlightBound(limit, this.#roundTrip, alone);
    return Math.min(bound, Math.max(1, Math.floor(available * part)));
  }

  /** Updates the budget from a response that is not a 429. `today`: the number of the day, whose successes are counted. */
  learn(info: RateLimitInfo, inFlight: number, today: number): void {
    const {
      sentAt,
      receivedAt,
      quota
    } = info;
    this.#day = {
      number: today,
      count: today === this.#day.number ? this.#day.count + 1 : 1
    };
    this.#roundTrip += (this.#roundTrip === 0 ? 1 : 0.1) * (receivedAt - sentAt - this.#roundTrip);
    const {
      limit,
      remaining,
      reset
    } = quota;
    if (limit === undefined || remaining === undefined) return this.spend();
    const inOrder = sentAt > this.#learnedAt;
    const isOther = limit !== this.#windowLimit;
    const later = reset === undefined ? 0 : reset - (this.#windowReset ?? reset);
    // Ignores a late response of an earlier window: its Remaining would count as requests of others.
    if (!isOther && later < -1_000 && !inOrder) return;
    const hasReset = reset !== undefined && this.#windowReset !== undefined;
    const isNext = hasReset ? Math.abs(later) > 1_000 : inOrder && remaining > this.remaining;
    const isFresh = isOther || isNext;
    if (isFresh && (this.remaining === Infinity || remaining >= this.remaining)) this.#beginWindow(remaining, receivedAt);else this.#count(remaining, inFlight);
    this.remaining = isFresh ? remaining : Math.min(this.remaining, remaining);
    // The limit of a day does not say how many requests a minute allows.
    const isLong = stryMutAct_9fa48("38") ? info.reset !== undefined || info.reset.wait > pace.longWindow : stryMutAct_9fa48("37") ? false : stryMutAct_9fa48("36") ? true : (stryCov_9fa48("36", "37", "38"), (stryMutAct_9fa48("40") ? info.reset === undefined : stryMutAct_9fa48("39") ? true : (stryCov_9fa48("39", "40"), info.reset !== undefined)) && (stryMutAct_9fa48("43") ? info.reset.wait <= pace.longWindow : stryMutAct_9fa48("42") ? info.reset.wait >= pace.longWindow : stryMutAct_9fa48("41") ? true : (stryCov_9fa48("41", "42", "43"), info.reset.wait > pace.longWindow)));
    this.#limit = isLong ? Math.min(limit, this.#limit ?? limit) : limit;
    this.#windowLimit = limit;
    this.#windowReset = reset;
    this.#learnedAt = receivedAt;
    this.learnReset(info);
  }
  learnReset({
    reset,
    receivedAt
  }: RateLimitInfo): void {
    if (reset !== undefined) this.reset = {
      at: receivedAt + reset.wait,
      estimated: reset.estimated
    };
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

  /** How many waiting calls can be sent in this window, or after a hold, and in each that follows; whether a window begins when the hold ends. */
  sendable(inFlight: number, hold: Hold | undefined): [number, number, boolean] {
    const limit = this.#limit ?? Infinity;
    const isFull = hold !== undefined || this.remaining === Infinity;
    const late = (hold?.resumeAt ?? -Infinity) - (this.reset?.at ?? Infinity);
    const first = isFull ? limit : Math.max(0, this.remaining - inFlight);
    const perWindow = Math.max(1, limit * pace.shareOf(this.#usage));
    return [first, perWindow, late >= 0 && late < startOfWindow];
  }
}