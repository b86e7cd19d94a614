import { seeded } from '../../bench/conduct/scenario.js';
import { applyOperation } from '../../src/fleet/rules/apply.js';
import type {
  FleetOperation,
  FleetReply,
  Observation,
  RateLimitedObservation,
} from '../../src/fleet/rules/operations.js';
import type { FleetState } from '../../src/fleet/rules/state.js';

/** An operation, when it reaches the store, and what the rules make of it. */
export interface Step {
  readonly operation: FleetOperation;
  readonly now: number;
  readonly reply: FleetReply;
  /** The state after it, as JSON. */
  readonly text: string;
}

/** Random operations on one state, one after the other. */
export function* walk(seed: number, steps: number): Generator<Step> {
  const random = new RandomOperations(seed);
  let text: string | undefined;
  for (let step = 0; step < steps; step += 1) {
    const next = random.next();
    const known = text === undefined ? undefined : (JSON.parse(text) as FleetState);
    const { state, reply } = applyOperation(known, next.operation, next.now);
    text = JSON.stringify(state);
    random.know(reply.generation);
    yield { ...next, reply, text };
  }
}

const limits = [60, 300, 1_000, 75];

/**
 * Makes operations as a fleet of up to six members would send them, and some that none would: late, repeated, from a
 * member of another state, with clocks that were set. Numbers are often equal, so that bounds are hit exactly.
 */
class RandomOperations {
  readonly #random: () => number;
  readonly #members: { id: string; sequence: number; total: number }[];
  readonly #limit: number;
  readonly #rolling: boolean;
  readonly #headers: boolean;
  readonly #tellsReset: boolean;
  #now: number;
  /** Since the operation before. */
  #passed = 0;
  #remaining: number;
  #reset: number;
  #generation = '';
  #opening: boolean;
  readonly #setsClock: boolean;

