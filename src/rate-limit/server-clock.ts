import type { Clock } from '../utils/clock.js';
import { headers as names } from '../contract/rate-limits.js';
import { longestPlausibleWait, type RateLimitedResponse } from './rules/hold-rule.js';
import { clockDrift, longWindow } from './rules/pace.js';

const minute = 60_000;
/**
 * Clocks that should agree, such as those of the nodes of a service, differ by at most this (ms). An instant that is past by less still
 * means "now". What differs by more was set, slept, or is the `Date` of a stored response.
 */
export const largestError = 5_000;
/** If two old dates are as far apart as their requests, to within this (ms), the clock of the service was set back. Otherwise they are stored responses. */
const staleTolerance = 2_000;

const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Reads an HTTP-date in the form that is sent today (IMF-fixdate, RFC 9110, 5.6.7): ms since the Unix epoch. `Date.parse` alone also
 * accepts '1.5' and many other strings as dates.
 */
export function parseHttpDate(text: string | null): number | undefined {
  const instant = httpDate.test(text ?? '') ? Date.parse(text as string) : NaN;
  return Number.isNaN(instant) ? undefined : instant;
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
    const slack = (now - this.#observedAt) * clockDrift;
    this.low = Math.max(this.low - slack, low);
    this.high = Math.min(this.high + slack, high);
    // What contradicts the earlier observations counts alone.
    if (this.low > this.high) [this.low, this.high] = [low, high];
    this.#observedAt = now;
  }
}

/** A Reset, and the moment of it, monotonic ms. */
export type PlacedReset = RateLimitedResponse['reset'] & { readonly at: number };

/**
 * The clock of the service, placed on the local monotonic clock: bounds of server time - monotonic time, from the `Date` headers. Without a
 * `Date`, the local wall clock is used, until a request that was on time by it receives a 429. Then a window is assumed to end at most a minute ahead.
 */
export class ServerClock extends ClockBounds {
  readonly #clock: Clock;
  /** The `Date` of the last stored response, and when its request was sent: `NaN` before the first. */
  #stored = { instant: 0, at: NaN };
  /** The headers of the newest response that was believed. */
  #newest: Headers | undefined;
  /** How far the local wall clock is ahead of the monotonic one. */
  #wallOffset = NaN;
  /** Set to `false` when the gate relied on the local wall clock, and the response was 429. */
  trustsWall = true;

  constructor(clock: Clock) {
    super();
    this.#clock = clock;
  }

  /**
   * Learns from the `Date` of a response, which is truncated to a second, and was written between the two moments. Returns `false` for
   * a stored response, whose other headers say nothing about the present either.
   */
  learn(headers: Headers, sentAt: number, receivedAt: number): boolean {
    const instant = parseHttpDate(headers.get('date'));
    if (instant === undefined) return true;
    const latest = instant + 1_000 - sentAt;
    const behind = this.low - latest;
    const saysTheSame = (name: string) => headers.get(name) === this.#newest?.get(name);
    // The clocks of several nodes may differ by some seconds. A response in the past that repeats the newest headers is not needed.
    const isOld =
      behind > largestError || (behind > 0 && ['date', ...Object.values(names)].every(saysTheSame));
    if (isOld && !this.#wasSetBack(instant, sentAt)) return false;
    this.#newest = headers;
    this.observe(instant - receivedAt, latest, receivedAt);
    return true;
  }

  /** Whether this old date and the old date before it are as far apart as their requests. */
  #wasSetBack(instant: number, at: number): boolean {
    const last = this.#stored;
    const elapsed = at - last.at;
    if (elapsed <= staleTolerance) return false;
    this.#stored = { instant, at };
    return Math.abs(instant - last.instant - elapsed) < staleTolerance;
  }

  /** ms from now until an instant of the service's clock, such as a date in `Retry-After`; `NaN` when unknown. */
  until(instant: number): number {
    if (this.known) return instant - this.low - this.#clock.monotonic();
    const byWall = instant - this.#clock.now();
    // Far ahead, as at the end of a day or of a ban, an error of some minutes does not matter.
    return byWall > longWindow || (this.trustsWall && byWall >= -largestError) ? byWall : NaN;
  }

  /**
   * Places a Reset; `undefined` if it is not plausible. Where no clock can be trusted, the window ends at most a minute ahead, unless
   * it `mayBeFar`, because requests at such ends were refused.
   */
  placeReset(reset: number, mayBeFar?: boolean): PlacedReset | undefined {
    const now = this.#clock.monotonic();
    const wait = this.until(reset);
    const longest = this.known || mayBeFar ? longestPlausibleWait : longWindow;
    if (wait >= -longWindow && wait <= longest) return { wait, at: now + wait, estimated: false };
    return this.known ? undefined : { wait: minute, at: now + minute, estimated: true };
  }

  /** Returns `true` the first time, and once after the local wall clock has jumped. All earlier bounds are then dropped. `now`: monotonic ms. */
  noticeJump(now: number): boolean {
    const offset = this.#clock.now() - now;
    if (Math.abs(offset - this.#wallOffset) <= largestError) return false;
    this.#wallOffset = offset;
    [this.low, this.high] = [-Infinity, Infinity];
    return true;
  }
}
