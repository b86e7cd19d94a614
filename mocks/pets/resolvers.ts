import type { OperationName } from '../../src/contract/index.js';
import type { Assumptions } from '../assumptions/assumptions.js';
import type { Inputs } from './inputs.js';
import type { MockPet } from './pet.js';
import { makePet } from './pets-api.js';
import { Problem } from '../http/problem.js';
import type { Random } from '../utils/random.js';
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

/** The effect of each operation on the pets, without HTTP, time and quota. */
export const resolvers: {
  readonly [Name in OperationName]: (
    input: Inputs[Name],
    store: Store,
    assumptions: Assumptions,
    random: Random,
  ) => Results[Name] | Problem;
} = {
  listPets: ({ status, limit }, store, _assumptions, random) =>
    status === null ? [] : store.list(status, limit, random),
  createPet: (pet, store, assumptions, random) =>
    store.put(makePet(store.newId(random), pet, assumptions)),
  getPet: ({ petId }, store) =>
    store.get(petId) ??
    new Problem('petNotFound', 'There is no such pet.', `no pet has the id ${petId}`),
};
