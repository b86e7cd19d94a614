import type { OperationName } from '../../src/contract/index.js';
import type { Assumptions } from '../assumptions/assumptions.js';
import { Problem } from '../http/problem.js';
import type { Random } from '../utils/random.js';
import { readPet, readPetId, readQuery, type Inputs, type Read } from './inputs.js';
import { makePet, type MockPet } from './pet.js';
import type { Store } from './pet-store.js';

/** The result of each operation. */
export interface Results {
  /** The pets that match, up to the limit. */
  listPets: readonly MockPet[];
  /** The pet as added. */
  createPet: MockPet;
  /** The pet. */
  getPet: MockPet;
}

/** What the service does for each operation: reads its input, and applies it to the pets, without HTTP, time and quota. */
export const handlers: {
  readonly [Name in OperationName]: {
    readonly read: (read: Read) => Inputs[Name] | Problem;
    readonly run: (
      input: Inputs[Name],
      store: Store,
      assumptions: Assumptions,
      random: Random,
    ) => Results[Name] | Problem;
  };
} = {
  listPets: {
    read: readQuery,
    run: ({ status, limit }, store, _assumptions, random) =>
      status === null ? [] : store.list(status, limit, random),
  },
  createPet: {
    read: readPet,
    run: (pet, store, assumptions, random) =>
      store.put(makePet(store.newId(random), pet, assumptions)),
  },
  getPet: {
    read: readPetId,
    run: ({ petId }, store) =>
      store.get(petId) ??
      new Problem('petNotFound', 'There is no such pet.', `no pet has the id ${petId}`),
  },
};
