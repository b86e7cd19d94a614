import type { RateLimit } from '../rate-limit/types.js';

const brand = Symbol.for('petstore-client.error');

/** One try of a call: what became of it, when it began, how long it had waited before, and how long it took. */
export interface Attempt {
  /** The HTTP status, when an answer came. */
  readonly status: number | undefined;
  /** Why there was no answer, or none that could be used. */
  readonly failure: 'connection' | 'timeout' | 'body' | undefined;
  /** When it was sent. */
  readonly at: Date;
  /** ms waited before it was sent: for the rate limit, or before a retry. */
  readonly waited: number;
  /** ms from sending to the last byte, or to the failure. */
  readonly took: number;
}

/** Whether the request can have reached the service: `no`, surely not; `unknown`, it may have been processed; `yes`, it was answered. */
export type RequestSent = 'no' | 'unknown' | 'yes';

/** One thing that is wrong with a value: where, and what is expected there. */
export interface Issue {
  /** The way to the value, as in `['categoryId']` or `[3, 'status']`. */
  readonly path: readonly (string | number)[];
  /** What is wrong, and what is expected: `must be one of available, pending, sold, got "lost"`. */
  readonly message: string;
}

/** What all errors of a call are made with. */
export interface ErrorDetails {
  readonly operation?: string | undefined;
  readonly attempts?: readonly Attempt[];
  readonly cause?: Error | undefined;
  readonly curl?: string | undefined;
}

/**
 * The base of every error of this package. `instanceof` holds across the two builds and several copies of the package.
 * No error holds the API key.
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
  /** The names of the class and its ancestors, by which `instanceof` knows an error of another copy. */
  static readonly kind: string = 'PetStoreError';
  /** The literal name of the class. */
  override readonly name: string = 'PetStoreError';
  /** The operation that failed, as `createPet`, or `GET /store/orders` for {@link PetStoreClient.request}; `undefined` at construction. */
  readonly operation: string | undefined;
  /** Every try of the call, in order; empty when nothing was sent. */
  readonly attempts: readonly Attempt[];
  readonly #curl: string | undefined;

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.operation = details.operation;
    this.attempts = details.attempts ?? [];
    this.#curl = details.curl;
  }

  /** True for an error of this package, of any build or copy. */
  static is(error: unknown): error is PetStoreError {
    return kindsOf(error).includes('PetStoreError');
  }

  /** @internal */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // A class that a user has derived has no kind of its own: for it the prototype decides, as usual.
    return Object.hasOwn(this, 'kind')
      ? kindsOf(value).includes(this.kind)
      : Function.prototype[Symbol.hasInstance].call(this, value);
  }

  /** @internal */
  get [brand](): readonly string[] {
    const kinds: string[] = [];
    for (
      let type = this.constructor as unknown;
      typeof type === 'function';
      type = Object.getPrototypeOf(type)
    ) {
      if (Object.hasOwn(type, 'kind')) kinds.push((type as typeof PetStoreError).kind);
    }
    return kinds;
  }

  /** The request as a `curl` command, to paste into a report: the key stands in it as `$PETSTORE_API_KEY`. `undefined` when no request was made. */
  toCurl(): string | undefined {
    return this.#curl;
  }

  /** What is safe to log: name, message, and the fields of the error. */
  toJSON(): Record<string, unknown> {
    const { cause, ...fields } = this as { cause?: unknown };
    const inner =
      cause instanceof Error ? { cause: { name: cause.name, message: cause.message } } : {};
    return { name: this.name, message: this.message, ...fields, ...inner };
  }
}

function kindsOf(value: unknown): readonly string[] {
  const kinds =
    typeof value === 'object' && value !== null
      ? (value as { [brand]?: unknown })[brand]
      : undefined;
  return Array.isArray(kinds) ? (kinds as string[]) : [];
}

/** An option is wrong, or a function of your own failed: the one that gives the key, or a gate. Nothing was sent. */
export class ConfigurationError extends PetStoreError {
  static override readonly kind: string = 'ConfigurationError';
  override readonly name: string = 'ConfigurationError';
}

/** An argument breaks the contract. Nothing was sent. */
export class RequestValidationError extends PetStoreError {
  static override readonly kind: string = 'RequestValidationError';
  override readonly name: string = 'RequestValidationError';
  /** Each thing that is wrong, with the path to it. */
  readonly issues: readonly Issue[];

  constructor(message: string, details: ErrorDetails & { readonly issues: readonly Issue[] }) {
    super(message, details);
    this.issues = details.issues;
  }
}

/** No answer came: the connection could not be made, or was lost. */
export class ConnectionError extends PetStoreError {
  static override readonly kind: string = 'ConnectionError';
  override readonly name: string = 'ConnectionError';
  /** `no`: the service has not seen the request. `unknown`: it may have been processed. */
  readonly requestSent: RequestSent;

  constructor(message: string, details: ErrorDetails & { readonly requestSent: RequestSent }) {
    super(message, details);
    this.requestSent = details.requestSent;
  }
}

