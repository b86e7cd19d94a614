import type { RateLimit, WaitCause } from '../rate-limit/types.js';
import type { Issue } from './issues.js';
import { bigintsAsText } from './redact.js';

const brand = Symbol.for('petstore-client.error');

/** One attempt of a call: its result, when it began, how long it waited before and why, and how long it took. */
export interface Attempt {
  /** The HTTP status, if there was a response. */
  readonly status: number | undefined;
  /** Why there was no response, or no usable response. */
  readonly failure: 'connection' | 'timeout' | 'body' | undefined;
  /** When it was sent. */
  readonly at: Date;
  /** ms waited before it was sent: for the rate limit, a retry and the function `apiKey`. */
  readonly waited: number;
  /** Why it waited for the rate limit; `undefined` if it did not. */
  readonly cause: WaitCause | undefined;
  /** ms from sending to the last byte, or to the failure. */
  readonly took: number;
}

/** Whether the request reached the service. `no`: it did not, or was not processed; `unknown`: it may have been processed; `yes`: there was a response. */
export type RequestSent = 'no' | 'unknown' | 'yes';

/**
 * The base class of all errors of this package. `instanceof` works across the two builds and several copies of the
 * package. No error contains the API key.
 *
 * @example
 * ```ts
 * import { PetStoreClient, PetStoreError } from 'petstore-client';
 *
 * const client = new PetStoreClient({ apiKey: 'my-key' });
 * try {
 *   await client.listPets({ limit: 500 });
 * } catch (error) {
 *   if (error instanceof PetStoreError) console.error(error.name, error.message, error.attempts.length);
 *   else throw error;
 * }
 * ```
 */
export class PetStoreError extends Error {
  /** The literal name of the class. `instanceof` uses it to recognize an error of another copy of the package. */
  static readonly kind: string = 'PetStoreError';
  /** @internal */
  static readonly [brand]: boolean = true;
  /** The literal name of the class. */
  override readonly name: string;
  /** The operation that failed, such as `createPet`, or `GET /store/orders` for `request()` (`request` if its argument is wrong); `undefined` at construction. */
  declare readonly operation: string | undefined;
  /** Every attempt of the call, in order; empty if nothing was sent. */
  declare readonly attempts: readonly Attempt[];
  /** The address of the request, without its query, which may contain private values; `undefined` if no request was built. */
  declare readonly url: string | undefined;
  readonly #curl: string | undefined;

  /** @param details - its fields, such as `operation` and `attempts`, and its `cause`. */
  constructor(message: string, details: Readonly<Record<string, unknown>> = {}) {
    const { cause, curl, ...fields } = details;
    super(message, cause === undefined ? undefined : { cause });
    this.#curl = curl as string | undefined;
    // A class of a user has the name of the class that it extends.
    this.name = new.target.kind;
    Object.assign(this, { operation: undefined, attempts: [], url: undefined }, fields);
  }

  /** @internal */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // A class of a user has no kind of its own, so its prototype decides, as usual.
    if (!Object.hasOwn(this, 'kind')) return super[Symbol.hasInstance](value);
    let { constructor: type } = Object(value) as { constructor?: Partial<typeof PetStoreError> };
    while (type?.[brand] && type.kind !== this.kind)
      type = Object.getPrototypeOf(type) as typeof type;
    return type?.[brand] === true;
  }

  /** The request as a `curl` command, to paste into a report. It contains `$PETSTORE_API_KEY` in place of the API key. `undefined` if no request was built. */
  toCurl(): string | undefined {
    return this.#curl;
  }

  /** Returns everything that is safe to log: name, message, and the fields of the error. */
  toJSON(): Record<string, unknown> {
    const { cause, ...fields } = this as { cause?: unknown };
    const inner =
      cause instanceof Error ? { cause: { name: cause.name, message: cause.message } } : {};
    return { name: this.name, message: this.message, ...fields, ...inner };
  }
}

/**
 * An option is wrong, or what you passed failed: the functions `apiKey` and `headers`, the `gate`, the `clock`, or a `fetch` that gave no
 * `Response`. A `fetch` that throws is a {@link ConnectionError}. `attempts` is empty if nothing was sent. An attempt without a status may
 * have been processed: your `fetch` was called for it.
 */
export class ConfigurationError extends PetStoreError {
  static override readonly kind: string = 'ConfigurationError';
  declare readonly name: 'ConfigurationError';
}

/** An argument breaks the contract. Nothing was sent. */
export class RequestValidationError extends PetStoreError {
  static override readonly kind: string = 'RequestValidationError';
  declare readonly name: 'RequestValidationError';
  /** Each problem, with its path. */
  declare readonly issues: readonly Issue[];
}

/** There was no response: the connection failed or was lost. */
export class ConnectionError extends PetStoreError {
  static override readonly kind: string = 'ConnectionError';
  declare readonly name: 'ConnectionError';
  /** `no`: the service did not receive the request, or only responded 429. `unknown`: it may have been processed. */
  declare readonly requestSent: Exclude<RequestSent, 'yes'>;
  /** The code of the failure, as the runtime names it, such as `ECONNRESET`; `undefined` if it names none. */
  declare readonly code?: string | undefined;
}

