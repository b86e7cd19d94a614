import type { Environment } from '../../src/contract/index.js';
import type { Assumptions } from '../assumptions/assumptions.js';
import type { ServiceClock } from '../clock/clock.js';
import type { Effects, Faults } from '../faults/fault-registry.js';
import type { Journal, JournalEntry } from '../inspect/journal.js';
import type { Caller, Keys } from '../limits/keys.js';
import type { Decision } from '../limits/cool-down.js';
import type { Overrides } from './overrides.js';
import type { Random } from '../utils/random.js';
import type { CountedRequest, RateLimiter } from '../limits/limiter.js';
import type { EnvironmentAddresses, Route } from '../http/route.js';
import { time, type MockService, type ReadLatency } from './types.js';
import type { Stores } from '../pets/pets-api.js';
import type { ClientGates } from '../utils/client-gates.js';
import { describeValue } from '../utils/options.js';
import type { ServiceRequest } from '../http/request.js';
import { mockDefect, type Problem } from '../http/problem.js';
import type { CompleteResponse } from '../http/response.js';

/** The parts of one service. Services share no parts. */
export interface ServiceContext {
  readonly assumptions: Assumptions;
  readonly latency: ReadLatency;
  readonly clock: ServiceClock;
  readonly random: Random;
  readonly keys: Keys;
  readonly limiter: RateLimiter;
  readonly faults: Faults;
  readonly overrides: Overrides;
  readonly journal: Journal;
  readonly stores: Stores;
  readonly clientGates: ClientGates;
  /** The addresses by which the environment of a request is determined. */
  readonly addresses: EnvironmentAddresses;
}

/** A request that was sent, and is under way to the service. */
export interface Sent {
  readonly service: ServiceContext;
  readonly request: ServiceRequest;
  readonly environment: Environment;
  /** Its number for the limiter, and its time for the journal. */
  readonly number: number;
  readonly event: number;
  /** Its own random numbers: they do not depend on the order in which requests at the same time continue. */
  readonly random: Random;
  /** The time of one way, ms; half of the latency. */
  readonly way: number;
  /** Why the mock itself fails. */
  readonly defect: Problem | undefined;
}

/** A request that has arrived: where it leads, who sent it, whether it is refused, and the faults that hit it. */
export interface Arrived extends Sent {
  readonly now: number;
  readonly route: Route;
  readonly caller: Caller;
  readonly counted: CountedRequest;
  readonly decision: Decision;
  readonly refusal: Problem | undefined;
  readonly entry: JournalEntry;
  readonly effects: Effects | undefined;
  /** When the minute of its key ends, for a 429 of a fault. */
  readonly minuteEnd: number;
}

/** Responds to a request that was read already, without a `Request`. */
export type Responder = (
  request: ServiceRequest,
  environment: Environment | undefined,
) => Promise<CompleteResponse | Response>;

/** A symbol of the registry, because the CommonJS entries are separate copies of this module. */
const partsSymbol = Symbol.for('petstore-client.mock-service');
interface Parts {
  readonly context: ServiceContext;
  readonly respond: Responder;
}

/** Keeps the parts of a service on its `handle`, for {@link contextOf} and {@link responderOf}. */
export function registerParts(handle: MockService['handle'], parts: Parts): void {
  Object.defineProperty(handle, partsSymbol, { value: parts });
}

function partsOf(handle: unknown): Parts | undefined {
  return (handle as { [partsSymbol]?: Parts } | null | undefined)?.[partsSymbol];
}

/** The parts of a service. `of`: the function that was given it. @throws TypeError for anything else than a service. */
export function contextOf(service: MockService, of = 'This function'): ServiceContext {
  const parts = partsOf((service as Partial<MockService> | null | undefined)?.handle);
  if (!parts)
    throw new TypeError(
      `${of} takes a service that createMockService made, got ${describeValue(service)}`,
    );
  return parts.context;
}

/** The responder behind the `handle` of a service; undefined for a function that is not of this package. */
export function responderOf(handle: MockService['handle']): Responder | undefined {
  return partsOf(handle)?.respond;
}

/** The latency of a request, ms; or a problem where the given function returns no valid latency. */
export function latencyOf(
  { latency }: ServiceContext,
  { method, path }: ServiceRequest,
  random: Random,
): number | Problem {
  if (typeof latency === 'number') return latency;
  if (typeof latency !== 'function') return latency[0] + random.next() * (latency[1] - latency[0]);
  const failed = (why: string, cause?: unknown) => mockDefect(`latency() ${why}`, cause);
  try {
    const given = latency({ method, path });
    const { data } = time.safeParse(given);
    return (
      data ??
      failed(
        `must return ms or a text such as '2s', up to 100 years, returned ${describeValue(given)}`,
      )
    );
  } catch (error) {
    return failed(`threw ${String(error)}`, error);
  }
}
