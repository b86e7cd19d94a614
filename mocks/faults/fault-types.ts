import type { OperationName } from '../../src/contract/index.js';
import type { Duration } from '../clock/duration.js';

/** How a 2xx body differs from the contract. */
export type Drift =
  'unknown-status' | 'extra-field' | 'missing-field' | 'null-field' | 'string-number' | 'huge-id';

/**
 * What a fault does: exactly one of the outcomes, or none and at least one addition. Lengths of time are ms, or a text such
 * as `'500ms'` or `'2s'`. A flag that is `false` counts as left out.
 */
export interface FaultOutcome {
  /**
   * Addition: responds with this status, 200 to 599, and does not run the operation. From 400 on there is an Error body unless
   * `body` is given; a 2xx or 3xx has none unless given, and no `Location`.
   */
  readonly status?: number;
  /** The body, only with `status`: `false` for none, a string as it is, anything else as JSON. */
  readonly body?: unknown;
  /** Addition: waits this long on the service's clock before the response. */
  readonly delay?: Duration;
  /** Addition: this raw value as `Retry-After`, not with `drift`. A request that would otherwise succeed, and has no other `status`, is answered 429. */
  readonly 'retry-after'?: string | number;
  /** Addition: the three `X-RateLimit-*` headers are missing. */
  readonly 'no-rate-limit-headers'?: boolean;
  /** Addition: `Date`, `X-RateLimit-Reset` and a `Retry-After` date are ahead by this time (behind, if negative: `-90_000`, `'-90s'`). */
  readonly 'clock-skew'?: Duration;
  /** Outcome: the connection breaks, `'before'` (or `true`) or `'after'` the operation runs. */
  readonly 'network-error'?: boolean | 'before' | 'after';
  /** Outcome: no response ever, `'before'` (or `true`) or `'after'` the operation runs; ends when the request is aborted. */
  readonly hang?: boolean | 'before' | 'after';
  /** Outcome: the body is cut off in the middle. */
  readonly 'drop-body'?: boolean;
  /** Outcome: the body arrives in ten chunks over this time on the service's clock (`true`: 1 s). */
  readonly 'slow-body'?: boolean | Duration;
  /** Outcome: the last character of the body is missing. */
  readonly 'malformed-json'?: boolean;
  /** Outcome: no body where there should be one. */
  readonly 'empty-body'?: boolean;
  /** Outcome: an HTML page, as a proxy sends it. */
  readonly html?: boolean;
  /** Outcome: a 2xx body that differs from the contract. Any other response stays as it is, and counts as hit. */
  readonly drift?: Drift;
}

/** A fault, as plain data: the same in code, on the control API of the stand-alone service and in a file. */
export interface Fault extends FaultOutcome {
  /** Only requests of this operation. Default: all requests. */
  readonly operation?: OperationName;
  /** Only requests with this key. Default: any. */
  readonly key?: string;
  /**
   * How many requests it hits; with a sequence, how many times the whole sequence is played. An integer of 1 or more, or
   * `Infinity`, which JSON writes as `"Infinity"` or null. Default: `Infinity`; 1 with a sequence.
   */
  readonly times?: number | 'Infinity' | null;
  /** The probability that a matching request is hit, from 0 (never) to 1, drawn from the seeded random numbers of the service. Default 1. */
  readonly probability?: number;
  /**
   * Outcomes played in order, one for each request, instead of a single outcome; `'pass'` leaves the request alone. It is
   * played once: with `times: Infinity` it starts again, so that `['pass', 'pass', { status: 503 }]` hits every third request.
   */
  readonly sequence?: readonly (FaultOutcome | 'pass')[];
}

/** A fault that was added. */
export interface FaultHandle {
  /** Counts the faults of the service, from 1. Each fault has an id of its own, also after `reset()`. */
  readonly id: number;
  /** The fault as it was given. */
  readonly fault: Fault;
  /** How many requests it has hit. After `restore()`, as many as at the time of the snapshot. */
  readonly hits: number;
  /** Removes it: also after `restore()`, which brings back the faults of the snapshot. */
  remove(): void;
}

/** The faults in force. */
export interface MockFaults {
  /**
   * Adds a fault. If several faults decide the response, or `Retry-After`, the one added first applies; other additions add up.
   * A request answered 401 or 429 without a fault is subject only to `retry-after`, `no-rate-limit-headers` and `clock-skew`.
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
  /** Removes all faults. */
  clear(): void;
  /** The fault with this {@link FaultHandle.id}, also when it has had all its hits; undefined when there is none, or it was removed. */
  get(id: number): FaultHandle | undefined;
  /** The faults in force, in the order they were added. */
  list(): readonly FaultHandle[];
}
