import type { Random } from '../scenario/random.js';
import type { World } from './world.js';

/** What a client gets: a process of its own, and the key that it shares with the others. */
export interface Process {
  readonly index: number;
  readonly fetch: typeof globalThis.fetch;
  readonly baseUrl: string;
  readonly apiKey: string;
  /** For a client that takes a clock. */
  readonly world: World;
  /** Of this process alone. */
  readonly random: Random;
}

/** One call for a list of pets, as a user of that client would write it. Rejects when the client gives up. */
export type Call = () => Promise<unknown>;

/** A client under test. `start` is called once a process and run. */
export interface Client {
  readonly name: string;
  start(process: Process): Call | Promise<Call>;
}
