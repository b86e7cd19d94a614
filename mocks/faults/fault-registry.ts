import type { OperationName } from '../../src/contract/index.js';
import { exclusive, readFault, type Fault, type ReadFault, type ReadOutcome } from './parse.js';
import type { Random } from '../utils/random.js';
import { showValue, meant } from '../utils/options.js';

/** A fault that was added. */
export interface FaultHandle {
  /** The number of the fault in the service, from 1. No id is used twice, not even after `reset()`. */
  readonly id: number;
  /** The fault as it was given. */
  readonly fault: Fault;
  /** How many requests the fault has hit. `restore()` sets it to the number of the snapshot. */
  readonly hits: number;
  /** Removes the fault, even after `restore()`, which brings back the faults of the snapshot. */
  remove(): void;
}

/** The faults in force. */
export interface MockFaults {
  /**
   * Adds a fault. Of several faults that decide the response, or that set `Retry-After`, the one added first applies, and the others are skipped
   * with all that they add. Delays add up, and other additions apply together. To a 429 without a fault only `retry-after`,
   * `no-rate-limit-headers` and `clock-skew` apply; to a 401 only the last two.
   *
   * @throws TypeError that says what is wrong with it.
   * @example
   * ```ts
   * import { createMockService } from 'petstore-client/mocks';
   *
   * const service = createMockService();
   * const fault = service.faults.add({ operation: 'listPets', status: 503, times: 2 });
   * console.log(fault.hits); // 0
   * ```
   */
  add(fault: Fault): FaultHandle;
  /** Removes all faults. */
  clear(): void;
  /** The fault with this {@link FaultHandle.id}, even after its last hit; undefined if there is none, or if it was removed. */
  get(id: number): FaultHandle | undefined;
  /** The faults in force, in the order they were added. */
  list(): readonly FaultHandle[];
}

/** The state of a fault that was added, and how often it took effect. */
export interface FaultState {
  /** Counts from 1. A service gives no id out twice, not even after a reset. */
  readonly id: number;
  readonly fault: Fault;
  hits: number;
  /** How many outcomes have been played, `'pass'` included. */
  played: number;
}
type AddedFault = FaultState & ReadFault;

/** The effects on one request: the outcomes of all faults that hit it. */
export interface Effects extends ReadOutcome {
  readonly names: readonly string[];
}

/** Why a request is answered with an error before any fault takes effect. */
export type Refused = 'key' | 'quota' | undefined;

const headerFaults = ['retry-after', 'no-rate-limit-headers', 'clock-skew'] as const;
const deciding = ['status', ...exclusive] as const;

/** The faults of a service. */
export class Faults implements MockFaults {
  readonly #random: Random;
  readonly #keys: () => readonly string[];
  /** All faults, also those that are over. */
  all: readonly AddedFault[] = [];
  /** The highest id that was given out. A service that takes the place of another one continues from it. */
  lastId = 0;

  /** @param keys the names of the keys that the service knows. */
  constructor(random: Random, keys: () => readonly string[]) {
    this.#random = random;
    this.#keys = keys;
  }

  add(fault: Fault): FaultHandle {
    // Parsed first, so that an invalid fault is not added.
    const read = readFault(fault);
    this.#checkKey(read.key);
    const state = { id: ++this.lastId, fault: Object.freeze({ ...fault }), hits: 0, played: 0 };
    const added = { ...state, ...read };
    this.all = [...this.all, added];
    return this.#handle(added);
  }

  clear(): void {
    this.all = [];
  }

  get(id: number): FaultHandle | undefined {
    const added = this.all.find((one) => one.id === id);
    return added && this.#handle(added);
  }

