import type { Assumptions } from '../assumptions/assumptions.js';
import type { MockPets } from './pet.js';
import { createPets } from './pets.js';
import type { Random } from '../utils/random.js';
import { Store, type StoreObserver, type StoreState } from './store.js';

/** Where the pets are: one store for all, or one of its own for each key, which starts as the store of the service. */
export class StoresByKey {
  readonly base: MockPets;
  readonly #assumed: Assumptions;
  readonly #random: Random;
  /** The store of the service: of all keys, or the one that the store of each key starts as. */
  readonly #shared: Store;
  readonly #isolated: boolean;
  #own = new Map<string, Store>();

  constructor(assumptions: Assumptions, random: Random, isolated: boolean) {
    this.#assumed = assumptions;
    this.#random = random;
    this.#isolated = isolated;
    this.#shared = new Store(assumptions, random);
    this.base = createPets(this.#shared, assumptions, (key) => this.#petsOf(key));
  }

  /** The id that the store of the service assigns next. */
  get nextId(): number | bigint {
    return this.#shared.nextId;
  }

  /** Observes the store of the service, or ends that. Stores of single keys are not observed. */
  observe(observer: StoreObserver | undefined): void {
    this.#shared.observer = observer;
  }

  /** Makes several changes to the store of the service: all of them, or none when one throws. */
  transaction<T>(change: () => T): T {
    return this.#shared.transaction(change);
  }

  storeOf(key: string): Store {
    if (!this.#isolated) return this.#shared;
    let own = this.#own.get(key);
    if (!own)
      this.#own.set(key, (own = new Store(this.#assumed, this.#random, this.#shared.save())));
    return own;
  }

  save(): StoresByKeyState {
    return {
      shared: this.#shared.save(),
      own: new Map([...this.#own].map(([key, store]) => [key, store.save()])),
    };
  }

  load({ shared, own }: StoresByKeyState): void {
    this.#shared.load(shared);
    this.#own = new Map(
      [...own].map(([key, state]) => [key, new Store(this.#assumed, this.#random, state)]),
    );
  }

  #petsOf(key: string): MockPets {
    return this.#isolated
      ? createPets(this.storeOf(key), this.#assumed, (other) => this.#petsOf(other))
      : this.base;
  }
}

/** The state of all stores. */
export interface StoresByKeyState {
  readonly shared: StoreState;
  readonly own: ReadonlyMap<string, StoreState>;
}
