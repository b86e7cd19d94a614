/**
 * Many pets at once: {@link createPets} validates every row first, sends them within the rate limit, and keeps a journal, so
 * that an interrupted run continues where it stopped and sends nothing twice.
 *
 * | to … | see |
 * |---|---|
 * | add a list of pets | {@link createPets} |
 * | resume after a crash | {@link fileJournal}, {@link BulkJournal} |
 * | look for pets whose outcome is unknown, and decide | {@link findUnknownPets}, {@link BulkOptions.resolve} |
 * | know how long it will take | {@link estimateDuration}, {@link BulkProgress} |
 *
 * @module petstore-client/bulk
 */
export { createPets } from './create-pets.js';
export { estimateDuration } from './estimate.js';
export { findUnknownPets, type FindOptions, type FoundPet } from './find-unknown-pets.js';
export { JournalInUseError } from './journal/file-errors.js';
export { fileJournal } from './journal/file-journal.js';
export {
  memoryJournal,
  type BulkJournal,
  type BulkState,
  type JournalEntry,
} from './journal/journal.js';
export type { BulkOptions } from './options.js';
export { BulkValidationError, type InvalidRow } from './validate.js';
export type {
  BulkProgress,
  BulkReport,
  BulkResolution,
  BulkStop,
  CreatedRow,
  EarlierRow,
  FailedRow,
  UnknownRow,
} from './report.js';
