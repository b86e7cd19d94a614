import { PetStatus } from '../../src/contract/index.js';

/** A pet as the service keeps it. An int64 beyond 2^53 - 1 is a bigint. Frozen: change it with `update`. */
export interface MockPet {
  /** Unique in its service. */
  readonly id: number | bigint;
  /** The animal's name. */
  readonly name: string;
  /** Identifier of the category. */
  readonly categoryId: number | bigint;
  /** Absent only by the assumption `omittedStatus: 'absent'`. */
  readonly status?: PetStatus;
}

/** A pet to put in: `id` is assigned, and `status` taken from the assumptions, where left out. */
export interface SeedPet {
  /** An id of your own. Default: the next one. */
  readonly id?: number | bigint | undefined;
  /** The animal's name. */
  readonly name: string;
  /** Identifier of the category. */
  readonly categoryId: number | bigint;
  /** Default: as the assumption `omittedStatus` says. */
  readonly status?: PetStatus | undefined;
}

/** The pets of the service. */
export interface MockPets {
  /** How many there are. */
  readonly size: number;
  /** Adds so many made-up pets (always the same ones), or the given ones. @throws TypeError for a pet that breaks the contract; none is added then. */
  seed(pets: number | readonly SeedPet[]): readonly MockPet[];
  /** Adds one. @throws TypeError when it breaks the contract, or its id is taken. */
  add(pet: SeedPet): MockPet;
  /** The pet with this id. */
  get(id: number | bigint): MockPet | undefined;
  /** Pets in the order of the assumption `listOrder`; all of them without `limit`. */
  list(filter?: {
    readonly status?: PetStatus | undefined;
    readonly limit?: number | undefined;
  }): readonly MockPet[];
  /** Changes a pet by the service's own hand, as no published operation does. @throws TypeError as `add`; when there is no such pet. */
  update(id: number | bigint, changes: Partial<Omit<SeedPet, 'id'>>): MockPet;
  /** Removes one, as no published operation does. True if there was a pet with this id. */
  remove(id: number | bigint): boolean;
  /** Removes all, and assigns ids from the first again. */
  clear(): void;
  /** The pets of one key, where the service was made with `isolate: 'key'`; else the same pets. */
  forKey(key: string): MockPets;
}

const names =
  'Bella Luna Charlie Milo Daisy Max Lucy Cooper Rosie Oscar Molly Leo Nala Rocky Willow Simba Poppy Teddy Hazel Archie Coco Finn Ruby Otis Pepper Felix Olive Jasper Ginger Rufus Maple Biscuit Clover Smokey Juniper Ziggy Marble Pickles Waffles Sparrow Bramble Moss Sunny Ash Misty Tiger Shadow Honey'.split(
    ' ',
  );

/** Of ten pets six are available, two pending and two sold. */
const { available, pending, sold } = PetStatus;
const statuses = [
  available,
  available,
  pending,
  available,
  sold,
  available,
  available,
  pending,
  available,
  sold,
] as const;

/** The `index`-th made-up pet, counted from 0: always the same one. */
export function madeUpPet(index: number): { name: string; categoryId: number; status: PetStatus } {
  return {
    name: names[(index * 7) % names.length]!,
    categoryId: 1 + ((index * 3) % 5),
    status: statuses[index % 10]!,
  };
}
