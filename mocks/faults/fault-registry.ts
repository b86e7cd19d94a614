import type { OperationName } from '../../src/contract/index.js';
import type { ReadOutcome } from './parse.js';
import { exclusive, readFault, roundsOf, type Outcomes } from './parse.js';
import type { Fault, FaultHandle, MockFaults } from './fault-types.js';
import type { Random } from '../utils/random.js';
import { describeValue, meant } from '../utils/options.js';

/** A fault that was added, and how often it took effect. */
interface AddedFault {
  /** Counts from 1. A service gives no id out twice, not even after a reset. */
  readonly id: number;
  readonly fault: Fault;
  readonly outcomes: Outcomes;
  hits: number;
  /** How many outcomes have been played, `'pass'` included. */
  played: number;
  /** Outcomes, by their positions, that were taken back after later ones had been played: they are played next. */
  kept: readonly number[];
}

/** A fault, and the position of the outcome that it has played. */
interface Played {
  readonly added: AddedFault;
  readonly at: number;
}

/** The state of the faults. */
export type FaultState = readonly Readonly<AddedFault>[];

/** The effects on one request: the outcomes of all faults that hit it. */
export interface Effects extends ReadOutcome {
  readonly names: readonly string[];
  /** The fault whose outcome decides the response. */
  readonly decidedBy?: Played;
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
    const added: AddedFault = {
      outcomes: readFault(fault),
      id: ++this.lastId,
      fault: Object.freeze({ ...fault }),
      hits: 0,
      played: 0,
      kept: [],
    };
    this.#checkKey(fault.key);
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
    return this.all.filter(isInForce).map((added) => this.#handle(added));
  }

  /** The effects on a request; on a request that is refused already, only those on its headers. */
  pick(
    operation: OperationName | undefined,
    key: string | undefined,
    refused: Refused,
  ): Effects | undefined {
    let effects: Effects | undefined;
    for (const added of this.all) {
      const { fault, outcomes } = added;
      if (
        !isInForce(added) ||
        (fault.operation && fault.operation !== operation) ||
        (fault.key !== undefined && fault.key !== key)
      )
        continue;
      const [at = added.played] = added.kept;
      const outcome = outcomes[at % outcomes.length]!;
      if (outcome !== 'pass' && !canTakeEffect(outcome, effects, refused)) continue;
      if (fault.probability !== undefined && this.#random.next() >= fault.probability) continue;
      if (at === added.played) added.played++;
      else added.kept = added.kept.slice(1);
      if (outcome === 'pass') continue;
      added.hits++;
      effects = merge(effects, outcome, { added, at });
    }
    return effects;
  }

  /** Uncounts a body fault whose response had no body to change, so that it hits a later request instead. */
  takeBack(effects: Effects, name: string): Effects {
    const { added, at } = effects.decidedBy!;
    const names = effects.names.filter((other) => other !== name);
    // Another part of the outcome, such as a status or a delay, may have taken effect.
    if (namesOf(added.outcomes[at % added.outcomes.length]!).length === 1) {
      added.hits--;
      // Since then, other requests may have played later outcomes.
      if (at === added.played - 1) added.played--;
      else added.kept = [...added.kept, at];
    }
    return { ...effects, names };
  }

  /** Replaces all faults by faults that may have had hits. One without an id gets a new one. @throws TypeError for an invalid fault. */
  replace(
    faults: readonly (Pick<AddedFault, 'fault' | 'hits' | 'played'> & {
      id?: number | undefined;
    })[],
  ): void {
    const parsed = faults.map(({ fault }) => readFault(fault));
    this.lastId = Math.max(this.lastId, ...faults.map(({ id = 0 }) => id));
    this.all = faults.map(({ fault, hits, played, id = ++this.lastId }, at) => ({
      id,
      fault: Object.freeze({ ...fault }),
      outcomes: parsed[at]!,
      hits,
      played,
      kept: [],
    }));
  }

  save(): FaultState {
    return this.all.map((added) => ({ ...added }));
  }

  load(state: FaultState): void {
    this.all = state.map((added) => ({ ...added }));
  }

  /** A fault of an unknown key would never hit. No message shows all keys: pages of any origin can cause it. */
  #checkKey(key: string | undefined): void {
    if (key === undefined || this.#keys().includes(key)) return;
    throw new TypeError(
      `This is not a fault: there is no key ${describeValue(key)}${meant(key, this.#keys()) || '.'} Add it first: keys.add(key, { plan })`,
    );
  }

  /** A handle finds its fault by the id, because `load` replaces the object that holds its state. */
  #handle({ id, fault, hits: lastHits }: AddedFault): FaultHandle {
    const find = () => this.all.find((one) => one.id === id);
    return {
      id,
      fault,
      get hits() {
        lastHits = find()?.hits ?? lastHits;
        return lastHits;
      },
      remove: () => {
        lastHits = find()?.hits ?? lastHits;
        this.all = this.all.filter((one) => one.id !== id);
      },
    };
  }
}

function isInForce({ fault, outcomes, played, kept }: AddedFault): boolean {
  return kept.length > 0 || played < roundsOf(fault) * outcomes.length;
}

/** Whether an outcome can take effect: not where the response or `Retry-After` is decided already, by a refusal or by another fault. */
function canTakeEffect(
  outcome: ReadOutcome,
  before: ReadOutcome | undefined,
  refused: Refused,
): boolean {
  if (before?.['retry-after'] !== undefined && outcome['retry-after'] !== undefined) return false;
  const open = refused === 'key' ? headerFaults.slice(1) : headerFaults;
  if (refused)
    return (
      open.some((name) => outcome[name] !== undefined) &&
      !deciding.some((name) => outcome[name] !== undefined)
    );
  return (
    before === undefined ||
    !deciding.some((name) => before[name] !== undefined) ||
    !deciding.some((name) => outcome[name] !== undefined)
  );
}

const named = ['delay', ...headerFaults, ...deciding] as const;

function namesOf(outcome: ReadOutcome | 'pass'): string[] {
  return outcome === 'pass' ? [] : named.filter((name) => outcome[name] !== undefined);
}

function merge(before: Effects | undefined, outcome: ReadOutcome, played: Played): Effects {
  const decidedBy = deciding.some((name) => outcome[name] !== undefined)
    ? played
    : before?.decidedBy;
  return {
    ...before,
    ...outcome,
    delay: (before?.delay ?? 0) + (outcome.delay ?? 0),
    'clock-skew': (before?.['clock-skew'] ?? 0) + (outcome['clock-skew'] ?? 0),
    names: [...(before?.names ?? []), ...namesOf(outcome)],
    ...(decidedBy && { decidedBy }),
  };
}
