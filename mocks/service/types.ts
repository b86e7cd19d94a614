/** The public shape of the in-memory service. */
import * as z from 'zod/mini';
import type { Environment, OperationName } from '../../src/contract/index.js';
import type { Assumptions, GivenAssumptions } from '../assumptions/assumptions.js';
import { durationSchema, type Duration, type Instant, type MockClock } from '../clock/duration.js';
import type { MockFaults } from '../faults/fault-registry.js';
import type { Fault } from '../faults/parse.js';
import type { RecordedRequest } from '../inspect/journal.js';
import type { KeyOptions, MockKeys } from '../limits/key-types.js';
import type { OverrideHandler, RouteHandler } from './run.js';
import type { MockPets, SeedPet } from '../pets/pet.js';
import type { ConductReport } from '../inspect/conduct-report.js';
import { callable, custom, integer, range } from '../utils/check.js';
import { isRecord } from '../utils/options.js';
import type { Snapshot } from './snapshot.js';

/** Latency on the service's clock: fixed, drawn from `[least, most]`, or returned for each request. Ms, or a text such as `'2s'`. */
export type Latency =
  | Duration
  | readonly [least: Duration, most: Duration]
  | ((request: { method: string; path: string }) => Duration);

/** The same, read as ms. */
export type ReadLatency = number | readonly [least: number, most: number] | LatencyFunction;
type LatencyFunction = Extract<Latency, (...given: never[]) => unknown>;

/** What a function of the latency may return. */
export const time: z.ZodMiniType<number, Duration> = durationSchema();
const latency = z.union([time, range(time), callable<LatencyFunction>()] as never, {
  error:
    "must be ms or a text such as '2s', from 0 to 100 years, [least, most], or a function that returns one",
}) as unknown as z.ZodMiniType<ReadLatency, Latency>;
const seed = z.union([integer(0), custom<readonly SeedPet[]>('an array of pets', Array.isArray)], {
  error: 'must be a number of pets (an integer of 0 or more) or an array of them',
});

/** The options of a service. Types, defaults, checks and messages are made from these rows. */
export const serviceOptions = {
  /**
   * `'system'` (default) reads `Date.now()` at each use, so that fake timers work. `'virtual'` does not move until it is
   * advanced, and advances by itself when all code that uses it is asleep.
   */
  clock: z._default(z.literal(['system', 'virtual']), 'system'),
  /** The time to start at: a date, an ISO text, or ms since the epoch. A virtual clock starts at 2026-01-01T00:00:00.000Z. */
  now: z.optional(custom<Instant>('a time', () => true)),
  /** The number of made-up pets, or the pets. Default: none. `reset()` restores them. */
  seed: z._default(seed, 0),
  /**
   * Latency: half of it before and half after the operation runs, so that the limiter sees the time of arrival. Ms, or a text
   * such as `'2s'`; `[least, most]` of them; or a function that returns one. Default 0. A request whose function throws, or
   * returns no length of time, is answered 501 with the code `mock_defect`.
   */
  latency: z._default(latency, 0),
  /** Points that the interface leaves open, where they differ from the defaults: see `docs/assumptions.md`. */
  assumptions: z._default(custom<GivenAssumptions>('an object of assumptions', isRecord), {}),
  /** Keys besides `mock-free`, `mock-pro`, `mock-business` and `mock-enterprise`: `{ 'my-key': { plan: 'pro' } }`. */
  keys: z._default(
    custom<Readonly<Record<string, KeyOptions>>>(
      "an object of keys: { 'my-key': { plan: 'pro' } }",
      isRecord,
    ),
    {},
  ),
  /** `'off'`: no quota is enforced. Default `'on'`. */
  limits: z._default(z.literal(['on', 'off']), 'on'),
  /** Faults that are in force from the start. */
  faults: z._default(custom<readonly Fault[]>('an array of faults', Array.isArray), []),
  /**
   * How many requests the journal keeps, 0 or more; the report is about these. Default 10,000. It keeps at most 16,777,216
   * characters of paths, queries and bodies, and, unless it is 0, always the newest request.
   */
  journalLimit: z._default(integer(0), 10_000),
  /**
   * Seed of everything random: probability, latency, nodes that disagree, `ids: 'random'`, `listOrder: 'shuffled'`.
   * An integer. Default 1.
   */
  random: z._default(z.int(), 1),
};

type Rows = typeof serviceOptions;

/**
 * Options of {@link createMockService}. All have defaults.
 *
 * @interface
 */
export type MockServiceOptions = { readonly [Name in keyof Rows]?: z.input<Rows[Name]> };

/** The same with the defaults. */
export type ReadOptions = { readonly [Name in keyof Rows]: z.output<Rows[Name]> };

