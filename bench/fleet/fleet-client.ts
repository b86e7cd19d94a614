import type { createRateLimitGate, PetStoreClient } from '../../src/index.js';
import type * as Fleet from '../../src/fleet/index.js';
import type { Client, Process } from '../conduct/run/client.js';
import type { Conditions } from './conditions.js';
import { ProcessWorld } from './process-world.js';

/** The package under test, given so that source or build can be measured. */
export interface Package {
  readonly PetStoreClient: typeof PetStoreClient;
  readonly createRateLimitGate: typeof createRateLimitGate;
  readonly createFleetGate: typeof Fleet.createFleetGate;
  readonly memoryStore: typeof Fleet.memoryStore;
}

/** `fleet`: processes with a fleet gate and one store. `alone`: processes with the gate of one process, which know nothing of each other. */
export type GateKind = 'fleet' | 'alone';

/** What the stores of one run did. */
export interface Trips {
  /** Operations of the store. */
  operations: number;
}

/** Our client in each process. The store of a fleet has a round trip of 1 to 3 ms. */
export function clientOf(
  kind: GateKind,
  product: Package,
  conditions: Conditions,
): { readonly client: Client; readonly trips: Trips } {
  const trips: Trips = { operations: 0 };
  const storeOf = kind === 'fleet' ? sharedStore(product, conditions, trips) : undefined;
  const client: Client = {
    name: kind,
    start(setting) {
      const { index, fetch, baseUrl, apiKey, world, random } = setting;
      const { clock } = world.service;
      const own = new ProcessWorld(clock, index, conditions, clock.monotonic());
      const { origin } = new URL(baseUrl);
      const gate =
        storeOf === undefined
          ? product.createRateLimitGate({ clock: own.clock, random })
          : product.createFleetGate({
              clock: own.clock,
              fallback: conditions.fallback ?? 'share',
              ...(conditions.perDay !== undefined && { perDay: conditions.perDay }),
              store: storeOf(setting, own),
            })({ origin, apiKey });
      const sdk = new product.PetStoreClient({
        apiKey,
        baseUrl,
        fetch: own.fetch(fetch),
        clock: own.clock,
        gate,
        maxHold: Infinity,
      });
      const isHigh = conditions.high?.(index) === true;
      return () => sdk.listPets({}, isHigh ? { priority: 'high' } : {});
    },
  };
  return { client, trips };
}

/** One store in memory for all processes of a run. It can lose its memory, or a part of it. */
function sharedStore(
  { memoryStore }: Package,
  conditions: Conditions,
  trips: Trips,
): (setting: Process, own: ProcessWorld) => Fleet.FleetStore {
  let memory: Fleet.FleetStore | undefined;
  let skew = -conditions.storeSkew;
  let written: { readonly at: number; readonly key: string; readonly text: string }[] = [];
  return ({ world, random }, own) => {
    const { clock } = world.service;
    const empty = () => memoryStore(() => clock.now() + skew);
    const rollBack = (ms: number) => {
      const known = (memory = empty());
      const kept = written.filter(({ at }) => at <= clock.now() - ms);
      for (const { key, text } of kept) void known.update(key, () => text);
    };
    if (memory === undefined)
      conditions.start?.({
        clock,
        rollBack,
        wipe: () => rollBack(Infinity),
        setClock: (ms) => (skew += ms),
      });
    memory ??= empty();
    return {
      async update(key, change) {
        trips.operations += 1;
        await own.reach(random);
        await memory!.update(key, (known, now) => {
          const text = change(known, now);
          // What was written more than a minute ago is needed once: the newest of it.
          if (written.length > 5_000) written = written.slice(-2_500);
          written.push({ at: clock.now(), key, text });
          return text;
        });
        await own.wait(0.5 + random());
      },
    };
  };
}
