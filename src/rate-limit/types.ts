import type { Priority } from '../utils/priority-queue.js';

/** The quota as one response reported it. Service interface: "Rate limit headers". */
export interface RateLimit {
  /** `X-RateLimit-Limit`: requests that the current window allows. */
  readonly limit: number;
  /** `X-RateLimit-Remaining`: requests left in the current window. */
  readonly remaining: number;
  /** `X-RateLimit-Reset`: when the window resets, on the clock of the service. */
  readonly resetAt: Date;
}

export type { Priority };

/** One call, as a {@link RateLimitGate} receives it. Each attempt has a new object with the same `place`. */
export interface GateCall {
  /** Aborted when the caller aborts the call, or when the call may not wait any longer. */
  readonly signal: AbortSignal | undefined;
  /** The priority of the call. */
  readonly priority: Priority;
  /** Until when the call may wait, on the clock's `monotonic()`; `Infinity`: no bound. */
  readonly waitUntil: number;
  /** Longest hold, in ms, that the call accepts, stated by the service or decided by the gate. */
  readonly maxHold: number;
  /** The largest number of calls that may wait at the same time. */
  readonly maxQueue: number;
  /** The largest number of requests that may be in flight at the same time. */
  readonly maxConcurrency: number;
  /** Called when a hold begins and ends while the call waits. All calls of a client have the same function. */
  readonly onHold: ((change: HoldChange) => void) | undefined;
  /**
   * The number of the call in the process, the same for every attempt. An older call has a lower number, and is sent first,
   * also after a retry, and at the gate of a new key.
   */
  readonly place: number;
  /** `true` if an attempt of this call was sent before. Retries are exempt from `maxQueue`: they passed that check before. */
  readonly isRetry: boolean;
}

/** The beginning of a hold, with its duration from now in ms, or the end of a hold. */
export type HoldChange =
  | { readonly type: 'hold'; readonly delay: number; readonly fromServer: boolean }
  | { readonly type: 'resume' };

/** The parts of a response that a gate receives. */
export interface GateResponse {
  /** The HTTP status. */
  readonly status: number;
  /** All headers of the response. */
  readonly headers: Headers;
}

/**
 * Permission to send one request now. The client calls exactly one of its methods, once, and does not wait for a promise that it
 * returns. If the method throws or rejects, the client ignores the failure.
 */
export interface GatePermit {
  /** The headers of the response have arrived; the body may not be complete. */
  settle(response: GateResponse): void;
  /** There was no response: the connection was lost, or the request timed out or was aborted. The service may have counted the request. */
  lose(): void;
  /** The request was never sent. */
  cancel(): void;
}

/**
 * Decides when a request may be sent. The client asks before every attempt, retries included, and reports every response.
 *
 * All clients of a process with the same address and API key share the built-in gate. Pass a gate of your own
 * (`rateLimit: { gate }`) to share a budget between processes, for example in Redis.
 *
 * @example
 * ```ts
 * import { createRateLimitGate, PetStoreClient, type RateLimitGate } from 'petstore-client';
 *
 * const inner = createRateLimitGate();
 * let sent = 0;
 * const counting: RateLimitGate = {
 *   async acquire(call) {
 *     const permit = await inner.acquire(call);
 *     sent += 1;
 *     return permit;
 *   },
 * };
 * const client = new PetStoreClient({ apiKey: 'my-key', rateLimit: { gate: counting } });
 * ```
 */
export interface RateLimitGate {
  /**
   * Resolves when the call may send one request.
   *
   * @throws the reason of `call.signal`, as a rejection, when it is aborted.
   * @throws {@link GateRefusedError}, as a rejection, when the necessary wait is longer than the call allows.
   */
  acquire(call: GateCall): Promise<GatePermit>;
  /** Called before each attempt of a client with the option `plan`, with the requests per minute of the plan. A gate that has received a response ignores it. */
  expect?(perMinute: number): void;
}

const refusals = {
  hold: 'the hold is longer than maxHold',
  wait: 'the wait would pass maxWait or totalTimeout',
  queue: 'maxQueue calls wait already',
};

/** The gate rejected a call, because the hold, the wait or the queue would be too long. */
export class GateRefusedError extends Error {
  /** The literal name of the class. */
  override readonly name = 'GateRefusedError';
  /** The bound of the call that would be exceeded: `maxHold`, `waitUntil` or `maxQueue`. */
  readonly reason: 'hold' | 'wait' | 'queue';
  /** ms until the call can be repeated, if that is known. */
  readonly retryAfter: number | undefined;

  /** @internal The clients of both builds, and of several copies of the package, share one gate. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'GateRefusedError' && 'reason' in value;
  }

  constructor(reason: 'hold' | 'wait' | 'queue', retryAfter: number | undefined) {
    super(`the rate-limit gate refused the call: ${refusals[reason]}`);
    this.reason = reason;
    this.retryAfter = retryAfter;
  }
}
