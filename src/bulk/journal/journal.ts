import { isInt64 } from '../../contract/int64.js';
import { ConfigurationError } from '../../errors/errors.js';
import type { NewPet } from '../../types.js';

/**
 * The state of a row.
 *
 * - `sending`: the request is about to be sent. If nothing follows, the run was interrupted, and the outcome is unknown.
 * - `created`: the service has added the pet.
 * - `rejected`: the service refused the row (400, 409, 413 or 422). It would refuse it again.
 * - `unsent`: the request was not processed. The next run sends the row.
 * - `unknown`: the pet may exist. `reason` says what happened. No run sends the row, until {@link BulkOptions.unknown} decides.
 * - `held`: not about a row. The quota was exhausted, and `reason` is the time, in ISO 8601, before which nothing may be sent. Such a
 *   time in the past lifts an earlier one.
 */
export type BulkState = 'sending' | 'created' | 'rejected' | 'unsent' | 'unknown' | 'held';

/** One entry of a journal. The last entry of a row counts. */
export interface JournalEntry {
  /** The content of the row, and its number among rows of equal content: see {@link createPets}. Empty if the entry is not about a row. */
  readonly row: string;
  /** The state of the row. */
  readonly state: BulkState;
  /** The id of the new pet, in decimal digits, if the response could be read. */
  readonly id?: string | null | undefined;
  /** Why the service refused the row, why the outcome is unknown, or until when the key is held. */
  readonly reason?: string | null | undefined;
}

/**
 * Where {@link createPets} records what happened to each row, if not in a file: a table of a database, for example.
 *
 * @example
 * ```ts
 * import type { BulkJournal, JournalEntry } from 'petstore-client/bulk';
 *
 * const table: JournalEntry[] = [];
 * const journal: BulkJournal = {
 *   read: () => table,
 *   write: (entry) => void table.push(entry),
 * };
 * ```
 */
export interface BulkJournal {
  /** All entries so far, oldest first, each exactly as it was written. `row` must be the same text, character for character. */
  read(): Iterable<JournalEntry> | Promise<Iterable<JournalEntry>>;
  /**
   * Records one entry. An entry `sending` must be stored durably before this returns or resolves: the row is sent right after it.
   * If it cannot be stored, throw or reject: then the row is not sent, and the run ends.
   */
  write(entry: JournalEntry): void | Promise<void>;
  /** Called once, when the run ends. */
  close?(): void | Promise<void>;
}

/**
 * A journal in memory: for one run, and for tests. A second run with the same journal skips the rows that the first has added.
 *
 * @param entries - those of an earlier run.
 * @returns the journal.
 *
 * @example
 * ```ts
 * import { PetStoreClient } from 'petstore-client';
 * import { createPets, memoryJournal } from 'petstore-client/bulk';
 * import { createMockService } from 'petstore-client/mocks';
 *
 * const client = new PetStoreClient({ apiKey: 'mock-free', fetch: createMockService().fetch });
 * const journal = memoryJournal();
 * const rows = [{ name: 'Rex', categoryId: 1 }];
 * await createPets(client, rows, { journal });
 * const again = await createPets(client, rows, { journal });
 * console.log(again.created.length, again.earlier.length); // 0 1
 * ```
 */
export function memoryJournal(entries: Iterable<JournalEntry> = []): BulkJournal {
  const all = [...entries];
  return { read: () => all, write: (entry) => void all.push(entry) };
}

/** JSON in which an int64 is the same, whether it is a number or a bigint: a text. So is a bigint of any size, for which JSON has none. */
export const toText = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' || isInt64(part) ? String(part) : part,
  );

/** Names each row by its content, as JSON. Two rows with equal content are two pets, so the name of the second has a number. */
export function rowNames(rows: readonly NewPet[]): string[] {
  const seen = new Map<string, number>();
  return rows.map(({ name, categoryId, status, ...more }) => {
    // A field that the contract gets later has its name beside it: rows without it are named as in older journals.
    const first = toText([name, String(categoryId), status, ...Object.entries(more).sort().flat()]);
    const number = (seen.get(first) ?? 0) + 1;
    seen.set(first, number);
    return number === 1 ? first : `${first.slice(0, -1)},${number}]`;
  });
}

/** Refuses an entry whose row has another form than {@link rowNames} gave it: that row would be sent again. Without a row, it is empty. */
export function checkEntry({ row }: JournalEntry): void {
  // The pattern for texts with escapes in them would overflow the stack on long names.
  const withoutEscapes = String(row as unknown).replaceAll(/\\./g, '');
  // JSON of a list without a space between its parts.
  if (/^$|^\[("[^"]*"|[^\s"])+]$/.test(withoutEscapes)) return;
  throw new ConfigurationError(
    'read of the journal must give each entry as written, or rows would be sent again',
  );
}
