import type { WithResponse } from './transport/transport.js';

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

/** One call with two views. If only the second view is used, the rejection of the first is not an unhandled rejection. */
export function responsePromise<T>(result: Promise<WithResponse<T>>): ResponsePromise<T> {
  const data = result.then(({ data }) => data);
  const withResponse = () => {
    data.catch(() => undefined);
    // This promise is new, so no handler of its rejection exists yet.
    return result.then((whole) => whole);
  };
  return Object.assign(data, { withResponse });
}
