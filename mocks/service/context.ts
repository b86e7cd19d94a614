import type { Environment } from '../../src/contract/index.js';
import { chooseAssumptions } from '../assumptions/assumptions.js';
import { createClock } from '../clock/clock.js';
import { Faults } from '../faults/fault-registry.js';
import type { ServiceRequest } from '../http/request.js';
import type { CompleteResponse } from '../http/response.js';
import { environmentAddresses } from '../http/route.js';
import { Journal } from '../inspect/journal.js';
import { Keys } from '../limits/keys.js';
import { RateLimiter } from '../limits/limiter.js';
import { createStores } from '../pets/pets-api.js';
import { describeValue } from '../utils/options.js';
import { Random } from '../utils/random.js';
import { Overrides } from './overrides.js';
import type { MockService, ReadOptions } from './types.js';

/** The parts of one service. Services share no parts. */
export type ServiceContext = Readonly<ReturnType<typeof createContext>>;

/** Makes the parts of a service. */
// The type is that of what it makes.
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types
export function createContext(options: Omit<ReadOptions, 'seed' | 'faults'>) {
  const assumptions = chooseAssumptions(options.assumptions);
  const clock = createClock(options.clock, options.now);
  const random = new Random(options.random);
  const limiter = new RateLimiter(assumptions);
  const now = () => clock.now() + assumptions.clockSkew;
  const keys = new Keys({ assumptions, limiter, now, limits: options.limits });
  for (const [key, own] of Object.entries(options.keys)) keys.add(key, own);
  return {
    assumptions,
    latency: options.latency,
    clock,
    random,
    keys,
    limiter,
    faults: new Faults(random, () => keys.names()),
    overrides: new Overrides(),
    journal: new Journal(options.journalLimit),
    stores: createStores(assumptions),
    /** The addresses at which it was reached through msw or a port. */
    origins: new Set<string>(),
    /** The addresses by which the environment of a request is determined. */
    addresses: environmentAddresses(),
  };
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
