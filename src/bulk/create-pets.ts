import type { PetStoreClient } from '../client.js';
import { ConfigurationError } from '../errors/errors.js';
import { objectWith } from '../options/check.js';
import type { Int64Mode, NewPet } from '../types.js';
import { untilAborted } from '../utils/abort.js';
import { JournalInUseError, openJournal } from './journal/file-journal.js';
import { memoryJournal, type BulkJournal } from './journal/journal.js';
import { checkOptions, type BulkOptions } from './options.js';
import type { BulkReport } from './report.js';
import { BulkRun } from './run.js';
import { readRows } from './validate.js';

/** The journals of users that runs of this process have. */
const inUse = new WeakSet<BulkJournal>();

/**
 * Adds many pets. Every row is validated before the first request, so that an invalid row costs no request. Requests wait for the rate
 * limit. With a {@link BulkOptions.journal}, you can start an interrupted run again with the same rows, even after it was
 * killed. No row is sent twice. Rows whose outcome is unknown are listed for a person, or looked for with
 * `unknown: 'look'`. Service interface: "Add an animal".
 *
 * The journal identifies a row by its content, not by its position: rows may be sorted, added and removed between two
 * runs. Equal rows are numbered, because each of them is a separate pet.
 *
 * The run ends early, with {@link BulkReport.stopped}, when the quota of the day is exhausted, the API key or the address is refused,
 * the service cannot be reached, the journal cannot be written, or three responses in a row say nothing about their pets. Requests in
 * flight are always awaited, and reported.
 *
 * @param client - a client, or anything with its `createPet`.
 * @param rows - the pets to add: an array, a generator, a stream of rows. All of them are held in memory.
 * @param options - see {@link BulkOptions}.
 * @returns what happened to each row.
 * @throws {@link BulkValidationError} when `rows` is not a list of rows, or rows break the contract, have an unknown field, or have a `categoryId`
 * that the client cannot hold without `int64: 'bigint'`; nothing was sent.
 * @throws {@link JournalInUseError} when another run uses the journal; nothing was sent.
 * @throws `ConfigurationError` when an argument or an option is wrong, or the journal cannot be used; nothing was sent.
 * @throws the error of a `journal` of your own, of a stream of rows, or of the function `unknown`, that fails before the first request; nothing was sent.
 * @throws the reason of `signal` when it is aborted while a stream of rows is read, or the function `unknown` is asked; nothing was sent.
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
  client: Pick<PetStoreClient<Mode>, 'createPet'> & Partial<PetStoreClient<Mode>>,
  rows: Iterable<NewPet> | AsyncIterable<NewPet>,
  options: BulkOptions = {},
): Promise<BulkReport<Mode>> {
  const checked = checkOptions(options);
  checkClient(client, checked.unknown);
  // A source of rows may be endless.
  const until = Symbol.asyncIterator in Object(rows) ? checked.signal : undefined;
  const valid = await untilAborted(until, (signal) => readRows(rows, client.int64, signal));
  const journal = open(checked.journal);
  const run = new BulkRun({ ...checked, client: client as never, rows: valid, journal });
  // Its pets have the id type of the client.
  return (run.run() as Promise<BulkReport<Mode>>).finally(() => inUse.delete(journal));
}

function checkClient(client: unknown, unknown: BulkOptions['unknown']): void {
  const needed = unknown === 'look' ? ['createPet', 'request'] : ['createPet'];
  const [, isClient] = objectWith('a client', ...needed);
  if (!isClient(client))
    throw new ConfigurationError(
      `createPets needs a client with ${needed.join(' and ')}: createPets(new PetStoreClient(), rows). Nothing was sent.`,
    );
}

/** The journal, which no other run has. */
function open(given: string | BulkJournal = memoryJournal()): BulkJournal {
  if (typeof given === 'string') return openJournal(given);
  if (inUse.has(given))
    throw new JournalInUseError('the journal is in use by another run: wait until it ends');
  inUse.add(given);
  return given;
}
