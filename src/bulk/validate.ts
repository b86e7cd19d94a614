import { safeParse } from 'zod/v4/core';
import { NewPetSchema } from '../contract/schemas.js';
import { PetStoreError } from '../errors/errors.js';
import { describeIssues, toIssues, type Issue } from '../errors/issues.js';
import type { NewPet } from '../types.js';

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

/** Some rows break the contract. Nothing was sent. {@link BulkValidationError.rows} lists all of them. */
export class BulkValidationError extends PetStoreError {
  static override readonly kind: string = 'BulkValidationError';
  override readonly name: string = 'BulkValidationError';
  /** Every row that breaks the contract, in the order of the input. */
  readonly rows: readonly InvalidRow[];

  constructor(rows: readonly InvalidRow[], total: number) {
    const shown = rows
      .slice(0, shownRows)
      .map(({ index, issues }) => `row ${index}: ${describeIssues(issues)}`);
    const more = rows.length > shownRows ? `; and ${rows.length - shownRows} more rows` : '';
    super(
      `createPets: ${rows.length} of ${total} rows break the contract (${shown.join('; ')}${more}). Nothing was sent.`,
      { operation: 'createPet' },
    );
    this.rows = rows;
  }
}

/** Reads all rows, and checks each. @throws {@link BulkValidationError} */
export async function readRows(rows: Iterable<NewPet> | AsyncIterable<NewPet>): Promise<NewPet[]> {
  const valid: NewPet[] = [];
  const invalid: InvalidRow[] = [];
  let index = 0;
  for await (const row of rows) {
    const result = safeParse(NewPetSchema, row);
    if (result.success) valid.push({ ...(result.data as NewPet) });
    else invalid.push({ index, row, issues: toIssues(result.error.issues) });
    index += 1;
  }
  if (invalid.length > 0) throw new BulkValidationError(invalid, index);
  return valid;
}