  list(): readonly FaultHandle[] {
    return this.all.filter(isInForce).map((one) => this.#handle(one));
  }

  /** The effects on a request; on a request that is refused already, only those on its headers. */
  pick(
    request: { readonly operation: OperationName | undefined; readonly key: string | undefined },
    refused: Refused,
  ): Effects | undefined {
    let effects: Effects | undefined;
    for (const added of this.all) {
      const { operation, key, probability, outcomes } = added;
      const isFor =
        (operation ?? request.operation) === request.operation &&
        (key ?? request.key) === request.key;
      if (!isFor || !isInForce(added)) continue;
      // A sequence whose outcomes do not all concern a request does not count it.
      const parts = outcomes.map((one) => (one === 'pass' ? one : partFor(refused, one)));
      if (!parts.every((one) => one === 'pass' || hasOne(one, named))) continue;
      const outcome = parts[added.played % parts.length]!;
      if (outcome !== 'pass' && !canTakeEffect(outcome, effects)) continue;
      if (probability !== undefined && this.#random.next() >= probability) continue;
      added.played++;
      if (outcome === 'pass') continue;
      added.hits++;
      effects = merge(effects, outcome);
    }
    return effects;
  }

  /** Replaces all faults by faults that may have had hits. One without an id gets a new one. @throws TypeError for an invalid fault. */
  replace(faults: readonly (Omit<FaultState, 'id'> & { id?: number | undefined })[]): void {
    const read = faults.map((one) => ({ ...one, ...readFault(one.fault) }));
    this.lastId = Math.max(this.lastId, ...faults.map(({ id = 0 }) => id));
    this.all = read.map(({ id = ++this.lastId, ...one }) => ({ ...one, id }));
  }

  save(): readonly FaultState[] {
    return this.all.map(({ id, fault, hits, played }) => ({ id, fault, hits, played }));
  }

  /** A fault of an unknown key would never hit. No message shows all keys: pages of any origin can cause it. */
  #checkKey(key: string | undefined): void {
    if (key === undefined || this.#keys().includes(key)) return;
    throw new TypeError(
      `This is not a fault: there is no key ${showValue(key)}${meant(key, this.#keys()) || '.'} Add it first: keys.add(key, { plan }), or petstore-mock --key`,
    );
  }

  /** A handle finds its fault by the id, because `replace` replaces the object that holds its state. */
  #handle(added: FaultState): FaultHandle {
    const { id, fault } = added;
    const hits = () => (added = this.all.find((one) => one.id === id) ?? added).hits;
    return {
      id,
      fault,
      get hits() {
        return hits();
      },
      remove: () => {
        hits();
        this.all = this.all.filter((one) => one.id !== id);
      },
    };
  }
}

const isInForce = ({ rounds, outcomes, played }: AddedFault): boolean =>
  played < rounds * outcomes.length;

/** The part of an outcome that concerns a request: of one that is refused already, the headers, unless the outcome decides the response. */
function partFor(refused: Refused, outcome: ReadOutcome): ReadOutcome {
  if (!refused) return outcome;
  if (hasOne(outcome, deciding)) return {};
  return { ...outcome, delay: undefined, ...(refused === 'key' && { 'retry-after': undefined }) };
}

/** Whether an outcome can take effect: not where another fault has decided the response or `Retry-After` already. */
function canTakeEffect(outcome: ReadOutcome, before: ReadOutcome = {}): boolean {
  const both = [['retry-after'], deciding] as const;
  return !both.some((names) => hasOne(before, names) && hasOne(outcome, names));
}

const named = ['delay', ...headerFaults, ...deciding] as const;
const hasOne = (outcome: ReadOutcome, of: readonly (typeof named)[number][]) =>
  of.some((name) => outcome[name] !== undefined);

function merge(before: Effects | undefined, outcome: ReadOutcome): Effects {
  return {
    ...before,
    ...outcome,
    delay: (before?.delay ?? 0) + (outcome.delay ?? 0),
    'clock-skew': (before?.['clock-skew'] ?? 0) + (outcome['clock-skew'] ?? 0),
    names: [...(before?.names ?? []), ...named.filter((name) => outcome[name] !== undefined)],
  };
}