/** `timeout` (one attempt) or `totalTimeout` (the whole call) has passed. */
export class TimeoutError extends PetStoreError {
  static override readonly kind: string = 'TimeoutError';
  override readonly name: string = 'TimeoutError';
  /** `no`: the service has not seen the request. `unknown`: it may have been processed. */
  readonly requestSent: RequestSent;

  constructor(message: string, details: ErrorDetails & { readonly requestSent: RequestSent }) {
    super(message, details);
    this.requestSent = details.requestSent;
  }
}

/** What an {@link ApiError} is made with. */
export interface ApiErrorDetails extends ErrorDetails {
  readonly status: number;
  readonly code: string | undefined;
  readonly body: unknown;
  readonly headers: Headers;
  readonly rateLimit: RateLimit | undefined;
}

/** The service answered with a status outside 200 to 299. Service interface: "Errors". */
export class ApiError extends PetStoreError {
  static override readonly kind: string = 'ApiError';
  override readonly name: string = 'ApiError';
  /** The HTTP status. */
  readonly status: number;
  /** `code` of the error body; `undefined` when the body is no error of the contract. */
  readonly code: string | undefined;
  /** The parsed error body, or the beginning of a body that is not JSON. */
  readonly body: unknown;
  /** The headers of the answer that are known to be harmless. */
  readonly headers: Headers;
  /** The quota, as this answer reported it. */
  readonly rateLimit: RateLimit | undefined;

  constructor(message: string, details: ApiErrorDetails) {
    super(message, details);
    this.status = details.status;
    this.code = details.code;
    this.body = details.body;
    this.headers = details.headers;
    this.rateLimit = details.rateLimit;
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), headers: Object.fromEntries(this.headers) };
  }
}

/** 400: the service did not accept the body. Service interface: "Errors", 2. */
export class BadRequestError extends ApiError {
  static override readonly kind: string = 'BadRequestError';
  override readonly name: string = 'BadRequestError';
}

/** 401: the key is missing or invalid. Service interface: "Authentication", 3. */
export class AuthenticationError extends ApiError {
  static override readonly kind: string = 'AuthenticationError';
  override readonly name: string = 'AuthenticationError';
}

/** 404: no animal has this identifier. Service interface: "Errors", 2. */
export class NotFoundError extends ApiError {
  static override readonly kind: string = 'NotFoundError';
  override readonly name: string = 'NotFoundError';
}

/** 500 to 599: the service failed. */
export class ServerError extends ApiError {
  static override readonly kind: string = 'ServerError';
  override readonly name: string = 'ServerError';
}

/** Why a call was given up at the rate limit. */
export type RateLimitReason = 'attempts' | 'hold' | 'wait' | 'queue';

/**
 * The rate limit stopped the call. Nothing was processed, so it can be sent again at {@link RateLimitError.retryAt}.
 *
 * | reason | what happened |
 * |---|---|
 * | `attempts` | the service answered 429 five times to this call (or once, without a gate) |
 * | `hold` | the service told a hold longer than `maxHold`: a day's quota, or a ban |
 * | `wait` | the wait would pass `maxWait` or `totalTimeout` |
 * | `queue` | more than `maxQueue` calls wait already |
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
  override readonly name: string = 'RateLimitError';
  /** Why the call was given up. */
  readonly reason: RateLimitReason;
  /** ms from now until it makes sense to try again; `undefined` when nothing is known. */
  readonly retryAfter: number | undefined;
  /** The same as a date. */
  readonly retryAt: Date | undefined;
  /** `no`: this call was never sent. `yes`: it was answered with 429, so it was not processed. */
  readonly requestSent: RequestSent;

  constructor(
    message: string,
    details: ApiErrorDetails & {
      readonly reason: RateLimitReason;
      readonly retryAfter: number | undefined;
      readonly retryAt: Date | undefined;
      readonly requestSent: RequestSent;
    },
  ) {
    super(message, details);
    this.reason = details.reason;
    this.retryAfter = details.retryAfter;
    this.retryAt = details.retryAt;
    this.requestSent = details.requestSent;
  }
}

/** The answer says success, but its body is not what the contract says. The request *took effect*. */
export class ResponseValidationError extends PetStoreError {
  static override readonly kind: string = 'ResponseValidationError';
  override readonly name: string = 'ResponseValidationError';
  /** Each thing that is wrong, with the path to it; empty when the body could not be read at all. */
  readonly issues: readonly Issue[];
  /** The HTTP status, 200 to 299. */
  readonly status: number;
  /** The beginning of the body, at most 1,000 characters. */
  readonly text: string;

  constructor(
    message: string,
    details: ErrorDetails & {
      readonly issues: readonly Issue[];
      readonly status: number;
      readonly text: string;
    },
  ) {
    super(message, details);
    this.issues = details.issues;
    this.status = details.status;
    this.text = details.text;
  }
}
