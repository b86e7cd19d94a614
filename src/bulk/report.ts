import type { NewPet, Pet } from '../types.js';

/** A pet of a client in either mode of `int64`. */
export type AnyPet = Pet | Pet<'bigint'>;

/** The position of a row in the input: 0 for the first. */
interface RowPlace {
  /** The position of the row in the input, 0 for the first. */
  readonly index: number;
  /** The row as it was given. */
  readonly row: NewPet;
}

/** A row whose pet was added in this run. */
export interface CreatedRow extends RowPlace {
  /** The new pet. `undefined` if the service added it, but the response could not be read. */
  readonly pet: AnyPet | undefined;
}

/** A row that the service refused (400), in this run or in an earlier one. */
export interface FailedRow extends RowPlace {
  /** The reason: the message of the error. */
  readonly reason: string;
}

/** A row that was sent, but its outcome is not known: the pet may exist. No run sends it again. */
export interface UnknownRow extends RowPlace {
  /** The failure. `'interrupted'` if an earlier run was killed while the request was in flight. */
  readonly reason: string;
}

/** Why a run ended before the last row. */
export interface BulkStop {
  /**
   * - `quota`: the quota is exhausted for longer than the client waits: a day, or a ban. With `acrossDays` the run waits instead.
   * - `aborted`: `signal` was aborted.
   * - `failure`: the service could not be reached, or failed several times in a row; or the API key was refused.
   */
  readonly reason: 'quota' | 'aborted' | 'failure';
  /** When the run can be started again, if that is known. */
  readonly retryAt: Date | undefined;
  /** The error that ended the run. */
  readonly error: unknown;
}

/** What {@link createPets} resolves with. Every row of the input is in exactly one of its lists. */
export interface BulkReport {
  /** Rows of the input. */
  readonly total: number;
  /** Pets that were added in this run. */
  readonly created: readonly CreatedRow[];
  /** Rows that an earlier run added. They were not sent again. */
  readonly skipped: number;
  /** Rows that the service refused. */
  readonly rejected: readonly FailedRow[];
  /** Rows that a person must check: their pets may exist. */
  readonly unknown: readonly UnknownRow[];
  /** Rows that were not sent, or not processed. The next run with the same journal sends them. */
  readonly unsent: number;
  /** Why the run ended early; `undefined` if it reached the last row. */
  readonly stopped: BulkStop | undefined;
}

/** The progress of a run. */
export interface BulkProgress {
  /** Rows of the input. */
  readonly total: number;
  /** Rows that are done: created now or before, rejected, or unknown. */
  readonly done: number;
  /** Pets that were added in this run. */
  readonly created: number;
  /** Rows that the service refused. */
  readonly rejected: number;
  /** Rows whose outcome is not known. */
  readonly unknown: number;
  /** Until when nothing is sent, because the quota is exhausted; `undefined` while requests are sent. */
  readonly heldUntil: Date | undefined;
  /** When the last row is expected to be sent; `undefined` until the limit of the key is known. */
  readonly estimatedEnd: Date | undefined;
}
