import * as z from 'zod/mini';
import { clockSymbol, forgetGates, scopeSymbol } from '../../src/contract/handshake.js';
import { headers, type Environment } from '../../src/contract/index.js';
import { createSnapshots, type Snapshot } from './snapshot.js';
import { respond } from './respond.js';
import { fromFetch, fromRequest, type ServiceRequest } from '../http/request.js';
import { toResponse, type ServiceResponse } from '../http/response.js';
import { createPets, createStores } from '../pets/pets-api.js';
import { reportOf } from '../inspect/conduct-report.js';
import {
  serviceOptions,
  type MockService,
  type MockServiceOptions,
  type ReadOptions,
} from './types.js';
import { noteOrigin } from '../utils/client-gates.js';
import { checkName, checkService, notAService, showValue, within } from '../utils/options.js';
import { Random } from '../utils/random.js';
import { Overrides } from './run.js';
import { chooseAssumptions } from '../assumptions/assumptions.js';
import { createClock } from '../clock/clock.js';
import { Faults } from '../faults/fault-registry.js';
import { environmentAddresses, environmentOf, folderOf } from '../http/route.js';
import { filterRows, Journal } from '../inspect/journal.js';
import { Keys } from '../limits/keys.js';
import { RateLimiter } from '../limits/limiter.js';
import { checkOptions, countFrom, optional } from '../utils/check.js';

/**
 * Creates the whole animal store service in memory: keys with plans, quotas a minute and a day, 429s and bans, the errors of
 * the interface, faults, a virtual clock. Services share nothing, and no global is changed.
 *
 * @throws TypeError that names the unknown option, or the option with an invalid value and what it takes. RangeError for a `now` that is no time.
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
  if (!('structuredClone' in globalThis))
    throw new Error(
      'petstore-client/mocks needs structuredClone: under Jest with jsdom, use jest-fixed-jsdom',
    );
  const {
    seed,
    faults: given,
    ...read
  } = checkOptions('createMockService', z.strictObject(serviceOptions), options) as ReadOptions;
  const context = createContext(read);
  const { assumptions, clock, random, keys, stores, faults, overrides, journal } = context;
  const pets = createPets(stores, assumptions, random);
  pets.seed(seed);
  stores.staging.load(stores.production.save());
  for (const [at, fault] of given.entries()) within(`faults[${at}]`, () => faults.add(fault));
  const entries = createEntries(context);
  return {
    ...entries,
    pets,
    keys,
    faults,
    clock,
    get requests() {
      return journal.requests;
    },
    assumptions,
    report(key) {
      const isKnown = key === undefined || journal.entries.some((entry) => entry.key === key);
      if (!isKnown) checkName('key', key, keys.names());
      return reportOf(journal, key);
    },
    override(name: string, handler: unknown, options: { times?: number } = {}) {
      const { times = Infinity } = checkOptions('override', overrideOptions, options);
      overrides.add(name, handler as never, times);
    },
    ...createState(context, entries.fetch),
  };
}

/** The parts of one service. Services share no parts. */
export type ServiceContext = Readonly<ReturnType<typeof createContext>>;

