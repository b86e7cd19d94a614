import type { Request } from '../answers.js';

/** Where a client sends its requests: over `fetch`, or over what it has of its own where none is given. */
export interface Target {
  /** With `/v1`. */
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch | undefined;
  /** The folder of the build of petstore-client. */
  readonly dist: URL;
}

/** The requests of one client. `missing` resolves to the error. */
export type Calls = Readonly<Record<Request, () => Promise<unknown>>>;

export type MakeClient = (target: Target) => Calls | Promise<Calls>;

/** The failure of a promise that must fail. */
export function failure(promise: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(promise).then(
    () => {
      throw new Error('This answer is an error, and the client did not say so.');
    },
    (error: unknown) => error,
  );
}
