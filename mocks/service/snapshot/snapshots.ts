import type * as z from 'zod/mini';
import type { PlanName, Quota } from '../../../src/contract/index.js';
import { parseJson, stringifyJson } from '../../../src/contract/json.js';
import type { FaultState } from '../../faults/fault-registry.js';
import type { Fault } from '../../faults/fault-types.js';
import { readFault, toPlainFault } from '../../faults/parse.js';
import type { CoolDown } from '../../limits/cool-down.js';
import type { Account } from '../../limits/limiter.js';
import type { MockPet, PetFields } from '../../pets/pet.js';
import { Store, type StoreState } from '../../pets/pet-store.js';
import { makePet } from '../../pets/pets-api.js';
import type { ServiceContext } from '../context.js';
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
    restore(snapshot) {
      const states = taken.get(snapshot);
      restore(context, states ? (snapshot as ReadSnapshot) : check(snapshot), states);
    },
  };
}

function take(context: ServiceContext, { production, staging }: StoreStates): Snapshot {
  const { clock, random, registry, limiter, faults } = context;
  return Object.freeze({
    version: 2,
    now: clock.now(),
    random: random.state,
    nextId: plainInt64(production.nextId),
    // Written when they are read, because most snapshots are only restored.
    get pets() {
      return production.all.map(takePet);
    },
    staging: staging === production ? undefined : takeStore(staging),
    keys: registry.accounts().map(takeKey),
    windows: limiter.save(),
    faults: faults.save().map(takeFault),
  } as Snapshot);
}

const takeStore = ({ nextId, all }: StoreState) => ({
  nextId: plainInt64(nextId),
  get pets() {
    return all.map(takePet);
  },
});

const plainInt64 = (value: number | bigint) => (typeof value === 'bigint' ? String(value) : value);

function takePet(pet: MockPet): Snapshot['pets'][number] {
  const fields = Object.entries(pet) as [string, number | bigint][];
  return fields.some(([, value]) => typeof value === 'bigint')
    ? (Object.fromEntries(fields.map(([name, value]) => [name, plainInt64(value)])) as never)
    : (pet as never);
}

function takeKey({ key, plan, quota, limits, seenAt, ban, ...account }: Account) {
  const { strikes, coolDowns } = account;
  return {
    key,
    plan: plan === 'custom' ? quota : plan,
    limits,
    ...(seenAt !== undefined && { seenAt }),
    ...(ban && { ban: takeSpan(ban) }),
    ...(strikes > 0 && { strikes }),
    ...(coolDowns.size > 0 && {
      coolDowns: [...coolDowns].map(([scope, one]) => ({
        scope,
        ...takeSpan(one),
        ...(one.isInjected && { isInjected: true }),
      })),
    }),
  };
}

const takeSpan = ({ from, until, knownFrom }: CoolDown) => ({
  from,
  until,
  isKnown: knownFrom < Infinity,
});

function takeFault({ id, fault, hits, played }: FaultState[number]) {
  const plain = toPlainFault(fault);
  return { id, fault: isPlain(plain) ? plain : stringifyJson(plain), hits, played };
}

/** False for a value that holds a bigint. */
function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint';
  return Object.values(value).every(isPlain);
}

/** @throws TypeError that names the part of the snapshot that is invalid. */
function check(given: unknown): ReadSnapshot {
  const { success, data, error } = SnapshotSchema.safeParse(given);
  if (success) return data;
  const [{ path, message }] = error.issues as [z.core.$ZodIssue];
  throw new TypeError(`This is not a snapshot: ${[path.join('.'), message].join(' ').trim()}`);
}

/** Loads a snapshot: all of it, or nothing. Overrides, journal and report stay as they are. */
function restore(context: ServiceContext, read: ReadSnapshot, states?: StoreStates): void {
  const { assumptions, stores, random, registry, limiter, faults, clock } = context;
  // All that may throw comes before the first change.
  const { production, staging } = states ?? readStores(context, read);
  const accounts = read.keys.map((one) => readKey(context, one));
  const added = read.faults.map(({ fault, ...rest }) => ({ ...rest, fault: readFaultOf(fault) }));
  const isVirtual = clock.kind === 'virtual';
  const now = (isVirtual ? read.now : clock.now()) + assumptions.clockSkew;
  limiter.load(read.windows, accounts, now);
  faults.replace(added);
  if (isVirtual) clock.load(read.now);
  random.state = read.random;
  registry.load(accounts);
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

function readKey({ registry }: ServiceContext, read: ReadSnapshot['keys'][number]): Account {
  const { key, plan, limits, seenAt, ban, strikes = 0, coolDowns = [] } = read;
  return {
    ...registry.newAccount(key, plan as PlanName | Quota, limits),
    seenAt,
    ban: ban && readSpan(ban),
    strikes,
    coolDowns: new Map(
      coolDowns.map(({ isInjected, ...one }) => [
        one.scope,
        { ...readSpan(one), ...(isInjected && { isInjected: true }) },
      ]),
    ),
  };
}

/** The numbers of requests start again, so that all requests from now on come after a 429 that was delivered. */
const readSpan = ({ from, until, isKnown }: { from: number; until: number; isKnown: boolean }) => ({
  from,
  until,
  knownFrom: isKnown ? 0 : Infinity,
});

function readFaultOf(given: unknown): Fault {
  const fault = (typeof given === 'string' ? parseJson(given) : given) as Fault;
  readFault(fault);
  return fault;
}
