import type { Clock } from '../utils/clock.js';
import { parseHttpDate } from './headers.js';

/** How far two clocks may drift apart, so that old bounds widen as they age. */
const drift = 100e-6;
/** A wall clock that jumps by more than this against the monotonic one was set, or the machine slept. */
const jump = 5_000;
const minute = 60_000;
/** A Reset this near by the local wall clock, which may be wrong by two minutes, is that of a minute window. */
const minuteWindow = 185_000;

/** Instants this near are a minute window's: the local wall clock is asked for them, until it proves wrong. */
const nearFuture = 65_000;
const justPast = -5_000;

/**
 * The clock of the service, placed on the local monotonic clock by the `Date` headers of its answers. The local wall clock
 * may be wrong by minutes. Where the service sends no `Date` (browsers hide it) it is asked for near instants, until a
 * request that relied on it is refused; then, and where it makes no sense, the Resets tell: a minute window ends at most a
 * minute ahead, so at the latest then it has surely ended.
 */
export class ServerClock {
  readonly #clock: Clock;
  /** server time - monotonic time lies between these. */
  #low = -Infinity;
  #high = Infinity;
  #updatedAt = 0;
  /** As `#low`, from Resets alone. */
  #resetLow = -Infinity;
  #trustsWall = true;
  #offset: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#offset = clock.now() - clock.monotonic();
  }

  /** Learns from a `Date` header, truncated to a second, of an answer to a request sent at `sentAt` that arrived at `receivedAt`. */
  observe(date: string | null, sentAt: number, receivedAt: number): void {
    const instant = date === null ? undefined : parseHttpDate(date);
    if (instant === undefined) return;
    const slack = Number.isFinite(this.#low) ? (receivedAt - this.#updatedAt) * drift : 0;
    const low = instant - receivedAt;
    const high = instant + 1_000 - sentAt;
    this.#low = Math.max(this.#low - slack, low);
    this.#high = Math.min(this.#high + slack, high);
    // Another node, or a clock that was set: the newest answer counts.
    if (this.#low > this.#high) [this.#low, this.#high] = [low, high];
    this.#updatedAt = receivedAt;
  }

  /** Learns from the `X-RateLimit-Reset` of an answer that arrived at `receivedAt`. */
  observeReset(reset: number | undefined, receivedAt: number): void {
    if (reset === undefined || Math.abs(reset - this.#clock.now()) > minuteWindow) return;
    this.#resetLow = Math.max(this.#resetLow, reset - minute - receivedAt);
  }

  /** True when what {@link until} says of an instant is right, and may be much too careful. */
  isGuess(instant: number): boolean {
    return !this.#exact && !this.#asksWall(instant) && Number.isFinite(this.#resetLow);
  }

  /** ms from now until `instant` (ms since the epoch, on the clock of the service) has been reached; `undefined` when that cannot be told. */
  until(instant: number): number | undefined {
    const low = this.#exact ? this.#low : this.#resetLow;
    const byWall = instant - this.#clock.now();
    if (!this.#exact && this.#asksWall(instant)) return byWall;
    if (Number.isFinite(low)) return instant - low - this.#clock.monotonic();
    // The end of a day, or of a ban: there minutes do not matter.
    return byWall > nearFuture ? byWall : undefined;
  }

  /** A request that relied on this clock was refused: without a `Date` the wall clock is not asked any more. */
  distrustWall(): void {
    this.#trustsWall = false;
  }

  get #exact(): boolean {
    return Number.isFinite(this.#low);
  }

  #asksWall(instant: number): boolean {
    const byWall = instant - this.#clock.now();
    return this.#trustsWall && byWall >= justPast && byWall <= nearFuture;
  }

  /** True, once, when the local wall clock has jumped: what was learned is dropped then. */
  jumped(): boolean {
    const offset = this.#clock.now() - this.#clock.monotonic();
    if (Math.abs(offset - this.#offset) <= jump) return false;
    this.#offset = offset;
    [this.#low, this.#high, this.#resetLow] = [-Infinity, Infinity, -Infinity];
    return true;
  }
}
