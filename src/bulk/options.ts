import type { Given, Rows } from '../options/check.js';
import * as must from '../options/check.js';
import type { BulkJournal } from './journal/journal.js';
import type { BulkProgress, BulkResolution, FailedRow } from './report.js';

/** Options of {@link createPets}; all have defaults. */
export interface BulkOptions {
  /**
   * Records each row, so that the next run can continue: the path of a file, or a {@link BulkJournal} of your own.
   * Default: none, so that after a crash nothing shows which rows were sent.
   *
   * The file is created if it does not exist; its folder must exist. It is an SQLite file, so that Node 22.13 or newer is needed, or Deno. Only one run
   * at a time can use it, also through a symbolic link, in another thread or process. An empty file stays beside it: `<path>-lock`.
   * An entry `sending` is on the disk before its row is sent. A damaged file is refused. A run cannot recognize an older
   * copy of the file, from a backup for example, and sends again the rows that were sent since.
   */
  readonly journal?: string | BulkJournal | undefined;
  /**
   * How to resolve rows whose outcome is unknown: their pets may exist. Default: they are reported, and never sent again.
   *
   * - `'look'`: when all other rows are done, the run looks for the pets of all such rows, by their ids: it fetches the ids that lie between
   *   the known ones, and ten on both sides, with one request each, 200 at most, and compares name, category and status. A pet that is
   *   found is a strong sign, not a proof: another program may have added an equal one. A pet that is not found may still exist:
   *   that ids are assigned one after another is an assumption. Needs the endpoint `GET /pets/{petId}`, which will be removed on 2030-12-05.
   * - a function: called before the first request for each row that an earlier run left unknown, in the order of the rows. What it
   *   returns is recorded in the journal. An error that it throws ends the run before anything is sent.
   */
  readonly unknown?:
    'look' | ((row: FailedRow) => BulkResolution | Promise<BulkResolution>) | undefined;
  /** Requests in flight at the same time, 1 to 100. The rate-limit gate of the client decides how fast they are sent. Default: 4. */
  readonly concurrency?: number | undefined;
  /** Waits when the quota is exhausted for longer than the client's `maxHold`: for the next day, or for the end of a ban. Default: `false`, the run ends with a report. */
  readonly acrossDays?: boolean | undefined;
  /**
   * Sends although the journal says that the quota is exhausted until later: after a change of the key or the plan, or if the service
   * has a clock of its own. A request that comes too early may lead to a ban of the key. Default: `false`.
   */
  readonly ignoreHold?: boolean | undefined;
  /** Called at the start, after each row, and when a wait begins and ends, and not awaited. An error that it throws or rejects with ends the run, and is `stopped.error` of its report. */
  readonly onProgress?: ((progress: BulkProgress) => void) | undefined;
  /**
   * Ends the run when aborted: no further row is sent. The run waits for the requests in flight, so that no outcome is lost. While a stream of
   * rows is read, or the function `unknown` is asked, nothing was sent yet: then `createPets` rejects with the reason of the signal.
   */
  readonly signal?: AbortSignal | undefined;
}

const [aJournal, isJournal] = must.objectWith('a BulkJournal', 'read', 'write');

/** Each option: what it must be, and its test. */
const rows: Rows<BulkOptions> = {
  journal: [
    `the path of a file, or ${aJournal}`,
    (value) =>
      typeof value === 'string' ? value.trim() !== '' && !value.includes('\0') : isJournal(value),
  ],
  unknown: ["'look' or a function", (value) => value === 'look' || typeof value === 'function'],
  concurrency: must.integer(1, 100),
  acrossDays: must.aBoolean,
  ignoreHold: must.aBoolean,
  onProgress: must.aFunction,
  signal: must.objectWith('an AbortSignal', 'addEventListener'),
};

/** The options of a run. */
export type CheckedOptions = Given<BulkOptions> & { readonly concurrency: number };

/** @throws `ConfigurationError` that names the option. */
export function checkOptions(options: unknown): CheckedOptions {
  return { concurrency: 4, ...must.check<BulkOptions>('createPets', rows, options) };
}
