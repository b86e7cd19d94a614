/** `high` calls are sent before `normal` calls. */
export type Priority = 'normal' | 'high';

/** The quota as one response reported it. Service interface: "Rate limit headers". */
export interface RateLimit {
  /** `X-RateLimit-Limit`: requests that the current window allows. */
  readonly limit: number;
  /** `X-RateLimit-Remaining`: requests left in the current window. */
  readonly remaining: number;
  /** `X-RateLimit-Reset`: when the window resets, on the clock of the service, which may differ from the local one. */
  readonly resetAt: Date;
}

/**
 * Why a call waits for the rate limit: the cause with which the wait began, or that of the newest hold since.
 *
 * | cause | what happened |
 * |---|---|
 * | `429` | the service responded 429, or 403 to a banned key |
 * | `overload` | the service responded 503 with `Retry-After`, or requests a pause before a retry |
 * | `exhausted` | the responses say that no request is left in the window |
 * | `probe` | one request finds out whether the window is open: the first of a process, or the first after a hold |
 * | `in-flight` | as many requests are in flight as the gate allows |
 * | `queue` | other calls are sent before this one |
 * | `fleet` | the other processes of a fleet have the rest of the window, or its store does not respond |
 */
export type WaitCause =
  '429' | 'overload' | 'exhausted' | 'probe' | 'in-flight' | 'queue' | 'fleet';

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
  /** Called with the cause when the call has to wait, even if it is then refused, and again when a hold begins meanwhile. A gate need not call it. */
  readonly onWait?: ((cause: WaitCause) => void) | undefined;
  /** Called when a hold begins, becomes longer and ends while the call waits. All calls of a client have the same function. */
  readonly onHold: ((change: HoldChange) => void) | undefined;
  /**
   * The number of the call in the process, the same for every attempt. An older call has a lower number, and is sent first,
   * also after a retry, and at the gate of a new key.
   */
  readonly place: number;
  /** `true` if this call was at a gate before: it returns after an attempt, or with a new key. It is never refused because the queue is full. */
  readonly isRetry: boolean;
}

/** A hold began or became longer (`delay`: ms from now), or a hold ended. */
export type HoldChange =
  | {
      readonly type: 'hold';
      readonly delay: number;
      readonly fromServer: boolean;
      readonly cause: WaitCause;
    }
  | { readonly type: 'resume' };

/** The parts of a response that a gate receives: its status, and all of its headers. */
export type GateResponse = Pick<Response, 'status' | 'headers'>;

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
 * All clients of a process with the same address and API key share the built-in gate. To share a budget between processes,
 * set the option `gate` to `createFleetGate` of `petstore-client/fleet`, or to a gate of your own.
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
 * const client = new PetStoreClient({ apiKey: 'my-key', gate: counting });
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
}

const reasons: readonly unknown[] = ['hold', 'wait', 'queue'];

/** The gate rejected a call, because the hold, the wait or the queue would be too long. */
export class GateRefusedError extends Error {
  /** The literal name of the class. */
  override readonly name = 'GateRefusedError';
  /** The bound of the call that would be exceeded: `maxHold`, `waitUntil`, or the length of the queue. */
  readonly reason: 'hold' | 'wait' | 'queue';
  /** ms until the call can be repeated, if that is known. */
  readonly retryAfter: number | undefined;

  /** @internal The clients of both builds, of several copies of the package, and of several realms share one gate. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    const { name, reason } = (value ?? {}) as Partial<GateRefusedError>;
    return name === 'GateRefusedError' && reasons.includes(reason);
  }

  constructor(reason: 'hold' | 'wait' | 'queue', retryAfter: number | undefined) {
    super(`the rate-limit gate refused the call: its ${reason} would be too long`);
    this.reason = reason;
    this.retryAfter = retryAfter;
  }
}
