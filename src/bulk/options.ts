import { plans, type PlanName, type Quota } from '../contract/rate-limits.js';
import { ConfigurationError } from '../errors/errors.js';
import type { Clock } from '../utils/clock.js';
import { quotaOf } from './estimate.js';
import type { BulkJournal } from './journal/journal.js';
import type { BulkProgress, BulkResolution, UnknownRow } from './report.js';

/** Options of {@link createPets}; all have defaults. */
export interface BulkOptions {
  /** Where the run records each row, so that the next run continues from there. Default: none; after a crash nothing is known about what was sent. */
  readonly journal?: BulkJournal | undefined;
  /**
   * Called before the first request for each row that an earlier run left unknown, in the order of the rows. What it returns is
   * recorded in the journal. An error that it throws ends the run before anything is sent. Default: they stay unknown.
   */
  readonly resolve?: ((row: UnknownRow) => BulkResolution | Promise<BulkResolution>) | undefined;
  /** Requests in flight at the same time, 1 to 100. The rate-limit gate of the client decides how fast they are sent. Default: 4. */
  readonly concurrency?: number | undefined;
  /** Waits when the quota is exhausted for longer than the client's `maxHold`: for the next day, or for the end of a ban. Default: `false`, the run ends with a report. */
  readonly acrossDays?: boolean | undefined;
  /**
   * Sends although the journal says that the quota is exhausted until later: after a change of the key or the plan, or if the service
   * has a clock of its own. A request that comes too early may lead to a ban of the key. Default: `false`.
   */
  readonly ignoreHold?: boolean | undefined;
  /** Called after each row, and when a wait begins and ends. An error that it throws ends the run. */
  readonly onProgress?: ((progress: BulkProgress) => void) | undefined;
  /** Ends the run when aborted: no further row is sent. The run waits for the requests in flight, so that no outcome is lost. */
  readonly signal?: AbortSignal | undefined;
  /** The plan of the key, for the estimate of the end. Default: read from the responses, if their limit is the limit of a published plan. */
  readonly plan?: Exclude<PlanName, 'enterprise'> | Quota | undefined;
  /** The clock that the run reads and waits on. Default: the clock of the client. */
  readonly clock?: Clock | undefined;
}

const isFunction = (value: unknown) => typeof value === 'function';
const has = (value: unknown, ...names: readonly string[]) =>
  typeof value === 'object' &&
  value !== null &&
  names.every((name) => isFunction((value as Record<string, unknown>)[name]));

/** Each option: whether a value is valid, and what it must be. */
const checks: Readonly<Record<keyof BulkOptions, readonly [(value: unknown) => boolean, string]>> =
  {
    journal: [
      (value) => has(value, 'read', 'write'),
      'a BulkJournal: an object with the functions read and write',
    ],
    concurrency: [
      (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 100,
      'an integer from 1 to 100',
    ],
    acrossDays: [(value) => typeof value === 'boolean', 'true or false'],
    ignoreHold: [(value) => typeof value === 'boolean', 'true or false'],
    onProgress: [isFunction, 'a function'],
    signal: [(value) => has(value, 'addEventListener'), 'an AbortSignal'],
    plan: [
      (value) => quotaOf(value) !== undefined,
      `${Object.keys(plans).slice(0, 3).join(', ')}, or { perMinute, perDay }`,
    ],
    resolve: [isFunction, 'a function'],
    clock: [
      (value) => has(value, 'now', 'monotonic', 'sleep'),
      'a Clock: an object with the functions now, monotonic and sleep',
    ],
  };

/** @throws `ConfigurationError` that names the option. */
export function checkOptions(options: unknown): void {
  const known = Object.keys(checks);
  const given = Object.entries(options ?? {});
  // An AbortSignal or a Map, for example, would pass for an empty object.
  if (given.length === 0 && Object.prototype.toString.call(options) !== '[object Object]')
    throw new ConfigurationError('createPets: options must be an object, such as { journal }');
  for (const [name, value] of given) {
    if (!known.includes(name))
      throw new ConfigurationError(
        `createPets has no option ${name.slice(0, 40)}; it has: ${known.join(', ')}`,
      );
    const [isValid, expected] = checks[name as keyof BulkOptions];
    if (value !== undefined && !isValid(value))
      throw new ConfigurationError(`createPets: ${name} must be ${expected}`);
  }
}
