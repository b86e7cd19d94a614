// @ts-nocheck
import type { PetStatus } from './contract/schemas.js';

/** The type of ids: `'number'` (an id that a number cannot represent exactly is an error), or `'bigint'` (exact over the whole int64 range). */
export type Int64Mode = 'number' | 'bigint';
/** The type of an id, by mode. */
export type Int64<Mode extends Int64Mode = 'number'> = Int64Types[Mode];

// A lookup, because with a conditional type TypeScript would accept a pet of either mode as a pet of numbers.
interface Int64Types {
  readonly number: number;
  readonly bigint: bigint;
}

/**
 * A pet in a response of the service. Fields that the contract does not know are kept on the object.
 * Service interface: "Pet (response representation)".
 */
export interface Pet<Mode extends Int64Mode = 'number'> extends Omit<
  NewPet,
  'categoryId' | 'status'
> {
  /** Unique identifier, assigned by the service. */
  id: Int64<Mode>;
  /** Identifier of the category that the animal belongs to. */
  categoryId: Int64<Mode>;
  /** One of {@link PetStatus}, or another string that a newer service may send. */
  status?: PetStatus | (string & {}) | undefined;
}

/** Body of `createPet`. Service interface: "NewPet (request body for creation)". */
export interface NewPet {
  /** The animal's name. No bound on its length is published. */
  name: string;
  /** Identifier of the category: an int64, as a safe integer or a bigint. */
  categoryId: number | bigint;
  /** `available`, `pending` or `sold`; the value that the service assigns if it is absent is not published. */
  status?: PetStatus | undefined;
}

/** Query of `listPets`. Service interface: "List animals". */
export interface ListPetsQuery {
  /** Maximum number of pets, 1 to 100. The service uses 20 if it is absent. */
  limit?: number | undefined;
  /** Only pets with this status. */
  status?: PetStatus | undefined;
}
