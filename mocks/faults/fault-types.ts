import type { Fault } from './parse.js';

export type { Fault };

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
