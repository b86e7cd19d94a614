/**
 * What the client and the mock service know of each other in one process, though neither imports the other. They find it by
 * symbols of the registry, because each may come from another copy or build of the package.
 */

/**
 * The clock that the client reads and waits on. To test without waiting, pass a virtual clock, such as
 * `createMockService({ clock: 'virtual' }).clock`.
 *
 * @example
 * ```ts
 * import { PetStoreClient } from 'petstore-client';
 * import { createMockService } from 'petstore-client/mocks';
 *
 * const { fetch, clock } = createMockService({ clock: 'virtual' });
 * const client = new PetStoreClient({ apiKey: 'mock-free', fetch, clock });
 * const began = clock.now();
 * await Promise.all(Array.from({ length: 61 }, () => client.listPets()));
 * console.log(clock.now() - began > 30_000); // true: the 61st waited for the next minute, in no real time
 * ```
 */
export interface Clock {
  /**
   * Wall-clock time, ms since the Unix epoch: for dates that are shown (in errors), and to read a reset or a date of a response without a
   * `Date`. Never used to measure durations.
   */
  now(): number;
  /** A time that never goes back, ms since any fixed moment, so it may be negative. All waits are measured on it. */
  monotonic(): number;
  /**
   * Resolves after `ms` milliseconds of `monotonic()`. If it ends more than a second early, or fails, the calls that wait
   * for the rate limit reject with a `ConfigurationError`.
   *
   * @throws the signal's reason, as a rejection, as soon as `signal` is aborted; its timer and listener are removed.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/**
 * A `fetch` with this symbol brings its clock along: that of a mock service whose time is virtual. A wait in real time for a
 * reset in virtual time would not end.
 */
export const clockSymbol: unique symbol = Symbol.for('petstore-client.clock');

/**
 * A `fetch` or a clock with this symbol has rate-limit gates of its own, apart from those of the real service. Each mock service
 * marks its own, so that two services in one process never share a hold, and a service has new gates after a reset.
 */
export const scopeSymbol: unique symbol = Symbol.for('petstore-client.scope');

/** A `fetch` or a clock, as a mock service marks it. */
export interface Marked {
  readonly [clockSymbol]?: Clock;
  readonly [scopeSymbol]?: object;
}

/** The property of `globalThis` that holds a value of the whole process. */
export const globalSymbol = (name: string): symbol => Symbol.for(`petstore-client.${name}`);

/** The name of the {@link SharedGates} among the values of the process. They exist once a client has used them. */
export const gatesName = 'gates.2';

/** The rate-limit gates that the clients of a process share. */
export interface SharedGates {
  /** Forgets the gates of these origins that belong to no mock service. Clients that exist get new ones at their next call. */
  forget(origins: ReadonlySet<string>): void;
}

/**
 * Makes clients that reach a mock service through msw or a port begin anew, as the service does. Such a client uses the `fetch` of
 * the platform, so its gate belongs to the address, and would outlive a service or its reset.
 */
export function forgetGates(origins: ReadonlySet<string>): void {
  (globalThis as Partial<Record<symbol, SharedGates>>)[globalSymbol(gatesName)]?.forget(origins);
}
