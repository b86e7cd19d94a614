import type { PetStoreClient } from '../client.js';
import { optional } from 'zod/mini';
import { canonicalInt64 } from '../contract/int64.js';
import { looseObject } from '../contract/schema-builders.js';
import { PetSchema, text } from '../contract/schemas.js';
import { NotFoundError } from '../errors/api-errors.js';
import { ConfigurationError } from '../errors/errors.js';
import type { Int64Mode, NewPet } from '../types.js';
import type { AnyPet, BulkReport } from './report.js';

/** Options of {@link findUnknownPets}. */
export interface FindOptions {
  /** How many ids below the lowest and above the highest known id are also looked at. Default: 10. */
  readonly beyond?: number | undefined;
  /** The largest number of requests: each uses the quota of the key. Default: 200. */
  readonly maxRequests?: number | undefined;
}

/** A pet that has the content of a row with an unknown outcome, and an id that no other row has. */
export interface FoundPet {
  /** The position of the row in the input, 0 for the first. */
  readonly index: number;
  /** The row. */
  readonly row: NewPet;
  /** The pet. */
  readonly pet: AnyPet;
}

/** A pet as a client accepts it: open to statuses that the contract does not know. */
const AnyPetSchema = /* @__PURE__ */ looseObject(
  { ...PetSchema.shape, status: /* @__PURE__ */ optional(/* @__PURE__ */ text()) },
  'must be a pet',
);

/**
 * Looks for the pets of rows with an unknown outcome, by id: it fetches the ids that lie between those of the report and that no
 * row has, with one request each, and compares name, category and status.
 *
 * A pet that is found is a strong sign, not a proof: another program may have added an equal one. A pet that is not found may still
 * exist: that ids are assigned one after another is an assumption, which the service interface does not make. The
 * endpoint `GET /pets/{petId}` will be removed on 2030-12-05.
 *
 * @param client - a client, or anything with its `getPet`.
 * @param report - of the run; without an unknown row or without any id in it, nothing is found, and nothing is sent.
 * @param options - see {@link FindOptions}.
 * @returns the pets that were found, at most one for each row.
 * @throws `ConfigurationError` when more than `maxRequests` requests would be needed, because the ids are not one after another for
 * example; nothing was sent. The errors of `getPet`, but `NotFoundError`.
 *
 * @example
 * ```ts
 * import { PetStoreClient } from 'petstore-client';
 * import { createPets, findUnknownPets, memoryJournal } from 'petstore-client/bulk';
 * import { createMockService } from 'petstore-client/mocks';
 *
 * const service = createMockService();
 * const client = new PetStoreClient({ apiKey: 'mock-free', fetch: service.fetch });
 * const rows = ['Rex', 'Bella', 'Milo'].map((name) => ({ name, categoryId: 1 }));
 * const journal = memoryJournal();
 * // The service adds the first pet, and its response is lost.
 * service.faults.add({ operation: 'createPet', 'network-error': 'after', times: 1 });
 * const report = await createPets(client, rows, { journal, concurrency: 1 });
 *
 * const found = await findUnknownPets(client, report);
 * console.log(found.map(({ row, pet }) => `${row.name} has the id ${pet.id}`)); // [ 'Rex has the id 1' ]
 * const ids = new Map(found.map(({ index, pet }) => [index, pet.id]));
 * const resolve = ({ index }: { index: number }) => ids.has(index) ? { created: ids.get(index)! } : undefined;
 * console.log((await createPets(client, rows, { journal, resolve })).unknown); // []
 * ```
 */
export async function findUnknownPets<Mode extends Int64Mode = 'number'>(
  client: Pick<PetStoreClient<Mode>, 'getPet'> &
    Partial<Pick<PetStoreClient<Mode>, 'request' | 'int64'>>,
  report: Pick<BulkReport, 'created' | 'earlier' | 'unknown'>,
  { beyond = 10, maxRequests = 200 }: FindOptions = {},
): Promise<FoundPet[]> {
  const open = [...report.unknown];
  const found: FoundPet[] = [];
  if (open.length === 0) return found;
  for (const id of openIds(report, beyond, maxRequests)) {
    if (open.length === 0) break;
    const pet = await fetchPet(client, id);
    const at = open.findIndex(({ row }) => pet !== undefined && isPetOf(row, pet));
    if (pet === undefined || at < 0) continue;
    const [{ index, row }] = open.splice(at, 1) as [(typeof open)[number]];
    found.push({ index, row, pet });
  }
  return found;
}

/** The ids around and between those of the report, without them. */
function openIds(
  { created, earlier }: Pick<BulkReport, 'created' | 'earlier'>,
  beyond: number,
  maxRequests: number,
): bigint[] {
  const known = new Set(
    [...created.map(({ pet }) => pet?.id), ...earlier.map(({ id }) => id)].flatMap((id) =>
      id === undefined ? [] : [BigInt(id)],
    ),
  );
  if (known.size === 0) return [];
  const sorted = [...known].sort((a, b) => (a < b ? -1 : 1));
  const lowest = sorted[0]! - BigInt(beyond);
  const first = lowest < 1n ? 1n : lowest;
  const last = sorted.at(-1)! + BigInt(beyond);
  const count = last - first + 1n - BigInt(known.size);
  if (count > BigInt(maxRequests))
    throw new ConfigurationError(
      `findUnknownPets would need ${count} requests, more than maxRequests (${maxRequests}): the ids of the report are too far apart. ` +
        'Where ids are not assigned one after another, pets cannot be found this way: look at the service by other means, such as its ' +
        'operator, then decide the rows with the option resolve of createPets. Nothing was sent.',
    );
  const all = Array.from({ length: Number(last - first) + 1 }, (_, at) => first + BigInt(at));
  return all.filter((id) => !known.has(id));
}

async function fetchPet<Mode extends Int64Mode>(
  client: Parameters<typeof findUnknownPets<Mode>>[0],
  id: bigint,
): Promise<AnyPet | undefined> {
  try {
    // listPets has no filter for an id. The user did not choose the deprecated getPet, so nothing warns of it here.
    if (client.request !== undefined) {
      const path = `/pets/${id}` as const;
      const pet = await client.request({ method: 'GET', path, schema: AnyPetSchema });
      const exact = client.int64 === 'bigint' ? BigInt : (value: number | bigint) => value;
      return { ...pet, id: exact(pet.id), categoryId: exact(pet.categoryId) } as AnyPet;
    }
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- as above
    return (await client.getPet(canonicalInt64(id))) as AnyPet;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

function isPetOf({ name, categoryId, status }: NewPet, pet: AnyPet): boolean {
  return (
    pet.name === name &&
    String(pet.categoryId) === String(categoryId) &&
    (status === undefined || pet.status === status)
  );
}
