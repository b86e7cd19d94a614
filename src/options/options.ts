import type { Clock } from '../utils/clock.js';
import type { Environment } from '../contract/environments.js';
import type { PetStoreEvent, RequestEvent } from '../events/events.js';
import type { Logger, LogLevel } from '../events/logger.js';
import type { Priority, RateLimitGate } from '../rate-limit/types.js';
import type { StandardSchema } from '../utils/standard-schema.js';
import type { Int64Mode } from '../types.js';

/** The API key, or a function that returns it. The client calls the function before every attempt, so that a key can rotate. */
export type ApiKey = string | (() => string | Promise<string>);

/** Whether an unknown field or status in a response is accepted (`'tolerant'`) or an error (`'strict'`). */
export type Validation = 'tolerant' | 'strict';

/** Headers by name. `undefined` removes the header of the client with that name. */
export type HeaderRecord = Readonly<Record<string, string | undefined>>;

/** One attempt of a call, as the function of the option `headers` receives it. */
export type HeadersContext = Pick<RequestEvent, 'operation' | 'attempt' | 'method' | 'url'>;

/**
 * Returns headers for one attempt, such as a trace id. Called right before the attempt is sent, after all waits. If it throws, the call
 * rejects with a {@link ConfigurationError}, and this attempt is not sent.
 *
 * @example
 * ```ts
 * import { PetStoreClient } from 'petstore-client';
 * import { createMockService } from 'petstore-client/mocks';
 *
 * const client = new PetStoreClient({
 *   apiKey: 'mock-free',
 *   fetch: createMockService({ seed: 3 }).fetch,
 *   headers: ({ operation, attempt }) => ({ 'X-Trace-Id': `${operation}-${attempt}-${crypto.randomUUID()}` }),
 * });
 * await client.listPets();
 * ```
 */
export type HeadersFunction = (context: HeadersContext) => HeaderRecord | Headers;

/** Returns the gate of an API key at an address. The client calls it before each attempt. It must return the same gate for the same key. */
export type GateOfKey = (key: {
  /** Scheme, host and port of the service. */
  readonly origin: string;
  readonly apiKey: string;
  /** The clock of the client, on which the gate has to wait; `undefined`: the system's clock. */
  readonly clock?: Clock | undefined;
}) => RateLimitGate;

