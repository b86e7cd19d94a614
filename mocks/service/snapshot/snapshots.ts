import type * as z from 'zod/mini';
import { parseJson, stringifyJson } from '../../../src/contract/json.js';
import { readFault, toPlainFault, type Fault } from '../../faults/parse.js';
import type { Account, CoolDown } from '../../limits/cool-down.js';
import { makePet, type MockPet, type PetFields } from '../../pets/pet.js';
import { Store, type StoreState } from '../../pets/pet-store.js';
import type { ServiceContext } from '../service.js';
import type { MockService } from '../types.js';
import { check } from '../../utils/check.js';
import { mapValues } from '../../utils/options.js';
import { SnapshotSchema, type Snapshot } from './schema.js';

type ReadSnapshot = z.output<typeof SnapshotSchema>;

/** `snapshot` and `restore` of a service: all of a snapshot, or nothing. Overrides, journal and report stay as they are. */
export function createSnapshots({
  assumptions,
  clock,
  random,
  keys,
  limiter,
  faults,
  stores,
}: ServiceContext): Pick<MockService, 'snapshot' | 'restore'> {
  // The pets of the snapshots that were taken here are restored as they are, however many there are.
  const taken = new WeakMap<object, Readonly<Record<'production' | 'staging', StoreState>>>();
  const readStore = ({ nextId, pets }: Pick<ReadSnapshot, 'nextId' | 'pets'>): StoreState => {
    const made = new Store(assumptions);
    for (const one of pets) {
      if (made.get(one.id)) throw new TypeError(`pets: the id ${one.id} occurs twice`);
      made.put(makePet(one.id, one as PetFields, { omittedStatus: 'absent' }));
    }
    return { ...made.save(), nextId };
  };
  const readStores = (read: ReadSnapshot) => {
    const production = readStore(read);
    return { production, staging: read.staging ? readStore(read.staging) : production };
  };
  return {
    snapshot() {
      const states = { production: stores.production.save(), staging: stores.staging.save() };
      const { production, staging } = states;
      const head = { version: 2, now: clock.now(), random: random.state };
      const snapshot = Object.assign(withStore(head, production), {
        staging: staging === production ? undefined : withStore({}, staging),
        keys: keys.accounts().map(plainAccount),
        windows: limiter.save(),
        faults: faults.save().map((state) => ({ ...state, fault: plainFault(state.fault) })),
      });
      taken.set(snapshot, states);
      return Object.freeze(snapshot) as Snapshot;
    },
    restore(snapshot) {
      // All that may throw comes before the first change.
      const own = taken.get(snapshot);
      const read = own ? (snapshot as ReadSnapshot) : check(SnapshotSchema, snapshot, 'snapshot');
      const { production, staging } = own ?? readStores(read);
      const accounts: Account[] = structuredClone(read.keys);
      const added = snapshot.faults.map((one) => ({ ...one, fault: givenFault(one.fault) }));
      const isVirtual = clock.kind === 'virtual';
      const now = (isVirtual ? read.now : clock.now()) + assumptions.clockSkew;
      limiter.load(read.windows, accounts, now);
      faults.replace(added);
      if (isVirtual) clock.load(read.now);
      random.state = read.random;
      keys.load(accounts);
      // Production last: it stays where both environments share one store.
      stores.staging.load(staging);
      stores.production.load(production);
    },
  };
}

/** The pets are written when they are read, because most snapshots are only restored. */
const withStore = (head: object, { nextId, lists }: StoreState): object => ({
  ...head,
  nextId: plainInt64(nextId),
  get pets() {
    return lists.all.map(plainPet);
  },
});

const plainInt64 = (value: unknown) => (typeof value === 'bigint' ? String(value) : value);

const plainPet = (pet: MockPet): object => (isPlain(pet) ? pet : mapValues(pet, plainInt64));

/** Its fields are always in the same order, so that equal states are equal texts. */
const plainAccount = ({ seenAt, ban, coolDowns, ...account }: Account) => ({
  ...account,
  seenAt,
  ban: ban && withTold(ban),
  coolDowns: coolDowns.map(withTold),
});

/** All requests from now on come after a 429 that was delivered. */
const withTold = <One extends CoolDown>(one: One): One =>
  one.knownFrom === undefined ? one : { ...one, knownFrom: 0 };

function plainFault(fault: Fault): Fault | string {
  const plain = toPlainFault(fault);
  return isPlain(plain) ? plain : stringifyJson(plain);
}

function givenFault(given: unknown): Fault {
  const fault = (typeof given === 'string' ? parseJson(given) : given) as Fault;
  readFault(fault);
  return fault;
}

/** False for a value that holds a bigint. */
function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint';
  return Object.values(value).every(isPlain);
}
