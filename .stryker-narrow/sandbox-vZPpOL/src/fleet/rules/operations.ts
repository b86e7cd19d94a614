// @ts-nocheck
import type { RequestsPerSecond } from './state.js';

export type { FleetReply } from './reply.js';

/** The rate-limit headers of the newest responses. */
export interface Observation {
  /** The value of `X-RateLimit-Limit`. */
  readonly limit?: number | undefined;
  /** The value of `X-RateLimit-Remaining`. */
  readonly remaining?: number | undefined;
  /** The value of `X-RateLimit-Reset`, ms since the epoch, on the clock of the service. */
  readonly reset?: number | undefined;
  /** The earliest moment at which the request was sent, ms on the clock of the store. */
  readonly sentAt: number;
}

/** A response with status 429, or a 403 or 503 with a `Retry-After`. */
export interface RateLimitedObservation extends Omit<Observation, 'remaining'> {
  readonly status: number;
  /** The wait that `Retry-After` asks for, ms. */
  readonly retryAfter?: number | undefined;
  /** Whether no requests remained in the window. */
  readonly exhausted: boolean;
}

/**
 * What one process reports and requests in one round trip to the store. It contains current values, not changes, so a lost,
 * repeated or late operation does no harm. It is plain JSON. Durations are ms, and moments are ms on the clock of the store.
 */
export interface FleetOperation {
  /** The name of the process, unique in the fleet. */
  readonly member: string;
  /** Increases with each operation of the member. */
  readonly sequence: number;
  /** The generation of the state that the member knows; `''` at first. */
  readonly generation: string;
  /** The name of the generation to create if the store has no state. */
  readonly newGeneration: string;
  /** The `sequence` of the newest operation that received a reply, and how long ago that reply arrived, ms. */
  readonly acknowledged: number;
  readonly acknowledgedAgo: number;
  /** How long, in ms, the member could not reach the store, and sent its share of requests without it. 0: it could. */
  readonly aloneFor: number;
  /** The member leaves the fleet, and returns its permits. */
  readonly leaves: boolean;

  /** Permits that the member holds and has not used. */
  readonly unsent: number;
  /** Requests of the member without a response. */
  readonly inFlight: number;
  /** Calls that wait without a permit, and how many of them have high priority. */
  readonly need: number;
  readonly high: number;
  /** Recent calls per ms. */
  readonly rate: number;
  /** The size of the last lease, if its permits were used at once. */
  readonly lastLease: number;
  /** How many replies in a row had `repeat`. */
  readonly repeats: number;

  /** The round-trip time of the newest request, ms; 0: none. */
  readonly rtt: number;
  /** Successful responses that were not reported before, and all since the process began. */
  readonly successes: number;
  readonly total: number;
  /** When these successes happened. */
  readonly times: RequestsPerSecond;
  /** Requests that received no response. */
  readonly lost: number;
  /** Whether the probe of the member received a response. */
  readonly probeDone: boolean;
  readonly observation?: Observation | undefined;
  /** The newest response that asked the client to wait. */
  readonly rateLimited?: RateLimitedObservation | undefined;
  /** The bounds of the difference between the clock of the service and the clock of the store, ms. */
  readonly clock?: { readonly low: number; readonly high: number } | undefined;
  /** The option `perDay` of the fleet gate. */
  readonly perDay?: number | undefined;
}

/** The reason for the number of permits in a reply. */
export type Decision =
  | 'stale'
  | 'report'
  | 'grant'
  | 'probe'
  | 'hold'
  | 'probing'
  | 'out'
  | 'unknown'
  | 'rolls'
  | 'idle'
  | 'exhausted'
  | 'careful';
