import type { PetStoreClient } from '../client.js';
import type { PlanName, Quota } from '../contract/rate-limits.js';
import { ConfigurationError } from '../errors/errors.js';
import type { ResponsePromise } from '../http/response-promise.js';
import type { Int64Mode, NewPet } from '../types.js';
import { systemClock, type Clock } from '../utils/clock.js';
import { BulkRun, type SentPet } from './run.js';
import { memoryJournal, rowNames, type BulkJournal } from './journal.js';
import type { AnyPet, BulkProgress, BulkReport } from './report.js';
import { readRows } from './validate.js';

/** Options of {@link createPets}; all have defaults. */
export interface BulkOptions {
  /** Where the run records each row, so that the next run continues from there. Default: none; after a crash nothing is known about what was sent. */
  readonly journal?: BulkJournal | undefined;
  /** Requests in flight at the same time, 1 to 100. The rate-limit gate of the client decides how fast they are sent. Default: 4. */
  readonly concurrency?: number | undefined;
  /** Waits when the quota is exhausted for longer than the client's `maxHold`: for the next day, or for the end of a ban. Default: `false`, the run ends with a report. */
  readonly acrossDays?: boolean | undefined;
  /** Called after each row, and when a wait begins and ends. An error that it throws ends the run. */
  readonly onProgress?: ((progress: BulkProgress) => void) | undefined;
  /** Ends the run when aborted: no further row is sent. The run waits for the requests in flight, so that no outcome is lost. */
  readonly signal?: AbortSignal | undefined;
  /** The plan of the key, for the estimate of the end. Default: read from the responses, if their limit is the limit of a published plan. */
  readonly plan?: Exclude<PlanName, 'enterprise'> | Quota | undefined;
  /** The clock that the run reads and waits on. If the client has the option `clock`, pass the same clock. Default: the system's clock. */
  readonly clock?: Clock | undefined;
}

const known = ['journal', 'concurrency', 'acrossDays', 'onProgress', 'signal', 'plan', 'clock'];

/**
 * Adds many pets. Every row is validated before the first request, so that a wrong row costs nothing. Requests wait for the rate
 * limit. With a {@link BulkOptions.journal}, a run that was interrupted, even killed, is started again with the same
 * rows: no row is sent twice, and rows whose outcome is unknown are listed for a person. Service interface: "Add an animal".
 *
 * A row is known by its content, not by its place: rows may be sorted, added and removed between two runs. Equal rows are
 * numbered, since each of them is a pet of its own.
 *
 * The run ends early, with {@link BulkReport.stopped}, when the quota of the day is exhausted, the API key is refused, the service
 * cannot be reached, or three requests in a row have an unknown outcome.
 *
 * @param client - a client, or anything with its `createPet`.
 * @param rows - the pets to add: an array, a generator, a stream of rows. All of them are held in memory.
 * @param options - see {@link BulkOptions}.
 * @returns what happened to each row.
 * @throws {@link BulkValidationError} when rows break the contract; nothing was sent.
 * @throws `ConfigurationError` when an option is wrong, or the journal cannot be used.
 *
 * @example
 * ```ts
 * import { PetStoreClient } from 'petstore-client';
 * import { createPets } from 'petstore-client/bulk';
 * import { createMockService } from 'petstore-client/mocks';
 *
 * const client = new PetStoreClient({ apiKey: 'mock-free', fetch: createMockService().fetch });
 * const rows = [{ name: 'Rex', categoryId: 1 }, { name: 'Bella', categoryId: 2 }];
 * const report = await createPets(client, rows, {
 *   onProgress: ({ done, total }) => console.log(`${done} of ${total}`),
 * });
 * console.log(report.created.length, report.stopped); // 2 undefined
 * ```
 */
export async function createPets<Mode extends Int64Mode = 'number'>(
  client: Pick<PetStoreClient<Mode>, 'createPet'>,
  rows: Iterable<NewPet> | AsyncIterable<NewPet>,
  options: BulkOptions = {},
): Promise<BulkReport> {
  const { concurrency = 4 } = options;
  checkOptions(options, concurrency);
  const valid = await readRows(rows);
  const journal = options.journal ?? memoryJournal();
  const entries = await journal.read();
  try {
    const run = new BulkRun({
      createPet: (pet) => send(client, pet),
      rows: valid,
      names: rowNames(valid),
      journal,
      clock: options.clock ?? systemClock,
      acrossDays: options.acrossDays ?? false,
      onProgress: options.onProgress,
      signal: options.signal,
      plan: options.plan,
    });
    run.resume(entries);
    // Every worker ends before the journal is closed, even if one of them fails.
    const workers = await Promise.allSettled(Array.from({ length: concurrency }, () => run.work()));
    const failed = workers.find((worker) => worker.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return run.report();
  } finally {
    await journal.close?.();
  }
}

/**
 * A row waits at most this long, ms, at the gate of the client. Longer waits are made by the run itself: only there can a run be
 * ended without doubt about a row, and shown as held.
 */
const longestWaitAtGate = 1_000;

/** Sends one row. A test double of the client may return a plain promise, which has no response. */
async function send<Mode extends Int64Mode>(
  client: Pick<PetStoreClient<Mode>, 'createPet'>,
  pet: NewPet,
): Promise<SentPet> {
  const promise = client.createPet(pet, { maxWait: longestWaitAtGate }) as Partial<
    ResponsePromise<AnyPet>
  >;
  if (typeof promise.withResponse === 'function') return promise.withResponse();
  return { data: await (promise as Promise<AnyPet>), rateLimit: undefined };
}

function checkOptions(options: BulkOptions, concurrency: number): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new ConfigurationError(
      `createPets has no option ${unknown.slice(0, 40)}; it has: ${known.join(', ')}`,
    );
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > 100)
    throw new ConfigurationError('concurrency must be an integer from 1 to 100');
  const { journal } = options;
  if (
    journal !== undefined &&
    !(typeof journal.read === 'function' && typeof journal.write === 'function')
  )
    throw new ConfigurationError(
      'journal must be a BulkJournal: an object with the functions read and write',
    );
}
