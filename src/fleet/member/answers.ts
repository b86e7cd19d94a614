import {
  isCached,
  parseHttpDate,
  readQuota,
  readTold,
  type Quota,
} from '../../rate-limit/headers.js';
import { ServerClock } from '../../rate-limit/server-clock.js';
import type { GateResponse } from '../../rate-limit/types.js';
import type { Clock } from '../../utils/clock.js';
import type { ClockBounds } from '../clock-bounds.js';

/** What one answer says of the limit. */
export interface Answer {
  readonly quota: Quota;
  /** ms that it tells to wait. */
  readonly retryAfter: number | undefined;
  readonly isRefused: boolean;
}

/** Reads the answers of the service, and learns its clock from them. */
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
    this.#serverClock.observe(date, sentAt, receivedAt);
    this.#serverClock.observeReset(quota.reset, receivedAt);
    const instant = date === null ? undefined : parseHttpDate(date);
    // Truncated to a second.
    if (instant !== undefined)
      this.#service.observe(instant - receivedAt, instant + 1_000 - sentAt, receivedAt);
    const until = (moment: number) => this.#serverClock.until(moment);
    const resetIn = quota.reset === undefined ? undefined : until(quota.reset);
    const retryAfter = readTold(headers, until, resetIn);
    // With Retry-After, 403 is how some services answer a banned key, and 503 how they ask everybody to wait.
    const isRefused =
      status === 429 || ((status === 403 || status === 503) && retryAfter !== undefined);
    return { quota, retryAfter, isRefused };
  }
}
