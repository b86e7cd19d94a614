import { clockSymbol, scopeSymbol } from '../../src/contract/handshake.js';
import { pathPrefix, type Environment } from '../../src/contract/index.js';
import { longestDuration } from '../clock/duration.js';
import { createClock } from '../clock/clock.js';
import { type ServiceContext, registerParts } from './context.js';
import { createSnapshots } from './snapshot/snapshots.js';
import { chooseAssumptions } from '../assumptions/assumptions.js';
import { warnOfUnusedClock } from './failure.js';
import { Faults } from '../faults/fault-registry.js';
import { respond } from './respond.js';
import { environmentAddresses } from '../http/route.js';
import { fromFetch, fromRequest, type ServiceRequest } from '../http/request.js';
import { toResponse } from '../http/response.js';
import { Journal } from '../inspect/journal.js';
import { KeyRegistry } from '../limits/key-registry.js';
import { createKeys } from '../limits/keys-api.js';
import { Overrides } from './overrides.js';
import { createPets, createStores } from '../pets/pets-api.js';
import { Random } from '../utils/random.js';
import { RateLimiter } from '../limits/limiter.js';
import { reportOf } from '../inspect/conduct-report.js';
import type { Snapshot } from './snapshot/schema.js';
import type { MockService, MockServiceOptions } from './types.js';
import { ClientGates } from '../utils/client-gates.js';
import {
  type OptionRule,
  checkName,
  checkOptions,
  integerFrom,
  isRecord,
  oneOf,
} from '../utils/options.js';

/**
 * Creates the whole animal store service in memory: keys with plans, quotas a minute and a day, 429s and bans, the errors of
 * the interface, faults, a virtual clock. Services share nothing, and no global is changed.
 *
 * @throws TypeError or RangeError that names the unknown option, or the option with an invalid value and what it takes.
 * @example
 * ```ts
 * import { PetStoreClient } from 'petstore-client';
 * import { createMockService } from 'petstore-client/mocks';
 *
 * const service = createMockService({ clock: 'virtual', seed: 3 });
 * const client = new PetStoreClient({ fetch: service.fetch, clock: service.clock, apiKey: 'mock-free' });
 * const pets = await client.listPets();
 * console.log(pets.length); // 3
 * ```
 */
export function createMockService(options: MockServiceOptions = {}): MockService {
  checkServiceOptions('createMockService', options);
  const context = createContext(options);
  const { assumptions, clock, random, registry, limiter, stores, ...more } = context;
  const { faults, overrides, journal, basePath } = more;
  const pets = createPets(stores, assumptions, random);
  pets.seed(options.seed ?? 0);
  stores.staging.load(stores.production.save());
  for (const fault of options.faults ?? []) faults.add(fault);
  const entries = createEntries(context);
  return {
    ...entries,
    pets,
    keys: createKeys(registry, limiter, assumptions, () => clock.now() + assumptions.clockSkew),
    faults,
    clock,
    get requests() {
      return journal.requests;
    },
    assumptions,
    report(key) {
      const isKnown = key === undefined || journal.entries.some((entry) => entry.key === key);
      if (!isKnown) checkName('key', key, registry.names());
      return reportOf(journal, key);
    },
    override(name: string, handler: unknown, options: { times?: number } = {}) {
      checkOptions('override', options, { times: timesRule });
      overrides.add(name, handler as never, options.times ?? Infinity, basePath);
    },
    ...createState(context, entries.fetch),
  };
}

/** Makes the parts of a service. */
function createContext(options: MockServiceOptions): ServiceContext {
  const { basePath = pathPrefix, limits = 'on', keys = {} } = options;
  const assumptions = chooseAssumptions(options.assumptions ?? {});
  const random = new Random(options.random ?? 1);
  const registry = new KeyRegistry(assumptions, limits, keys);
  return {
    assumptions,
    basePath: basePath.replace(/\/+$/, ''),
    latency: options.latency ?? 0,
    clock: createClock(options.clock ?? 'system', options.now),
    random,
    registry,
    limiter: new RateLimiter(assumptions),
    faults: new Faults(random, () => registry.names()),
    overrides: new Overrides(),
    journal: new Journal(options.journalLimit ?? 10_000),
    stores: createStores(assumptions),
    clientGates: new ClientGates(),
    addresses: environmentAddresses(),
  };
}

