import type { OperationName } from '../../src/contract/index.js';
import type { ReadOutcome } from './parse.js';
import { exclusive, readFault, type Play } from './parse.js';
import type { Fault, FaultHandle, MockFaults } from './fault.js';
import type { Random } from '../utils/random.js';

/** A fault in force, and how far it has come. */
interface Armed {
  readonly fault: Fault;
  readonly play: Play;
  hits: number;
  /** How many outcomes have been played, `'pass'` included. */
  played: number;
}

/** The state of the faults. */
export type FaultState = readonly Readonly<Armed>[];

/** Everything that goes wrong with one request: the outcomes of all faults that hit it. */
export type Effects = ReadOutcome & { readonly names: readonly string[] };

/** What a request was refused for before any fault came into play. */
export type Refused = 'key' | 'quota' | undefined;

const headerFaults = ['retry-after', 'no-rate-limit-headers', 'clock-skew'] as const;
const deciding = ['status', ...exclusive] as const;

/** The faults of a service. */
export class Faults implements MockFaults {
  readonly #random: Random;
  #all: Armed[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  add(fault: Fault): FaultHandle {
    const armed: Armed = {
      play: readFault(fault),
      fault: Object.freeze({ ...fault }),
      hits: 0,
      played: 0,
    };
    this.#all.push(armed);
    return this.#handle(armed);
  }

  clear(): void {
    this.#all = [];
  }

  list(): readonly FaultHandle[] {
    return this.#all.filter(isInForce).map((armed) => this.#handle(armed));
  }

  /** What goes wrong with a request; of a refused one only its headers. */
  pick(
    operation: OperationName | undefined,
    key: string | undefined,
    refused: Refused,
  ): Effects | undefined {
    if (this.#all.length === 0) return undefined;
    let effects: (ReadOutcome & { names: string[] }) | undefined;
    for (const armed of this.#all) {
      const { fault, play } = armed;
      if (
        !isInForce(armed) ||
        (fault.operation && fault.operation !== operation) ||
        (fault.key !== undefined && fault.key !== key)
      )
        continue;
      const outcome = play[armed.played % play.length]!;
      if (outcome !== 'pass' && !plays(outcome, effects, refused)) continue;
      if (fault.probability !== undefined && this.#random.next() >= fault.probability) continue;
      armed.played++;
      if (outcome === 'pass') continue;
      armed.hits++;
      effects = merge(effects, outcome);
    }
    return effects;
  }

  save(): FaultState {
    return this.#all.map((armed) => ({ ...armed }));
  }

  load(state: FaultState): void {
    this.#all = state.map((armed) => ({ ...armed }));
  }

  #handle(armed: Armed): FaultHandle {
    return {
      fault: armed.fault,
      get hits() {
        return armed.hits;
      },
      remove: () => {
        this.#all = this.#all.filter((other) => other !== armed);
      },
    };
  }
}

function isInForce({ fault, played }: Armed): boolean {
  const rounds = fault.times ?? (fault.sequence ? 1 : Infinity);
  return played < rounds * (fault.sequence?.length ?? 1);
}

/** Whether an outcome can still do something: a refused request has its answer already, and so has one that another fault decided. */
function plays(outcome: ReadOutcome, so: ReadOutcome | undefined, refused: Refused): boolean {
  const open = refused === 'key' ? headerFaults.slice(1) : headerFaults;
  if (refused)
    return (
      open.some((name) => outcome[name] !== undefined) &&
      !deciding.some((name) => outcome[name] !== undefined)
    );
  return (
    so === undefined ||
    !deciding.some((name) => so[name] !== undefined) ||
    !deciding.some((name) => outcome[name] !== undefined)
  );
}

const named = ['delay', ...headerFaults, ...deciding] as const;

function merge(
  so: (ReadOutcome & { names: string[] }) | undefined,
  outcome: ReadOutcome,
): ReadOutcome & { names: string[] } {
  const names = [...(so?.names ?? []), ...named.filter((name) => outcome[name] !== undefined)];
  const delay = (so?.delay ?? 0) + (outcome.delay ?? 0);
  const skew = (so?.['clock-skew'] ?? 0) + (outcome['clock-skew'] ?? 0);
  return { ...so, ...outcome, delay, 'clock-skew': skew, names };
}
