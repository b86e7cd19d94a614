import type { Attempt } from '../errors/errors.js';
import type { RateLimit } from '../rate-limit/types.js';

/** The parsed response, together with the raw one and the attempts. */
export interface WithResponse<T> {
  /** The result of the call. */
  readonly data: T;
  /** The response of the service; its body has been read. */
  readonly response: Response;
  /** The quota that this response reported; `undefined` if a header was missing or invalid. */
  readonly rateLimit: RateLimit | undefined;
  /** Every attempt of the call. The last one was successful. */
  readonly attempts: readonly Attempt[];
}

/**
 * The promise that each method returns: of the parsed response, with a way to the raw one.
 *
 * @example
 * ```ts
 * import { PetStoreClient } from 'petstore-client';
 * import { createMockService } from 'petstore-client/mocks';
 *
 * const client = new PetStoreClient({ apiKey: 'mock-free', fetch: createMockService().fetch });
 * const { data, rateLimit } = await client.listPets().withResponse();
 * console.log(data.length, rateLimit?.remaining); // 0 59
 * ```
 */
export interface ResponsePromise<T> extends Promise<T> {
  /** Resolves to the parsed response, the raw `Response`, the quota and the attempts. Rejects as the promise itself does. */
  withResponse(): Promise<WithResponse<T>>;
}
