/**
 * Many pets at once: {@link createPets} validates every row first, sends them within the rate limit, and keeps a journal, so
 * that an interrupted run continues where it stopped and sends nothing twice.
 *
 * | to … | see |
 * |---|---|
 * | add a list of pets | {@link createPets} |
 * | resume after a crash | {@link fileJournal}, {@link BulkJournal} |
 * | know how long it will take | {@link estimateDuration}, {@link BulkProgress} |
 *
 * @module petstore-client/bulk
 */
export { createPets, type BulkOptions } from './create-pets.js';
export { estimateDuration } from './estimate.js';
export { fileJournal } from './file-journal.js';
export { memoryJournal, type BulkJournal, type BulkState, type JournalEntry } from './journal.js';
export { BulkValidationError, type InvalidRow } from './validate.js';
export type {
  BulkProgress,
  BulkReport,
  BulkStop,
  CreatedRow,
  FailedRow,
  UnknownRow,
} from './report.js';
