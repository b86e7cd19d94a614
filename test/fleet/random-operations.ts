import { seeded } from '../../bench/conduct/scenario.js';
import { applyOperation } from '../../src/fleet/rules/apply.js';
import type { FleetOperation, FleetReply, Observation } from '../../src/fleet/rules/operations.js';
import type { FleetState } from '../../src/fleet/rules/state.js';

/** An operation, when it reaches the store, and what the rules make of it. */
export interface Step {
  readonly operation: FleetOperation;
  readonly now: number;
  readonly reply: FleetReply;
  /** The state after it, as JSON. */
  readonly text: string;
}

/**
 * Random operations on one state, one after the other, as a fleet of up to six members would send them, and some that none would:
 * late, repeated, from a member of another state, with clocks that were set. Numbers are often equal, so that bounds are hit exactly.
 */
export function* walk(seed: number, steps: number): Generator<Step> {
  const random = seeded(seed);
  const int = (below: number) => Math.floor(random() * below);
  const pick = <T>(...values: readonly T[]): T => values[int(values.length)]!;

  const members = Array.from({ length: 1 + int(6) }, (_, index) => {
    const member = `member-${index}`;
    return { member, sequence: 0, total: 0 };
  });
  const limit = pick(60, 300, 1_000, 75);
  const isRolling = random() < 0.3;
  const hasHeaders = random() < 0.9;
  const tellsReset = random() < 0.8;
  let now = 1_800_000_000_000 + int(60_000);
  let remaining = limit;
  let reset = now + 60_000;
  let generation = '';

  const observation = (spent: number, sentAt: number): Observation => {
    if (!hasHeaders || random() < 0.03) return { sentAt };
    remaining = Math.max(0, remaining - spent - pick(0, 0, 0, 0, 1, 9, 60));
    const isLate = random() < 0.05;
    const seen = reset + 3_600_000 - (isLate ? 60_000 : 0) + (isRolling ? int(3) * 1_000 : 0);
    return {
      limit: random() < 0.02 ? 1_000 : limit,
      remaining,
      ...(tellsReset && random() < 0.97 && { reset: random() < 0.02 ? seen + 3_600_000 : seen }),
      sentAt,
    };
  };
  const rateLimited = (sentAt: number) => ({
    ...(random() < 0.8 && { limit, ...(tellsReset && { reset: reset + 3_600_000 }) }),
    ...(random() < 0.6 && { retryAfter: pick(0, 1_000, 12_000, 60_000) }),
    status: pick(429, 429, 429, 403, 503),
    exhausted: random() < 0.7,
    sentAt,
  });
  /** What a member says `passed` ms after the operation before. */
  const next = (passed: number): FleetOperation => {
    const own = pick(...members);
    own.sequence += pick(1, 1, 1, 1, 1, 1, 1, 0, 2, -1);
    const successes = pick(0, 0, 1, 2, 5, 20);
    own.total += successes + (random() < 0.05 ? 3 : 0);
    const sentAt = now - pick(20, 100, 100, 700, 4_000, 90_000);
    const hasClock = random() < 0.8;
    const low = pick(3_600_000, 3_600_000, 3_599_900.5, 3_610_000);
    return {
      ...own,
      generation: random() < 0.02 ? 'of another state' : generation,
      newGeneration: `generation-${int(1_000_000)}`,
      acknowledged: Math.max(0, own.sequence - pick(1, 1, 1, 1, 0, 2)),
      acknowledgedAgo: passed + pick(100, 5_000, 200_000),
      leaves: random() < 0.02,
      aloneFor: random() < 0.03 ? pick(500, 20_000) : 0,
      unsent: pick(0, 0, 0, 1, 3, 10),
      inFlight: pick(0, 0, 1, 2, 4),
      need: pick(0, 0, 1, 1, 3, 20, 400),
      high: pick(0, 0, 0, 1, 3),
      rate: pick(0, 0, 0.001, 0.0123),
      lastLease: pick(0, 0, 5, 20),
      repeats: int(6),
      rtt: pick(0, 50, 80.25, 600),
      successes,
      times: successes === 0 ? [] : [[Math.floor(now / 1_000) - pick(0, 0, 1, 40, -5), successes]],
      lost: random() < 0.05 ? 1 : 0,
      probeDone: random() < 0.5,
      ...(successes > 0 && { observation: observation(successes, sentAt) }),
      ...(random() < 0.04 && { rateLimited: rateLimited(sentAt) }),
      ...(hasClock && { clock: { low, high: low + pick(0, 900, 1_000.5) } }),
      ...(random() < 0.03 && { perDay: pick(100, 5_000) }),
    };
  };

  let text: string | undefined;
  for (let step = 0; step < steps; step += 1) {
    const passed = pick(0, 1, 7, 100, 350, 1_000, 3_000, 8_000, 31_000, -2_000, 70_000, 160_000);
    now += passed;
    // The clock of the store is set.
    if (seed % 8 === 0 && random() < 0.01) now += pick(-86_400_000, 86_400_000);
    if (now >= reset || reset > now + 120_000) {
      reset = now + (isRolling ? int(20_000) : 60_000);
      remaining = limit;
    }
    // In some walks the first answer says that nothing is left, and not until when.
    const isSpent = step === 0 && seed % 5 === 0;
    const operation: FleetOperation = {
      ...next(passed),
      ...(isSpent && {
        ...{ sequence: 100, unsent: 0, inFlight: 0, need: 1, probeDone: true, successes: 1 },
        observation: { limit, remaining: 0, sentAt: now },
        rateLimited: undefined,
      }),
    };
    const known = text === undefined ? undefined : (JSON.parse(text) as FleetState);
    const { state, reply } = applyOperation(known, operation, now);
    text = JSON.stringify(state);
    if (random() < 0.9) generation = reply.generation;
    yield { operation, now, reply, text };
  }
}
