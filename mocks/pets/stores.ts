import type { Environment } from '../../src/contract/index.js';
import type { Assumptions } from '../assumptions/assumptions.js';
import { describeValue } from '../utils/options.js';
import type { Random } from '../utils/random.js';
import type { MockPets } from './pet.js';
import { createPets } from './pets-api.js';
import { Store } from './pet-store.js';

/** The stores of a service: one for each environment, or one for both, by the assumption `environments: 'shared'`. */
export type Stores = Readonly<Record<Environment, Store>>;

/** Makes empty stores. */
export function createStores(assumptions: Assumptions): Stores {
  const production = new Store(assumptions);
  const isShared = assumptions.environments === 'shared';
  return { production, staging: isShared ? production : new Store(assumptions) };
}

/** `service.pets`: the pets of production, from which those of staging can be had. */
export function createPetsOf(stores: Stores, assumptions: Assumptions, random: Random): MockPets {
  const forEnvironment = (environment: Environment): MockPets => pets[check(environment)];
  const of = (environment: Environment) =>
    createPets(stores[environment], assumptions, random, forEnvironment);
  const pets = { production: of('production'), staging: of('staging') };
  return pets.production;
}

function check(environment: unknown): Environment {
  if (environment === 'production' || environment === 'staging') return environment;
  throw new TypeError(
    `An environment is 'production' or 'staging', got ${describeValue(environment)}`,
  );
}
