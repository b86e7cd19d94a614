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
import type { Clock } from '../utils/clock.js';
import { parseHttpDate } from '../utils/http-date.js';
import { headers as names } from '../contract/rate-limits.js';
import { longestPlausibleWait, type RateLimitedResponse } from './rules/hold-rule.js';
import { clockDrift, longWindow } from './rules/pace.js';
const minute = 60_000;
/** An instant at most this far in the past (ms) still means "now". */
export const justPast = -5_000;
/** A local wall clock that moves by more than this (ms) against the monotonic clock was set, or the machine slept. */
const largestJump = 5_000;
/** A `Date` this much (ms) before the known time of the service is that of a stored response, or its clock was set back. */
const staleAge = 5_000;
/** If two old dates are as far apart as their requests, to within this (ms), the clock of the service was set back. Otherwise they are stored responses. */
const staleTolerance = 2_000;

/** Bounds of how far another clock is ahead of the local monotonic one: `low` to `high` ms. Each observation makes them narrower. */
export class ClockBounds {
  low = -Infinity;
  high = Infinity;
  #observedAt = 0;

  /** Whether there was an observation. */
  get known(): boolean {
    return this.high < Infinity;
  }

  /** The other clock was between `low` and `high` ms ahead of the local one at the local moment `now`. */
  observe(low: number, high: number, now: number): void {
    const slack = this.known ? (now - this.#observedAt) * clockDrift : 0;
    const contradicts = low > this.high + slack || high < this.low - slack;
    this.low = contradicts ? low : stryMutAct_9fa48("72") ? Math.min(this.low - slack, low) : (stryCov_9fa48("72"), Math.max(stryMutAct_9fa48("73") ? this.low + slack : (stryCov_9fa48("73"), this.low - slack), low));
    this.high = contradicts ? high : Math.min(this.high + slack, high);
    this.#observedAt = now;
  }
}

/**
 * The clock of the service, placed on the local monotonic clock: bounds of server time - monotonic time, from the `Date` headers. Without a
 * `Date`, the local wall clock is used, until a request that was on time by it receives a 429. Then a window is assumed to end at most a minute ahead.
 */
export class ServerClock extends ClockBounds {
  readonly #clock: Clock;
  /** The `Date` of the last stored response, and when its request was sent. */
  #stored = {
    instant: 0,
    at: 0
  };
  /** The headers of the newest response that was believed. */
  #newest: Headers | undefined;
  #wallOffset: number;
  /** Set to `false` when the gate relied on the local wall clock, and the response was 429. */
  trustsWall = true;
  constructor(clock: Clock) {
    super();
    this.#clock = clock;
    this.#wallOffset = clock.now() - clock.monotonic();
  }

  /**
   * Learns from the `Date` of a response, which is truncated to a second, and was written between the two moments. Returns `false` for
   * a stored response, whose other headers say nothing about the present either.
   */
  learn(headers: Headers, sentAt: number, receivedAt: number): boolean {
    const instant = parseHttpDate(headers.get('date'));
    if (instant === undefined) return true;
    const behind = this.low - (instant + 1_000 - sentAt);
    const saysTheSame = (name: string) => headers.get(name) === this.#newest?.get(name);
    // Clocks of several nodes may differ by some seconds, but what says nothing new is not needed.
    const isOld = stryMutAct_9fa48("76") ? behind > staleAge && behind > 0 && ['date', ...Object.values(names)].every(saysTheSame) : stryMutAct_9fa48("75") ? false : stryMutAct_9fa48("74") ? true : (stryCov_9fa48("74", "75", "76"), (stryMutAct_9fa48("79") ? behind <= staleAge : stryMutAct_9fa48("78") ? behind >= staleAge : stryMutAct_9fa48("77") ? false : (stryCov_9fa48("77", "78", "79"), behind > staleAge)) || (stryMutAct_9fa48("81") ? behind > 0 || ['date', ...Object.values(names)].every(saysTheSame) : stryMutAct_9fa48("80") ? false : (stryCov_9fa48("80", "81"), (stryMutAct_9fa48("84") ? behind <= 0 : stryMutAct_9fa48("83") ? behind >= 0 : stryMutAct_9fa48("82") ? true : (stryCov_9fa48("82", "83", "84"), behind > 0)) && (stryMutAct_9fa48("85") ? ['date', ...Object.values(names)].some(saysTheSame) : (stryCov_9fa48("85"), (stryMutAct_9fa48("86") ? [] : (stryCov_9fa48("86"), [stryMutAct_9fa48("87") ? "" : (stryCov_9fa48("87"), 'date'), ...Object.values(names)])).every(saysTheSame))))));
    if (isOld && !this.#wasSetBack(instant, sentAt)) return false;
    this.#newest = headers;
    this.observe(instant - receivedAt, instant + 1_000 - sentAt, receivedAt);
    return true;
  }

  /** Whether this old date and the old date before it are as far apart as their requests. */
  #wasSetBack(instant: number, at: number): boolean {
    const last = this.#stored;
    const elapsed = at - last.at;
    if (elapsed <= staleTolerance) return false;
    this.#stored = {
      instant,
      at
    };
    return Math.abs(instant - last.instant - elapsed) < staleTolerance;
  }

  /** ms from now until an instant of the service's clock, such as a date in `Retry-After`; `undefined` when unknown. */
  until(instant: number): number | undefined {
    if (this.known) return instant - this.low - this.#clock.monotonic();
    const byWall = instant - this.#clock.now();
    // Far ahead, as at the end of a day or of a ban, an error of some minutes does not matter.
    return byWall > longWindow || this.trustsWall && byWall >= justPast ? byWall : undefined;
  }

  /**
   * Places a Reset; `undefined` if it is not plausible. Where no clock can be trusted, the window ends at most a minute ahead.
   */
  placeReset(reset: number): RateLimitedResponse['reset'] {
    const wait = this.until(reset) ?? Infinity;
    if (wait >= -longWindow && wait <= (this.known ? longestPlausibleWait : longWindow)) return {
      wait,
      estimated: false
    };
    return this.known ? undefined : {
      wait: minute,
      estimated: true
    };
  }

  /** Returns `true` once after the local wall clock has jumped. All earlier bounds are then dropped. `now`: monotonic ms. */
  noticeJump(now: number): boolean {
    const offset = this.#clock.now() - now;
    if (Math.abs(offset - this.#wallOffset) <= largestJump) return false;
    this.#wallOffset = offset;
    [this.low, this.high] = [-Infinity, Infinity];
    return true;
  }
}