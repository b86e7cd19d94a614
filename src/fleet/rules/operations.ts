import type { SpentPerSecond } from './state.js';

/** What the headers of the newest answers said. `sentAt`: when the request was sent, at the earliest, on the clock of the store. */
export interface Observation {
  readonly limit?: number | undefined;
  readonly remaining?: number | undefined;
  /** ms since the epoch, on the clock of the service. */
  readonly reset?: number | undefined;
  readonly sentAt: number;
}

/** A 429, or a 403 or 503 that told to wait. */
export interface Refusal {
  readonly limit?: number | undefined;
  readonly reset?: number | undefined;
  /** ms. */
  readonly retryAfter?: number | undefined;
  /** Nothing remained in the window. */
  readonly spent: boolean;
  readonly maxHold: number;
  readonly sentAt: number;
}

/**
 * What a process tells and asks in one trip. It says what it holds now instead of counting up or down: an operation that
 * is lost, repeated or late does no harm. Times are ms; those that are moments are on the clock of the store.
 */
export interface SyncOperation {
  readonly kind: 'sync';
  readonly member: string;
  /** Grows with each operation of the member. */
  readonly sequence: number;
  /** The generation that the member knows, '' at first; and the name of a new one, should there be no state. */
  readonly generation: string;
  readonly newGeneration: string;
  /** Number of the newest operation that was answered, and how long ago, in ms. */
  readonly acknowledged: number;
  readonly acknowledgedAgo: number;
  /** The member could not reach the store, and sent its share without it. */
  readonly wasAlone: boolean;

  readonly unsent: number;
  readonly inFlight: number;
  /** Calls that wait without a permit, and how many calls of high priority wait. */
  readonly need: number;
  readonly high: number;
  /** Calls a ms, lately. */
  readonly rate: number;
  /** Size of the last lease, when it was used up at once. */
  readonly lastLease: number;
  /** How many times in a row the member was told to ask again at once. */
  readonly repeats: number;

  /** Round trip of the newest request, ms; 0: none. */
  readonly rtt: number;
  /** Successful answers that were not reported yet, and all of them. */
  readonly successes: number;
  readonly total: number;
  readonly times: SpentPerSecond;
  /** Requests that got no answer. */
  readonly lost: number;
  readonly probeDone: boolean;
  readonly observation?: Observation | undefined;
  readonly refusal?: Refusal | undefined;
  /** The clock of the service less that of the store lies between these. */
  readonly clock?: { readonly low: number; readonly high: number } | undefined;
  /** The plan, where it is known beforehand. */
  readonly perMinute?: number | undefined;
  readonly perDay?: number | undefined;
}

/** A process goes: its permits are free again. */
export interface LeaveOperation {
  readonly kind: 'leave';
  readonly member: string;
}

/** Reads, and changes nothing. */
export interface PeekOperation {
  readonly kind: 'peek';
}

/** One operation on the state of a key. It is plain JSON. */
export type FleetOperation = SyncOperation | LeaveOperation | PeekOperation;

/** Why a reply grants what it grants: for diagnosis. */
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
  | 'spent'
  | 'careful';

/** The answer to a {@link SyncOperation}. Moments are ms on the clock of the store. */
export interface SyncReply {
  readonly kind: 'sync';
  /** An operation that came later than a newer one: nothing was changed. */
  readonly stale: boolean;
  readonly decision: Decision;
  readonly now: number;
  readonly generation: string;
  /** Processes of the fleet, and the place of this one among them, from 0. */
  readonly members: number;
  readonly rank: number;
  readonly limit: number;
  /** Permits granted, and how long they may be used, ms from before the operation was sent. */
  readonly granted: number;
  readonly leaseFor: number;
  /** The one granted permit asks whether the window is open. */
  readonly probe: boolean;
  /** Requests that the member may have in flight. */
  readonly inFlightCap: number;
  /** What is left after the grant; -1 when unknown. */
  readonly left: number;
  readonly hold: number;
  readonly toldHold: number;
  /** When to ask again; 0: nothing to ask for. */
  readonly retryAt: number;
  /** Ask again at once then: `repeats` counts it. */
  readonly repeat: boolean;
  /** When the window ends; 0: unknown. */
  readonly resetAt: number;
  /** Report each answer at once. */
  readonly prompt: boolean;
  /** Give unused permits back after this long without a call, ms; 0: keep them to their end. */
  readonly returnAfter: number;
  /** Report spent permits soon, for others wait to know. */
  readonly eager: boolean;
}

/** The answer to a {@link LeaveOperation}. */
export interface LeaveReply {
  readonly kind: 'leave';
}

/** The answer to a {@link PeekOperation}. */
export interface PeekReply {
  readonly kind: 'peek';
  readonly now: number;
  readonly members: number;
  /** Members that hold permits, the permits that nobody has sent yet, and the requests in flight. */
  readonly leases: number;
  readonly unsent: number;
  readonly inFlight: number;
  readonly limit: number;
  /** -1: unknown. */
  readonly remaining: number;
  /** Moments on the clock of the store; 0 or less: none. */
  readonly resetAt: number;
  readonly hold: number;
}

/** The answer to an operation. It is plain JSON. */
export type FleetReply = SyncReply | LeaveReply | PeekReply;
