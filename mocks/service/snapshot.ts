import * as z from 'zod/mini';
import { NewPetSchema, type PlanName, type Quota } from '../../src/contract/index.js';
import { Int64Schema, canonicalInt64, isInt64, parseInt64 } from '../../src/contract/int64.js';
import { parseJson, stringifyJson } from '../../src/contract/json.js';
import { fastCheck, strictObject } from '../../src/contract/schema-builders.js';
import { lastInstant } from '../clock/duration.js';
import type { FaultState } from '../faults/fault-registry.js';
import type { Fault } from '../faults/fault-types.js';
import { faultSchema, readFault, toPlainFault } from '../faults/parse.js';
import type { CoolDown } from '../limits/cool-down.js';
import type { Account } from '../limits/limiter.js';
import type { MockPet, PetFields } from '../pets/pet.js';
import { Store, type StoreState } from '../pets/pet-store.js';
import { makePet } from '../pets/pets-api.js';
import type { ServiceContext } from './context.js';

const list = <Item extends z.ZodMiniType>(item: Item) =>
  z.array(item, { error: 'must be an array' });
const oneOf = <const Value extends string>(...values: Value[]) =>
  z.literal(values, { error: `must be one of ${values.join(', ')}` });
const text = z.string({ error: 'must be text' });
const flag = z.boolean({ error: 'must be true or false' });
const wholeError = 'must be an integer of 0 or more';
const whole = z.int({ error: wholeError }).check(z.minimum(0, { error: wholeError }));
const timeError = 'must be a date, in ms since the epoch';
const time = z
  .number({ error: timeError })
  .check(
    z.minimum(-lastInstant, { error: timeError }),
    z.maximum(lastInstant, { error: timeError }),
  );

const readInt64 = (value: unknown) =>
  typeof value === 'string'
    ? parseInt64(value)
    : isInt64(value)
      ? canonicalInt64(value)
      : undefined;

/** A number, or beyond 2^53 - 1 the digits as text: `JSON.stringify` keeps both exactly. */
const int64 = fastCheck<unknown>({
  accepts: (value) => readInt64(value) !== undefined,
  explain: () => 'must be an int64, as a number, or as text beyond 2^53 - 1',
  convert: readInt64,
  jsonSchema: () => ({ type: ['integer', 'string'], format: 'int64' }),
}) as z.ZodMiniType<number | bigint, number | string>;

/** The fields of a pet as the contract has them, but each int64 in plain JSON. */
const petFields = Object.fromEntries(
  Object.entries(NewPetSchema.shape).map(([name, field]: [string, z.ZodMiniType]) => [
    name,
    field === Int64Schema ? int64 : field,
  ]),
) as Omit<(typeof NewPetSchema)['shape'], 'categoryId'> & { readonly categoryId: typeof int64 };
const pet = strictObject({ id: int64, ...petFields }, 'must be a pet with its id');
const store = {
  /** The id that is assigned next. */
  nextId: int64,
  /** The pets, in the order of their ids. `id` and `categoryId` are text beyond 2^53 - 1. */
  pets: list(pet),
};

const span = {
  /** When it began, ms since the epoch. */
  from: time,
  /** When it ends, ms since the epoch. */
  until: time,
  /** Whether a client was told of it. */
  isKnown: flag,
};
const coolDown = strictObject(
  { ...span, scope: text, isInjected: z.optional(flag) },
  'must be a cool-down',
);
const planError = 'must be the name of a plan, or { "perMinute", "perDay" }';
const key = strictObject(
  {
    /** The key itself. */
    key: text,
    /** The name of its plan, or its own quota. */
    plan: z.union([text, strictObject({ perMinute: whole, perDay: whole }, planError)], {
      error: planError,
    }),
    /** Whether its quota is enforced. */
    limits: oneOf('on', 'off'),
    /** When its last request arrived, or its last ban began. Left out: never. */
    seenAt: z.optional(time),
    /** Its ban. Left out: none. */
    ban: z.optional(strictObject(span, 'must be a ban')),
    /** Its strikes, and when the last one was counted. Left out: none. */
    strikes: z.optional(strictObject({ count: whole, last: time }, 'must be { "count", "last" }')),
    /** The newest cool-down of each counting scope. Left out: none. */
    coolDowns: z.optional(list(coolDown)),
  },
  'must be a key',
);

