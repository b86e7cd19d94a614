import * as z from 'zod/mini';
import { NewPetSchema } from '../../src/contract/index.js';
import { Int64Schema, canonicalInt64, isInt64, parseInt64 } from '../../src/contract/int64.js';
import { stringifyJson } from '../../src/contract/json.js';
import { fastCheck } from '../../src/contract/schema-builders.js';
import { faultSchema, givenFault, toPlainFault, type Fault } from '../faults/parse.js';
import { accountSchema, type Account, type CoolDown } from '../limits/cool-down.js';
import { limiterSchema } from '../limits/limiter.js';
import { makePet, type MockPet, type PetFields } from '../pets/pet.js';
import { Store, type StoreState } from '../pets/pet-store.js';
import { check, integer, moment } from '../utils/check.js';
import { mapValues } from '../utils/options.js';
import type { ServiceContext } from './service.js';
import type { MockService } from './types.js';

const count = integer(0);

const readInt64 = (value: unknown) =>
  typeof value === 'string'
    ? parseInt64(value)
    : isInt64(value)
      ? canonicalInt64(value)
      : undefined;

/** A number, or beyond 2^53 - 1 the digits as text: `JSON.stringify` keeps both exactly. */
const int64 = fastCheck<unknown>({
  read: readInt64,
  explain: () => 'must be an int64, as a number, or as text beyond 2^53 - 1',
  jsonSchema: () => ({ type: ['integer', 'string'], format: 'int64' }),
}) as z.ZodMiniType<number | bigint, number | string>;

/** The fields of a pet as the contract has them, but each int64 in plain JSON. */
const petFields = mapValues(NewPetSchema.shape, (field: z.ZodMiniType) =>
  field === Int64Schema ? int64 : field,
) as unknown as Omit<(typeof NewPetSchema)['shape'], 'categoryId'> & {
  readonly categoryId: typeof int64;
};
const store = {
  /** The id that is assigned next. */
  nextId: int64,
  /** The pets, in the order of their ids. `id` and `categoryId` are text beyond 2^53 - 1. */
  pets: z.array(z.strictObject({ id: int64, ...petFields })),
};

const fault = z.strictObject({
  /** Its id. Left out: it gets a new one. */
  id: z.optional(count),
  /** The fault as it was added; as JSON text where its body has an int64 beyond 2^53 - 1. */
  fault: z.union([z.string(), faultSchema]),
  /** How many requests it has hit. */
  hits: count,
  /** How many of its outcomes have been played, `'pass'` included. */
  played: count,
});

/**
 * The schema of a {@link Snapshot}, of a response of `GET /_mock/snapshot`, and of the file of `petstore-mock --state`.
 *
 * @example
 * ```ts
 * import { createMockService, SnapshotSchema } from 'petstore-client/mocks';
 *
 * console.log(SnapshotSchema.safeParse(createMockService().snapshot()).success); // true
 * ```
 */
export const SnapshotSchema = /* @__PURE__ */ z.strictObject({
  /** The version of the format. */
  version: z.literal(2, {
    error: 'must be 2: take a snapshot() or GET /_mock/snapshot of this version',
  }),
  /** The time on the service's clock, ms since the epoch. */
  now: moment,
  /** The state of the random numbers. */
  random: z.int(),
  ...store,
  /** The pets of staging. Left out: they are those of production. */
  staging: z.optional(z.strictObject(store)),
  /** The keys, with their bans and strikes. */
  keys: z.array(accountSchema),
  /** The used quotas of the keys. */
  windows: limiterSchema,
  /** The faults, also those that are over. */
  faults: z.array(fault),
});

/**
 * The state of a service as plain JSON: pets, ids, keys with what they have used, strikes, bans, faults, the clock and the
 * random numbers. {@link SnapshotSchema} describes it.
 */
// An interface keeps its name in the reference, where the type would be written out.
// eslint-disable-next-line @typescript-eslint/no-empty-object-type
export interface Snapshot extends z.input<typeof SnapshotSchema> {}

type ReadSnapshot = z.output<typeof SnapshotSchema>;

/** `snapshot` and `restore` of a service: all of a snapshot, or nothing. Overrides, journal and report stay as they are. */
export function createSnapshots(
  service: ServiceContext,
): Pick<MockService, 'snapshot' | 'restore'> {
  const { assumptions, clock, random, keys, limiter, faults, stores } = service;
  // Pets of a snapshot of this service are restored without a copy, however many there are.
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
        ...(staging !== production && { staging: Object.freeze(withStore({}, staging)) }),
        keys: frozen(keys.accounts().map(plainAccount)),
        windows: frozen(limiter.save()),
        faults: frozen(
          faults.save().map((state) => ({ ...state, fault: plainFault(state.fault) })),
        ),
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
    return Object.freeze(lists.all.map(plainPet));
  },
});

const plainInt64 = (value: unknown) => (typeof value === 'bigint' ? String(value) : value);

/** A frozen copy. A change of the original would reach the service, or be lost where its own service restores the snapshot. */
const frozen = (value: unknown): unknown =>
  typeof value !== 'object' || value === null
    ? plainInt64(value)
    : Object.freeze(Array.isArray(value) ? value.map(frozen) : mapValues(value, frozen));

const plainPet = (pet: MockPet): unknown =>
  Object.values(pet).some((value) => typeof value === 'bigint') ? frozen(pet) : pet;

/** Its fields are always in the same order, so that equal states are equal texts. */
const plainAccount = ({ seenAt, ban, coolDowns, ...account }: Account) => ({
  ...account,
  ...(seenAt !== undefined && { seenAt }),
  ...(ban && { ban: withTold(ban) }),
  coolDowns: coolDowns.map(withTold),
});

/** All requests from now on come after a 429 that was delivered. */
const withTold = <One extends CoolDown>(one: One): One =>
  one.knownFrom === undefined ? one : { ...one, knownFrom: 0 };

/** As text where a number cannot hold an int64 of its body. */
function plainFault(fault: Fault): unknown {
  const text = stringifyJson(toPlainFault(fault));
  const value: unknown = JSON.parse(text);
  return JSON.stringify(value) === text ? value : text;
}
