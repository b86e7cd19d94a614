import type { Environment } from '../../src/contract/index.js';
import type { Assumptions } from '../assumptions/assumptions.js';
import type { ServiceClock } from '../clock/clock.js';
import type { Faults } from '../faults/fault-registry.js';
import type { Journal } from '../inspect/journal.js';
import type { KeyRegistry } from '../limits/key-registry.js';
import type { Overrides } from './overrides.js';
import type { Random } from '../utils/random.js';
import type { RateLimiter } from '../limits/limiter.js';
import type { EnvironmentAddresses } from '../http/route.js';
import type { Latency, MockService } from './types.js';
import type { Stores } from '../pets/stores.js';
import type { ClientGates } from '../utils/client-gates.js';
import { describeValue } from '../utils/options.js';
import type { ServiceRequest } from '../http/request.js';
import { longestDuration } from '../clock/duration.js';
import { mockDefect, type Problem } from '../http/problem.js';
import type { CompleteResponse, ResponseParts } from '../http/response.js';

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
  readonly stores: Stores;
  readonly clientGates: ClientGates;
  /** The addresses by which the environment of a request is determined. */
  readonly addresses: EnvironmentAddresses;
  /**
   * Makes the ways into a service with these parts. Kept here, because a CommonJS entry is a separate copy of the modules,
   * whose `instanceof Problem` is false for what the parts of another copy return.
   */
  readonly createEntries: (context: ServiceContext) => Pick<MockService, 'fetch' | 'handle'>;
  /** The recorded response to a request, which is sent instead of the live one; undefined when there is none. */
  readonly recorded?: (
    request: ServiceRequest,
    body: string | undefined,
  ) => ResponseParts | undefined;
}

/** A symbol of the registry, because the CommonJS entries are separate copies of this module. */
const contextSymbol = Symbol.for('petstore-client.mock-service');

/** Keeps the parts of a service for {@link contextOf}. */
export function registerContext(service: MockService, context: ServiceContext): void {
  Object.defineProperty(service, contextSymbol, { value: context });
}

/** The parts of a service. `of`: the function that was given it. @throws TypeError for anything else than a service. */
export function contextOf(service: MockService, of = 'This function'): ServiceContext {
  const own = (service as { [contextSymbol]?: ServiceContext } | null | undefined)?.[contextSymbol];
  if (!own)
    throw new TypeError(
      `${of} takes a service that createMockService made, got ${describeValue(service)}`,
    );
  return own;
}

/** Responds to a request that was read already, without a `Request`. */
export type Responder = (
  request: ServiceRequest,
  environment: Environment | undefined,
) => Promise<CompleteResponse | Response>;

const responders = new WeakMap<MockService['handle'], Responder>();

/** Keeps what `handle` does with a request that it has read, for {@link responderOf}. */
export function registerResponder(handle: MockService['handle'], own: Responder): void {
  responders.set(handle, own);
}

/** The responder behind the `handle` of a service; undefined for a function that is not of this copy of the package. */
export function responderOf(handle: MockService['handle']): Responder | undefined {
  return responders.get(handle);
}

/** The latency of a request, ms; or a problem where the given function returns no valid latency. */
export function latencyOf(
  { latency, random }: ServiceContext,
  { method, path }: ServiceRequest,
): number | Problem {
  if (typeof latency === 'number') return latency;
  if (typeof latency !== 'function') return latency[0] + random.next() * (latency[1] - latency[0]);
  const failed = (why: string, cause?: unknown) => mockDefect(`latency() ${why}`, cause);
  try {
    const ms: unknown = latency({ method, path });
    return typeof ms === 'number' && ms >= 0 && ms <= longestDuration
      ? ms
      : failed(`must return ms from 0 to 100 years, returned ${describeValue(ms)}`);
  } catch (error) {
    return failed(`threw ${String(error)}`, error);
  }
}
