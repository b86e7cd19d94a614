import { INT64_MAX, type PetStatus } from '../../src/contract/index.js';
import { canonicalInt64 } from '../../src/contract/int64.js';
import type { Assumptions } from '../assumptions/assumptions.js';
import type { MockPet } from './pet.js';
import { mapValues } from '../utils/options.js';
import type { Random } from '../utils/random.js';

/** The data of a store: shared by stores and snapshots until one of them writes. */
interface Held {
  /** All pets, and those of each status, in the order of their ids. */
  readonly lists: Readonly<Record<ListName, MockPet[]>>;
  nextId: number | bigint;
}
type ListName = 'all' | PetStatus;

/** The state of a store: never written again. */
export type StoreState = Readonly<Held>;

type StoreAssumptions = Pick<Assumptions, 'ids' | 'listOrder'>;

const mostRandom = Number.MAX_SAFE_INTEGER;

/** Pets, found by id and listed by status, each without looking at the others. */
export class Store {
  readonly #assumptions: StoreAssumptions;
  #held: Held;
  #isSaved = false;

  constructor(assumptions: StoreAssumptions) {
    this.#assumptions = assumptions;
    this.#held = empty(assumptions);
  }

  get size(): number {
    return this.#held.lists.all.length;
  }

  /** The pet with `id`. The id must be canonical: see `canonicalInt64`. */
  get(id: number | bigint): MockPet | undefined {
    const { all } = this.#held.lists;
    const pet = all[position(all, id)];
    return pet?.id === id ? pet : undefined;
  }

  /** At most `limit` pets of a status, or of all, in the assumed order. */
  list(status: PetStatus | undefined, limit: number, random: Random): MockPet[] {
    const from = this.#held.lists[status ?? 'all'];
    if (this.#assumptions.listOrder === 'id-descending')
      return from.slice(Math.max(0, from.length - limit)).reverse();
    const page = from.slice(0, limit);
    return this.#assumptions.listOrder === 'shuffled' ? shuffle(page, random) : page;
  }

  /** Adds a pet, or replaces the one with its id. */
  put(pet: MockPet): MockPet {
    const isNew = !this.remove(pet.id);
    const held = this.#writable();
    // A new pet gets a higher id than every pet that was inserted with an id.
    if (isNew && pet.id >= held.nextId) held.nextId = next(pet.id);
    Object.freeze(pet);
    for (const list of listsWith(pet, held)) {
      const at = position(list, pet.id);
      // At the end, `splice` would take longer than all the rest.
      if (at === list.length) list.push(pet);
      else list.splice(at, 0, pet);
    }
    return pet;
  }

  /** An id that no pet has: the next one of the sequence, or a random one. */
  newId(random: Random): number | bigint {
    const held = this.#writable();
    const isRandom = this.#assumptions.ids === 'random';
    let id: number | bigint;
    do {
      id = isRandom ? 1 + Math.floor(random.next() * mostRandom) : held.nextId;
      if (!isRandom) held.nextId = next(id);
    } while (this.get(id));
    return id;
  }

  /** Removes the pet with this id. True if there was one. */
  remove(id: number | bigint): boolean {
    const pet = this.get(id);
    if (!pet) return false;
    for (const list of listsWith(pet, this.#writable())) list.splice(position(list, id), 1);
    return true;
  }

  clear(): void {
    this.load(empty(this.#assumptions));
  }

  save(): StoreState {
    this.#isSaved = true;
    return this.#held;
  }

  load(state: StoreState): void {
    this.#held = state;
    this.#isSaved = true;
  }

  /** A store that begins with the same pets. */
  copy(): Store {
    const made = new Store(this.#assumptions);
    made.load(this.save());
    return made;
  }

  #writable(): Held {
    if (this.#isSaved) {
      const { lists, nextId } = this.#held;
      this.#held = { lists: mapValues(lists, (list) => list.slice()), nextId };
      this.#isSaved = false;
    }
    return this.#held;
  }
}

/** The lists in which a pet stands. */
const listsWith = ({ status }: MockPet, { lists }: Held) =>
  status ? [lists.all, lists[status]] : [lists.all];

function empty({ ids }: StoreAssumptions): Held {
  const lists = { all: [], available: [], pending: [], sold: [] };
  return { lists, nextId: ids === 'random' ? 1 : canonicalInt64(ids) };
}

/** The next int64, exactly; 1 after the largest. */
function next(id: number | bigint): number | bigint {
  if (typeof id === 'number' && id < Number.MAX_SAFE_INTEGER) return id + 1;
  return id === INT64_MAX ? 1 : canonicalInt64(BigInt(id) + 1n);
}

function shuffle(page: MockPet[], random: Random): MockPet[] {
  for (let at = page.length - 1; at > 0; at--) {
    const other = random.integer(0, at);
    [page[at], page[other]] = [page[other]!, page[at]!];
  }
  return page;
}

/** The index of `id`, or the index at which it would be inserted. An array and a binary search: 8 bytes a pet, where a Map takes 40. */
function position(pets: readonly MockPet[], id: number | bigint): number {
  const last = pets.at(-1);
  if (last === undefined || last.id < id) return pets.length;
  let low = 0;
  let high = pets.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (pets[middle]!.id < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
