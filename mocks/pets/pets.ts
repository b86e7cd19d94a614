import { canonicalInt64 } from '../../src/contract/int64.js';
import { Int64Schema, NewPetSchema } from '../../src/contract/index.js';
import type { Assumptions } from '../assumptions/assumptions.js';
import { describeValue } from '../utils/options.js';
import { madeUpPet } from './pet.js';
import type { MockPet, MockPets, SeedPet } from './pet.js';
import type { Store } from './store.js';

/** The pets of one store, for the author of a test: what is put in is checked as strictly as what comes over HTTP. */
export function createPets(
  store: Store,
  assumptions: Assumptions,
  forKey: (key: string) => MockPets,
): MockPets {
  const add = (pet: SeedPet): MockPet => {
    check(pet);
    const id = pet.id === undefined ? store.newId() : canonicalInt64(pet.id);
    if (pet.id !== undefined && store.get(id)) throw new TypeError(`The id ${id} is taken already`);
    return store.put(makePet(id, pet, assumptions));
  };
  return {
    get size() {
      return store.size;
    },
    seed(pets) {
      if (Array.isArray(pets))
        return store.transaction(() => (pets as readonly SeedPet[]).map(add));
      if (typeof pets !== 'number' || !Number.isInteger(pets) || pets < 0)
        throw new TypeError(
          `seed() takes a number of pets (0 or more) or an array of them, got ${describeValue(pets)}`,
        );
      const first = store.size;
      return store.transaction(() =>
        Array.from({ length: pets }, (_, index) =>
          store.put(makePet(store.newId(), madeUpPet(first + index), assumptions)),
        ),
      );
    },
    add,
    get: (id) => store.get(canonicalInt64(id)),
    list: ({ status, limit } = {}) => store.list(status, limit),
    update(id, changes) {
      const pet = store.get(canonicalInt64(id));
      if (!pet) throw new TypeError(`There is no pet with the id ${id}`);
      const changed = { ...pet, ...changes };
      check(changed);
      return store.put(makePet(pet.id, changed, assumptions));
    },
    remove: (id) => store.remove(canonicalInt64(id)),
    clear: () => store.clear(),
    forKey,
  };
}

/** A pet in the one form the store keeps: fields in the order of the contract, ids canonical. */
export function makePet(
  id: number | bigint,
  pet: SeedPet,
  assumptions: Pick<Assumptions, 'omittedStatus'>,
): MockPet {
  const { name, categoryId, status = assumptions.omittedStatus } = pet;
  const category = canonicalInt64(categoryId);
  return status === 'absent'
    ? { id, name, categoryId: category }
    : { id, name, categoryId: category, status };
}

function check(pet: SeedPet): void {
  const { success, error } = NewPetSchema.safeParse(pet);
  const issues = success
    ? []
    : error.issues.map(({ path, message }) => [...path, message].join(' '));
  if (success && pet.id !== undefined && !Int64Schema.safeParse(pet.id).success)
    issues.push('id must be an int64');
  if (issues.length > 0) throw new TypeError(`This is no pet: ${issues.join('; ')}`);
}
