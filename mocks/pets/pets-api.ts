import * as z from 'zod/mini';
import { canonicalInt64, Int64Schema } from '../../src/contract/int64.js';
import { NewPetSchema, PetStatusSchema, type Environment } from '../../src/contract/index.js';
import type { Assumptions } from '../assumptions/assumptions.js';
import { check, checkOptions, countFrom, optional } from '../utils/check.js';
import { checkName, showValue, isRecord, within, withoutUndefined } from '../utils/options.js';
import { madeUpPet, makePet, type MockPet, type MockPets, type SeedPet } from './pet.js';
import { Random } from '../utils/random.js';
import { Store } from './pet-store.js';

/** The stores of a service: one for each environment, or one for both, by the assumption `environments: 'shared'`. */
export type Stores = Readonly<Record<Environment, Store>>;

/** Makes empty stores. */
export function createStores(assumptions: Assumptions): Stores {
  const production = new Store(assumptions);
  const isShared = assumptions.environments === 'shared';
  return { production, staging: isShared ? production : new Store(assumptions) };
}

/** Creates `service.pets`: the pets of production, with access to those of staging. */
export function createPets(stores: Stores, assumptions: Assumptions, random: Random): MockPets {
  const forEnvironment = (environment: Environment): MockPets => {
    checkName('environment', environment, Object.keys(pets));
    return pets[environment];
  };
  const of = (store: Store) => petsOf(store, assumptions, random, forEnvironment);
  const pets = { production: of(stores.production), staging: of(stores.staging) };
  return pets.production;
}

/** A pet to add, of which all but the id and the status is there. */
export const seedSchema = z.strictObject({ id: z.optional(Int64Schema), ...NewPetSchema.shape });
const filterSchema = optional({ status: PetStatusSchema, limit: countFrom(0) });
const idOf = (id: number | bigint) => canonicalInt64(check(Int64Schema, id, 'id'));

/** The pets of a store, as tests use them: validated as strictly as pets that arrive over HTTP. */
function petsOf(
  store: Store,
  assumptions: Assumptions,
  random: Random,
  forEnvironment: MockPets['forEnvironment'],
): MockPets {
  const add = (pet: SeedPet = {}): MockPet => {
    const { status: _, ...madeUp } = madeUpPet(store.size);
    const complete = isRecord(pet) ? { ...madeUp, ...withoutUndefined(pet) } : pet;
    const { id: own, ...fields } = check(seedSchema, complete, 'pet');
    const id = own === undefined ? undefined : canonicalInt64(own);
    if (id !== undefined && store.get(id)) throw new TypeError(`The id ${id} is already in use`);
    return store.put(makePet(id ?? store.newId(random), fields, assumptions));
  };
  return {
    get size() {
      return store.size;
    },
    seed(pets) {
      if (Array.isArray(pets)) {
        const before = store.save();
        try {
          return pets.map((pet: SeedPet, at) => within(`seed[${at}]`, () => add(pet)));
        } catch (error) {
          store.load(before);
          throw error;
        }
      }
      if (typeof pets !== 'number' || !Number.isInteger(pets) || pets < 0)
        throw new TypeError(
          `seed() takes a number of pets (0 or more) or an array of them, got ${showValue(pets)}`,
        );
      return Array.from({ length: pets }, () =>
        store.put(makePet(store.newId(random), madeUpPet(store.size), assumptions)),
      );
    },
    add,
    get: (id) => store.get(idOf(id)),
    list(filter = {}) {
      checkOptions('pets.list', filterSchema, filter);
      // Random numbers of its own: a look at the pets leaves those of the requests as they are.
      return store.list(filter.status, filter.limit ?? Infinity, new Random(random.state));
    },
    update(id, changes) {
      const pet = store.get(idOf(id));
      if (!pet) throw new TypeError(`There is no pet with the id ${id}`);
      const given = isRecord(changes) ? { ...pet, ...withoutUndefined(changes) } : changes;
      const changed = check(seedSchema, given, 'pet');
      if (canonicalInt64(changed.id!) !== pet.id)
        throw new TypeError(`The id ${id} cannot be changed`);
      return store.put(makePet(pet.id, changed, { omittedStatus: 'absent' }));
    },
    remove: (id) => store.remove(idOf(id)),
    clear: () => store.clear(),
    forEnvironment,
  };
}
