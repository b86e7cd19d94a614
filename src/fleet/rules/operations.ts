import type { RequestsPerSecond } from './state.js';

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
export interface RateLimitedObservation {
  /** The HTTP status. */
  readonly status: number;
  /** The value of `X-RateLimit-Limit`. */
  readonly limit?: number | undefined;
  /** The value of `X-RateLimit-Reset`, ms since the epoch, on the clock of the service. */
  readonly reset?: number | undefined;
  /** The wait that `Retry-After` asks for, ms. */
  readonly retryAfter?: number | undefined;
  /** Whether no requests remained in the window. */
  readonly exhausted: boolean;
  /** The earliest moment at which the request was sent, ms on the clock of the store. */
  readonly sentAt: number;
}

/**
 * What one process reports and requests in one round trip to the store. It contains current values, not changes, so a lost,
 * repeated or late operation does no harm. Durations are ms, and moments are ms on the clock of the store.
 */
export interface SyncOperation {
  /** The kind of the operation. */
  readonly kind: 'sync';
  /** The name of the process, unique in the fleet. */
  readonly member: string;
  /** Increases with each operation of the member. */
  readonly sequence: number;
  /** The generation of the state that the member knows; `''` at first. */
  readonly generation: string;
  /** The name of the generation to create if the store has no state. */
  readonly newGeneration: string;
  /** The `sequence` of the newest operation that received a reply. */
  readonly acknowledged: number;
  /** How long ago that reply arrived, ms. */
  readonly acknowledgedAgo: number;
  /** How long, in ms, the member could not reach the store, and sent its share of requests without it. 0: it could. */
  readonly aloneFor: number;

  /** Permits that the member holds and has not used. */
  readonly unsent: number;
  /** Requests of the member without a response. */
  readonly inFlight: number;
  /** Calls that wait without a permit. */
  readonly need: number;
  /** Waiting calls of high priority. */
  readonly high: number;
  /** Recent calls per ms. */
  readonly rate: number;
  /** The size of the last lease, if its permits were used at once. */
  readonly lastLease: number;
  /** How many replies in a row had `repeat`. */
  readonly repeats: number;

  /** The round-trip time of the newest request, ms; 0: none. */
  readonly rtt: number;
  /** Successful responses that were not reported before. */
  readonly successes: number;
  /** All successful responses since the process began. */
  readonly total: number;
  /** When these successes happened: seconds on the clock of the store, with the number of requests in each. */
  readonly times: RequestsPerSecond;
  /** Requests that received no response. */
  readonly lost: number;
  /** Whether the probe of the member received a response. */
  readonly probeDone: boolean;
  /** The rate-limit headers of the newest responses. */
  readonly observation?: Observation | undefined;
  /** The newest response that asked the client to wait. */
  readonly rateLimited?: RateLimitedObservation | undefined;
  /** The bounds of the difference between the clock of the service and the clock of the store, ms. */
  readonly clock?: { readonly low: number; readonly high: number } | undefined;
  /** Requests per minute of the plan, if the client has the option `plan`. */
  readonly perMinute?: number | undefined;
  /** Requests per day of the plan, or of the option `perDay` of the fleet gate. */
  readonly perDay?: number | undefined;
}

/** A process leaves the fleet and returns its permits. It has reported what it sent, with a `sync` operation before. */
export interface LeaveOperation {
  /** The kind of the operation. */
  readonly kind: 'leave';
  /** The name of the process. */
  readonly member: string;
  /** As in {@link SyncOperation}: the operation changes nothing after a newer one of the member. */
  readonly sequence: number;
}

/** Reads the state and changes nothing. */
export interface PeekOperation {
  /** The kind of the operation. */
  readonly kind: 'peek';
  /** The process that asks: it knows best what it holds, so `leases`, `unsent` and `inFlight` of the reply are those of the others. */
  readonly member?: string | undefined;
}

/** One operation on the state of a key. It is plain JSON. */
export type FleetOperation = SyncOperation | LeaveOperation | PeekOperation;

/** The reason for the number of permits in a reply, for diagnosis. */
export type Decision =
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

/** The reply to a {@link SyncOperation}. Moments are ms on the clock of the store. */
export interface SyncReply {
  /** The kind of the operation. */
  readonly kind: 'sync';
  /** Whether a newer operation of the member had arrived before, so that this one changed nothing. */
  readonly stale: boolean;
  /** The reason for the number of permits. */
  readonly decision: Decision;
  /** The moment of the reply. */
  readonly now: number;
  /** The generation of the state. */
  readonly generation: string;
  /** The number of processes in the fleet. */
  readonly members: number;
  /** The position of this process among them, from 0. */
  readonly rank: number;
  /** Requests per minute of the API key; 0: unknown. */
  readonly limit: number;
  /** The number of permits granted. */
  readonly granted: number;
  /** How long the permits are valid, ms from before the operation was sent. */
  readonly leaseFor: number;
  /** Whether the one granted permit is a probe: a request that finds out if the window is open. */
  readonly probe: boolean;
  /** The largest number of requests that the member may have in flight. */
  readonly inFlightCap: number;
  /** Requests that remain after the grant; -1: unknown. */
  readonly left: number;
  /** Until when no request may be sent; 0 or less: no hold. */
  readonly resumeAt: number;
  /** The end of the hold without the pad that covers rounded headers: a call with a shorter `maxHold` is rejected. */
  readonly holdEndsAt: number;
  /** The part of the hold that the service stated in a header; 0 or less: none. */
  readonly serverHoldUntil: number;
  /** When to ask again; 0: there is nothing to ask for. */
  readonly retryAt: number;
  /** Whether the operation at `retryAt` counts as a repetition in `repeats`. */
  readonly repeat: boolean;
  /** When the window ends; 0: unknown. */
  readonly resetAt: number;
  /** Whether the member must report each response at once. */
  readonly prompt: boolean;
  /** After how long without a call the member returns unused permits, ms; 0: it keeps them until they expire. */
  readonly returnAfter: number;
  /** Whether the member must report used permits soon, because other members wait. */
  readonly eager: boolean;
}

/** The reply to a {@link LeaveOperation}. */
export interface LeaveReply {
  /** The kind of the operation. */
  readonly kind: 'leave';
}

/** The reply to a {@link PeekOperation}. Moments are ms on the clock of the store; 0 or less: none. */
export interface PeekReply {
  /** The kind of the operation. */
  readonly kind: 'peek';
  /** The moment of the reply. */
  readonly now: number;
  /** The number of processes in the fleet. */
  readonly members: number;
  /** The number of members that hold permits. */
  readonly leases: number;
  /** Permits that are granted and not used. */
  readonly unsent: number;
  /** Requests without a response. */
  readonly inFlight: number;
  /** Requests per minute of the API key; 0: unknown. */
  readonly limit: number;
  /** Requests that remain in the window; -1: unknown. */
  readonly remaining: number;
  /** When the window ends. */
  readonly resetAt: number;
  /** Until when no request may be sent. */
  readonly resumeAt: number;
}

/** The reply to an operation. It is plain JSON. */
export type FleetReply = SyncReply | LeaveReply | PeekReply;
