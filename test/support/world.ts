import { expect } from 'vitest';
import {
  PetStoreClient,
  type Clock,
  type Int64Mode,
  type NewPet,
  type PetStoreClientOptions,
  type PetStoreEvent,
} from '../../src/index.js';
import { NewPetSchema } from '../../src/contract/index.js';
import { createMockService, type MockServiceOptions } from '../../mocks/index.js';

/** The in-memory service on a virtual clock, and clients that live on it. */
export function world(options: MockServiceOptions = {}) {
  const service = createMockService({ clock: 'virtual', ...options });
  /** Every event of every client of this world. */
  const events: PetStoreEvent[] = [];
  const began = service.clock.monotonic();
  return {
    service,
    events,
    /** ms that have passed on the clock since the world began. */
    elapsed: () => service.clock.monotonic() - began,
    /** A client of the service, with the key `mock-free` by default. */
    client: <Mode extends Int64Mode = 'number'>(given?: PetStoreClientOptions<Mode>) => {
      const all: PetStoreClientOptions<Int64Mode> = {
        apiKey: 'mock-free',
        fetch: service.fetch,
        clock: service.clock,
        onEvent: (event) => events.push(event),
        ...given,
      };
      return new PetStoreClient(all) as PetStoreClient<Int64Mode> as PetStoreClient<Mode>;
    },
  };
}

/** A clock whose `now()` is `ms` ahead of another one's. */
export const aheadOf = (clock: Clock, ms: number): Clock => ({
  now: () => clock.now() + ms,
  monotonic: () => clock.monotonic(),
  sleep: (time, signal) => clock.sleep(time, signal),
});

/** The fields of a new pet, as messages list them. */
export const petFields = Object.keys(NewPetSchema.shape).join(', ');

/** What never comes. */
export const never = () => new Promise<never>(() => undefined);

/** Whether the promise is settled once all that can be done without waiting is done. */
export const settled = async (promise: Promise<unknown>): Promise<boolean> => {
  let done = false;
  promise.then(
    () => (done = true),
    () => (done = true),
  );
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  return done;
};

/** Blocks the event loop for so many ms, without using the CPU. */
export function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** So many rows for `createPets`. */
export const rowsOf = (count: number): NewPet[] =>
  Array.from({ length: count }, (_, index) => ({ name: `Pet ${index}`, categoryId: index }));

/** Makes `count` calls at once. */
export function times<T>(count: number, call: (index: number) => Promise<T>): Promise<T>[] {
  return Array.from({ length: count }, (_, index) => call(index));
}

/** What a promise rejects with; fails when it does not, or with something else than a `type`. */
export async function rejection<E>(
  promise: Promise<unknown>,
  type?: abstract new (...args: never[]) => E,
): Promise<E> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  if (outcome === undefined) throw new Error('expected a rejection');
  if (type !== undefined) expect(outcome.error).toBeInstanceOf(type);
  return outcome.error as E;
}

/** Turns of the event loop, in which all is done that waits for no timer. */
export async function turns(count = 1): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
