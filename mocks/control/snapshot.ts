import type { PlanName, Quota } from '../../src/contract/rate-limits.js';
import { PetSchema } from '../../src/contract/schemas.js';
import { canonicalInt64 } from '../../src/contract/int64.js';
import type { Fault } from '../faults/fault-types.js';
import { readFault } from '../faults/parse.js';
import type { MockKey, WindowName } from '../limits/key-types.js';
import { quotaOf } from '../limits/authorize.js';
import type { MockPet } from '../pets/pet.js';
import { makePet } from '../pets/pets-api.js';
import { storesOf } from '../service/context.js';
import type { MockService } from '../service/types.js';

/** A key as plain JSON. Times are ms since the epoch. */
export interface KeyRecord {
  readonly key: string;
  readonly plan: PlanName | Quota;
  readonly limits: 'on' | 'off';
  readonly used: Readonly<Record<WindowName, { readonly used: number; readonly resetAt: number }>>;
  readonly bannedUntil: number | null;
}

/** A service as plain JSON: the response of `GET /_mock/snapshot`, and the body of `PUT`. */
export interface PlainSnapshot {
  readonly version: 1;
  /** The time on the service's clock, ms since the epoch. */
  readonly now: number;
  readonly nextId: number | bigint;
  readonly pets: readonly MockPet[];
  readonly keys: readonly KeyRecord[];
  readonly faults: readonly Fault[];
}

/** The state of a service as plain JSON. */
export function takeSnapshot(service: MockService): PlainSnapshot {
  const { all, nextId } = storesOf(service).save().shared;
  return {
    version: 1,
    now: service.clock.now(),
    nextId,
    pets: [...all],
    keys: service.keys.list().map(keyRecord),
    faults: service.faults.list().map(({ fault, hits }) => remaining(fault, hits)),
  };
}

/** A fault with the number of hits that it has left. A sequence starts again from its first outcome. */
function remaining(fault: Fault, hits: number): Fault {
  const { times, ...rest } = fault;
  if (times === undefined || times === Infinity) return rest;
  return { ...rest, times: fault.sequence ? times : times - hits };
}

/** A key as plain JSON. */
export function keyRecord({ key, plan, quota, limits, usage, bannedUntil }: MockKey): KeyRecord {
  const { minute, day } = usage;
  return {
    key,
    plan: plan === 'custom' ? quota : plan,
    limits,
    used: {
      minute: { used: minute.used, resetAt: minute.resetAt },
      day: { used: day.used, resetAt: day.resetAt },
    },
    bannedUntil: bannedUntil ?? null,
  };
}

/** Restores a snapshot: all of it, or nothing. @throws TypeError or RangeError that says which part is invalid. */
export function applySnapshot(service: MockService, snapshot: PlainSnapshot): void {
  checkSnapshot(service, snapshot);
  if (service.clock.kind === 'virtual') service.clock.set(snapshot.now);
  applyPets(service, snapshot.pets, snapshot.nextId);
  applyKeys(service, snapshot.keys);
  service.faults.clear();
  for (const fault of snapshot.faults) service.faults.add(fault);
}

/** Checks everything that could fail, before anything is changed. */
function checkSnapshot(
  service: MockService,
  { now, pets, keys, faults }: Pick<PlainSnapshot, 'now' | 'pets' | 'keys' | 'faults'>,
): void {
  if (Number.isNaN(new Date(now).getTime())) throw new RangeError(`now: ${now} is no date.`);
  const ids = new Set<number | bigint>();
  for (const { id } of pets) {
    if (ids.has(canonicalInt64(id))) throw new TypeError(`pets: the id ${id} occurs twice.`);
    ids.add(canonicalInt64(id));
  }
  for (const { key, plan } of keys) {
    if (!isKey(key)) throw new TypeError(`keys: ${JSON.stringify(key)} is no key.`);
    quotaOf(plan, service.assumptions.enterpriseQuota);
  }
  for (const fault of faults) readFault(fault);
}

/** Whether a text may be a key: visible ASCII characters without spaces. */
export const isKey = (key: string): boolean => /^[\x21-\x7e]+$/.test(key);

/**
 * Replaces all pets, exactly as they are given, and sets the id that is assigned next.
 *
 * @throws TypeError for a pet that breaks the contract; nothing is changed then.
 */
export function applyPets(
  service: MockService,
  pets: readonly MockPet[],
  nextId: number | bigint,
): void {
  const stores = storesOf(service);
  const { production } = stores.shared;
  stores.transaction(() => {
    production.clear();
    for (const pet of pets) {
      const { success, error } = PetSchema.safeParse(pet);
      if (!success) throw new TypeError(`a pet is invalid: ${error.issues[0]?.message}`);
      production.put(makePet(canonicalInt64(pet.id), pet, { omittedStatus: 'absent' }));
    }
    const { shared } = stores.save();
    stores.load({ shared: { ...shared, nextId: canonicalInt64(nextId) }, own: new Map() });
  });
}

/** Replaces all keys, with their usage in current windows and their current bans. */
export function applyKeys(service: MockService, records: readonly KeyRecord[]): void {
  const kept = new Set(records.map(({ key }) => key));
  for (const { key } of service.keys.list()) if (!kept.has(key)) service.keys.revoke(key);
  for (const { key, plan, limits } of records) {
    const added = service.keys.add(key, { plan, limits });
    added.unban();
    for (const window of windows) added.setRemaining(window, added.usage[window].limit);
  }
  for (const record of records) applyUsage(service, record);
}

const windows = ['minute', 'day'] as const;

/** Keys may share a window, by the assumption `countingScope`: the highest count is kept. */
function applyUsage(service: MockService, { key: name, used, bannedUntil }: KeyRecord): void {
  const key = service.keys.get(name);
  const now = service.clock.now() + service.assumptions.clockSkew;
  for (const window of windows) {
    const { limit, used: present } = key.usage[window];
    const count = used[window].resetAt > now ? Math.min(used[window].used, limit) : 0;
    if (count > present) key.setRemaining(window, limit - count);
  }
  if (bannedUntil !== null && bannedUntil > now) key.ban(bannedUntil - now);
}
