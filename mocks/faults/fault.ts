import type { OperationName } from '../../src/contract/index.js';
import type { Duration } from '../clock/duration.js';

/** How a 2xx body differs from the contract. */
export type Drift =
  'unknown-status' | 'extra-field' | 'missing-field' | 'null-field' | 'string-number' | 'huge-id';

/**
 * What a fault does: exactly one of the outcomes, or none and at least one addition. Lengths of time are ms, or a text such
 * as `'500ms'` or `'2s'`. A flag that is `false` is as good as left out.
 */
export interface FaultOutcome {
  /**
   * Addition: answers with this status, 200 to 599, instead of doing the work. From 400 on there is an Error body unless
   * `body` is given; a 2xx or 3xx has none unless given, no `Location`, and leaves the work undone as well.
   */
  readonly status?: number;
  /** Only with `status`: `false` for none, a text as it is, anything else as JSON. */
  readonly body?: unknown;
  /** Addition: waits so long on the service's clock before it answers. */
  readonly delay?: Duration;
  /** Addition: this raw value as `Retry-After`. A request that was not refused, and has no other `status`, is answered 429. */
  readonly 'retry-after'?: string | number;
  /** Addition: the three `X-RateLimit-*` headers are missing. */
  readonly 'no-rate-limit-headers'?: boolean;
  /** Addition: `Date`, `X-RateLimit-Reset` and a `Retry-After` date are so far ahead (behind, if negative: `-90_000`, `'-90s'`). */
  readonly 'clock-skew'?: Duration;
  /** Outcome: the connection breaks, `'before'` (or `true`) or `'after'` the work is done. */
  readonly 'network-error'?: boolean | 'before' | 'after';
  /** Outcome: no answer ever, `'before'` (or `true`) or `'after'` the work is done; ends when the request is aborted. */
  readonly hang?: boolean | 'before' | 'after';
  /** Outcome: the body is cut off in the middle. */
  readonly 'drop-body'?: boolean;
  /** Outcome: the body comes in ten pieces over so long on the service's clock (`true`: 1 s). */
  readonly 'slow-body'?: boolean | Duration;
  /** Outcome: the body lacks its last character. */
  readonly 'malformed-json'?: boolean;
  /** Outcome: no body where there should be one. */
  readonly 'empty-body'?: boolean;
  /** Outcome: a page in HTML, as a proxy sends it. */
  readonly html?: boolean;
  /** Outcome: a 2xx body that differs from the contract. */
  readonly drift?: Drift;
}

/** A fault, as plain data: the same in code, on the control API of the stand-alone service and in a file. */
export interface Fault extends FaultOutcome {
  /** Only requests of this operation. Default: all requests. */
  readonly operation?: OperationName;
  /** Only requests with this key. Default: any. */
  readonly key?: string;
  /** So many requests (of a sequence: so many rounds), then no more. An integer of 1 or more, or `Infinity`. Default: no end; of a sequence 1. */
  readonly times?: number;
  /** The chance that a matching request is hit, from 0 (never) to 1, drawn from the service's own random numbers. Default 1. */
  readonly probability?: number;
  /** Outcomes played in order, one a request; `'pass'` leaves the request alone. Instead of an outcome. */
  readonly sequence?: readonly (FaultOutcome | 'pass')[];
}

/** A fault that was added. */
export interface FaultHandle {
  /** The fault as it was given. */
  readonly fault: Fault;
  /** How many requests it has hit. */
  readonly hits: number;
  /** Takes it away. */
  remove(): void;
}

/** The faults in force. */
export interface MockFaults {
  /**
   * Adds one. Of several faults that decide the answer the first added plays; additions (`delay`, headers) add up.
   * A request refused for its key or quota is subject only to `retry-after`, `no-rate-limit-headers` and `clock-skew`.
   *
   * @throws TypeError that says what is wrong with it.
   * @example
   * ```ts
   * import { createMockService } from 'petstore-client/mocks';
   *
   * const service = createMockService();
   * const fault = service.faults.add({ operation: 'listPets', status: 503, times: 2 });
   * console.log(fault.hits); // 0
   * ```
   */
  add(fault: Fault): FaultHandle;
  /** Takes all away. */
  clear(): void;
  /** Those in force, in the order they were added. */
  list(): readonly FaultHandle[];
}
