import type * as z from 'zod/mini';
import { NewPetSchema, PetStatus, type Environment } from '../../src/contract/index.js';
import { canonicalInt64 } from '../../src/contract/int64.js';
import type { Assumptions } from '../assumptions/assumptions.js';
import { withoutUndefined } from '../utils/options.js';

/** The fields of a pet except its id, as in the contract. An int64 beyond 2^53 - 1 is a bigint. */
export type PetFields = Readonly<z.output<z.ZodMiniObject<(typeof NewPetSchema)['shape']>>>;

/** A pet of the service. Frozen: change it with `update`. `status` is missing only with the assumption `omittedStatus: 'absent'`. */
export interface MockPet extends PetFields {
  /** Unique in its store: an int64, a bigint beyond 2^53 - 1. */
  readonly id: number | bigint;
}

/** A pet to add. The service makes up omitted fields, except `status`, which the assumption `omittedStatus` decides. */
export interface SeedPet extends Readonly<{
  [Field in keyof PetFields]?: PetFields[Field] | undefined;
}> {
  /** An id of your own. Default: the next one, which follows the largest id given so far. */
  readonly id?: number | bigint | undefined;
}

/** The pets of the service. */
export interface MockPets {
  /** The number of pets. */
  readonly size: number;
  /** Adds a number of made-up pets (always the same ones), or the given ones, all or none. @throws TypeError for a pet that breaks the contract, has a field that is not in it, or whose id is in use. */
  seed(pets: number | readonly SeedPet[]): readonly MockPet[];
  /**
   * Adds one pet. The service makes up omitted fields.
   *
   * @throws TypeError when it breaks the contract, has a field that is not in it, or its id is in use.
   * @example
   * ```ts
   * import { createMockService } from 'petstore-client/mocks';
   *
   * const { pets } = createMockService();
   * const rex = pets.add({ name: 'Rex', status: 'sold' });
   * pets.update(rex.id, { status: 'available' });
   * console.log(pets.get(rex.id)?.status, pets.remove(rex.id)); // available true
   * ```
   */
  add(pet?: SeedPet): MockPet;
  /** The pet with this id. */
  get(id: number | bigint): MockPet | undefined;
  /** Pets in the order of the assumption `listOrder`; all of them without `limit`. @throws TypeError for an invalid filter. */
  list(filter?: {
    readonly status?: PetStatus | undefined;
    readonly limit?: number | undefined;
  }): readonly MockPet[];
  /** Changes the given fields of a pet. @throws TypeError as `add`, and when there is no such pet, or when `changes` has another `id`. */
  update(id: number | bigint, changes: Omit<SeedPet, 'id'>): MockPet;
  /** Removes a pet. True if there was a pet with this id. */
  remove(id: number | bigint): boolean;
  /** Removes all pets. The ids start from the first again. */
  clear(): void;
  /**
   * The pets of one environment; `service.pets` are those of production. With the assumption `environments: 'shared'` they
   * are the same. @throws TypeError for another name.
   */
  readonly forEnvironment: (environment: Environment) => MockPets;
}

/** The names of the fields of a pet except its id, in the order of the contract. */
export const petFields: readonly string[] = /* @__PURE__ */ Object.keys(NewPetSchema.shape);

/** The fields of a pet that the contract has, in its order, int64 in canonical form. */
export function knownFields(pet: object, made: Record<string, unknown> = {}): PetFields {
  const given = pet as Readonly<Record<string, unknown>>;
  for (const field of petFields) {
    const value = given[field];
    if (value !== undefined)
      made[field] = typeof value === 'bigint' ? canonicalInt64(value) : value;
  }
  return made as unknown as PetFields;
}

/** A pet in the form that the store keeps. */
export function makePet(
  id: number | bigint,
  pet: PetFields,
  { omittedStatus }: Pick<Assumptions, 'omittedStatus'>,
): MockPet {
  const made = knownFields(pet, { id }) as Record<string, unknown>;
  if (omittedStatus !== 'absent') made['status'] ??= omittedStatus;
  return made as unknown as MockPet;
}

const names =
  'Bella Luna Charlie Milo Daisy Max Lucy Cooper Rosie Oscar Molly Leo Nala Rocky Willow Simba Poppy Teddy Hazel Archie Coco Finn Ruby Otis Pepper Felix Olive Jasper Ginger Rufus Maple Biscuit Clover Smokey Juniper Ziggy Marble Pickles Waffles Sparrow Bramble Moss Sunny Ash Misty Tiger Shadow Honey'.split(
    ' ',
  );

/** Of five pets three are available, one pending and one sold. */
const { available, pending, sold } = PetStatus;
const statuses = [available, available, pending, available, sold] as const;

/** The `index`-th made-up pet, counted from 0: always the same one. */
export function madeUpPet(index: number): { name: string; categoryId: number; status: PetStatus } {
  return {
    name: names[(index * 7) % names.length]!,
    categoryId: 1 + ((index * 3) % 5),
    status: statuses[index % 5]!,
  };
}

/**
 * A valid body for `createPet`, always the same, except for the given fields.
 *
 * @example
 * ```ts
 * import { buildNewPet } from 'petstore-client/mocks';
 *
 * console.log(buildNewPet({ status: 'sold' })); // { name: 'Bella', categoryId: 1, status: 'sold' }
 * ```
 */
export function buildNewPet<const Given extends Omit<SeedPet, 'id'>>(
  given?: Given,
): ReturnType<typeof madeUpPet> & Given {
  return { ...madeUpPet(0), ...withoutUndefined(given) } as ReturnType<typeof madeUpPet> & Given;
}

/**
 * A valid pet, as in a response of the service. The given fields replace the made-up ones. The id is 1 unless given; pets
 * of different ids differ.
 *
 * @example
 * ```ts
 * import { buildPet } from 'petstore-client/mocks';
 *
 * console.log(buildPet({ id: 2, status: 'sold' })); // { id: 2, name: 'Cooper', categoryId: 4, status: 'sold' }
 * ```
 */
export function buildPet<const Given extends SeedPet>(
  given?: Given,
): { id: number } & ReturnType<typeof madeUpPet> & Given {
  const id = given?.id ?? 1;
  const index = Number(BigInt.asUintN(31, BigInt(id) - 1n));
  const made = { id, ...madeUpPet(index), ...withoutUndefined(given) };
  return made as { id: number } & ReturnType<typeof madeUpPet> & Given;
}
