import { readResponse, type RateLimitInfo } from '../../rate-limit/headers.js';
import type { ServerClock } from '../../rate-limit/server-clock.js';
import type { GateResponse } from '../../rate-limit/types.js';
import type { Clock } from '../../utils/clock.js';
import { RecentTraffic } from './fallback.js';
import { Report } from './report.js';

/** Reads the responses of the service. Learns its clock from them, and collects what the store and the fallback need to know. */
export class Responses {
  /** What the next operation of the store reports. */
  readonly report = new Report();
  /** What the process sends and sees while the store fails. */
  readonly traffic = new RecentTraffic();
  /** The round-trip time of the newest request, ms, at most 5 s; 0: none. */
  rtt = 0;
  readonly #service: ServerClock;
  readonly #clock: Clock;

  constructor(clock: Clock, service: ServerClock) {
    this.#clock = clock;
    this.#service = service;
  }

  /** The time of the service, to a second, ms since the epoch. */
  serviceNow(): number {
    return this.#service.known ? this.#clock.monotonic() + this.#service.low : this.#clock.now();
  }

  /** Reads one response, and returns what it says. */
  read(response: GateResponse, sentAt: number, receivedAt: number): RateLimitInfo {
    const { status } = response;
    const info = readResponse(response, this.#service, sentAt, receivedAt);
    const { quota, retryAfter, cause } = info;
    // A stopped process sees its responses late, which shows nothing about the service. 5 s allow enough requests in flight for twice as
    // much, the default `timeout`.
    this.rtt = Math.min(receivedAt - sentAt, 5_000);
    // It is not known whether the quota counts a request that an overloaded service rejected.
    if (cause !== undefined && status !== 429) this.report.lost(1);
    if (cause !== undefined) this.report.rateLimited({ status, quota, retryAfter, sentAt });
    else {
      this.report.succeeded(quota, sentAt, receivedAt);
      this.traffic.learn(quota, receivedAt);
    }
    return info;
  }
}
