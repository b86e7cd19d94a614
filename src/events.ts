import type { RateLimit } from './rate-limit/types.js';

interface CallEvent {
  /** The operation, as `listPets`, or `GET /store/orders` for `request()`. */
  readonly operation: string;
  /** Number of the call within the process, so that the events of one call can be told from another's. */
  readonly call: number;
}

/** An attempt is about to be sent. */
export interface RequestEvent extends CallEvent {
  readonly type: 'request';
  readonly method: string;
  readonly url: string;
  /** 1 for the first try. */
  readonly attempt: number;
  /** ms waited before this attempt. */
  readonly waited: number;
}

/** An attempt has ended: with an answer, or with a failure. */
export interface ResponseEvent extends CallEvent {
  readonly type: 'response';
  readonly attempt: number;
  /** The HTTP status; `undefined` when there was no answer. */
  readonly status: number | undefined;
  readonly failure: 'connection' | 'timeout' | 'body' | 'aborted' | undefined;
  /** ms from sending to the last byte, or to the failure. */
  readonly took: number;
  readonly rateLimit: RateLimit | undefined;
}

/** The call will be tried again. */
export interface RetryEvent extends CallEvent {
  readonly type: 'retry';
  /** Number of the coming attempt. */
  readonly attempt: number;
  /** ms until then; 0 for a 429, where the gate decides. */
  readonly delay: number;
  /** The status or failure that is answered with the retry. */
  readonly reason: string;
}

/** Calls of this client wait for the rate limit. Once a hold, however many calls wait. */
export interface RateLimitHoldEvent {
  readonly type: 'rate-limit-hold';
  /** ms from now. */
  readonly delay: number;
  readonly until: Date;
  /** True when the service told it; false when the client guesses, for want of any header. */
  readonly told: boolean;
}

/** The hold is over. */
export interface RateLimitResumeEvent {
  readonly type: 'rate-limit-resume';
}

/** The service sent something that the contract does not know: the package may be out of date. Each once a client. */
export interface DriftEvent extends CallEvent {
  readonly type: 'drift';
  readonly kind: 'field' | 'status';
  /** The name of the unknown field, or the unknown status. */
  readonly value: string;
}

/** A deprecated operation was called. */
export interface DeprecatedEvent extends CallEvent {
  readonly type: 'deprecated';
  /** `YYYY-MM-DD`. */
  readonly removedOn: string;
  readonly replacement: string;
}

/** What `onEvent` receives: tell the events apart by `type`. None holds the API key, a body, or a header outside a short list of harmless ones. */
export type PetStoreEvent =
  RequestEvent | ResponseEvent | RetryEvent | RateLimitHoldEvent | RateLimitResumeEvent | DriftEvent | DeprecatedEvent;
