import type { Attempt } from '../errors/errors.js';
import type { RateLimit } from '../rate-limit/types.js';

/** The parsed response, together with the raw one and the attempts. */
export interface WithResponse<T> {
  /** What the call itself resolves to. */
  readonly data: T;
  /** The response of the service; its body has been read. */
  readonly response: Response;
  /** The quota, as this response reported it; `undefined` when the headers were missing or broken. */
  readonly rateLimit: RateLimit | undefined;
  /** Every try of the call, the last one the successful one. */
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
