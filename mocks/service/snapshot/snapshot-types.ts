/** The state of a service as plain JSON. */
import type { PlanName, Quota } from '../../../src/contract/index.js';
import type { MockPet } from '../../pets/pet.js';
import type { WindowKind } from '../../assumptions/assumptions.js';
import type { Fault } from '../../faults/fault-types.js';
import type { WindowName } from '../../limits/key-types.js';
import type { WindowState } from '../../limits/windows.js';

/** An int64 in plain JSON: a number up to 2^53 - 1, beyond it the digits as text. */
export type PlainInt64 = number | string;

/**
 * A pet in a {@link Snapshot}: the fields of a pet, with `id` and `categoryId` as {@link PlainInt64}. `status` is missing
 * only with the assumption `omittedStatus: 'absent'`.
 */
export type PetSnapshot = {
  readonly [Field in keyof MockPet]: bigint extends MockPet[Field] ? PlainInt64 : MockPet[Field];
};

/** The pets of one store in a {@link Snapshot}. */
export interface StoreSnapshot {
  /** The id that is assigned next. */
  readonly nextId: PlainInt64;
  /** The pets, in the order of their ids. */
  readonly pets: readonly PetSnapshot[];
}

/** A cool-down in a {@link KeySnapshot}. */
export interface CoolDownSnapshot {
  /** The counting scope that it belongs to. */
  readonly scope: string;
  /** When it began, ms since the epoch. */
  readonly from: number;
  /** When it ends, ms since the epoch. */
  readonly until: number;
  /** Whether a 429 of it was delivered. */
  readonly isDelivered: boolean;
  /** Whether a fault caused it. */
  readonly isInjected: boolean;
}

/** A key in a {@link Snapshot}. Times are ms since the epoch. */
export interface KeySnapshot {
  /** The key itself. */
  readonly key: string;
  /** The name of its plan, or its own quota. */
  readonly plan: PlanName | Quota;
  /** Whether its quota is enforced. */
  readonly limits: 'on' | 'off';
  /** The requests counted in each window, and when the window resets. */
  readonly used: Readonly<Record<WindowName, { readonly used: number; readonly resetAt: number }>>;
  /** When its ban ends; null when it is not banned. */
  readonly bannedUntil: number | null;
  /** Its strikes. Default 0. */
  readonly strikes?: number;
  /** When the last of them was counted. */
  readonly lastStrike?: number;
  /** Its cool-downs. Default: none. */
  readonly coolDowns?: readonly CoolDownSnapshot[];
}

/** A fault in a {@link Snapshot}. */
export interface FaultSnapshot {
  /** Its id. Left out: it gets a new one. */
  readonly id?: number;
  /** The fault as it was added; as JSON text where its body has an int64 beyond 2^53 - 1. */
  readonly fault: Fault | string;
  /** How many requests it has hit. */
  readonly hits: number;
  /** How many of its outcomes have been played, `'pass'` included. */
  readonly played: number;
}

/** The counts of all windows in a {@link Snapshot}. They are restored only where the assumptions about counting are the same. */
export interface WindowsSnapshot {
  /** The assumptions by which they were counted. */
  readonly minuteWindow: WindowKind;
  /** The kind of the window of a day. */
  readonly dayWindow: WindowKind;
  /** What one count is for. */
  readonly countingScope: string;
  /** The two windows of each counting scope. */
  readonly scopes: readonly {
    readonly scope: string;
    readonly minute: WindowState;
    readonly day: WindowState;
  }[];
}

/**
 * The state of a service as plain JSON: pets, ids, keys, quotas, strikes, bans, faults, the clock and the random numbers.
 * `JSON.stringify` writes it, and `restore` of any service takes it back.
 */
export interface Snapshot {
  /** The version of the format. */
  readonly version: 1;
  /** The time on the service's clock, ms since the epoch. */
  readonly now: number;
  /** The state of the random numbers. */
  readonly random?: number;
  /** The id that production assigns next. */
  readonly nextId: PlainInt64;
  /** The pets of production, in the order of their ids. */
  readonly pets: readonly PetSnapshot[];
  /** The pets of staging; left out where they are those of production. */
  readonly staging?: StoreSnapshot;
  /** With `isolate: 'key'`: the stores of single keys, each with the name of the key, for staging after `staging `. */
  readonly own?: readonly (StoreSnapshot & { readonly name: string })[];
  /** The keys. */
  readonly keys: readonly KeySnapshot[];
  /** The counts of all windows. Left out: windows start with the counts of `keys`. */
  readonly windows?: WindowsSnapshot;
  /** The faults. */
  readonly faults: readonly FaultSnapshot[];
}