  constructor(seed: number) {
    this.#random = seeded(seed);
    const count = 1 + this.#int(6);
    this.#members = Array.from({ length: count }, (_, index) => ({
      id: `member-${index}`,
      sequence: 0,
      total: 0,
    }));
    this.#limit = this.#pick(limits);
    this.#rolling = this.#random() < 0.3;
    this.#headers = this.#random() < 0.9;
    this.#tellsReset = this.#random() < 0.8;
    this.#now = 1_800_000_000_000 + this.#int(60_000);
    this.#opening = seed % 5 === 0;
    this.#setsClock = seed % 8 === 0;
    this.#remaining = this.#limit;
    this.#reset = this.#now + 60_000;
  }

  /** The state that the next operations know. */
  know(generation: string): void {
    if (this.#random() < 0.9) this.#generation = generation;
  }

  next(): Pick<Step, 'operation' | 'now'> {
    this.#passed = this.#pick([
      0, 1, 7, 100, 350, 1_000, 3_000, 8_000, 31_000, -2_000, 70_000, 160_000,
    ]);
    this.#now += this.#passed;
    // The clock of the store is set.
    if (this.#setsClock && this.#random() < 0.01)
      this.#now += this.#pick([-86_400_000, 86_400_000]);
    if (this.#now >= this.#reset || this.#reset > this.#now + 120_000) {
      this.#reset = this.#now + (this.#rolling ? this.#int(20_000) : 60_000);
      this.#remaining = this.#limit;
    }
    if (this.#opening) return { operation: this.#spentWithoutReset(), now: this.#now };
    return { operation: this.#sync(), now: this.#now };
  }

  /** The first answer says that nothing is left, and not until when. */
  #spentWithoutReset(): FleetOperation {
    this.#opening = false;
    return {
      ...this.#sync(),
      ...{ sequence: 100, unsent: 0, inFlight: 0, need: 1, probeDone: true, successes: 1 },
      observation: { limit: this.#limit, remaining: 0, sentAt: this.#now },
      rateLimited: undefined,
    };
  }

  #sync(): FleetOperation {
    const member = this.#pick(this.#members);
    member.sequence += this.#pick([1, 1, 1, 1, 1, 1, 1, 0, 2, -1]);
    const successes = this.#pick([0, 0, 1, 2, 5, 20]);
    member.total += successes + (this.#random() < 0.05 ? 3 : 0);
    const sentAt = this.#now - this.#pick([20, 100, 100, 700, 4_000, 90_000]);
    const second = Math.floor(this.#now / 1_000);
    const hasClock = this.#random() < 0.8;
    const low = this.#pick([3_600_000, 3_600_000, 3_599_900.5, 3_610_000]);
    return {
      member: member.id,
      sequence: member.sequence,
      generation: this.#random() < 0.02 ? 'of another state' : this.#generation,
      newGeneration: `generation-${this.#int(1_000_000)}`,
      acknowledged: Math.max(0, member.sequence - this.#pick([1, 1, 1, 1, 0, 2])),
      acknowledgedAgo: this.#passed + this.#pick([100, 5_000, 200_000]),
      leaves: this.#random() < 0.02,
      aloneFor: this.#random() < 0.03 ? this.#pick([500, 20_000]) : 0,
      unsent: this.#pick([0, 0, 0, 1, 3, 10]),
      inFlight: this.#pick([0, 0, 1, 2, 4]),
      need: this.#pick([0, 0, 1, 1, 3, 20, 400]),
      high: this.#pick([0, 0, 0, 1, 3]),
      rate: this.#pick([0, 0, 0.001, 0.0123]),
      lastLease: this.#pick([0, 0, 5, 20]),
      repeats: this.#int(6),
      rtt: this.#pick([0, 50, 80.25, 600]),
      successes,
      total: member.total,
      times: successes === 0 ? [] : [[second - this.#pick([0, 0, 1, 40, -5]), successes]],
      lost: this.#random() < 0.05 ? 1 : 0,
      probeDone: this.#random() < 0.5,
      ...(successes > 0 && { observation: this.#observation(successes, sentAt) }),
      ...(this.#random() < 0.04 && { rateLimited: this.#rateLimited(sentAt) }),
      ...(hasClock && { clock: { low, high: low + this.#pick([0, 900, 1_000.5]) } }),
      ...(this.#random() < 0.03 && { perDay: this.#pick([100, 5_000]) }),
    };
  }

  #observation(spent: number, sentAt: number): Observation {
    if (!this.#headers || this.#random() < 0.03) return { sentAt };
    this.#remaining = Math.max(0, this.#remaining - spent - this.#pick([0, 0, 0, 0, 1, 9, 60]));
    const isLate = this.#random() < 0.05;
    const reset =
      this.#reset + 3_600_000 - (isLate ? 60_000 : 0) + (this.#rolling ? this.#int(3) * 1_000 : 0);
    return {
      limit: this.#random() < 0.02 ? 1_000 : this.#limit,
      remaining: this.#remaining,
      ...(this.#tellsReset &&
        this.#random() < 0.97 && { reset: this.#random() < 0.02 ? reset + 3_600_000 : reset }),
      sentAt,
    };
  }

  #rateLimited(sentAt: number): RateLimitedObservation {
    const hasHeaders = this.#random() < 0.8;
    return {
      ...(hasHeaders && {
        limit: this.#limit,
        ...(this.#tellsReset && { reset: this.#reset + 3_600_000 }),
      }),
      ...(this.#random() < 0.6 && { retryAfter: this.#pick([0, 1_000, 12_000, 60_000]) }),
      status: this.#pick([429, 429, 429, 403, 503]),
      exhausted: this.#random() < 0.7,
      sentAt,
    };
  }

  #int(below: number): number {
    return Math.floor(this.#random() * below);
  }

  #pick<T>(values: readonly T[]): T {
    return values[this.#int(values.length)]!;
  }
}
