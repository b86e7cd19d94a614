import { safeParse } from 'zod/v4/core';
import { strictObject } from 'zod/mini';
import { objectError, type ResponseContext } from '../contract/schema-builders.js';
import { NewPetSchema } from '../contract/schemas.js';
import { PetStoreError } from '../errors/errors.js';
import { describeIssues, toIssues, type Issue, type SchemaIssue } from '../errors/issues.js';
import { bigintsAsText } from '../errors/redact.js';
import { withoutUndefined } from '../options/check.js';
import type { Int64Mode, NewPet } from '../types.js';
import { throwIfAborted } from '../utils/abort.js';

/** A row that breaks the contract. */
export interface InvalidRow {
  /** The position of the row in the input, 0 for the first. */
  readonly index: number;
  /** The row as it was given. */
  readonly row: unknown;
  /** Each problem, with its path. */
  readonly issues: readonly Issue[];
}

/** The largest number of rows that a message names. */
const shownRows = 5;

/** Some rows break the contract, or the rows cannot be read at all. Nothing was sent. */
export class BulkValidationError extends PetStoreError {
  static override readonly kind: string = 'BulkValidationError';
  declare readonly name: 'BulkValidationError';
  /** Every row that breaks the contract, in the order of the input; empty if what was given is not a list of rows. */
  readonly rows: readonly InvalidRow[];

  constructor(problem: string, rows: readonly InvalidRow[] = []) {
    super(`createPets: ${problem}. Nothing was sent.`, { operation: 'createPet' });
    this.rows = rows;
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), rows: bigintsAsText(this.rows) };
  }
}

/**
 * A single call keeps fields that the contract does not know. A bulk run refuses them: they are mostly columns by mistake, the
 * journal does not know a row by them, and a run removes no wrong pet.
 */
const RowSchema = /* @__PURE__ */ strictObject(
  NewPetSchema.shape,
  /* @__PURE__ */ objectError('must be an object with name and categoryId'),
);

/**
 * Reads all rows, and checks each. `mode`: the client's int64 mode, if known.
 *
 * @throws {@link BulkValidationError}
 */
export async function readRows(
  rows: unknown,
  mode?: Int64Mode,
  signal?: AbortSignal,
): Promise<NewPet[]> {
  checkIterable(rows);
  // Finds the errors that the client would otherwise find row by row during the run.
  const context: ResponseContext = mode === 'number' ? { int64: mode } : {};
  const valid: NewPet[] = [];
  const invalid: InvalidRow[] = [];
  let index = 0;
  for await (const row of rows) {
    throwIfAborted(signal);
    const result = safeParse(RowSchema, row, context);
    if (!result.success) invalid.push({ index, row, issues: issuesOf(result.error.issues, row) });
    else valid.push(withoutUndefined(result.data as NewPet));
    index += 1;
  }
  if (invalid.length === 0) return valid;
  const shown = invalid
    .slice(0, shownRows)
    .map(({ index: at, issues }) => `row ${at + 1} (index ${at}): ${describeIssues(issues)}`);
  if (invalid.length > shownRows) shown.push(`and ${invalid.length - shownRows} more rows`);
  throw new BulkValidationError(
    `${invalid.length} of ${index} rows break the contract (${shown.join('; ')})`,
    invalid,
  );
}

function checkIterable(rows: unknown): asserts rows is Iterable<unknown> | AsyncIterable<unknown> {
  const isObject = typeof rows === 'object' && rows !== null;
  if (isObject && (Symbol.iterator in rows || Symbol.asyncIterator in rows)) return;
  const hint = rows instanceof Promise ? '; it is a promise: await it first' : '';
  throw new BulkValidationError(
    `rows must be an array of pets, or another iterable of them, such as a stream${hint || (isObject ? '; for one pet, pass [pet]' : '')}`,
  );
}

/** Cells of a table are texts, and an empty one is an empty text. */
function issuesOf(issues: readonly SchemaIssue[], row: unknown): Issue[] {
  return toIssues(issues).map(({ path, message }) => {
    const [field] = path;
    const value = (row as Partial<Record<string, unknown>> | null)?.[String(field)];
    let hint = '';
    if (field === 'categoryId' && typeof value === 'string')
      hint = ': convert it with Number() or BigInt()';
    if (field === 'status' && value === '') hint = ': leave it out';
    return { path, message: message + hint };
  });
}
