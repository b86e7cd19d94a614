import { operations, pathPrefix } from '../../src/contract/index.js';
import { createClock } from '../clock/clock.js';
import { type ServiceContext, createSnapshots, registerStores } from './context.js';
import { chooseAssumptions } from '../assumptions/defaults.js';
import { Faults } from '../faults/faults.js';
import { respond } from './handle.js';
import { fromFetch, fromRequest } from '../http/request.js';
import { Journal } from '../inspect/journal.js';
import { KeyRegistry, createKeys, quotaOf } from '../limits/keys.js';
import { Overrides } from './overrides.js';
import { StoresByKey } from '../pets/stores-by-key.js';
import { Random } from '../utils/random.js';
import { RateLimiter, newCaller } from '../limits/limiter.js';
import { Conduct } from '../inspect/conduct-report.js';
import type { MockService, MockServiceOptions } from './types.js';
import { type OptionRule, checkOptions, integerFrom, isRecord, oneOf } from '../utils/options.js';

/** A `Response` that was made by hand has no address; one of `fetch` has that of its request, without the fragment. */
function withUrl(response: Response, url: string): Response {
  const fragment = url.indexOf('#');
  return Object.defineProperty(response, 'url', {
    value: fragment < 0 ? url : url.slice(0, fragment),
    configurable: true,
  });
}

/** By this a client tells two services at one address apart, and one service from what it was before a reset: holds of then are over. */
const scopeSymbol = Symbol.for('petstore-client.scope');

/**
 * Makes a whole animal store service in memory: keys with plans, windows a minute and a day, 429 and bans, the errors of
 * the interface, faults, time travel. Nothing is shared between two services, and no global is touched.
 *
 * @throws TypeError or RangeError that names the option which does not exist, or which cannot have its value, and what it takes.
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
  checkServiceOptions(options);
  const {
    latency = 0,
    journalLimit = 10_000,
    random: seed = 1,
    limits = 'on',
    basePath = pathPrefix,
  } = options;
  const assumptions = chooseAssumptions(options.assumptions ?? {});
  const clock = createClock(options.clock ?? 'system', options.now);
  const random = new Random(seed);
  const registry = new KeyRegistry(assumptions, limits, options.keys ?? {});
  const limiter = new RateLimiter(assumptions);
  const stores = new StoresByKey(assumptions, random, options.isolate === 'key');
  const context: ServiceContext = {
    assumptions,
    basePath: basePath.replace(/\/+$/, ''),
    latency,
    clock,
    random,
    registry,
    limiter,
    faults: new Faults(random),
    overrides: new Overrides(),
    journal: new Journal(journalLimit),
    conduct: new Conduct(),
    anonymous: newCaller(
      '',
      'custom',
      quotaOf(assumptions.unauthorizedQuota, assumptions.enterpriseQuota),
      limits,
    ),
    storeOf: (key) => stores.storeOf(key),
  };
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const incoming = fromFetch(input, init);
    const response = await respond(context, incoming);
    if (response.type !== 'error') return withUrl(response, incoming.url);
    throw new TypeError('fetch failed', {
      cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
    });
  };
  const beginScope = () => {
    const scope = Object.freeze({});
    for (const shared of [fetch, clock])
      Object.defineProperty(shared, scopeSymbol, { value: scope, configurable: true });
  };
  beginScope();

  stores.base.seed(options.seed ?? 0);
  for (const fault of options.faults ?? []) context.faults.add(fault);
  const { snapshot, restore: putBack } = createSnapshots(context, stores);
  const restore: typeof putBack = (to) => {
    putBack(to);
    beginScope();
  };
  const start = snapshot();
  const service: MockService = {
    fetch,
    handle: (request) => respond(context, fromRequest(request)),
    pets: stores.base,
    keys: createKeys(registry, limiter, assumptions, () => clock.now() + assumptions.clockSkew),
    faults: context.faults,
    clock,
    get requests() {
      return context.journal.requests;
    },
    assumptions: assumptions,
    report: (key) => context.conduct.report(key),
    override(operation, handler, { times = Infinity } = {}) {
      if (!Object.hasOwn(operations, operation))
        throw new TypeError(
          `There is no operation ${operation}; there are: ${Object.keys(operations).join(', ')}`,
        );
      context.overrides.add(operation, handler, times);
    },
    snapshot,
    restore,
    reset: () => restore(start),
  };
  registerStores(service, stores);
  return service;
}

const isTime = (value: unknown) => typeof value === 'number' && value >= 0 && value < Infinity;
const isSpan = (value: unknown) =>
  Array.isArray(value) && value.length === 2 && value.every(isTime) && value[0] <= value[1];

const rules: Readonly<Record<keyof MockServiceOptions, OptionRule>> = {
  clock: oneOf('system', 'virtual'),
  now: { takes: 'a date, an ISO text or ms since the epoch', is: () => true }, // the clock reads it, and says what is wrong
  seed: {
    takes: 'a number of pets (an integer of 0 or more) or an array of them',
    is: (value) => Array.isArray(value) || (Number.isInteger(value) && value >= 0),
  },
  latency: {
    takes: 'ms of 0 or more, [least, most], or a function that gives ms',
    is: (value) => isTime(value) || isSpan(value) || typeof value === 'function',
  },
  assumptions: { takes: 'an object of assumptions', is: isRecord },
  keys: { takes: "an object of keys: { 'my-key': { plan: 'pro' } }", is: isRecord },
  limits: oneOf('on', 'off'),
  isolate: oneOf('key'),
  faults: { takes: 'an array of faults', is: Array.isArray },
  journalLimit: integerFrom(0),
  random: { takes: 'an integer', is: Number.isSafeInteger },
  basePath: {
    takes: "a path that begins with '/', such as '/v1'",
    is: (value) => value === '' || /^\/[^?#]*$/.test(value),
  },
};

/** @throws TypeError or RangeError that names the option of `createMockService` which cannot be. */
export function checkServiceOptions(options: MockServiceOptions): void {
  checkOptions('createMockService', options, rules);
}