const window = z.union(
  [
    strictObject({ start: z.nullable(time), used: whole }, ''),
    strictObject(
      { times: z.array(time), block: z.optional(strictObject({ at: time, count: whole }, '')) },
      '',
    ),
    strictObject({ lacks: z.number(), seen: time }, ''),
  ],
  { error: 'must be the state of a window' },
);
const windowKind = oneOf('fixed', 'from-first', 'sliding', 'token-bucket');
const windows = strictObject(
  {
    /** The assumptions by which the requests were counted. */
    minuteWindow: windowKind,
    /** The kind of the window of a day. */
    dayWindow: windowKind,
    /** What one count is for. */
    countingScope: oneOf('key', 'key-and-operation', 'everyone'),
    /** The two windows of each counting scope: of each key that was used, by default. */
    scopes: list(
      strictObject({ scope: text, minute: window, day: window }, 'must be { scope, minute, day }'),
    ),
  },
  'must be an object',
);

const fault = strictObject(
  {
    /** Its id. Left out: it gets a new one. */
    id: z.optional(whole),
    /** The fault as it was added; as JSON text where its body has an int64 beyond 2^53 - 1. */
    fault: z.union([text, faultSchema], { error: 'must be a fault' }),
    /** How many requests it has hit. */
    hits: whole,
    /** How many of its outcomes have been played, `'pass'` included. */
    played: whole,
  },
  'must be { "id", "fault", "hits", "played" }',
);

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
export const SnapshotSchema = /* @__PURE__ */ strictObject(
  {
    /** The version of the format. */
    version: z.literal(2, {
      error: ({ input }) =>
        input === undefined
          ? 'is missing: take what snapshot() has returned'
          : 'must be 2: a snapshot of another version cannot be read, take a new one with snapshot() or GET /_mock/snapshot',
    }),
    /** The time on the service's clock, ms since the epoch. */
    now: time,
    /** The state of the random numbers. */
    random: z.int({ error: 'must be an integer' }),
    ...store,
    /** The pets of staging. Left out: they are those of production. */
    staging: z.optional(strictObject(store, 'must be { "nextId", "pets" }')),
    /** The keys, with their bans and strikes. */
    keys: list(key),
    /** What the keys have used. */
    windows,
    /** The faults, also those that are over. */
    faults: list(fault),
  },
  'must be an object',
  'part',
);

/**
 * The state of a service as plain JSON: pets, ids, keys with what they have used, strikes, bans, faults, the clock and the
 * random numbers. {@link SnapshotSchema} describes it.
 */
export type Snapshot = z.input<typeof SnapshotSchema>;
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
  const { strikes, lastStrike, coolDowns } = account;
  return {
    key,
    plan: plan === 'custom' ? quota : plan,
    limits,
    ...(seenAt !== undefined && { seenAt }),
    ...(ban && { ban: takeSpan(ban) }),
    ...(strikes > 0 && { strikes: { count: strikes, last: lastStrike } }),
    ...(coolDowns.size > 0 && {
      coolDowns: [...coolDowns].map(([scope, one]) => ({
        scope,
        ...takeSpan(one),
        ...(one.injected && { isInjected: true }),
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
  { assumptions, random }: ServiceContext,
  { nextId, pets }: Pick<ReadSnapshot, 'nextId' | 'pets'>,
): StoreState {
  const made = new Store(assumptions, random);
  for (const one of pets) {
    if (made.get(one.id)) throw new TypeError(`pets: the id ${one.id} occurs twice`);
    made.put(makePet(one.id, one as PetFields, { omittedStatus: 'absent' }));
  }
  return { ...made.save(), nextId };
}

function readKey({ registry }: ServiceContext, read: ReadSnapshot['keys'][number]): Account {
  const { key, plan, limits, seenAt, ban, strikes, coolDowns = [] } = read;
  return {
    ...registry.newAccount(key, plan as PlanName | Quota, limits),
    seenAt,
    ban: ban && readSpan(ban),
    strikes: strikes?.count ?? 0,
    lastStrike: strikes?.last ?? 0,
    coolDowns: new Map(
      coolDowns.map(({ isInjected, ...one }) => [
        one.scope,
        { ...readSpan(one), ...(isInjected && { injected: true }) },
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
