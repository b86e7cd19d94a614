import type { Assumptions } from '../../assumptions/assumptions.js';
import type { MockPet } from '../../pets/pet.js';
import { Store, type StoreState } from '../../pets/pet-store.js';
import { makePet } from '../../pets/pets-api.js';
import type { StoresByKeyState } from '../../pets/stores-by-key.js';
import type { Random } from '../../utils/random.js';
import { plainInt64, readPlainInt64 } from './schema.js';
import type { PetSnapshot, Snapshot, StoreSnapshot } from './snapshot-types.js';

/** The pets of a store as plain JSON. */
export function plainStore({ all, nextId }: StoreState): StoreSnapshot {
  return {
    nextId: plainInt64(nextId),
    pets: all.map((pet) => ({
      ...pet,
      id: plainInt64(pet.id),
      categoryId: plainInt64(pet.categoryId),
    })) as PetSnapshot[],
  };
}

/** The state of all stores. @throws TypeError for an id that occurs twice. */
export function readStores(
  { nextId, pets, staging, own = [] }: Pick<Snapshot, 'nextId' | 'pets' | 'staging' | 'own'>,
  assumptions: Assumptions,
  random: Random,
): StoresByKeyState {
  const read = (store: StoreSnapshot) => readStore(store, assumptions, random);
  const shared = read({ nextId, pets });
  return {
    shared,
    staging: staging ? read(staging) : shared,
    own: new Map(own.map(({ name, ...store }) => [name, read(store)])),
  };
}

/** The state of one store. @throws TypeError for an id that occurs twice. */
export function readStore(
  { nextId, pets }: StoreSnapshot,
  assumptions: Assumptions,
  random: Random,
): StoreState {
  const store = new Store(assumptions, random);
  for (const pet of pets) {
    const id = readPlainInt64(pet.id)!;
    if (store.get(id)) throw new TypeError(`pets: the id ${id} occurs twice`);
    store.put(
      makePet(id, { ...pet, categoryId: readPlainInt64(pet.categoryId)! } as Omit<MockPet, 'id'>, {
        omittedStatus: 'absent',
      }),
    );
  }
  return { ...store.save(), nextId: readPlainInt64(nextId)! };
}
