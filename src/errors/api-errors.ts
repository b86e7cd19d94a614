import type { RateLimit } from '../rate-limit/types.js';
import { PetStoreError, type ErrorDetails, type RequestSent } from './errors.js';
import { bigintsAsText } from './redact.js';

/** The details of an {@link ApiError}. */
export interface ApiErrorDetails extends ErrorDetails {
  readonly status: number;
  readonly code: string | undefined;
  readonly body: unknown;
  readonly headers: Headers;
  readonly rateLimit: RateLimit | undefined;
}

/** The service responded with a status outside 200 to 299. Service interface: "Errors". */
export class ApiError extends PetStoreError {
  static override readonly kind: string = 'ApiError';
  /** The HTTP status. */
  readonly status: number;
  /** `code` of the error body; `undefined` if the body is not an error of the contract. */
  readonly code: string | undefined;
  /**
   * The parsed error body, or the beginning of a body that is not JSON. An integer beyond 2^53 - 1 is the string of its digits, or a
   * bigint with `int64: 'bigint'`.
   */
  readonly body: unknown;
  /** The headers of the response that are safe to show. */
  readonly headers: Headers;
  /** The quota that this response reported. */
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
    const [body, headers] = [bigintsAsText(this.body), Object.fromEntries(this.headers)];
    return { ...super.toJSON(), body, headers };
  }
}

/** 400: the service rejected the body. Service interface: "Errors", 2. */
export class BadRequestError extends ApiError {
  static override readonly kind: string = 'BadRequestError';
  declare readonly name: 'BadRequestError';
}

/** 401: the key is missing or invalid. Service interface: "Authentication", 3. */
export class AuthenticationError extends ApiError {
  static override readonly kind: string = 'AuthenticationError';
  declare readonly name: 'AuthenticationError';
}

/** 404: no animal has this identifier. Service interface: "Errors", 2. */
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
export type RateLimitReason = 'attempts' | 'hold' | 'wait' | 'queue';

/** The option that bounds the wait of a call, and the numbers. */
export interface WaitBound {
  /** Which of the two options would be passed first. */
  readonly option: 'maxWait' | 'totalTimeout';
  /** The value of the option. */
  readonly ms: number;
  /** What the call would need at least, in ms: its time so far and the rest of the wait. `undefined` if that is not known. */
  readonly needed: number | undefined;
}

/**
 * The rate limit stopped the call. Nothing was changed, so it can be sent again at {@link RateLimitError.retryAt}.
 *
 * | reason | what happened |
 * |---|---|
 * | `attempts` | the service responded 429 five times to this call (or once, without a gate) |
 * | `hold` | the key is held for longer than `maxHold`: a day's quota is used up, or the key is banned |
 * | `wait` | the wait would pass `maxWait` or `totalTimeout`: {@link RateLimitError.bound} says which |
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
  declare readonly name: 'RateLimitError';
  /** Why the call was rejected. */
  readonly reason: RateLimitReason;
  /** ms from now until the call can be repeated; `undefined` if that is not known. */
  readonly retryAfter: number | undefined;
  /** The same as a date. */
  readonly retryAt: Date | undefined;
  /**
   * `no`: this call was never sent. `yes`: a response was 429, so that attempt was not processed. `unknown`: the attempts failed in another
   * way, before the rate limit stopped the next one. Only GET, HEAD and OPTIONS, which change nothing, are sent again then.
   */
  readonly requestSent: RequestSent;
  /** With the reason `wait`: the option that the wait would pass. Otherwise `undefined`. */
  readonly bound: WaitBound | undefined;

  constructor(
    message: string,
    details: ApiErrorDetails & {
      readonly reason: RateLimitReason;
      readonly retryAfter: number | undefined;
      readonly retryAt: Date | undefined;
      readonly requestSent: RequestSent;
      readonly bound?: WaitBound | undefined;
    },
  ) {
    super(message, details);
    this.reason = details.reason;
    this.retryAfter = details.retryAfter;
    this.retryAt = details.retryAt;
    this.requestSent = details.requestSent;
    this.bound = details.bound;
  }
}
