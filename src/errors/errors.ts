import type { Issue } from './issues.js';

const brand = Symbol.for('petstore-client.error');

/** One attempt of a call: its result, when it began, how long it waited before, and how long it took. */
export interface Attempt {
  /** The HTTP status, if there was a response. */
  readonly status: number | undefined;
  /** Why there was no response, or no usable response. */
  readonly failure: 'connection' | 'timeout' | 'body' | undefined;
  /** When it was sent. */
  readonly at: Date;
  /** ms waited before it was sent: for the rate limit, or before a retry. */
  readonly waited: number;
  /** ms from sending to the last byte, or to the failure. */
  readonly took: number;
}

/** Whether the request reached the service. `no`: it did not, or was not processed; `unknown`: it may have been processed; `yes`: there was a response. */
export type RequestSent = 'no' | 'unknown' | 'yes';

/** The details that all errors of a call have. */
export interface ErrorDetails {
  readonly operation?: string | undefined;
  readonly attempts?: readonly Attempt[];
  readonly cause?: Error | undefined;
  readonly url?: string | undefined;
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
  /** The names of the class and its ancestors. `instanceof` uses them to recognize an error of another copy of the package. */
  static readonly kind: string = 'PetStoreError';
  /** The literal name of the class. */
  override readonly name: string;
  /** The operation that failed, as `createPet`, or `GET /store/orders` for `request()`; `undefined` at construction. */
  readonly operation: string | undefined;
  /** Every attempt of the call, in order; empty if nothing was sent. */
  readonly attempts: readonly Attempt[];
  /** The address that was requested, without its query, which may contain private values; `undefined` if no request was built. */
  readonly url: string | undefined;
  readonly #curl: string | undefined;

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    // A class that a user derives has the name of the class that it extends.
    this.name = new.target.kind;
    this.operation = details.operation;
    this.attempts = details.attempts ?? [];
    this.url = details.url;
    this.#curl = details.curl;
  }

  /** @internal */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // A class that a user derives has no kind of its own: its prototype decides, as usual.
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

  /** The request as a `curl` command, to paste into a report. It contains `$PETSTORE_API_KEY` in place of the API key. `undefined` if no request was built. */
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
  const kinds = (value as { [brand]?: unknown } | null | undefined)?.[brand];
  return Array.isArray(kinds) ? (kinds as string[]) : [];
}

/**
 * An option is wrong, or a function that you passed (`apiKey`, `headers`, `fetch`, `rateLimit.gate`) failed. `attempts` is empty if nothing
 * was sent. An attempt without a status may have been processed: your `fetch` was called for it.
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
  readonly issues: readonly Issue[];

  constructor(message: string, details: ErrorDetails & { readonly issues: readonly Issue[] }) {
    super(message, details);
    this.issues = details.issues;
  }
}

/** There was no response: the connection failed or was lost. */
export class ConnectionError extends PetStoreError {
  static override readonly kind: string = 'ConnectionError';
  declare readonly name: 'ConnectionError';
  /** `no`: the service did not receive the request, or only responded 429. `unknown`: it may have been processed. */
  readonly requestSent: Exclude<RequestSent, 'yes'>;

  constructor(
    message: string,
    details: ErrorDetails & { readonly requestSent: Exclude<RequestSent, 'yes'> },
  ) {
    super(message, details);
    this.requestSent = details.requestSent;
  }
}

/** `timeout` (one attempt) or `totalTimeout` (the whole call) has passed. */
export class TimeoutError extends PetStoreError {
  static override readonly kind: string = 'TimeoutError';
  declare readonly name: 'TimeoutError';
  /** `no`: the service did not receive the request, or only responded 429. `unknown`: it may have been processed. */
  readonly requestSent: Exclude<RequestSent, 'yes'>;

  constructor(
    message: string,
    details: ErrorDetails & { readonly requestSent: Exclude<RequestSent, 'yes'> },
  ) {
    super(message, details);
    this.requestSent = details.requestSent;
  }
}

/** The status is a success, but the body does not match the contract. The request *took effect*. */
export class ResponseValidationError extends PetStoreError {
  static override readonly kind: string = 'ResponseValidationError';
  declare readonly name: 'ResponseValidationError';
  /** Each problem, with its path; empty if the body could not be read at all. */
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
