import type { Attempt } from '../errors/errors.js';
import type { Redactor } from '../errors/redact.js';
import type { HttpRequest } from '../http/build-request.js';
import { DeadlineExceeded } from '../http/failures.js';
import type { RawResponse } from '../http/fetch.js';
import type { Config } from '../options/config.js';
import type { ResolvedRequestOptions } from '../options/request-options.js';
import type { HoldChange, RateLimit } from '../rate-limit/types.js';
import { withDeadline } from '../utils/abort.js';

/** The state of one running call, for its next attempt, its events and its errors. */
export interface CallContext {
  /** `listPets`, or `GET /store/orders` for a raw request. */
  readonly operation: string;
  /** Number of the call within the process. */
  readonly number: number;
  readonly config: Config;
  readonly signal: AbortSignal | undefined;
  /** Removes the keys of the client from errors and events. */
  readonly redactor: Redactor;
  /** Called when a hold of the rate limit begins and ends while the call waits. */
  readonly onHold: (change: HoldChange) => void;
  /** The options of the call, merged with those of the client. */
  options: ResolvedRequestOptions;
  /** The moment, monotonic ms, at which the whole call must be over. */
  deadline: number;
  request: HttpRequest | undefined;
  /** The key of the newest attempt, if a function returned it. */
  key: string | undefined;
  /** The keys that the call has added to the redactor. */
  readonly usedKeys: string[];
  readonly attempts: Attempt[];
  /** The newest response with status 429. */
  rateLimitResponse: RawResponse | undefined;
  /** 429s so far. */
  rateLimitedCount: number;
  /** An attempt may have been processed: it was neither a 429, nor a failure to connect. */
  isUnsure: boolean;
  /** The quota that the newest response to this call reported. */
  reported: RateLimit | undefined;
  /** ms spent at the gate so far. */
  waited: number;
  /** The moment since which nothing is in flight, monotonic ms. */
  idleSince: number;
}

/** The fields that all events of a call have. */
export function eventIds(context: CallContext): {
  readonly operation: string;
  readonly call: number;
} {
  return { operation: context.redactor.text(context.operation), call: context.number };
}

/** The identifier that the service gave the request, for a report; at most 200 characters. */
export function requestIdOf({ headers }: Response, redactor: Redactor): string | undefined {
  const id = headers.get('x-request-id') ?? headers.get('request-id');
  return id === null ? undefined : redactor.text(id, 200);
}

/** Why the last attempt has failed, for the event of its retry. */
export function lastReason({ attempts }: CallContext): string {
  const { status, failure } = attempts.at(-1) as Attempt;
  return String(status ?? failure);
}

export function totalTimeoutExceeded({ options }: CallContext): DeadlineExceeded {
  return new DeadlineExceeded('totalTimeout', options.totalTimeout as number);
}

/** Runs a function of the caller (the key function, a schema). Stops waiting when the call is aborted, or after `totalTimeout`. */
export function withTotalTimeout<T>(context: CallContext, work: () => T | Promise<T>): Promise<T> {
  const left = context.deadline - context.config.clock.monotonic();
  return withDeadline(context.signal, left, () => totalTimeoutExceeded(context), work);
}