/** The whole animal store service in memory: see {@link createMockService}. */
export interface MockService {
  /**
   * A `fetch` function that sends requests to the service, without a network and without changed globals. It needs no
   * `this`.
   */
  readonly fetch: typeof globalThis.fetch;
  /**
   * The whole service as a function. A broken connection is `Response.error()`. The address of the request decides the
   * environment, unless `environment` names it. `folder`: a part in front of the path, such as `/animals` where the
   * service is behind a gateway. Default: the path of the address of the environment. @throws the reason of an aborted request.
   */
  readonly handle: (
    request: Request,
    options?: {
      readonly environment?: Environment | undefined;
      readonly folder?: string | undefined;
    },
  ) => Promise<Response>;
  /** The pets. */
  readonly pets: MockPets;
  /** The keys, with their plans and used quotas. */
  readonly keys: MockKeys;
  /** The injected faults. */
  readonly faults: MockFaults;
  /** The clock of windows, bans and latency. */
  readonly clock: MockClock;
  /**
   * The journal: the newest requests, oldest first, as a copy. Records of completed requests are frozen. A request that was aborted
   * during the first half of its latency did not arrive.
   */
  readonly requests: readonly RecordedRequest[];
  /** The assumptions in force, as `docs/assumptions.md` lists them. */
  readonly assumptions: Readonly<Assumptions>;
  /** Reports how the client behaved so far; with `key`, only for that key. @throws TypeError for an unknown key. */
  report(key?: string): ConductReport;
  /**
   * Replaces the behaviour of an operation: `handler(input, next)`, where `next()` falls through to the service. The newest
   * override runs first. `times`: the number of requests that it handles (default: all until `reset()`). If a handler
   * throws, or its result breaks the contract, the response is a 501 with the code `mock_defect`, which the client does not
   * retry. The cause is printed once, and {@link ConductReport.mockDefects} counts it.
   *
   * @throws TypeError for an unknown operation or option.
   * @example
   * ```ts
   * import { PetStoreClient } from 'petstore-client';
   * import { createMockService } from 'petstore-client/mocks';
   *
   * const service = createMockService({ seed: 20 });
   * const client = new PetStoreClient({ apiKey: 'mock-free', fetch: service.fetch });
   * service.override('listPets', async (_input, next) => (await next()).slice(0, 1), { times: 1 });
   * console.log((await client.listPets()).length); // 1
   * ```
   */
  override<Name extends OperationName>(
    operation: Name,
    handler: OverrideHandler<Name>,
    options?: { times?: number | undefined },
  ): void;
  /**
   * Handles a method and path for which there is no operation, such as `GET /store/orders` or `POST /pets/{petId}/sell`: the path
   * comes after the `/v1` prefix, `{name}` is one segment. Key and quota are checked as for an operation.
   *
   * @throws TypeError when it is not a method and a path, when it is an operation, and when the path has the `/v1` prefix.
   * @example
   * ```ts
   * import { createMockService } from 'petstore-client/mocks';
   *
   * const service = createMockService();
   * service.override('GET /store/orders', ({ query }) => [{ id: 1, status: query['status'] ?? 'placed' }]);
   * const response = await service.fetch('https://api.petstore.example/v1/store/orders', {
   *   headers: { Authorization: 'Bearer mock-free' },
   * });
   * console.log(await response.json()); // [ { id: 1, status: 'placed' } ]
   * ```
   */
  override(
    route: `${string} /${string}`,
    handler: RouteHandler,
    options?: { times?: number | undefined },
  ): void;
  /**
   * The state as plain JSON, frozen: pets, ids, keys with what they have used, bans, faults, clock, random numbers. The same as
   * `GET /_mock/snapshot` of the port and the file of `petstore-mock --state`.
   *
   * @example
   * ```ts
   * import { createMockService, type Snapshot } from 'petstore-client/mocks';
   *
   * const text = JSON.stringify(createMockService({ seed: 3 }).snapshot());
   * const other = createMockService();
   * other.restore(JSON.parse(text) as Snapshot);
   * console.log(other.pets.size); // 3
   * ```
   */
  snapshot(): Snapshot;
  /**
   * Restores a state of {@link MockService.snapshot}, of this service or of any other. A virtual clock goes to the time of
   * the snapshot (`monotonic()` does not), a system clock keeps its time. Overrides, journal and report stay as they are.
   * Clients that use `service.fetch` or `service.clock`, or reached this service through msw or a port of this process,
   * start with a new rate-limit gate at their next call.
   *
   * @throws TypeError that names the part of the snapshot that is invalid; nothing is changed then.
   */
  restore(snapshot: Snapshot): void;
  /** Restores the initial state of the service, as {@link MockService.restore} does, and removes overrides, journal and report. */
  reset(): void;
}
