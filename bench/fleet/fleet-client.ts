import type { PetStoreClient } from '../../src/index.js';
import type * as Fleet from '../../src/fleet/index.js';
import type { Client } from '../conduct/client.js';
import type { Random } from '../conduct/random.js';
import type { Conditions } from './conditions.js';
import { ProcessWorld } from './process-world.js';

/** The package under test, given so that source or build can be measured. */
export interface Package {
  readonly PetStoreClient: typeof PetStoreClient;
  readonly createFleetGate: typeof Fleet.createFleetGate;
  readonly memoryStore: typeof Fleet.memoryStore;
}

/** What the stores of one run went through. */
export interface Trips {
  /** Operations of the store. */
  operations: number;
  readonly events: { readonly process: number; readonly type: string; readonly at: number }[];
}

/** Our client with a fleet gate in each process, and one store for all of them, a round trip of 1 to 3 ms away. */
export function fleetClient(
  { PetStoreClient, createFleetGate, memoryStore }: Package,
  conditions: Conditions,
): { readonly client: Client; readonly trips: Trips } {
  const trips: Trips = { operations: 0, events: [] };
  let memory: { store: Fleet.FleetStore; wipe: () => void } | undefined;
  const client: Client = {
    name: 'fleet',
    start({ index, fetch, baseUrl, apiKey, world, random }) {
      const { clock } = world.service;
      const epoch = clock.monotonic();
      if (index === 0) memory = wipeable(memoryStore, () => clock.now() - conditions.storeSkew);
      if (index === 0) conditions.start?.({ clock, wipe: () => memory!.wipe() });
      const store = memory!.store;
      const own = new ProcessWorld(clock, index, conditions, epoch);
      const gate = createFleetGate({
        clock: own.clock,
        fallback: conditions.fallback ?? 'share',
        ...(conditions.perDay !== undefined && { perDay: conditions.perDay }),
        onEvent: ({ type }) =>
          trips.events.push({ process: index, type, at: clock.monotonic() - epoch }),
        store: {
          async run(key, operation) {
            trips.operations += 1;
            await own.reach(random);
            const reply = await store.run(key, JSON.parse(JSON.stringify(operation)));
            await own.wait(0.5 + random());
            return reply;
          },
        },
      });
      const { origin } = new URL(baseUrl);
      const sdk = new PetStoreClient({
        apiKey,
        baseUrl,
        fetch: own.fetch(fetch),
        clock: own.clock,
        rateLimit: { gate: gate({ origin, apiKey }), maxHold: Infinity },
      });
      const priority = conditions.high?.(index) === true ? ('high' as const) : undefined;
      return () => sdk.listPets({}, priority && { priority });
    },
  };
  return { client, trips };
}

/** A store in memory that can lose its memory. */
function wipeable(
  memoryStore: typeof Fleet.memoryStore,
  now: () => number,
): { store: Fleet.FleetStore; wipe: () => void } {
  let inner = memoryStore(now);
  return {
    store: { run: (key, operation) => inner.run(key, operation) },
    wipe: () => {
      inner = memoryStore(now);
    },
  };
}

export type { Random };
