import type { Int64Mode, NewPet, Pet } from '../types.js';

/** The position of a row in the input: 0 for the first. */
interface RowPlace {
  /** The position of the row in the input, 0 for the first. */
  readonly index: number;
  /** The row as it was given. */
  readonly row: NewPet;
}

/** A row whose pet was added in this run. */
export interface CreatedRow<Mode extends Int64Mode = 'number'> extends RowPlace {
  /** The new pet. `undefined` if the service added it, but the response could not be read. */
  readonly pet: Pet<Mode> | undefined;
}

/** A row whose pet an earlier run added. */
export interface EarlierRow extends RowPlace {
  /** The id of the pet, in decimal digits. `undefined` if the response could not be read. */
  readonly id: string | undefined;
}

/** A row that was sent, and whose pet was not added, or may not have been: in this run, or in an earlier one. */
export interface FailedRow extends RowPlace {
  /** The message of the error. `'interrupted'` if a run was killed while the request was in flight. */
  readonly reason: string;
}

/** Why a run ended before the last row. */
export interface BulkStop {
  /**
   * - `quota`: the quota is exhausted for longer than the client waits: a day, or a ban. With `acrossDays` the run waits instead.
   * - `aborted`: `signal` was aborted.
   * - `failure`: the service could not be reached, refused the API key or the address, or failed several times in a row; the
   *   journal could not be written; or the search for pets of unknown rows failed.
   */
  readonly reason: 'quota' | 'aborted' | 'failure';
  /** When the run can be started again, on the local clock, if that is known. */
  readonly retryAt: Date | undefined;
  /** What happened, and what to do, in one sentence. */
  readonly message: string;
  /** The error that ended the run. */
  readonly error: unknown;
}

/**
 * The result of {@link createPets}. Every row of the input is in exactly one of its lists, or counted as `unsent`;
 * `unrecorded` repeats some of `created`.
 */
export interface BulkReport<Mode extends Int64Mode = 'number'> {
  /** Rows of the input. */
  readonly total: number;
  /** Pets that were added in this run. */
  readonly created: readonly CreatedRow<Mode>[];
  /**
   * The rows of `created` whose outcome the journal could not record, because the disk was full for example. The next run treats
   * them as unknown: resolve them with {@link BulkOptions.unknown}.
   */
  readonly unrecorded: readonly CreatedRow<Mode>[];
  /** Rows that an earlier run added, with the ids of their pets. They were not sent again. */
  readonly earlier: readonly EarlierRow[];
  /** Rows whose outcome was unknown, and whose pets the search with `unknown: 'look'` found. */
  readonly found: readonly CreatedRow<Mode>[];
  /** Rows that the service refused: 400, 409, 413 or 422. */
  readonly rejected: readonly FailedRow[];
  /** Rows whose pets may exist: a person must check. No run sends them again, see {@link BulkOptions.unknown}. */
  readonly unknown: readonly FailedRow[];
  /** Rows that were not sent, or not processed. The next run with the same journal sends them. */
  readonly unsent: number;
  /** Why the run ended early; `undefined` if it reached the last row. */
  readonly stopped: BulkStop | undefined;
}

/** The progress of a run. */
export interface BulkProgress {
  /** Rows of the input. */
  readonly total: number;
  /** Rows that are done: created now or before, found, rejected, or unknown. */
  readonly done: number;
  /** Pets that were added in this run. */
  readonly created: number;
  /** Rows that the service refused. */
  readonly rejected: number;
  /** Rows whose outcome is not known. */
  readonly unknown: number;
  /** Until when nothing is sent, because the quota is exhausted or the key is banned; `undefined` otherwise. */
  readonly heldUntil: Date | undefined;
  /**
   * When the last row can be sent, calculated as by `estimateDuration`; `undefined` until the limit of the key is known. If the
   * quota of a day is too small, this assumes `acrossDays`, or a new start each day.
   */
  readonly estimatedEnd: Date | undefined;
}

/**
 * The decision of a person or a program about a row with an unknown outcome.
 *
 * - `'created'`: the pet exists. `{ created: id }` also records its id.
 * - `'unsent'`: the pet does not exist. The row is sent.
 * - `undefined`: it is still unknown.
 */
export type BulkResolution =
  'created' | 'unsent' | { readonly created: number | bigint } | undefined;
