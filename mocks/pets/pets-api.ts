import { canonicalInt64 } from '../../src/contract/int64.js';
import { Int64Schema, NewPetSchema, PetStatus } from '../../src/contract/index.js';
import type { Assumptions } from '../assumptions/assumptions.js';
import {
  checkOptions,
  describeValue,
  isRecord,
  meant,
  oneOf,
  type OptionRule,
} from '../utils/options.js';
import { madeUpPet, type MockPet, type PetFields, type MockPets, type SeedPet } from './pet.js';
import type { Random } from '../utils/random.js';
import type { Store } from './pet-store.js';

/** The pets of a store, as tests use them: validated as strictly as pets that arrive over HTTP. */
export function createPets(
  store: Store,
  assumptions: Assumptions,
  random: Random,
  forEnvironment: MockPets['forEnvironment'],
): MockPets {
  const add = (pet: SeedPet = {}): MockPet => {
    const complete = isRecord(pet) ? { ...madeUpFields(store.size), ...givenFields(pet) } : pet;
    check(complete);
    const id = complete.id === undefined ? store.newId(random) : canonicalInt64(complete.id);
    if (complete.id !== undefined && store.get(id))
      throw new TypeError(`The id ${id} is already in use`);
    return store.put(makePet(id, complete, assumptions));
  };
  return {
    get size() {
      return store.size;
    },
    seed(pets) {
      if (Array.isArray(pets))
        return store.transaction(() => (pets as readonly SeedPet[]).map((pet) => add(pet)));
      if (typeof pets !== 'number' || !Number.isInteger(pets) || pets < 0)
        throw new TypeError(
          `seed() takes a number of pets (0 or more) or an array of them, got ${describeValue(pets)}`,
        );
      const first = store.size;
      return store.transaction(() =>
        Array.from({ length: pets }, (_, index) =>
          store.put(makePet(store.newId(random), madeUpPet(first + index), assumptions)),
        ),
      );
    },
    add,
    get: (id) => store.get(canonicalInt64(id)),
    list(filter = {}) {
      checkOptions('pets.list', filter, filterRules);
      return store.list(filter.status, filter.limit ?? Infinity, random);
    },
    update(id, changes) {
      const pet = store.get(canonicalInt64(id));
      if (!pet) throw new TypeError(`There is no pet with the id ${id}`);
      const changed = { ...pet, ...changes };
      check(changed);
      if (canonicalInt64(changed.id) !== pet.id)
        throw new TypeError(`The id ${id} cannot be changed`);
      return store.put(makePet(pet.id, changed, assumptions));
    },
    remove: (id) => store.remove(canonicalInt64(id)),
    clear: () => store.clear(),
    forEnvironment,
  };
}

/** The fields of a pet except its id, in the order of the contract. */
const fields = Object.keys(NewPetSchema.shape) as (keyof PetFields)[];

const filterRules: Readonly<Record<'status' | 'limit', OptionRule>> = {
  status: oneOf(...Object.values(PetStatus)),
  limit: {
    takes: 'an integer of 0 or more, or Infinity',
    is: (value) => value === Infinity || (Number.isInteger(value) && value >= 0),
  },
};

/** A pet in the form that the store keeps: fields in the order of the contract, int64 in canonical form. */
export function makePet(
  id: number | bigint,
  pet: PetFields,
  { omittedStatus }: Pick<Assumptions, 'omittedStatus'>,
): MockPet {
  const made: Record<string, unknown> = { id };
  for (const field of fields) {
    const value = pet[field];
    if (value !== undefined)
      made[field] = typeof value === 'bigint' ? canonicalInt64(value) : value;
    else if (field === 'status' && omittedStatus !== 'absent') made[field] = omittedStatus;
  }
  return made as unknown as MockPet;
}

/** The values of fields that were left out: made up, except the status, which the assumptions decide. */
function madeUpFields(index: number): Partial<PetFields> {
  const { status: _, ...made } = madeUpPet(index);
  return made;
}

/** The given fields. An undefined field counts as left out. */
function givenFields(pet: SeedPet): SeedPet {
  return Object.fromEntries(Object.entries(pet).filter(([, value]) => value !== undefined));
}

const known = ['id', ...fields];

function check(pet: SeedPet): asserts pet is SeedPet & PetFields {
  const { success, error } = NewPetSchema.safeParse(pet);
  const issues = success
    ? []
    : error.issues.map(({ path, message }) => [...path, message].join(' '));
  if (success && pet.id !== undefined && !Int64Schema.safeParse(pet.id).success)
    issues.push('id must be an int64');
  const unknown = success ? Object.keys(pet).filter((name) => !known.includes(name)) : [];
  for (const name of unknown)
    issues.push(
      `it has no field ${name}; the fields are: ${known.join(', ')}${meant(name, known)}`,
    );
  if (issues.length > 0) throw new TypeError(`This is not a pet: ${issues.join('; ')}`);
}
