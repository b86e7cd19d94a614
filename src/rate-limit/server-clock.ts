import type { Clock } from '../utils/clock.js';
import { parseHttpDate } from '../utils/http-date.js';
import { headers as names } from '../contract/rate-limits.js';
import {
  isCached,
  justPast,
  readRateLimitHeaders,
  readRetryAfter,
  type RateLimitHeaders,
} from './headers.js';
import type { GateResponse } from './types.js';
import {
  longestOverload,
  longestPlausibleWait,
  type RateLimitedResponse,
} from './rules/hold-rule.js';
import { clockDrift, longWindow } from './rules/pace.js';

const minute = 60_000;
/** A local wall clock that moves by more than this (ms) against the monotonic clock was set, or the machine slept. */
const largestJump = 5_000;
/** A `Date` this much (ms) before the known time of the service is that of a stored response, or its clock was set back. */
const staleAge = 5_000;
/** If two old dates are as far apart as their requests, to within this (ms), the clock of the service was set back. Otherwise they are stored responses. */
const staleTolerance = 2_000;

/** What one response says about the limit. */
export interface RateLimitInfo {
  readonly quota: RateLimitHeaders;
  readonly reset: RateLimitedResponse['reset'];
  /** The wait that `Retry-After` asks for, ms; of a 503, which may be the page of a proxy, a minute at most. */
  readonly retryAfter: number | undefined;
  /** Why all calls have to wait, if it says so. */
  readonly cause: '429' | 'overload' | undefined;
}

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
    this.low = contradicts ? low : Math.max(this.low - slack, low);
    this.high = contradicts ? high : Math.min(this.high + slack, high);
    this.#observedAt = now;
  }

  /** One of the clocks was set: what was observed before says nothing. */
  forget(): void {
    [this.low, this.high] = [-Infinity, Infinity];
  }
}

/**
 * The clock of the service, placed on the local monotonic clock: bounds of server time - monotonic time, from the `Date` headers. Without a
 * `Date`, the local wall clock is used, until a request that was on time by it receives a 429. Then a window is assumed to end at most a minute ahead.
 */
export class ServerClock {
  readonly #clock: Clock;
  readonly #bounds: ClockBounds;
  #stale = { instant: 0, at: 0 };
  /** Those of the newest response that was believed. */
  #newest: Headers | undefined;
  #trustsWall = true;
  #wallOffset: number;

  constructor(clock: Clock, bounds = new ClockBounds()) {
    this.#clock = clock;
    this.#bounds = bounds;
    this.#wallOffset = clock.now() - clock.monotonic();
  }

  /** Reads a response, and learns from its `Date`. */
  read({ status, headers }: GateResponse, sentAt: number, receivedAt: number): RateLimitInfo {
    // A response from a cache says nothing about the present.
    const isStored = isCached(headers) || !this.#observe(headers, sentAt, receivedAt);
    const quota: RateLimitHeaders = isStored ? {} : readRateLimitHeaders(headers);
    const reset = quota.reset === undefined ? undefined : this.placeReset(quota.reset);
    const retryAfter = readRetryAfter(
      headers.get(names.retryAfter),
      (instant) => this.until(instant),
      reset?.wait,
    );
    const cause = causeOf(status, quota, retryAfter);
    const longest = cause === 'overload' ? longestOverload : Infinity;
    const wait = retryAfter === undefined ? undefined : Math.min(retryAfter, longest);
    return { quota, reset, retryAfter: wait, cause };
  }

  /**
   * Narrows the bounds by the `Date` of a response, which is truncated to a second, and was written between the two moments. Returns
   * `false` for a stored response, whose other headers say nothing about the present either.
   */
  #observe(headers: Headers, sentAt: number, receivedAt: number): boolean {
    const instant = parseHttpDate(headers.get('date'));
    if (instant === undefined) return true;
    const [low, high] = [instant - receivedAt, instant + 1_000 - sentAt];
    // Clocks of several nodes may differ by some seconds, but what says nothing new is not needed.
    const isOld =
      high < this.#bounds.low - staleAge ||
      (high < this.#bounds.low && isRepeated(headers, this.#newest));
    if (isOld && !this.#runsOn(instant, sentAt)) return false;
    this.#newest = headers;
    this.#bounds.observe(low, high, receivedAt);
    return true;
  }

  /** Whether this old date and the old date before it are as far apart as their requests: then the clock was set back. */
  #runsOn(instant: number, sentAt: number): boolean {
    const last = this.#stale;
    const elapsed = sentAt - last.at;
    if (elapsed > staleTolerance) this.#stale = { instant, at: sentAt };
    return elapsed > staleTolerance && Math.abs(instant - last.instant - elapsed) < staleTolerance;
  }

  /** ms from now until an instant of the service's clock, such as a date in `Retry-After`; `undefined` when unknown. */
  until(instant: number): number | undefined {
    if (this.#bounds.known) return instant - this.#bounds.low - this.#clock.monotonic();
    const byWall = instant - this.#clock.now();
    // Far ahead, as at the end of a day or of a ban, an error of some minutes does not matter.
    return byWall > longWindow || (this.#trustsWall && byWall >= justPast) ? byWall : undefined;
  }

  /**
   * Places a Reset; `undefined` if it is not plausible. Where no clock can be trusted, the window ends at most a minute ahead.
   */
  placeReset(reset: number): RateLimitedResponse['reset'] {
    const wait = this.until(reset);
    const isPlausible = wait !== undefined && wait >= -longWindow && wait <= longestPlausibleWait;
    if (isPlausible && (this.#bounds.known || wait <= longWindow))
      return { wait, estimated: false };
    return this.#bounds.known ? undefined : { wait: minute, estimated: true };
  }

  /** The gate relied on the local wall clock, and the response was 429. */
  distrustWall(): void {
    this.#trustsWall = false;
  }

  /** Returns `true` once after the local wall clock has jumped. All earlier bounds are then dropped. `now`: monotonic ms. */
  noticeJump(now: number): boolean {
    const offset = this.#clock.now() - now;
    if (Math.abs(offset - this.#wallOffset) <= largestJump) return false;
    this.#wallOffset = offset;
    this.#bounds.forget();
    return true;
  }
}

/** Whether a response has the time and the quota of another one. */
function isRepeated(headers: Headers, other: Headers | undefined): boolean {
  return ['date', ...Object.values(names)].every((name) => headers.get(name) === other?.get(name));
}

/** With `Retry-After`, 403 is how some services answer a banned key, and 503 how they ask everybody to wait. */
function causeOf(
  status: number,
  { limit }: RateLimitHeaders,
  retryAfter: number | undefined,
): RateLimitInfo['cause'] {
  if (status === 429) return '429';
  if (retryAfter === undefined) return undefined;
  if (status === 503) return 'overload';
  // Without the headers of the service, a 403 is the page of a proxy.
  return status === 403 && limit !== undefined ? '429' : undefined;
}