/** Options of a client and of a call. If a call omits one, the value of its client applies. */
export interface SharedOptions {
  /**
   * Longest time of one attempt, in ms, to the last byte of the body: above 0, or `false` for none. Default: 15,000.
   * Node's fetch itself gives up connecting after 10 to 11 s, and ends a request after 300 s. With a shorter `timeout`,
   * the client does not know whether a POST to an unreachable host was processed.
   */
  readonly timeout?: number | false | undefined;
  /** Longest time of the whole call, in ms, waits and retries included: above 0, or `false` for none. Default: `false`. */
  readonly totalTimeout?: number | false | undefined;
  /**
   * Attempts after the first, for failures other than 429: 0 to 10. `createPet` is never sent again after such a failure, whatever this value is. When
   * most calls of a client fail, as in an outage, it retries less often. Default: 2.
   */
  readonly maxRetries?: number | undefined;
  /** Longest total time, in ms, that a call may wait for the rate limit: 0 or more. It is refused at once if the wait is known to be longer, otherwise when the time has passed. 0: never wait. Default: `Infinity`. */
  readonly maxWait?: number | undefined;
  /** Longest hold, in ms, that a call waits for: 0 or more. If a hold is longer, the call rejects at once; the hold itself stays. `Infinity` also waits for the next day. Default: 120,000. */
  readonly maxHold?: number | undefined;
  /** `'strict'`: an unknown field or status is an error too. Default: `'tolerant'`. */
  readonly validation?: Validation | undefined;
  /**
   * Sent with every request; the headers of a call are added to those of its client. A header that is `undefined` is not sent, and
   * removes the header of the client with that name. `Authorization`, `Cookie` and the headers of the connection cannot be set here. `Accept` and `Content-Type` can be set
   * for one call of `request()`; with a `Content-Type`, its `body` is sent as it is.
   */
  readonly headers?: HeaderRecord | Headers | HeadersFunction | undefined;
  /** Ends the call, or all calls of the client, at any point. They reject with the reason of the signal. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Options of {@link PetStoreClient}.
 *
 * @example
 * ```ts
 * import { PetStoreClient } from 'petstore-client';
 *
 * const client = new PetStoreClient({
 *   apiKey: 'my-key',
 *   environment: 'staging',
 *   timeout: 5_000,
 *   maxWait: 30_000,
 * });
 * ```
 */
export interface PetStoreClientOptions<Mode extends Int64Mode = 'number'> extends SharedOptions {
  /** The API key, or a function that returns it. Default: the variable `PETSTORE_API_KEY`. */
  readonly apiKey?: ApiKey | undefined;
  /** The environment. Its address is `PETSTORE_BASE_URL` or `PETSTORE_STAGING_BASE_URL`, otherwise a placeholder on a reserved domain. Default: `'production'`. */
  readonly environment?: Environment | undefined;
  /** An address of your own; `/v1` is added once. Setting both `baseUrl` and `environment` is an error. */
  readonly baseUrl?: string | URL | undefined;
  /**
   * The rate-limit gate: one of your own, a function that returns the gate of a key, such as `createFleetGate({ store })` of `petstore-client/fleet` returns, or
   * `false` for none, so that a 429 is an error at once. Default: a gate that all clients of the process with the same key share.
   */
  readonly gate?: RateLimitGate | GateOfKey | false | undefined;
  /**
   * The type of ids. `'number'` (default): numbers; an id beyond 2^53 - 1 is an error. `'bigint'`: bigint, exact over the
   * whole int64 range. In fields that the contract does not know, an integer beyond 2^53 - 1 is a string of its digits with
   * `'number'`, and a bigint with `'bigint'`. No integer is rounded.
   */
  readonly int64?: Mode | undefined;
  /** Any function with the shape of `fetch`. Default: `globalThis.fetch`, looked up at each call. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /**
   * The clock for all times and waits. Real time limits an attempt in flight, the function `apiKey`, a schema, and a wait
   * for the response to another call. Default: with the `service.fetch` of a mock service with `clock: 'virtual'`, the
   * clock of that service, otherwise the system's clock.
   */
  readonly clock?: Clock | undefined;
  /** Called with each {@link PetStoreEvent}. An error that it throws is ignored. */
  readonly onEvent?: ((event: PetStoreEvent) => void) | undefined;
  /** The logger for messages about events: `console`, a pino logger, or similar. Default: `console` if a level is set, otherwise none. */
  readonly logger?: Logger | undefined;
  /** The least severe level that is logged. `'off'`: no messages, not even the one about a wait of 5 s. Default: the variable `PETSTORE_LOG`; `'warn'` with a `logger`. */
  readonly logLevel?: LogLevel | undefined;
  /** Allows plain `http:` to other than loopback addresses. The API key is then sent unencrypted. Default: `false`. */
  readonly allowInsecureHttp?: boolean | undefined;
  /**
   * Allows an API key as a string in a page of a browser, where every visitor can read it. A key that a function returns is always
   * allowed, and so are the keys of the mock (`mock-free`, `mock-pro`, `mock-business`, `mock-enterprise`). Default: `false`.
   */
  readonly dangerouslyAllowBrowser?: boolean | undefined;
}

/** Options of one call, for this call only. */
export interface RequestOptions extends SharedOptions {
  /** `'high'`: the call is sent before waiting calls of normal priority. Default: `'normal'`. */
  readonly priority?: Priority | undefined;
}

/**
 * A request to an endpoint whose shape is not published, such as `GET /store/orders`.
 *
 * @example
 * ```ts
 * import * as z from 'zod';
 * import { PetStoreClient } from 'petstore-client';
 * import { createMockService } from 'petstore-client/mocks';
 *
 * const client = new PetStoreClient({ apiKey: 'mock-free', fetch: createMockService({ seed: 3 }).fetch });
 * const schema = z.array(z.object({ name: z.string() }));
 * const pets = await client.request({ method: 'GET', path: '/pets', query: { limit: 2 }, schema });
 * console.log(pets.length); // 2
 * ```
 */
export interface RawRequest<T = unknown> {
  /** The HTTP method, such as `GET`. Only GET, HEAD and OPTIONS are sent again after a failure other than 429. */
  readonly method: string;
  /** The path after `/v1`, such as `/store/orders`. It cannot name another host. */
  readonly path: `/${string}`;
  /** Query parameters. A parameter that is `undefined` is omitted; an array repeats the name. */
  readonly query?:
    | Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>>
    | URLSearchParams
    | undefined;
  /**
   * The body, sent as JSON. A bigint is written as a number with all its digits, and a number as
   * `JSON.stringify` writes it: pass a bigint for an integer beyond 2^53 - 1. A built-in object that JSON would turn into an empty one, such as
   * a Map or a Blob, is refused, at any depth. If the headers of the call contain a `Content-Type`, the body must be a string or bytes, and is
   * sent unchanged.
   */
  readonly body?: unknown;
  /**
   * Any Standard Schema (Zod, Valibot, ArkType…), which parses the response. Without it the call returns the parsed JSON
   * unchanged. An integer beyond 2^53 - 1 is a string of its digits, or a bigint with the option `int64: 'bigint'`.
   *
   * The schema sees the whole response, and an error lists the first 20 of its issues and the number of the others. Most libraries collect all issues first, so
   * that a response of 1 MB with a wrong item every two bytes takes seconds and hundreds of megabytes. A response of more than 16 MiB never
   * reaches the schema.
   */
  readonly schema?: StandardSchema<T> | undefined;
}

/** A value of a query parameter. */
export type QueryValue = string | number | bigint | boolean;
