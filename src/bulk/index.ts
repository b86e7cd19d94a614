/**
 * Many pets at once: {@link createPets} validates every row first, sends them within the rate limit, and keeps a journal,
 * so that an interrupted run can continue and sends nothing twice.
 *
 * | to … | see |
 * |---|---|
 * | add a list of pets | {@link createPets} |
 * | resume after a crash | {@link BulkOptions.journal} |
 * | look for pets whose outcome is unknown, or decide | {@link BulkOptions.unknown} |
 * | know how long it will take | {@link estimateDuration}, {@link BulkProgress} |
 *
 * @module petstore-client/bulk
 */
export { createPets } from './create-pets.js';
export { estimateDuration } from './estimate.js';
export { JournalInUseError } from './journal/file-journal.js';
export {
  memoryJournal,
  type BulkJournal,
  type BulkState,
  type JournalEntry,
} from './journal/journal.js';
export type { BulkOptions } from './options.js';
export { BulkValidationError, type InvalidRow } from './validate.js';
export type * from './report.js';
