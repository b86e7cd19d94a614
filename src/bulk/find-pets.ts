import { optional } from 'zod/mini';
import type { PetStoreClient } from '../client.js';
import { looseObject } from '../contract/schema-builders.js';
import { PetSchema, text } from '../contract/schemas.js';
import { NotFoundError } from '../errors/errors.js';
import { ConfigurationError } from '../errors/errors.js';
import type { Int64Mode, NewPet } from '../types.js';
import type { AnyPet, UnknownRow } from './report.js';

/** How many ids below the lowest and above the highest known id are looked at. */
const beyond = 10n;
/** Each request uses the quota of the key. */
const maxRequests = 200;

/** A pet as a client accepts it: open to statuses that the contract does not know. */
const AnyPetSchema = /* @__PURE__ */ looseObject(
  { ...PetSchema.shape, status: /* @__PURE__ */ optional(/* @__PURE__ */ text()) },
  'must be a pet',
);

/** A pet that has the content of a row with an unknown outcome, and an id that no other row has. */
export interface FoundPet {
  readonly row: UnknownRow;
  readonly pet: AnyPet;
}

/**
 * Looks for the pets of rows with an unknown outcome, by id: it fetches the ids that lie between the known ones, with one request
 * each, and compares name, category and status. Without a known id, nothing is looked at.
 *
 * @throws `ConfigurationError` when more than 200 requests would be needed; nothing was sent. The errors of `request`, but `NotFoundError`.
 */
export async function* findPets(
  client: Pick<PetStoreClient, 'request'> & { readonly int64?: Int64Mode },
  rows: readonly UnknownRow[],
  knownIds: ReadonlySet<bigint>,
  signal: AbortSignal | undefined,
): AsyncGenerator<FoundPet> {
  const open = [...rows];
  for (const id of open.length > 0 ? gaps(knownIds) : []) {
    const pet = await fetchPet(client, id, signal);
    const at = open.findIndex(({ row }) => pet !== undefined && isPetOf(row, pet));
    if (pet !== undefined && at >= 0) yield { row: open.splice(at, 1)[0]!, pet };
    if (open.length === 0) return;
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

/** `listPets` has no filter for an id, and `getPet` would warn of its removal, which the user did not choose. */
async function fetchPet(
  client: Parameters<typeof findPets>[0],
  id: bigint,
  signal: AbortSignal | undefined,
): Promise<AnyPet | undefined> {
  try {
    const path = `/pets/${id}` as const;
    const pet = await client.request({ method: 'GET', path, schema: AnyPetSchema }, { signal });
    const exact = client.int64 === 'bigint' ? BigInt : (value: number | bigint) => value;
    return { ...pet, id: exact(pet.id), categoryId: exact(pet.categoryId) } as AnyPet;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

function isPetOf({ name, categoryId, status }: NewPet, pet: AnyPet): boolean {
  const isSame = pet.name === name && String(pet.categoryId) === String(categoryId);
  return isSame && (status === undefined || pet.status === status);
}
