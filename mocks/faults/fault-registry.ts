import type { OperationName } from '../../src/contract/index.js';
import type { ReadOutcome } from './parse.js';
import { exclusive, readFault, type Play } from './parse.js';
import type { Fault, FaultHandle, MockFaults } from './fault-types.js';
import type { Random } from '../utils/random.js';

/** A fault that was added, and how often it took effect. */
interface Armed {
  readonly fault: Fault;
  readonly play: Play;
  hits: number;
  /** How many outcomes have been played, `'pass'` included. */
  played: number;
}

/** The state of the faults. */
export type FaultState = readonly Readonly<Armed>[];

/** The effects on one request: the outcomes of all faults that hit it. */
export interface Effects extends ReadOutcome {
  readonly names: readonly string[];
  /** The fault whose outcome decides the response. */
  readonly decidedBy?: Armed;
}

/** Why a request is answered with an error before any fault takes effect. */
export type Refused = 'key' | 'quota' | undefined;

const headerFaults = ['retry-after', 'no-rate-limit-headers', 'clock-skew'] as const;
const deciding = ['status', ...exclusive] as const;

/** The faults of a service. */
export class Faults implements MockFaults {
  readonly #random: Random;
  /** All faults, also those that are over. */
  all: readonly Armed[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  add(fault: Fault): FaultHandle {
    // Parsed first, so that an invalid fault is not added.
    const armed: Armed = {
      play: readFault(fault),
      fault: Object.freeze({ ...fault }),
      hits: 0,
      played: 0,
    };
    this.all = [...this.all, armed];
    return this.#handle(armed);
  }

  clear(): void {
    this.all = [];
  }

  list(): readonly FaultHandle[] {
    return this.all.filter(isInForce).map((armed) => this.#handle(armed));
  }

  /** The effects on a request; on a request that is refused already, only those on its headers. */
  pick(
    operation: OperationName | undefined,
    key: string | undefined,
    refused: Refused,
  ): Effects | undefined {
    if (this.all.length === 0) return undefined;
    let effects: Effects | undefined;
    for (const armed of this.all) {
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
      effects = merge(effects, outcome, armed);
    }
    return effects;
  }

  /** Uncounts a body fault whose response had no body to change, so that it hits a later request instead. */
  takeBack(effects: Effects, name: string): Effects {
    const { decidedBy: armed } = effects;
    const names = effects.names.filter((other) => other !== name);
    // Another part of the outcome, such as a status or a delay, may have taken effect.
    const isAll =
      armed && namesOf(armed.play[(armed.played - 1) % armed.play.length]!).length === 1;
    if (isAll) {
      armed.hits--;
      armed.played--;
    }
    return { ...effects, names };
  }

  save(): FaultState {
    return this.all.map((armed) => ({ ...armed }));
  }

  load(state: FaultState): void {
    this.all = state.map((armed) => ({ ...armed }));
  }

  #handle(armed: Armed): FaultHandle {
    return {
      fault: armed.fault,
      get hits() {
        return armed.hits;
      },
      remove: () => {
        this.all = this.all.filter((other) => other !== armed);
      },
    };
  }
}

function isInForce({ fault, played }: Armed): boolean {
  const rounds = fault.times ?? (fault.sequence ? 1 : Infinity);
  return played < rounds * (fault.sequence?.length ?? 1);
}

/** Whether an outcome can take effect: not where the response is decided already, by a refusal or by another fault. */
function plays(outcome: ReadOutcome, before: ReadOutcome | undefined, refused: Refused): boolean {
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

function merge(before: Effects | undefined, outcome: ReadOutcome, armed: Armed): Effects {
  const decidedBy = deciding.some((name) => outcome[name] !== undefined)
    ? armed
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
