import type { Attempt, RateLimitReason } from '../errors/errors.js';
import type { RateLimit, WaitCause } from '../rate-limit/types.js';

interface CallEvent {
  /** The operation, such as `listPets`, or `GET /store/orders` for `request()`. */
  readonly operation: string;
  /** The number of the call in the process. It identifies the events of one call. */
  readonly call: number;
}

/** An attempt is about to be sent. */
export interface RequestEvent extends CallEvent, Pick<Attempt, 'waited' | 'cause'> {
  /** The kind of the event. */
  readonly type: 'request';
  /** The HTTP method. */
  readonly method: string;
  /** The whole address, or `[text withheld: …]` if it contains the API key. */
  readonly url: string;
  /** Number of the attempt: 1 for the first. */
  readonly attempt: number;
}

/** An attempt has ended, with a response or with a failure. */
export interface ResponseEvent extends CallEvent, Pick<Attempt, 'status' | 'took'> {
  /** The kind of the event. */
  readonly type: 'response';
  /** Number of the attempt: 1 for the first. */
  readonly attempt: number;
  /** Why there was no response, or no usable response. */
  readonly failure: 'connection' | 'timeout' | 'body' | 'aborted' | undefined;
  /** The quota, as this response reported it. */
  readonly rateLimit: RateLimit | undefined;
  /** The header `X-Request-Id` or `Request-Id` of the response, for a report to the service. */
  readonly requestId: string | undefined;
}

/** The call is tried again: the wait before the next attempt is over. */
export interface RetryEvent extends CallEvent {
  /** The kind of the event. */
  readonly type: 'retry';
  /** Number of the coming attempt. */
  readonly attempt: number;
  /** ms since the last attempt ended: the backoff, and the wait for the rate limit. */
  readonly delay: number;
  /** The status or failure that is the reason for the retry. */
  readonly reason: string;
}

/**
 * Calls of this client wait for the rate limit. One event for each hold, however many calls wait, and another one when the hold becomes longer by
 * a second or more.
 */
export interface RateLimitHoldEvent {
  /** The kind of the event. */
  readonly type: 'rate-limit-hold';
  /** How long the hold lasts, ms from now. */
  readonly delay: number;
  /** The same as a date, on the local clock. */
  readonly until: Date;
  /** `true` if a header of the service announced it; `false` if the client estimated it because no header did, or only a `Retry-After` of 0. */
  readonly fromServer: boolean;
  /** The reason for the hold. */
  readonly cause: WaitCause;
}

/** A call has waited for a second: at the rate-limit gate without a hold, or before a retry that a `Retry-After` delays. */
export interface RateLimitWaitEvent extends CallEvent {
  /** The kind of the event. */
  readonly type: 'rate-limit-wait';
  /** The reason for the wait. */
  readonly cause: WaitCause;
}

/**
 * The calls of this client no longer wait for a hold: it is over, or no call of the key waits for it any longer. Some may still wait for their turn. To repeat
 * calls that were aborted during a hold, wait for its `until` instead.
 */
export interface RateLimitResumeEvent {
  /** The kind of the event. */
  readonly type: 'rate-limit-resume';
}

/** The service sent something that the contract does not know: the package may be out of date. One event for each field or status in a client. With `validation: 'strict'`, the call rejects instead. */
export interface DriftEvent extends CallEvent {
  /** The kind of the event. */
  readonly type: 'drift';
  /** Whether a field or a status is unknown. */
  readonly kind: 'field' | 'status';
  /** The name of the unknown field, or the unknown status. */
  readonly value: string;
}

/** A deprecated operation was called. */
export interface DeprecatedEvent extends CallEvent {
  /** The kind of the event. */
  readonly type: 'deprecated';
  /** The day of removal, `YYYY-MM-DD`. */
  readonly removedOn: string;
  /** The operation to call instead. */
  readonly replacement: string;
}

/** A call has ended. Every call has exactly one, and it is its last event. */
export interface CallEndEvent extends CallEvent {
  /** The kind of the event. */
  readonly type: 'call-end';
  /** `aborted`: by a signal of the caller. */
  readonly outcome: 'ok' | 'error' | 'aborted';
  /** The name of the error, such as `RateLimitError`. */
  readonly error: string | undefined;
  /** Why the rate limit stopped the call: `reason` of the {@link RateLimitError}. */
  readonly reason: RateLimitReason | undefined;
  /** ms from the call of the method, waits included. */
  readonly took: number;
  /** The number of attempts; 0 if nothing was sent. */
  readonly attempts: number;
}

/**
 * An event, as `onEvent` receives it and as {@link diagnosticsChannel} publishes it. The field `type` distinguishes the
 * events. No event contains the API key, a body, or any header except the rate limit and the request id.
 *
 * @example
 * ```ts
 * import { PetStoreClient, type PetStoreEvent } from 'petstore-client';
 * import { createMockService } from 'petstore-client/mocks';
 *
 * const events: PetStoreEvent[] = [];
 * const onEvent = (event: PetStoreEvent) => void events.push(event);
 * const client = new PetStoreClient({ apiKey: 'mock-free', fetch: createMockService().fetch, onEvent });
 * await client.listPets();
 * console.log(events.map(({ type }) => type)); // [ 'request', 'response', 'call-end' ]
 * ```
 */
export type PetStoreEvent =
  | RequestEvent
  | ResponseEvent
  | RetryEvent
  | RateLimitHoldEvent
  | RateLimitResumeEvent
  | RateLimitWaitEvent
  | DriftEvent
  | DeprecatedEvent
  | CallEndEvent;