/** `timeout` (one attempt) or `totalTimeout` (the whole call) has passed. */
export class TimeoutError extends PetStoreError {
  static override readonly kind: string = 'TimeoutError';
  declare readonly name: 'TimeoutError';
  /** `no`: the service did not receive the request, or only responded 429. `unknown`: it may have been processed. `yes`: its response was not complete, or the `schema` of `request()` took too long. */
  declare readonly requestSent: RequestSent;
}

/** The status is a success, but the body does not match the contract. The request *took effect*. */
export class ResponseValidationError extends PetStoreError {
  static override readonly kind: string = 'ResponseValidationError';
  declare readonly name: 'ResponseValidationError';
  /** Each problem, with its path; empty if the body could not be read at all, or the schema threw. */
  declare readonly issues: readonly Issue[];
  /** The HTTP status, 200 to 299. */
  declare readonly status: number;
  /** The beginning of the body, at most 1,000 characters. */
  declare readonly text: string;
}

/** The service responded with a status outside 200 to 299. Service interface: "Errors". */
export class ApiError extends PetStoreError {
  static override readonly kind: string = 'ApiError';
  /** The HTTP status; 429 also for a call that was refused before it was sent. */
  declare readonly status: number;
  /** `code` of the error body; `undefined` if the body is not an error of the contract. */
  declare readonly code: string | undefined;
  /**
   * The parsed error body, or the beginning of a body that is not JSON or has more than 65,536 characters. An integer beyond 2^53 - 1 is the string of its digits, or a
   * bigint with `int64: 'bigint'`.
   */
  declare readonly body: unknown;
  /** The headers of the response that are safe to show. */
  declare readonly headers: Headers;
  /** The quota that this response reported. */
  declare readonly rateLimit: RateLimit | undefined;
  /** The header `X-Request-Id` or `Request-Id` of the response, for a report to the service. */
  declare readonly requestId?: string | undefined;

  override toJSON(): Record<string, unknown> {
    const headers = Object.fromEntries((this.headers as Headers | undefined) ?? []);
    return { ...super.toJSON(), body: bigintsAsText(this.body), headers };
  }
}

/** 400: the service rejected the request. Service interface: "Errors", 2. */
export class BadRequestError extends ApiError {
  static override readonly kind: string = 'BadRequestError';
  declare readonly name: 'BadRequestError';
}

/** 401: the key is missing or invalid. Service interface: "Authentication", 3. */
export class AuthenticationError extends ApiError {
  static override readonly kind: string = 'AuthenticationError';
  declare readonly name: 'AuthenticationError';
}

/** 404: no such pet or path. Service interface: "Errors", 2. */
export class NotFoundError extends ApiError {
  static override readonly kind: string = 'NotFoundError';
  declare readonly name: 'NotFoundError';
}

/** 500 to 599: the service failed. */
export class ServerError extends ApiError {
  static override readonly kind: string = 'ServerError';
  declare readonly name: 'ServerError';
}

/** Why a call was rejected at the rate limit. */
export type RateLimitReason = 'attempts' | 'hold' | 'wait' | 'deadline' | 'queue';

/**
 * The rate limit stopped the call. Nothing was changed, so it can be sent again at {@link RateLimitError.retryAt}.
 *
 * | reason | what happened |
 * |---|---|
 * | `attempts` | the service responded 429 five times to this call (or once, without a gate) |
 * | `hold` | the key is held for longer than `maxHold`: the quota of the day is exhausted, or the key is banned |
 * | `wait` | the wait would pass `maxWait` |
 * | `deadline` | the wait would pass `totalTimeout` |
 * | `queue` | 10,000 calls wait already |
 *
 * Service interface: "Behaviour at the limit".
 *
 * @example
 * ```ts
 * import { PetStoreClient, RateLimitError } from 'petstore-client';
 * import { createMockService } from 'petstore-client/mocks';
 *
 * const service = createMockService();
 * service.keys.get('mock-free').ban('10m');
 * const client = new PetStoreClient({ apiKey: 'mock-free', fetch: service.fetch });
 * const failure = await client.listPets().catch((error: unknown) => error);
 * if (failure instanceof RateLimitError) console.log(failure.reason, failure.requestSent); // hold yes
 * ```
 */
export class RateLimitError extends ApiError {
  static override readonly kind: string = 'RateLimitError';
  declare readonly name: 'RateLimitError';
  /** Why the call was rejected. */
  declare readonly reason: RateLimitReason;
  /**
   * ms from now until the call can be repeated at the earliest; `undefined` if that is not known. A short wait may
   * remain even then, and `maxWait` must allow it: about a second after a `hold`, up to a minute after `attempts`, and the time for the calls that are
   * ahead in the queue.
   */
  declare readonly retryAfter: number | undefined;
  /** The same as a date, on the local clock: compare it with `Date.now()`, not with `rateLimit.resetAt`, which is on the service's clock. */
  declare readonly retryAt: Date | undefined;
  /**
   * `no`: this call was never sent. `yes`: a response was 429, so that attempt was not processed. `unknown`: the attempts failed in another
   * way, before the rate limit stopped the next one. This happens only with GET, HEAD and OPTIONS, which change nothing.
   */
  declare readonly requestSent: RequestSent;
}
