import type { Clock } from '../utils/clock.js';
import { parseHttpDate } from '../utils/http-date.js';
import { justPast, remembering } from './headers.js';
import { longestPlausibleWait } from './rules/hold-rule.js';

const minute = 60_000;
/** The drift of two clocks. Bounds widen by this share of their age. */
const drift = 100e-6;
/** A local wall clock that moves by more than this (ms) against the monotonic clock was set, or the machine slept. */
const largestJump = 5_000;
/** Nodes of a service may disagree by this much (ms) about the end of a window. */
const nodeTolerance = 5_000;
/** A Reset at most this far ahead (ms) belongs to a minute window, including the error of the clocks. */
const nearFuture = 65_000;
/** A Reset further in the past than a minute window is ignored. */
const longestPast = -65_000;
/** Without a `Date`, the Reset of a 429 counts as the Reset of a minute window only within this distance (ms) of the local wall clock. */
const minuteWindowByWall = 185_000;

/** When an instant of the service's clock will be reached. */
export interface PlacedReset {
  /** ms from now until the instant has surely been reached; negative when it has passed. */
  readonly wait: number;
  /** The wait is only an upper bound, derived from the length of a minute window. */
  readonly estimated: boolean;
}

/** Bounds of the difference: server time - monotonic time, in ms. */
class OffsetBounds {
  low = -Infinity;
  high = Infinity;
  #updatedAt = 0;
  readonly #tolerance: number;

  constructor(tolerance: number) {
    this.#tolerance = tolerance;
  }

  get known(): boolean {
    return Number.isFinite(this.low);
  }

  /** Intersects the bounds with those that one response gives. */
  narrow(low: number, high: number, receivedAt: number): void {
    const slack = this.known ? (receivedAt - this.#updatedAt) * drift : 0;
    this.#updatedAt = receivedAt;
    this.low = Math.max(this.low - slack, low);
    this.high = Math.min(this.high + slack, high);
    if (this.low <= this.high) return;
    // If the nodes disagree a little, the instant is in the gap. Otherwise a clock was set, and the latest response counts.
    const disagreement = this.low - this.high;
    [this.low, this.high] = disagreement <= this.#tolerance ? [this.high, this.low] : [low, high];
  }

  forget(): void {
    [this.low, this.high] = [-Infinity, Infinity];
  }
}

/**
 * The clock of the service, placed on the local monotonic clock. Three sources are asked in this order, and the first with a
 * plausible answer counts:
 *
 * 1. `Date` headers: exact to a second or better, however wrong the local clock is.
 * 2. The local wall clock, for instants within about a minute, unless it contradicts the Resets or has misled before.
 * 3. `X-RateLimit-Reset` headers: a minute window ends at most a minute ahead, and never in the past. After the first change
 *    of the window these bounds are exact as well.
 */
export class ServerClock {
  readonly #clock: Clock;
  readonly #byDate = new OffsetBounds(0);
  readonly #byReset = new OffsetBounds(nodeTolerance);
  #trustsWall = true;
  #wallOffset: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#wallOffset = this.#currentWallOffset();
  }

  /** Updates the bounds from the `Date` header of a response, which is truncated to a second. */
  observeDate(date: string | null, sentAt: number, receivedAt: number): void {
    const instant = readDate(date);
    if (instant === undefined) return;
    this.#byDate.narrow(instant - receivedAt, instant + 1_000 - sentAt, receivedAt);
  }

  /** Updates the bounds from the Reset of a response. The Reset of a 429 may belong to a longer window, so it is used only if nothing else is known. */
  observeReset(
    reset: number | undefined,
    rateLimited: boolean,
    sentAt: number,
    receivedAt: number,
  ): void {
    if (reset === undefined) return;
    const isNear = Math.abs(reset - this.#clock.now()) <= minuteWindowByWall;
    if (rateLimited && (this.#byReset.known || !isNear)) return;
    this.#byReset.narrow(reset - minute - receivedAt, reset + 1_000 - sentAt, receivedAt);
  }

  /** Converts a Reset. `undefined` if no source gives a plausible time. The gate then holds for a fixed time. */
  placeReset(reset: number): PlacedReset | undefined {
    const exact = this.#waitBy(this.#byDate, reset);
    if (isPlausibleReset(exact)) return { wait: exact, estimated: false };
    if (this.#asksWall(reset)) return { wait: reset - this.#clock.now(), estimated: false };
    const wait = this.#waitBy(this.#byReset, reset);
    if (!isPlausibleReset(wait)) return undefined;
    return { wait, estimated: this.#byReset.high - this.#byReset.low > nodeTolerance };
  }

  /** ms from now until an instant of the service's clock, such as a date in `Retry-After`; `undefined` when unknown. */
  until(instant: number): number | undefined {
    const exact = this.#waitBy(this.#byDate, instant);
    if (exact !== undefined) return exact;
    const byWall = instant - this.#clock.now();
    if (this.#asksWall(instant)) return byWall;
    // The end of a day or of a ban: an error of some minutes does not matter there.
    return this.#waitBy(this.#byReset, instant) ?? (byWall > nearFuture ? byWall : undefined);
  }

  /** The gate used this clock, and the response was 429, so the local wall clock is not used any longer. */
  distrustWall(): void {
    this.#trustsWall = false;
  }

  /** Returns `true` once after the local wall clock has jumped. All earlier bounds are then dropped. */
  jumped(): boolean {
    const offset = this.#currentWallOffset();
    if (Math.abs(offset - this.#wallOffset) <= largestJump) return false;
    this.#wallOffset = offset;
    this.#byDate.forget();
    this.#byReset.forget();
    return true;
  }

  #waitBy(bounds: OffsetBounds, instant: number): number | undefined {
    return bounds.known ? instant - bounds.low - this.#clock.monotonic() : undefined;
  }

  #asksWall(instant: number): boolean {
    if (!this.#trustsWall) return false;
    const offset = this.#currentWallOffset();
    const { low, high } = this.#byReset;
    if (offset < low - nodeTolerance || offset > high + nodeTolerance) return false;
    const byWall = instant - this.#clock.now();
    return byWall >= justPast && byWall <= nearFuture;
  }

  #currentWallOffset(): number {
    return this.#clock.now() - this.#clock.monotonic();
  }
}

const readDate = /* @__PURE__ */ remembering((header) => parseHttpDate(header ?? ''));

function isPlausibleReset(wait: number | undefined): wait is number {
  return wait !== undefined && wait >= longestPast && wait <= longestPlausibleWait;
}