/** `snapshot`, `restore` and `reset`. After the last two, clients begin with a new rate-limit gate. */
function createState(
  context: ServiceContext,
  fetch: MockService['fetch'],
): Pick<MockService, 'snapshot' | 'restore' | 'reset'> {
  const { clock, overrides, journal, clientGates } = context;
  const { snapshot, restore } = createSnapshots(context);
  const forgetClients = () => {
    const identity = Object.freeze({});
    for (const seen of [fetch, clock])
      Object.defineProperty(seen, scopeSymbol, { value: identity, configurable: true });
    clientGates.forget();
  };
  forgetClients();
  const start = snapshot();
  const startOfClock = clock.save();
  const restoreAndForget = (to: Snapshot) => {
    restore(to);
    forgetClients();
  };
  return {
    snapshot,
    restore: restoreAndForget,
    reset() {
      restoreAndForget(start);
      clock.load(startOfClock);
      overrides.clear();
      journal.clear();
    },
  };
}

/** The two ways into a service: as a `fetch`, and as a function of a `Request`. */
function createEntries(context: ServiceContext): Pick<MockService, 'fetch' | 'handle'> {
  const answer = async (request: ServiceRequest, environment?: Environment) => {
    const response = toResponse(await respond(context, request, environment));
    if (!context.clock.isUsed) warnOfUnusedClock(context, request, response);
    return response;
  };
  const handle: MockService['handle'] = async (request, { environment, folder } = {}) => {
    context.clientGates.reachedAt(request.url);
    return answer(fromRequest(request, folder), environment);
  };
  registerParts(handle, {
    context,
    respond(request, environment) {
      context.clientGates.reachedAt(request.url);
      return respond(context, request, environment);
    },
  });
  const fetch: MockService['fetch'] = async (input, init) => {
    const request = fromFetch(input, init);
    const response = await answer(request);
    if (response.type !== 'error') return withUrl(response, request.url);
    throw new TypeError('fetch failed', {
      cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
    });
  };
  if (context.clock.kind === 'virtual')
    Object.defineProperty(fetch, clockSymbol, { value: context.clock });
  return { handle, fetch };
}

/** A `Response` that was made by hand has no address; one of `fetch` has that of its request, without the fragment. */
function withUrl(response: Response, url: string): Response {
  const fragment = url.indexOf('#');
  return Object.defineProperty(response, 'url', {
    value: fragment < 0 ? url : url.slice(0, fragment),
    configurable: true,
  });
}

const timesRule: OptionRule = {
  takes: 'an integer of 1 or more, or Infinity',
  is: (value) => value === Infinity || (Number.isInteger(value) && value >= 1),
};

const isTime = (value: unknown) =>
  typeof value === 'number' && value >= 0 && value <= longestDuration;
const isSpan = (value: unknown) =>
  Array.isArray(value) && value.length === 2 && value.every(isTime) && value[0] <= value[1];

const rules: Readonly<Record<keyof MockServiceOptions, OptionRule>> = {
  clock: oneOf('system', 'virtual'),
  now: { takes: 'a date, an ISO text or ms since the epoch', is: () => true }, // The clock reads it, and says what is wrong.
  seed: {
    takes: 'a number of pets (an integer of 0 or more) or an array of them',
    is: (value) => Array.isArray(value) || (Number.isInteger(value) && value >= 0),
  },
  latency: {
    takes: 'ms from 0 to 100 years, [least, most], or a function that returns ms',
    is: (value) => isTime(value) || isSpan(value) || typeof value === 'function',
  },
  assumptions: { takes: 'an object of assumptions', is: isRecord },
  keys: { takes: "an object of keys: { 'my-key': { plan: 'pro' } }", is: isRecord },
  limits: oneOf('on', 'off'),
  faults: { takes: 'an array of faults', is: Array.isArray },
  journalLimit: integerFrom(0),
  random: { takes: 'an integer', is: Number.isSafeInteger },
  basePath: {
    takes: "a path that begins with '/', such as '/v1'",
    is: (value) => value === '' || /^\/[^?#]*$/.test(value),
  },
};

/**
 * Checks options of the service; `more`: what `of` takes besides.
 *
 * @throws TypeError or RangeError that names the invalid option.
 */
export function checkServiceOptions(
  of: string,
  options: object,
  more: Readonly<Record<string, OptionRule>> = {},
): void {
  checkOptions(of, options, { ...rules, ...more });
}
