import { parseJson, stringifyJson } from '../../../src/contract/json.js';
import { readFault, toPlainFault } from '../../faults/parse.js';
import type { Fault } from '../../faults/fault-types.js';
import type { FaultState } from '../../faults/fault-registry.js';
import type { Account } from '../../limits/limiter.js';
import { RateLimiter } from '../../limits/limiter.js';
import type { ServiceContext } from '../context.js';
import { applyUsage, keyRecord, readAccount } from './keys.js';
import { plainStore, readStores } from './pets.js';
import { checkSnapshot } from './schema.js';
import type { FaultSnapshot, Snapshot, WindowsSnapshot } from './snapshot-types.js';

type State = ReturnType<typeof saveState>;

/** Everything that changes while a service runs. */
function saveState({ stores, clock, random, registry, limiter, ...more }: ServiceContext) {
  return {
    now: clock.now(),
    stores: stores.save(),
    clock: clock.save(),
    random: random.state,
    registry: registry.save(),
    limiter: limiter.save(),
    faults: more.faults.save(),
    overrides: more.overrides.save(),
    journal: more.journal.save(),
  };
}

/** `snapshot` and `restore` of a service. */
export function createSnapshots(context: ServiceContext): {
  snapshot: () => Snapshot;
  restore: (snapshot: Snapshot) => void;
} {
  const states = new WeakMap<object, State>();
  return {
    snapshot() {
      const state = saveState(context);
      const snapshot = plainSnapshot(state, context);
      states.set(snapshot, state);
      return snapshot;
    },
    restore(snapshot) {
      const state = states.get(snapshot);
      if (state) return loadState(state, context);
      loadPlain(checkSnapshot(snapshot), context);
    },
  };
}

function loadState(state: State, context: ServiceContext): void {
  const { stores, clock, random, registry, limiter, faults, overrides, journal } = context;
  stores.load(state.stores);
  clock.load(state.clock);
  random.state = state.random;
  registry.load(state.registry);
  limiter.load(state.limiter);
  faults.load(state.faults);
  overrides.load(state.overrides);
  journal.load(state.journal);
}

/** The state as plain JSON. Each part is written when it is read: most snapshots are only restored. */
function plainSnapshot(state: State, context: ServiceContext): Snapshot {
  const { shared, staging, own } = state.stores;
  const hasStaging = staging !== undefined && staging !== shared;
  return lazy<Snapshot>({
    version: () => 1,
    now: () => state.now,
    random: () => state.random,
    nextId: () => plainStore(shared).nextId,
    pets: () => plainStore(shared).pets,
    ...(hasStaging && { staging: () => plainStore(staging) }),
    ...(own.size > 0 && {
      own: () => [...own].map(([name, store]) => ({ name, ...plainStore(store) })),
    }),
    keys: () => {
      const limiter = new RateLimiter(context.assumptions);
      limiter.load(state.limiter);
      const now = state.now + context.assumptions.clockSkew;
      return state.registry.accounts.map((account) => keyRecord(account, limiter, now));
    },
    windows: () => plainWindows(state, context),
    faults: () => state.faults.map(plainFault),
  });
}

/** An object whose fields are computed when they are read for the first time. */
function lazy<T extends object>(fields: { readonly [Name in keyof T]: () => T[Name] }): T {
  const computed = new Map<string, unknown>();
  const object = {};
  for (const [name, compute] of Object.entries<() => unknown>(fields))
    Object.defineProperty(object, name, {
      enumerable: true,
      get() {
        if (!computed.has(name)) computed.set(name, compute());
        return computed.get(name);
      },
    });
  return Object.freeze(object) as T;
}

function plainWindows(state: State, { assumptions }: ServiceContext): WindowsSnapshot {
  const { minuteWindow, dayWindow, countingScope } = assumptions;
  return {
    minuteWindow,
    dayWindow,
    countingScope,
    scopes: [...state.limiter].map(([scope, windows]) => ({ scope, ...windows })),
  };
}

function plainFault({ id, fault, hits, played }: FaultState[number]): FaultSnapshot {
  const plain = toPlainFault(fault);
  return { id, fault: isPlain(plain) ? plain : stringifyJson(plain), hits, played };
}

/** False for a value that holds a bigint. */
function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint';
  return Object.values(value).every(isPlain);
}

function readFaultSnapshot({ fault, ...rest }: FaultSnapshot) {
  const read = (typeof fault === 'string' ? parseJson(fault) : fault) as Fault;
  readFault(read);
  return { ...rest, fault: read };
}

/** Loads a plain snapshot: all of it, or nothing. Overrides, journal and report stay as they are. */
function loadPlain(snapshot: Snapshot, context: ServiceContext): void {
  const { assumptions, stores, random, registry, limiter, faults, clock } = context;
  const pets = readStores(snapshot, assumptions, random);
  const accounts = snapshot.keys.map((record) => readAccount(record, assumptions));
  const now = (clock.kind === 'virtual' ? snapshot.now : clock.now()) + assumptions.clockSkew;
  const counted = readLimiter(snapshot, accounts, context, now);
  const read = snapshot.faults.map(readFaultSnapshot);
  // The stores first: a state file that cannot be written prevents the change.
  stores.load(pets);
  if (clock.kind === 'virtual') clock.load(snapshot.now);
  if (snapshot.random !== undefined) random.state = snapshot.random;
  registry.load({ accounts, anonymous: registry.save().anonymous });
  limiter.load(counted.save());
  faults.replace(read);
}

/** The windows as they were; where they were counted in another way, windows with the same counts. */
function readLimiter(
  { keys, windows }: Snapshot,
  accounts: readonly Account[],
  { assumptions }: ServiceContext,
  now: number,
): RateLimiter {
  const limiter = new RateLimiter(assumptions);
  const names = ['minuteWindow', 'dayWindow', 'countingScope'] as const;
  if (windows && names.every((name) => windows[name] === assumptions[name]))
    for (const { scope, ...states } of windows.scopes) limiter.loadScope(scope, states);
  else applyUsage(limiter, accounts, keys, now);
  return limiter;
}
