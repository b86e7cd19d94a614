import type { WindowKind } from '../../mocks/assumptions/assumptions.js';
import type { Fault } from '../../mocks/index.js';
import type { Priority } from '../../src/index.js';
import type { Span } from './fleet-process.js';
import { fc } from './fuzz.js';

/** What an arbitrary makes. */
type Made<Arbitrary> = Arbitrary extends fc.Arbitrary<infer T> ? T : never;
export type Burst = Made<typeof burst>;
export type RunPlan = Made<typeof eventful>;

const moment = fc.integer({ min: 0, max: 150_000 });
const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
const span = (most: number): fc.Arbitrary<Span> =>
  fc.tuple(moment, fc.integer({ min: 100, max: most })).map(([at, ms]) => [at, at + ms] as const);

/** Calls that a process makes at one moment. */
const burst = fc.record({
  at: moment,
  calls: fc.integer({ min: 1, max: 30 }),
  priority: fc.constantFrom<Priority[]>('normal', 'normal', 'high'),
  maxWait: rarely(fc.constantFrom(0, 500, 20_000, 90_000)),
  maxHold: rarely(fc.constantFrom(0, 5_000, 30_000)),
  /** ms after which the calls are aborted. */
  abortAfter: rarely(fc.integer({ min: 0, max: 70_000 })),
  /** Through a client with options of its own; with headers of a function; with one that throws. */
  through: fc.constantFrom(
    'client',
    'client',
    'client',
    'withOptions',
    'headers',
    'broken headers',
  ),
});

/** What one process does. Times are ms since the run began. */
const processPlan = fc.record({
  joinsAt: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 90_000 })),
  bursts: fc.array(burst, { minLength: 1, maxLength: 4 }),
  stops: fc.array(span(90_000), { maxLength: 1 }),
  diesAt: rarely(moment),
  /** When it closes its gate; what it does afterwards lets it join again. */
  closesAt: fc.array(moment, { maxLength: 2 }),
  fallback: fc.constantFrom('share', 'hold'),
});

const [everybody, everywhere] = [fc.constant(undefined), { to: fc.constant(undefined) }];
/**
 * What goes wrong with the store. `late`: it answers `ms` later. `fails`: it does nothing. `forgets to answer`: it does what it is asked,
 * and never says so. `hangs`: neither. `flushed`: it loses its memory. `set`: its clock is set by `ms`. The last two at the begin of the
 * span. `to`: the only process that it happens to; `undefined`: all.
 */
const storeFault = fc.oneof(
  fc.record({
    kind: fc.constantFrom('late', 'fails', 'forgets to answer', 'hangs'),
    span: span(60_000),
    ms: fc.constantFrom(100, 400, 3_000),
    to: fc.oneof(everybody, everybody, fc.nat({ max: 4 })),
  }),
  fc.record({
    kind: fc.constantFrom('flushed', 'set'),
    span: span(100),
    ms: fc.constantFrom(-60_000, -2_000, 900),
    ...everywhere,
  }),
);

const serviceFault = fc.record({
  at: moment,
  fault: fc.constantFrom<Fault[]>(
    { status: 429, 'no-rate-limit-headers': true, times: 1 },
    { status: 429, 'retry-after': 90, times: 2 },
    { status: 429, 'retry-after': 5, times: 2 },
    { status: 500, times: 3 },
    { status: 503, 'retry-after': 3, times: 1 },
    { delay: 6_000, times: 4 },
    { 'network-error': 'before', times: 2 },
    { 'network-error': 'after', times: 2 },
    { 'no-rate-limit-headers': true, times: 5 },
  ),
});

/** A whole run: a service, a store and up to five processes. What goes wrong in it may be anything. */
const eventful = fc.record({
  window: fc.constantFrom<WindowKind[]>('fixed', 'from-first', 'sliding', 'token-bucket'),
  perMinute: fc.constantFrom(20, 60, 300),
  /** `undefined`: far more than the run needs. */
  perDay: rarely(fc.integer({ min: 20, max: 120 })),
  announcesDay: fc.boolean(),
  latency: fc.integer({ min: 10, max: 400 }),
  serviceFaults: fc.array(serviceFault, { maxLength: 6 }),
  /** Bans the key at this moment, 0 before the first call, for so long. */
  ban: rarely(fc.record({ at: fc.constantFrom(0, 40_000), ms: fc.constantFrom(30_000, 600_000) })),
  /** Whether the clocks of processes ignore the signal of a wait. */
  isDeaf: fc.boolean(),
  /** The key changes each minute, between two keys. */
  rotates: fc.boolean(),
  storeSkew: fc.constantFrom(0, -3_600_000, 600_000),
  storeLatency: fc.constantFrom(0, 4, 60),
  storeFaults: fc.array(storeFault, { maxLength: 4 }),
  processes: fc.array(processPlan, { minLength: 1, maxLength: 5 }),
});

/** Nothing goes wrong: processes join, call and close, and do so again, at any moment. */
const peaceful = eventful.map(({ processes, ...plan }): RunPlan => ({
  ...{ ...plan, rotates: false, ban: undefined, perDay: undefined },
  ...{ serviceFaults: [], storeFaults: [] },
  processes: processes.map((own) => ({ ...own, stops: [], diesAt: undefined })),
}));

export const runPlan: fc.Arbitrary<RunPlan> = fc.oneof(eventful, eventful, peaceful);
