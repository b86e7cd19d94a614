import type { Assumptions } from '../assumptions/assumptions.js';
import type { ServiceClock } from '../clock/clock.js';
import type { Faults } from '../faults/fault-registry.js';
import type { Journal } from '../inspect/journal.js';
import type { KeyRegistry } from '../limits/authorize.js';
import type { Overrides } from './overrides.js';
import type { Random } from '../utils/random.js';
import type { RateLimiter } from '../limits/limiter.js';
import type { Conduct } from '../inspect/conduct-report.js';
import type { EnvironmentAddresses } from '../http/route.js';
import type { Latency, MockService, Snapshot } from './types.js';
import type { StoresByKey } from '../pets/stores-by-key.js';
import { describeValue } from '../utils/options.js';
import type { ServiceRequest } from '../http/request.js';
import { longestDuration } from '../clock/duration.js';
import { Problem } from '../http/problem.js';

/** The parts of one service. Services share no parts. */
export interface ServiceContext {
  readonly assumptions: Assumptions;
  readonly basePath: string;
  readonly latency: Latency;
  readonly clock: ServiceClock;
  readonly random: Random;
  readonly registry: KeyRegistry;
  readonly limiter: RateLimiter;
  readonly faults: Faults;
  readonly overrides: Overrides;
  readonly journal: Journal;
  readonly conduct: Conduct;
  readonly stores: StoresByKey;
  /** The addresses by which the environment of a request is determined. */
  readonly addresses: EnvironmentAddresses;
}

const storesByService = new WeakMap<MockService, StoresByKey>();

/** Keeps the stores of a service for {@link storesOf}. */
export function registerStores(service: MockService, own: StoresByKey): void {
  storesByService.set(service, own);
}

/** The stores behind `service.pets`, for the modules that write them to a file. */
export function storesOf(service: MockService): StoresByKey {
  const own = storesByService.get(service);
  if (!own) throw new TypeError('The service must be made by createMockService');
  return own;
}

/** Everything that changes while a service runs, saved and restored together. */
export function createSnapshots(context: ServiceContext): {
  snapshot: () => Snapshot;
  restore: (snapshot: Snapshot) => void;
} {
  const { stores, clock, random, registry, limiter, faults, overrides, journal, conduct } = context;
  const save = () => ({
    stores: stores.save(),
    clock: clock.save(),
    random: random.state,
    registry: registry.save(),
    limiter: limiter.save(),
    faults: faults.save(),
    overrides: overrides.save(),
    journal: journal.save(),
    conduct: conduct.save(),
  });
  const states = new WeakMap<Snapshot, ReturnType<typeof save>>();
  return {
    snapshot() {
      const snapshot: Snapshot = Object.freeze({ at: clock.now() });
      states.set(snapshot, save());
      return snapshot;
    },
    restore(snapshot) {
      const state = states.get(snapshot);
      if (!state) throw new TypeError('restore() takes a snapshot of the same service');
      stores.load(state.stores);
      clock.load(state.clock);
      random.state = state.random;
      registry.load(state.registry);
      limiter.load(state.limiter);
      faults.load(state.faults);
      overrides.load(state.overrides);
      journal.load(state.journal);
      conduct.load(state.conduct);
    },
  };
}

/** The latency of a request, ms; or a problem where the given function returns no valid latency. */
export function latencyOf(
  { latency, random }: ServiceContext,
  { method, path }: ServiceRequest,
): number | Problem {
  if (typeof latency === 'number') return latency;
  if (typeof latency !== 'function') return latency[0] + random.next() * (latency[1] - latency[0]);
  const failed = (why: string) =>
    new Problem('mockDefect', 500, 'The mock failed, not the service.', `latency() ${why}`);
  try {
    const ms: unknown = latency({ method, path });
    return typeof ms === 'number' && ms >= 0 && ms <= longestDuration
      ? ms
      : failed(`must return ms from 0 to 100 years, returned ${describeValue(ms)}`);
  } catch (error) {
    return failed(`threw ${String(error)}`);
  }
}
