import type { RateLimitGate } from '../rate-limit/types.js';
import type { Clock } from '../utils/clock.js';

/**
 * Stores the shared state of the processes of a fleet: {@link redisStore}, {@link sqliteStore}, {@link memoryStore}, or a store of your
 * own, in any database with transactions. {@link checkFleetStore} tests a store.
 *
 * @example
 * ```ts
 * import type { FleetStore } from 'petstore-client/fleet';
 *
 * const texts = new Map<string, string>();
 * const store: FleetStore = {
 *   async update(key, change) {
 *     texts.set(key, change(texts.get(key), Date.now()));
 *   },
 * };
 * ```
 */
export interface FleetStore {
  /**
   * Reads the text of a key and writes the result of `change` in one transaction, without another update of the key in between.
   *
   * @param key at most 120 ASCII characters, without anything secret.
   * @param change takes the text, `undefined` at first, and the time in ms since the epoch, by one clock for all processes:
   * that of the store. (The gate does not use it on the clock of a test.) It is synchronous, and may be called again when the transaction is repeated.
   * @throws anything, as a rejection, when the store fails: the gate then sends a cautious share.
   */
  update(key: string, change: (text: string | undefined, now: number) => string): Promise<void>;
  /** The time of the store, in ms since the epoch: optional, for the store's own use. The gate never calls it, because `update` passes the time to `change`. */
  now?(): Promise<number>;
  /** Releases the resources of the store. Called by `close()` of the gate. A store that is used again opens again. */
  close?(): Promise<void>;
}

/** A store that has the rules of the fleet itself, as a script, so that the gate does not call `update`. */
export interface ScriptStore extends FleetStore {
  /** Applies an operation, as JSON, to the state of a key, and resolves with the reply, as JSON or as a value. `testTime` takes the place of its own time, ms since the epoch. */
  applyOperation(key: string, operation: string, testTime?: number): Promise<unknown>;
}

/** A change in the connection of a process to its fleet. Events contain no API key. */
export type FleetEvent =
  /**
   * The store answered for the first time. `state`, of this and of all events: the name of the shared state in the store, such as
   * `{petstore:…}:gate.2`, with a hash of the address and the key. `processes`: how many share it, this one included. Processes with another
   * `state` are another fleet.
   */
  | { readonly type: 'fleet-joined'; readonly state: string; readonly processes: number }
  /** The store failed twice in a row. `share`: the part of the limit that this process sends without it, 0 to 1; `undefined` when it is not known. */
  | {
      readonly type: 'fleet-lost';
      readonly state: string;
      readonly reason: string;
      readonly share: number | undefined;
    }
  /** The store answers again. */
  | { readonly type: 'fleet-rejoined'; readonly state: string; readonly processes: number }
  /** The store has lost its memory, or its clock was set back or ahead: nothing is sent for 5 s, and little for 30 s. */
  | { readonly type: 'fleet-state-lost'; readonly state: string };

/** Options of {@link createFleetGate}. */
export interface FleetGateOptions {
  /** The store of the state: `sqliteStore(path)`, `redisStore(send)`, or your own. */
  readonly store: FleetStore;
  /** Keeps fleets apart that use one store: part of the name of their state. 1 to 40 letters, digits, `-`, `_` or `.`. Default: `petstore`. */
  readonly name?: string | undefined;
  /** Requests a day of the key, 1 or more. Near its end few are sent at once. Default: that of the published plan with the same limit a minute. */
  readonly perDay?: number | undefined;
  /** Longest wait for one operation of the store, in ms, 1 to 60,000. Default: 250. */
  readonly storeTimeout?: number | undefined;
  /**
   * The behaviour while the store fails. `'share'`: the process sends its share of the last known fleet, and obeys the
   * headers. `'hold'`: calls wait for the store. Default: `'share'`.
   */
  readonly fallback?: 'share' | 'hold' | undefined;
  /** Called with each event. Errors that it throws are ignored. Without it, the first `fleet-lost` is printed on the console. */
  readonly onEvent?: ((event: FleetEvent) => void) | undefined;
  /** The clock on which the gate reads the time and waits. Default: for each key, the clock of its first client. Other clocks than the system's are for tests: their time takes the place of the store's. */
  readonly clock?: Clock | undefined;
}

/** The fleet of one key, as this process sees it. */
export interface FleetKeyStatus {
  /** The name of the state in the store, with a hash of the address and the key. */
  readonly state: string;
  /** Whether the store answered the newest operation. `unused`: there was none, or none since `close()`. */
  readonly store: 'unused' | 'joined' | 'lost';
  /** Processes of the fleet, this one included. */
  readonly processes: number;
  /** Processes that have permits or requests in flight. */
  readonly leases: number;
  /** Permits that were granted and are not used yet, in the whole fleet. */
  readonly unsent: number;
  /** Requests without a response so far, in the whole fleet. */
  readonly inFlight: number;
  /** Calls of this process that wait. */
  readonly waiting: number;
  /** Requests a minute; `undefined` while unknown. */
  readonly limit: number | undefined;
  /** Requests left in the window, as far as the fleet knows; `undefined` while unknown. */
  readonly remaining: number | undefined;
  /** When the window resets, by the clock of this process; `undefined` while unknown. */
  readonly resetAt: Date | undefined;
  /** ms from now for which nothing is sent; 0: there is no hold. */
  readonly hold: number;
}

/** The result of `status()`. */
export interface FleetStatus {
  /** One entry for each key that was used. */
  readonly keys: readonly FleetKeyStatus[];
}

/** The gate of a fleet, for the option `gate`: a function that returns the gate of each key. */
export interface FleetGate {
  /**
   * Returns the gate of a key at an address, on the clock of the client. The client calls it. Stores, events and status
   * contain only a hash of the key.
   */
  (key: {
    readonly origin: string;
    readonly apiKey: string;
    readonly clock?: Clock | undefined;
  }): RateLimitGate;
  /** The state of the fleet: the process reports to the store, one operation for each key. While the store fails, it returns what this process knows. Never rejects. */
  status(): Promise<FleetStatus>;
  /** Leaves the fleet: reports what was sent, and returns unused permits to the others at once. Call it before the process ends. A gate that is used again joins again. Never rejects. */
  close(): Promise<void>;
}
