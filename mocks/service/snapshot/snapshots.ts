import type * as z from 'zod/mini';
import { parseJson, stringifyJson } from '../../../src/contract/json.js';
import type { FaultState } from '../../faults/fault-registry.js';
import { readFault, toPlainFault, type Fault } from '../../faults/parse.js';
import type { CoolDown } from '../../limits/cool-down.js';
import type { Account } from '../../limits/limiter.js';
import { makePet, type MockPet, type PetFields } from '../../pets/pet.js';
import { Store, type StoreState } from '../../pets/pet-store.js';
import type { ServiceContext } from '../context.js';
import { check } from '../../utils/check.js';
import { SnapshotSchema, type Snapshot } from './schema.js';

type ReadSnapshot = z.output<typeof SnapshotSchema>;
type StoreStates = Readonly<Record<'production' | 'staging', StoreState>>;

/** `snapshot` and `restore` of a service. */
export function createSnapshots(context: ServiceContext): {
  snapshot: () => Snapshot;
  restore: (snapshot: Snapshot) => void;
} {
  // The pets of the snapshots that were taken here are restored as they are, however many there are.
  const taken = new WeakMap<object, StoreStates>();
  return {
    snapshot() {
      const { production, staging } = context.stores;
      const states = { production: production.save(), staging: staging.save() };
      const snapshot = take(context, states);
      taken.set(snapshot, states);
      return snapshot;
    },
    restore: (snapshot) => restore(context, snapshot, taken.get(snapshot)),
  };
}

function take(context: ServiceContext, { production, staging }: StoreStates): Snapshot {
  const { clock, random, keys, limiter, faults } = context;
  return Object.freeze({
    version: 2,
    now: clock.now(),
    random: random.state,
    nextId: plainInt64(production.nextId),
    // Written when they are read, because most snapshots are only restored.
    get pets() {
      return production.lists.all.map(takePet);
    },
    staging: staging === production ? undefined : takeStore(staging),
    keys: keys.accounts().map(takeAccount),
    windows: limiter.save(),
    faults: faults.save().map(takeFault),
  } as Snapshot);
}

const takeStore = ({ nextId, lists }: StoreState) => ({
  nextId: plainInt64(nextId),
  get pets() {
    return lists.all.map(takePet);
  },
});

const plainInt64 = (value: number | bigint) => (typeof value === 'bigint' ? String(value) : value);

function takePet(pet: MockPet): Snapshot['pets'][number] {
  const fields = Object.entries(pet) as [string, number | bigint][];
  return fields.some(([, value]) => typeof value === 'bigint')
    ? (Object.fromEntries(fields.map(([name, value]) => [name, plainInt64(value)])) as never)
    : (pet as never);
}

/** Its fields are always in the same order, so that equal states are equal texts. */
const takeAccount = ({ seenAt, ban, coolDowns, ...account }: Account) => ({
  ...account,
  seenAt,
  ban: ban && withTold(ban),
  coolDowns: coolDowns.map(withTold),
});

/** All requests from now on come after a 429 that was delivered. */
const withTold = <One extends CoolDown>(one: One): One =>
  one.knownFrom === undefined ? one : { ...one, knownFrom: 0 };

function takeFault(state: FaultState) {
  const plain = toPlainFault(state.fault);
  return { ...state, fault: isPlain(plain) ? plain : stringifyJson(plain) };
}

/** False for a value that holds a bigint. */
function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint';
  return Object.values(value).every(isPlain);
}

/** Loads a snapshot: all of it, or nothing. Overrides, journal and report stay as they are. */
function restore(context: ServiceContext, snapshot: Snapshot, states?: StoreStates): void {
  const { assumptions, stores, random, keys, limiter, faults, clock } = context;
  // All that may throw comes before the first change.
  const read = states ? (snapshot as ReadSnapshot) : check(SnapshotSchema, snapshot, 'snapshot');
  const { production, staging } = states ?? readStores(context, read);
  const accounts: Account[] = structuredClone(read.keys);
  const added = snapshot.faults.map(({ fault, ...rest }) => ({
    ...rest,
    fault: readFaultOf(fault),
  }));
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
}

function readStores(context: ServiceContext, read: ReadSnapshot): StoreStates {
  const production = readStore(context, read);
  return { production, staging: read.staging ? readStore(context, read.staging) : production };
}

function readStore(
  { assumptions }: ServiceContext,
  { nextId, pets }: Pick<ReadSnapshot, 'nextId' | 'pets'>,
): StoreState {
  const made = new Store(assumptions);
  for (const one of pets) {
    if (made.get(one.id)) throw new TypeError(`pets: the id ${one.id} occurs twice`);
    made.put(makePet(one.id, one as PetFields, { omittedStatus: 'absent' }));
  }
  return { ...made.save(), nextId };
}

function readFaultOf(given: unknown): Fault {
  const fault = (typeof given === 'string' ? parseJson(given) : given) as Fault;
  readFault(fault);
  return fault;
}
