import { safeParse } from 'zod/v4/core';
import type { PetStoreClient } from '../client.js';
import type { ResponseContext } from '../contract/schema-builders.js';
import { PetSchema } from '../contract/schemas.js';
import { ConfigurationError, NotFoundError } from '../errors/errors.js';
import type { Int64Mode, NewPet, Pet } from '../types.js';
import type { CreatedRow, FailedRow } from './report.js';

/** How many ids below the lowest and above the highest known id are looked at. */
const beyond = 10n;
/** Each request uses the quota of the key. */
const maxRequests = 200;

/**
 * Looks for the pets of rows with an unknown outcome, by id: it fetches the ids that lie between the known ones, with one request
 * each, and compares name, category and status. Takes the rows that it finds from `rows`. Without a known id, nothing is looked at.
 * `created`: rows whose pets exist under ids that are not known: a pet is first of all that of one of them.
 *
 * @throws `ConfigurationError` when more than 200 requests would be needed; nothing was sent. The errors of `request`, but `NotFoundError`.
 */
export async function* findPets(
  client: Pick<PetStoreClient, 'request' | 'int64'>,
  rows: FailedRow[],
  created: { readonly row: NewPet }[],
  knownIds: ReadonlySet<bigint>,
  signal: AbortSignal | undefined,
): AsyncGenerator<CreatedRow> {
  for (const id of gaps(knownIds)) {
    const pet = await fetchPet(client, id, signal);
    if (pet === undefined || take(created, pet) !== undefined) continue;
    const found = take(rows, pet);
    if (found !== undefined) yield { index: found.index, row: found.row, pet };
    if (rows.length === 0) return;
  }
}

/** The ids around and between the known ones. */
function gaps(knownIds: ReadonlySet<bigint>): bigint[] {
  if (knownIds.size === 0) return [];
  const sorted = [...knownIds].sort((a, b) => (a < b ? -1 : 1));
  const first = sorted[0]! > beyond ? sorted[0]! - beyond : 1n;
  const size = sorted.at(-1)! + beyond + 1n - first;
  const count = size - BigInt(knownIds.size);
  if (count > maxRequests)
    throw new ConfigurationError(
      `createPets would need ${count} requests to look for pets, more than ${maxRequests}: the known ids are too far apart. ` +
        'Where ids are not assigned one after another, pets cannot be found this way: look at the service by other means, such as its ' +
        'operator, then decide the rows with a function as the option unknown',
    );
  const all = Array.from({ length: Number(size) }, (_, at) => first + BigInt(at));
  return all.filter((id) => !knownIds.has(id));
}

/**
 * The pet with this id, if there is one that can be read. `listPets` has no filter for an id, and `getPet` would warn of its removal,
 * which the user did not choose.
 */
async function fetchPet(
  client: Parameters<typeof findPets>[0],
  id: bigint,
  signal: AbortSignal | undefined,
): Promise<Pet<Int64Mode> | undefined> {
  try {
    const body = await client.request({ method: 'GET', path: `/pets/${id}` }, { signal });
    const context: ResponseContext = { int64: client.int64 };
    return safeParse(PetSchema, body, context).data as Pet<Int64Mode> | undefined;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** Takes the first row from the list whose pet this may be. */
function take<T extends { readonly row: NewPet }>(rows: T[], pet: Pet<Int64Mode>): T | undefined {
  const at = rows.findIndex(({ row }) => isPetOf(row, pet));
  return at < 0 ? undefined : rows.splice(at, 1)[0];
}

function isPetOf({ name, categoryId, status }: NewPet, pet: Pet<Int64Mode>): boolean {
  const isSame = pet.name === name && String(pet.categoryId) === String(categoryId);
  return isSame && (status === undefined || pet.status === status);
}
