import type { Environment } from '../../src/contract/index.js';
import type { Assumptions } from '../assumptions/assumptions.js';
import type { MockPets } from './pet.js';
import { createPets } from './pets-api.js';
import { describeValue } from '../utils/options.js';
import type { Random } from '../utils/random.js';
import { Store, type StoreObserver, type StoreState } from './pet-store.js';

/**
 * The stores of a service: one for each environment (or one for both, by the assumption `environments: 'shared'`), or
 * with `isolate: 'key'` one for each key besides, which starts with the pets of its environment.
 */
export class StoresByKey {
  /** The pets of production. */
  readonly base: MockPets;
  /** The store of each environment: of all keys, or the one that the store of each key starts as. */
  readonly shared: Readonly<Record<Environment, Store>>;
  readonly isIsolated: boolean;
  readonly #assumptions: Assumptions;
  readonly #random: Random;
  #own = new Map<string, Store>();

  constructor(assumptions: Assumptions, random: Random, isIsolated: boolean) {
    this.#assumptions = assumptions;
    this.#random = random;
    this.isIsolated = isIsolated;
    const production = new Store(assumptions, random);
    const staging =
      assumptions.environments === 'shared' ? production : new Store(assumptions, random);
    this.shared = { production, staging };
    this.base = this.#petsOf('production', undefined);
  }

  /** The store of one key, where keys are isolated. */
  storeOf(environment: Environment, key: string): Store {
    const shared = this.shared[environment];
    if (!this.isIsolated) return shared;
    const name = shared === this.shared.production ? key : `${environment} ${key}`;
    let own = this.#own.get(name);
    if (!own)
      this.#own.set(name, (own = new Store(this.#assumptions, this.#random, shared.save())));
    return own;
  }

  /** Copies the pets of production to staging. */
  copyToStaging(): void {
    const { production, staging } = this.shared;
    if (staging !== production) staging.load(production.save());
  }

  /** The id that the store of production assigns next. */
  get nextId(): number | bigint {
    return this.shared.production.nextId;
  }

  /** Sets or removes the observer of the store of production. Stores of staging and of single keys are not observed. */
  observe(observer: StoreObserver | undefined): void {
    this.shared.production.observer = observer;
  }

  save(): StoresByKeyState {
    const { production, staging } = this.shared;
    return {
      shared: production.save(),
      staging: staging.save(),
      own: new Map([...this.#own].map(([name, store]) => [name, store.save()])),
    };
  }

  load(state: StoresByKeyState): void {
    const { production, staging } = this.shared;
    production.load(state.shared);
    if (staging !== production && state.staging) staging.load(state.staging);
    this.#own = new Map(
      [...state.own].map(([name, own]) => [name, new Store(this.#assumptions, this.#random, own)]),
    );
  }

  #petsOf(environment: Environment, key: string | undefined): MockPets {
    // Looked up at each use, because `load` replaces the stores of keys.
    const storeOf = () =>
      key === undefined ? this.shared[environment] : this.storeOf(environment, key);
    storeOf(); // The store of a key starts with the pets that its environment has now.
    const pets: MockPets = createPets(storeOf, this.#assumptions, {
      forKey: (other) => (this.isIsolated ? this.#petsOf(environment, other) : pets),
      forEnvironment: (other) => this.#petsOf(checkEnvironment(other), key),
    });
    return pets;
  }
}

/** The state of all stores. */
export interface StoresByKeyState {
  /** Of production; of both environments where they are shared. */
  readonly shared: StoreState;
  /** Left out: staging stays as it is. */
  readonly staging?: StoreState;
  readonly own: ReadonlyMap<string, StoreState>;
}

function checkEnvironment(environment: unknown): Environment {
  if (environment === 'production' || environment === 'staging') return environment;
  throw new TypeError(
    `An environment is 'production' or 'staging', got ${describeValue(environment)}`,
  );
}
