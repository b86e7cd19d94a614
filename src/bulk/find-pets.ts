import { safeParse } from 'zod/v4/core';
import type { ResponseContext } from '../contract/schema-builders.js';
import { PetSchema } from '../contract/schemas.js';
import { ConfigurationError } from '../errors/errors.js';
import type { Int64Mode, NewPet, Pet } from '../types.js';
import { toText } from './journal/journal.js';
import type { CreatedRow, FailedRow } from './report.js';

/** How many ids below the lowest and above the highest known id are looked at. */
const beyond = 10n;
/** Each request uses the quota of the key. */
const maxRequests = 200;

/**
 * Looks for the pets of rows with an unknown outcome, by id: it fetches the ids that lie between the known ones, with one request
 * each, and compares the fields of the rows. Takes the rows that it finds from `rows`. At least one id must be known.
 * `get`: fetches the pet with an id, and resolves with something else if there is none.
 * `created`: rows whose pets exist under ids that are not known: a pet is first of all that of one of them.
 *
 * @throws `ConfigurationError` when more than 200 requests would be needed; nothing was sent. The errors of `get`.
 */
export async function* findPets(
  get: (id: bigint) => Promise<unknown>,
  rows: FailedRow[],
  created: { readonly row: NewPet }[],
  knownIds: ReadonlySet<bigint>,
  context: ResponseContext,
): AsyncGenerator<CreatedRow<Int64Mode>> {
  for (const id of gaps(knownIds)) {
    const pet = safeParse(PetSchema, await get(id), context).data as Pet<Int64Mode> | undefined;
    if (pet === undefined || take(created, pet) !== undefined) continue;
    const found = take(rows, pet);
    if (found !== undefined) yield { index: found.index, row: found.row, pet };
    if (rows.length === 0) return;
  }
}

/** The ids around and between the known ones. */
function gaps(knownIds: ReadonlySet<bigint>): bigint[] {
  const sorted = [...knownIds].sort((a, b) => (a < b ? -1 : 1));
  const first = sorted[0]! > beyond ? sorted[0]! - beyond : 1n;
  const size = sorted.at(-1)! + beyond + 1n - first;
  const count = size - BigInt(knownIds.size);
  if (count > maxRequests)
    throw new ConfigurationError(
      `createPets would need ${count} requests to look for pets, more than ${maxRequests}: the known ids are too far apart, so pets ` +
        'cannot be found this way: look by other means, and decide the rows with a function as the option unknown',
    );
  const all = Array.from({ length: Number(size) }, (_, at) => first + BigInt(at));
  return all.filter((id) => !knownIds.has(id));
}

/** Takes the first row from the list whose pet this may be. A field that the row does not have may have any value. */
function take<T extends { readonly row: NewPet }>(rows: T[], pet: Pet<Int64Mode>): T | undefined {
  const text = toText(pet);
  const at = rows.findIndex(({ row }) => toText({ ...pet, ...row }) === text);
  return at < 0 ? undefined : rows.splice(at, 1)[0];
}
