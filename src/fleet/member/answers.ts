import { isCached, readQuota, readStatedWait, type Quota } from '../../rate-limit/headers.js';
import { ServerClock } from '../../rate-limit/server-clock.js';
import type { GateResponse } from '../../rate-limit/types.js';
import type { Clock } from '../../utils/clock.js';
import { parseHttpDate } from '../../utils/http-date.js';
import type { ClockBounds } from '../clock-bounds.js';

/** The information in one response about the limit. */
export interface Answer {
  readonly quota: Quota;
  /** ms that it asks to wait. */
  readonly retryAfter: number | undefined;
  readonly isRateLimited: boolean;
}

/** Reads the responses of the service, and learns its clock from them. */
export class Answers {
  /** How far the service's clock is ahead of the local monotonic one, by `Date` headers alone. */
  readonly #service: ClockBounds;
  readonly #serverClock: ServerClock;
  readonly #clock: Clock;

  constructor(clock: Clock, service: ClockBounds) {
    this.#clock = clock;
    this.#service = service;
    this.#serverClock = new ServerClock(clock);
  }

  /** The clock of the service, about, ms since the epoch. */
  serviceNow(): number {
    return this.#service.known ? this.#clock.monotonic() + this.#service.low : this.#clock.now();
  }

  read({ status, headers }: GateResponse, sentAt: number, receivedAt: number): Answer {
    const quota = readQuota(headers);
    const date = isCached(headers) ? null : headers.get('date');
    this.#serverClock.observeDate(date, sentAt, receivedAt);
    this.#serverClock.observeReset(quota.reset, status === 429, sentAt, receivedAt);
    const instant = date === null ? undefined : parseHttpDate(date);
    // Truncated to a second.
    if (instant !== undefined)
      this.#service.observe(instant - receivedAt, instant + 1_000 - sentAt, receivedAt);
    const reset = quota.reset === undefined ? undefined : this.#serverClock.placeReset(quota.reset);
    const until = (moment: number) => this.#serverClock.until(moment);
    const retryAfter = readStatedWait(headers, until, reset?.wait);
    // With Retry-After, 403 is how some services answer a banned key, and 503 how they ask everybody to wait.
    const isRateLimited =
      status === 429 || ((status === 403 || status === 503) && retryAfter !== undefined);
    return { quota, retryAfter, isRateLimited };
  }
}
