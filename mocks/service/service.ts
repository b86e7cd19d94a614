import { operations, pathPrefix } from '../../src/contract/index.js';
import { createClock } from '../clock/clock.js';
import type { Core } from './context.js';
import { chooseAssumptions } from '../assumptions/defaults.js';
import { Faults } from '../faults/faults.js';
import { respond } from './handle.js';
import { fromFetch, fromRequest } from '../http/request.js';
import { Journal } from '../inspect/journal.js';
import { createKeys, KeyRing, quotaOf } from '../limits/keys.js';
import { Overrides } from './overrides.js';
import { Pastures } from '../pets/stores-by-key.js';
import { Random } from '../utils/random.js';
import { newCaller, RateLimiter } from '../limits/limiter.js';
import { Conduct } from '../inspect/conduct-report.js';
import { checkServiceOptions } from './service-options.js';
import { createSnapshots } from './snapshots.js';
import type { MockService, MockServiceOptions } from './types.js';

/** A `Response` that was made by hand has no address; one of `fetch` has that of its request, without the fragment. */
function withUrl(response: Response, url: string): Response {
  const fragment = url.indexOf('#');
  return Object.defineProperty(response, 'url', { value: fragment < 0 ? url : url.slice(0, fragment), configurable: true });
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
  const { latency = 0, journalLimit = 10_000, random: seed = 1, limits = 'on', basePath = pathPrefix } = options;
  const assumed = chooseAssumptions(options.assumptions ?? {});
  const clock = createClock(options.clock ?? 'system', options.now);
  const random = new Random(seed);
  const ring = new KeyRing(assumed, limits, options.keys ?? {});
  const limiter = new RateLimiter(assumed);
  const pastures = new Pastures(assumed, random, options.isolate === 'key');
  const core: Core = {
    assumed,
    basePath: basePath.replace(/\/+$/, ''),
    latency,
    clock,
    random,
    ring,
    limiter,
    faults: new Faults(random),
    overrides: new Overrides(),
    journal: new Journal(journalLimit),
    conduct: new Conduct(),
    anonymous: newCaller('', 'custom', quotaOf(assumed.unauthorizedQuota, assumed.enterpriseQuota), limits),
    storeOf: (key) => pastures.storeOf(key),
  };
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const incoming = fromFetch(input, init);
    const response = await respond(core, incoming);
    if (response.type !== 'error') return withUrl(response, incoming.url);
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }) });
  };
  const beginScope = () => {
    const scope = Object.freeze({});
    for (const shared of [fetch, clock]) Object.defineProperty(shared, scopeSymbol, { value: scope, configurable: true });
  };
  beginScope();

  pastures.base.seed(options.seed ?? 0);
  for (const fault of options.faults ?? []) core.faults.add(fault);
  const { snapshot, restore: putBack } = createSnapshots(core, pastures);
  const restore: typeof putBack = (to) => {
    putBack(to);
    beginScope();
  };
  const start = snapshot();
  return {
    fetch,
    handle: (request) => respond(core, fromRequest(request)),
    pets: pastures.base,
    keys: createKeys(ring, limiter, assumed, () => clock.now() + assumed.clockSkew),
    faults: core.faults,
    clock,
    get requests() {
      return core.journal.requests;
    },
    assumptions: assumed,
    report: (key) => core.conduct.report(key),
    override(operation, handler, { times = Infinity } = {}) {
      if (!Object.hasOwn(operations, operation))
        throw new TypeError(`There is no operation ${operation}; there are: ${Object.keys(operations).join(', ')}`);
      core.overrides.add(operation, handler, times);
    },
    snapshot,
    restore,
    reset: () => restore(start),
  };
}
