import { checkObject, withoutUndefined } from './options/check.js';
import { configure } from './options/config.js';
import { operations } from './contract/operations.js';
import type { PetStoreClientOptions, RawRequest, RequestOptions } from './options/options.js';
import type { RateLimit } from './rate-limit/types.js';
import type { Target } from './http/build-request.js';
import { responsePromise, Transport, type ResponsePromise } from './transport/transport.js';
import type { Clock } from './utils/clock.js';
import type { Int64Mode, ListPetsQuery, NewPet, Pet } from './types.js';

/** Ids are bigint only with the option `int64: 'bigint'`. */
type OptionalOptions<Mode extends Int64Mode> = [Mode] extends ['bigint']
  ? [never]
  : [options?: PetStoreClientOptions];
type Int64Option<Mode extends Int64Mode> = [Mode] extends ['bigint']
  ? { readonly int64: 'bigint' }
  : unknown;

/**
 * The client of the animal store service. Service interface: "Endpoints".
 *
 * All clients of a process with the same address and key share one rate-limit gate, and together stay within the limit
 * that the response headers announce. A client, its errors and its events never show the key.
 *
 * @typeParam Mode - the type of ids: `'number'` by default, `'bigint'` with the option `int64: 'bigint'`.
 *
 * @example
 * ```ts
 * import { PetStoreClient } from 'petstore-client';
 * import { createMockService } from 'petstore-client/mocks';
 *
 * const client = new PetStoreClient({ apiKey: 'mock-free', fetch: createMockService({ seed: 3 }).fetch });
 * const pets = await client.listPets({ limit: 2 });
 * console.log(pets.length); // 2
 * ```
 */
export class PetStoreClient<Mode extends Int64Mode = 'number'> {
  readonly #transport: Transport;

  /**
   * Creates a client. All options have defaults, but a client with bigint ids must be given `int64: 'bigint'`.
   *
   * @param options - the key may come from the variable `PETSTORE_API_KEY`.
   * @throws {@link ConfigurationError} when an option or a variable is wrong, or no key can be found; the message names it.
   * @hidden
   */
  constructor(...options: OptionalOptions<Mode>);
  /**
   * Creates a client. All options have defaults, but a client with bigint ids must be given `int64: 'bigint'`.
   *
   * @param options - the key may come from the variable `PETSTORE_API_KEY`.
   * @throws {@link ConfigurationError} when an option or a variable is wrong, or no key can be found; the message names it.
   */
  constructor(options: PetStoreClientOptions<Mode> & Int64Option<Mode>);
  constructor(options: PetStoreClientOptions<Int64Mode> = {}) {
    this.#transport = new Transport(configure(options));
  }

  /** The address that all paths are relative to, with the `/v1` prefix. Service interface: "What the service does". */
  get baseUrl(): string {
    return this.#transport.config.baseUrl;
  }

  /** The type of the ids of its pets: `'number'` or `'bigint'`. */
  get int64(): Mode {
    return this.#transport.config.int64 as Mode;
  }

  /** The clock that the client reads and waits on: the option `clock`, or the system's. */
  get clock(): Clock {
    return this.#transport.config.clock;
  }

  /**
   * The quota that the newest response to this client reported; `undefined` before the first. A client made by
   * {@link PetStoreClient.withOptions} has its own, even with the same key. The event `response` shows the quota of both.
   * Service interface: "Rate limit headers".
   */
  get rateLimit(): RateLimit | undefined {
    return this.#transport.rateLimit;
  }

