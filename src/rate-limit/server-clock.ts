import type { Clock } from '../clock.js';
import { parseHttpDate } from './http-date.js';

/** How far two clocks may drift apart, so that old bounds widen as they age. */
const drift = 100e-6;
/** A wall clock that jumps by more than this against the monotonic one was set, or the machine slept. */
const jump = 5_000;
const minute = 60_000;
/** A Reset this near by the local wall clock, which may be wrong by two minutes, is that of a minute window. */
const minuteWindow = 185_000;

/**
 * The clock of the service, placed on the local monotonic clock by the `Date` headers of its answers. The local wall
 * clock may be wrong by minutes, so it is not used. Where the service sends no `Date` (browsers hide it), its Resets
 * tell: a minute window ends at most a minute ahead, so at the latest then it has surely ended. After the first window
 * that was seen to begin this is as exact as the `Date`.
 */
export class ServerClock {
  readonly #clock: Clock;
  /** server time - monotonic time lies between these. */
  #low = -Infinity;
  #high = Infinity;
  #updatedAt = 0;
  /** As `#low`, from Resets alone. */
  #resetLow = -Infinity;
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

  /** True when a `Date` has told the time; else {@link until} is right, and may be much too careful. */
  get exact(): boolean {
    return Number.isFinite(this.#low);
  }

  /** ms from now until `instant` (ms since the epoch, on the clock of the service) has surely been reached; `undefined` when that cannot be told. */
  until(instant: number): number | undefined {
    const low = this.exact ? this.#low : this.#resetLow;
    return Number.isFinite(low) ? instant - low - this.#clock.monotonic() : undefined;
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