/** Makes the parts of a service. */
function createContext(options: Omit<ReadOptions, 'seed' | 'faults'>) {
  const assumptions = chooseAssumptions(options.assumptions);
  const clock = createClock(options.clock, options.now);
  const random = new Random(options.random);
  const limiter = new RateLimiter(assumptions);
  const now = () => clock.now() + assumptions.clockSkew;
  const keys = new Keys({ assumptions, limiter, now, limits: options.limits });
  for (const [key, own] of Object.entries(options.keys))
    within(`keys.${key}`, () => keys.add(key, own));
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

/** `snapshot`, `restore` and `reset`. After the last two, clients begin with a new rate-limit gate. */
function createState(context: ServiceContext, fetch: MockService['fetch']) {
  const { clock, overrides, journal, origins } = context;
  const { snapshot, restore } = createSnapshots(context);
  const forgetClients = () => {
    const identity = Object.freeze({});
    for (const seen of [fetch, clock])
      Object.defineProperty(seen, scopeSymbol, { value: identity, configurable: true });
    forgetGates(origins);
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

/**
 * What a service keeps on its `handle`, for the other rooms: its parts, and what responds to a request that was read already. Under
 * a symbol of the registry, because the CommonJS entries are separate copies of this module.
 */
interface Inside {
  readonly context: ServiceContext;
  readonly respond: (request: ServiceRequest, environment: Environment) => Promise<ServiceResponse>;
}
const insideSymbol = Symbol.for('petstore-client.mock-service');

/** Undefined for an object around a service, or like one. */
export function insideOf(handle: MockService['handle']): Inside | undefined {
  return (handle as { [insideSymbol]?: Inside })[insideSymbol];
}

/** The parts of a service. `of`: the function that was given it. @throws TypeError for anything else than a service. */
export function contextOf(service: MockService, of = 'This function'): ServiceContext {
  checkService(of, service, 'handle');
  const inside = insideOf(service.handle);
  if (inside) return inside.context;
  throw notAService(of, service);
}

/** The two ways into a service: as a `fetch`, and as a function of a `Request`. */
function createEntries(context: ServiceContext): Pick<MockService, 'fetch' | 'handle'> {
  const { addresses } = context;
  const answer = async (
    read: ServiceRequest,
    environment = environmentOf(read.url, addresses),
    folder = folderOf(read.url, addresses[environment]),
  ) => {
    const request = { ...read, path: read.path.slice(folder.length) };
    const response = toResponse(await respond(context, request, environment));
    if (!context.clock.isUsed) warnOfUnusedClock(context, request, response);
    return response;
  };
  const handle: MockService['handle'] = async (request, options = {}) => {
    if (typeof (request as Partial<Request> | null)?.url !== 'string')
      throw new TypeError(`handle takes a Request, got ${showValue(request)}`);
    const { environment, folder } = checkOptions('handle', handleOptions, options);
    noteOrigin(context.origins, request.url);
    return answer(fromRequest(request), environment, folder);
  };
  const inside: Inside = {
    context,
    respond(request, environment) {
      noteOrigin(context.origins, request.url);
      return respond(context, request, environment);
    },
  };
  Object.defineProperty(handle, insideSymbol, { value: inside });
  const fetch: MockService['fetch'] = async (input, init) => {
    if (!input)
      throw new TypeError('fetch got no address: pass the function, as fetch: service.fetch');
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

const warned = /* @__PURE__ */ new WeakSet<ServiceContext['clock']>();

/**
 * For a service whose clock no client reads. Prints once that its quota is used up, but that its client does not wait on its virtual clock: the
 * client then waits in real time for a minute that never passes, and a test only runs into its timeout.
 */
function warnOfUnusedClock(
  { clock }: ServiceContext,
  request: Pick<ServiceRequest, 'headers'>,
  response: Response,
): void {
  if (response.status !== 429 && response.headers.get(headers.remaining) !== '0') return;
  if (!request.headers.get('user-agent')?.startsWith('petstore-client/') || warned.has(clock))
    return;
  warned.add(clock);
  console.warn(
    "petstore-client/mocks: the quota is used up, and this service has clock: 'virtual', but its client waits in real time, in which the " +
      'quota never returns: pass clock: service.clock to the client.',
  );
}

/** A `Response` that was made by hand has no address; one of `fetch` has that of its request, without the fragment. */
function withUrl(response: Response, url: string): Response {
  const value = url.replace(/#.*/, '');
  return Object.defineProperty(response, 'url', { value, configurable: true });
}

const overrideOptions = optional({ times: countFrom(1) });
const handleOptions = optional({ environment: filterRows.environment, folder: z.string() });

/**
 * The service of `setupMockServer` or `setupMockWorker`, given or new, and the options of its handlers.
 *
 * @throws TypeError for options of a new service beside one that is given.
 */
export function readSetup<Address>(
  of: string,
  options: MockServiceOptions & {
    service?: MockService | undefined;
    baseUrl?: Address | undefined;
  },
): [service: MockService, forHandlers: { baseUrl?: Address }] {
  if ('handle' in Object(options)) throw new TypeError(`${of} takes options: pass { service }`);
  const isGiven = !!(options as { service?: unknown } | null)?.service;
  const any = z.optional(z.any());
  const schema = z.strictObject({ ...(!isGiven && serviceOptions), baseUrl: any, service: any });
  checkOptions(isGiven ? `${of} with a service` : of, schema, options);
  const { service, baseUrl, ...own } = options;
  return [service ?? createMockService(own), { baseUrl } as { baseUrl?: Address }];
}