  /**
   * Lists at most `limit` pets, of all statuses or of one. The interface shows no further pages. The client sends the request
   * again up to `maxRetries` times after a lost connection, a timeout, 408, 500, 502, 503 or 504, and after a 429. Service
   * interface: "List animals".
   *
   * @param query - `limit`: 1 to 100 (the service uses 20 if it is absent); `status`: one of {@link PetStatus}.
   * @param options - for this call only, over those of the client.
   * @returns the pets, in an order that the service does not publish.
   * @throws {@link ConfigurationError} when an option of the call is wrong, or a function of the options fails (a `fetch` only by giving no `Response`).
   * @throws {@link RequestValidationError} when `query` breaks the contract; nothing is sent then.
   * @throws {@link BadRequestError}, {@link AuthenticationError}, {@link NotFoundError}, {@link ServerError}, or {@link ApiError} for any other status.
   * @throws {@link RateLimitError} when the rate limit stops the call; it can be repeated at its `retryAt`.
   * @throws {@link ConnectionError} or {@link TimeoutError} when no response arrives: their `requestSent` says whether it may have been processed.
   * @throws {@link ResponseValidationError} when the body of a success breaks the contract.
   * @throws the `reason` of the signal when the call is aborted.
   *
   * @example
   * ```ts
   * import { PetStoreClient } from 'petstore-client';
   * import { createMockService } from 'petstore-client/mocks';
   *
   * const client = new PetStoreClient({ apiKey: 'mock-free', fetch: createMockService({ seed: 20 }).fetch });
   * const available = await client.listPets({ status: 'available', limit: 100 });
   * ```
   */
  listPets(query: ListPetsQuery = {}, options?: RequestOptions): ResponsePromise<Pet<Mode>[]> {
    return send(() => this.#transport, { row: operations.listPets, query }, options);
  }

  /**
   * Adds a pet. Two calls add two pets. Therefore the client sends the request again only after a 429, which means that
   * it was not processed. After a 5xx, a 408, a timeout or a lost connection, it may have been processed. Service interface: "Add an animal".
   *
   * @param pet - `name` and `categoryId` (an int64: a safe integer or a bigint) are required.
   * @param options - for this call only, over those of the client.
   * @returns the pet as added, with its `id`.
   * @throws {@link ConfigurationError} when an option of the call is wrong, or a function of the options fails (a `fetch` only by giving no `Response`).
   * @throws {@link RequestValidationError} when `pet` breaks the contract; nothing is sent then.
   * @throws {@link BadRequestError} when the service does not accept the pet; {@link AuthenticationError}, {@link NotFoundError}, {@link ServerError}, or {@link ApiError} for any other status.
   * @throws {@link RateLimitError} when the rate limit stops the call; it can be repeated at its `retryAt`.
   * @throws {@link ConnectionError} or {@link TimeoutError} when no response arrives: their `requestSent` says whether it may have been processed.
   * @throws {@link ResponseValidationError} when the body of a success breaks the contract: the pet was added.
   * @throws the `reason` of the signal when the call is aborted.
   *
   * @example
   * ```ts
   * import { PetStoreClient } from 'petstore-client';
   * import { createMockService } from 'petstore-client/mocks';
   *
   * const client = new PetStoreClient({ apiKey: 'mock-free', fetch: createMockService().fetch });
   * const rex = await client.createPet({ name: 'Rex', categoryId: 1, status: 'available' });
   * console.log(rex.id); // 1
   * ```
   */
  createPet(pet: NewPet, options?: RequestOptions): ResponsePromise<Pet<Mode>> {
    return send(() => this.#transport, { row: operations.createPet, body: pet }, options);
  }

  /**
   * Fetches one pet. The client sends the request again in the same cases as {@link PetStoreClient.listPets}. Service
   * interface: "Get an animal (deprecated)".
   *
   * @deprecated to be removed on 5 December 2030: use {@link PetStoreClient.listPets} with the `status` filter.
   *
   * @param petId - an int64: a safe integer or a bigint.
   * @param options - for this call only, over those of the client.
   * @throws {@link ConfigurationError} when an option of the call is wrong, or a function of the options fails (a `fetch` only by giving no `Response`).
   * @throws {@link RequestValidationError} when `petId` is not an int64; nothing is sent then.
   * @throws {@link NotFoundError} when there is no such pet; {@link BadRequestError}, {@link AuthenticationError}, {@link ServerError}, or {@link ApiError} for any other status.
   * @throws {@link RateLimitError} when the rate limit stops the call; it can be repeated at its `retryAt`.
   * @throws {@link ConnectionError} or {@link TimeoutError} when no response arrives: their `requestSent` says whether it may have been processed.
   * @throws {@link ResponseValidationError} when the body of a success breaks the contract.
   * @throws the `reason` of the signal when the call is aborted.
   *
   * @example
   * ```ts
   * import { PetStoreClient } from 'petstore-client';
   * import { createMockService } from 'petstore-client/mocks';
   *
   * const client = new PetStoreClient({ apiKey: 'mock-free', fetch: createMockService({ seed: 3 }).fetch });
   * const pet = await client.getPet(1);
   * ```
   */
  getPet(petId: number | bigint, options?: RequestOptions): ResponsePromise<Pet<Mode>> {
    const params = { petId };
    return send(() => this.#transport, { row: operations.getPet, params }, options);
  }

  /**
   * Sends a request to any other endpoint of the service, such as `GET /store/orders`, whose shape is not published. Key,
   * gate, retries and errors are the same. GET, HEAD and OPTIONS are sent again in the same cases as
   * {@link PetStoreClient.listPets}, any other method only after a 429, as {@link PetStoreClient.createPet}.
   *
   * @param request - `method` and `path` (after `/v1`, never another host); `query`, `body` and `schema` if needed.
   * @param options - for this call only, over those of the client.
   * @returns the parsed JSON, or what `schema` makes of it; `undefined` for an empty response without a schema. Without one,
   *   nothing checks the type argument. The schema gets `undefined` with a 204 and after a HEAD, but an empty body of another success is an error.
   * @throws {@link ConfigurationError} when an option of the call is wrong, or a function of the options fails (a `fetch` only by giving no `Response`).
   * @throws {@link RequestValidationError} when a part of `request` is wrong, such as a `path` of another host; nothing is sent then.
   * @throws {@link BadRequestError}, {@link AuthenticationError}, {@link NotFoundError}, {@link ServerError}, or {@link ApiError} for any other status.
   * @throws {@link RateLimitError} when the rate limit stops the call; it can be repeated at its `retryAt`.
   * @throws {@link ConnectionError} or {@link TimeoutError} when no response arrives: their `requestSent` says whether it may have been processed.
   * @throws {@link ResponseValidationError} when the body of a success is not JSON, or breaks `schema`.
   * @throws the `reason` of the signal when the call is aborted.
   *
   * @example
   * ```ts
   * import { ApiError, PetStoreClient } from 'petstore-client';
   * import { createMockService } from 'petstore-client/mocks';
   *
   * const client = new PetStoreClient({ apiKey: 'mock-free', fetch: createMockService().fetch });
   * const failure = await client.request({ method: 'GET', path: '/store/orders' }).catch((error: unknown) => error);
   * console.log(failure instanceof ApiError && failure.status); // 501: the mock knows that it exists, but not its shape
   * ```
   */
  request<T = unknown>(
    request: RawRequest<T>,
    options?: RequestOptions,
  ): ResponsePromise<NoInfer<T>> {
    return send(() => this.#transport, { request }, options);
  }

  /**
   * Creates a client with other options. The given options replace those of this client; all others stay the same, the API key
   * included. Clients with the same address and key share one rate-limit gate. This client does not change.
   *
   * @param overrides - the options of the constructor. `undefined` keeps the option of this client, and inherited fields of the object are ignored.
   * `baseUrl` removes `environment`, and `environment` removes `baseUrl`.
   * @returns the new client.
   * @throws {@link ConfigurationError} when an option is wrong; the message names it.
   *
   * @example
   * ```ts
   * import { PetStoreClient } from 'petstore-client';
   * import { createMockService } from 'petstore-client/mocks';
   *
   * const client = new PetStoreClient({ apiKey: 'mock-free', fetch: createMockService({ seed: 3 }).fetch });
   * const impatient = client.withOptions({ maxWait: 500 });
   * console.log((await impatient.listPets()).length); // 3
   * ```
   */
  withOptions(
    overrides: PetStoreClientOptions & { readonly int64?: undefined },
  ): PetStoreClient<Mode>;
  withOptions<Other extends Int64Mode>(
    overrides: PetStoreClientOptions<Other> & { readonly int64: Other },
  ): PetStoreClient<Other>;
  withOptions(overrides: PetStoreClientOptions<Int64Mode>): unknown {
    checkObject('withOptions', overrides, Object.keys((overrides as object | null) ?? {}));
    const given = withoutUndefined(overrides);
    // `baseUrl` and `environment` exclude each other, so a new value of one replaces both.
    const isElsewhere = 'baseUrl' in given || 'environment' in given;
    const address = isElsewhere ? { baseUrl: undefined, environment: undefined } : {};
    // The overloads state the int64 mode of the new client.
    return create({ ...this.#transport.config.options, ...address, ...given });
  }

  /** The output of `console.log(client)` and `JSON.stringify(client)`: the address, and no part of the API key. */
  toJSON(): { readonly baseUrl: string; readonly rateLimit: RateLimit | undefined } {
    return { baseUrl: this.baseUrl, rateLimit: this.rateLimit };
  }

  /** @internal */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `PetStoreClient { baseUrl: '${this.baseUrl}' }`;
  }
}

// The bundler renames a class that refers to itself, and messages of frameworks would show the new name.
const create = (options: object) => new PetStoreClient(options);

/** A method may be called without its client, as in `const { listPets } = client`. Then `transportOf` fails. */
function send<T>(
  transportOf: () => Transport,
  target: Target,
  options: RequestOptions | undefined,
): ResponsePromise<T> {
  try {
    return responsePromise(transportOf().send(target, options));
  } catch {
    throw new TypeError(
      'a method of PetStoreClient was called without its client: pass a function that calls it, such as (pet) => client.createPet(pet)',
    );
  }
}
