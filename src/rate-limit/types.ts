/** The quota as one response reported it. Service interface: "Rate limit headers". */
export interface RateLimit {
  /** `X-RateLimit-Limit`: requests that the current window allows. */
  readonly limit: number;
  /** `X-RateLimit-Remaining`: requests left in the current window. */
  readonly remaining: number;
  /** `X-RateLimit-Reset`: when the window resets, on the clock of the service. */
  readonly resetAt: Date;
}

/** `high` goes before `normal`; four in a row, then one `normal` call goes, so that none starves. */
export type Priority = 'normal' | 'high';

/** One call, as a {@link RateLimitGate} sees it. Each attempt brings a new object, with the `place` of the call. */
export interface GateCall {
  /** Aborted when the caller gives up, or when the call may wait no longer. */
  readonly signal: AbortSignal | undefined;
  /** Before or among the other calls. */
  readonly priority: Priority;
  /** The moment, on the clock's `monotonic()`, until which the call may wait; `Infinity` when there is no bound. */
  readonly waitUntil: number;
  /** Longest hold, in ms, that the call accepts, whether the service stated it or the gate decided it. */
  readonly maxHold: number;
  /** Calls that may wait at the same time. */
  readonly maxQueue: number;
  /** Requests that may be in flight at the same time. */
  readonly maxConcurrency: number;
  /** Called when a hold begins and ends while the call waits. The same function for all calls of a client. */
  readonly onHold: ((change: HoldChange) => void) | undefined;
  /**
   * The number of the call within the process, the same for every attempt: of two calls, the older has the lower one. It
   * goes first, also after a retry, and at the gate of a new key.
   */
  readonly place: number;
  /** True when an attempt of this call has been sent before: `maxQueue` does not apply to it. */
  readonly returning: boolean;
}

/** A hold begins, with the ms it lasts from now, or has ended. */
export type HoldChange =
  | { readonly type: 'hold'; readonly delay: number; readonly fromServer: boolean }
  | { readonly type: 'resume' };

/** What a gate learns from one response. */
export interface GateResponse {
  /** The HTTP status. */
  readonly status: number;
  /** All headers of the response. */
  readonly headers: Headers;
}

/** The right to send one request, now. Exactly one of its methods is called, once. */
export interface GatePermit {
  /** The headers of the response have arrived; the body may not be complete. */
  settle(response: GateResponse): void;
  /** No response came: connection lost, timed out or aborted. The service may have counted the request. */
  lose(): void;
  /** The request was never sent. */
  cancel(): void;
}

/**
 * Decides when a request may be sent. The client asks before every attempt, retries included, and reports every response.
 *
 * The gate that is built in is shared by all clients of a process with the same address and key. Give one of your own
 * (`rateLimit: { gate }`) to share a budget between processes, over Redis say.
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
   * @throws {@link GateRefusedError}, as a rejection, when the call may not wait as long as it would have to.
   */
  acquire(call: GateCall): Promise<GatePermit>;
  /** Told before each attempt of a client with the option `plan`: its requests a minute. A gate that has seen a response ignores it. */
  expect?(perMinute: number): void;
}

/** Why a call was not let through: the hold, the wait or the queue would be too long. */
export class GateRefusedError extends Error {
  /** The literal name of the class. */
  override readonly name = 'GateRefusedError';
  /** Which bound of the call it would pass: `maxHold`, `waitUntil` or `maxQueue`. */
  readonly reason: 'hold' | 'wait' | 'queue';
  /** ms until it makes sense to try again, as far as known. */
  readonly retryAfter: number | undefined;

  /** @internal One gate serves the clients of both builds, and of several copies of the package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'GateRefusedError' && 'reason' in value;
  }

  constructor(reason: 'hold' | 'wait' | 'queue', retryAfter: number | undefined) {
    super(`not permitted by the rate-limit gate: ${reason}`);
    this.reason = reason;
    this.retryAfter = retryAfter;
  }
}
