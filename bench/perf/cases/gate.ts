import type { createRateLimitGate, GateCall } from '../../../src/index.js';
import { headers } from '../answers.js';
import { calibrated, type Effort } from '../measure.js';
import { quantile } from '../stats.js';

export interface GateCase {
  readonly waiting: number;
  readonly dist: string;
  readonly effort: Effort;
}

type Entry = { readonly createRateLimitGate: typeof createRateLimitGate };

/** A call through the gate while others wait: it joins them, one goes, and its answer lets the next one go. µs for each. */
export default async function gate({
  waiting,
  dist,
  effort,
}: GateCase): Promise<{ us: number; low: number; high: number }> {
  const { createRateLimitGate } = (await import(new URL('index.js', dist).href)) as Entry;
  const passage = createRateLimitGate();
  const answer = { status: 200, headers: new Headers(headers()) };
  const call = (): GateCall => ({
    signal: undefined,
    priority: 'normal',
    waitUntil: Infinity,
    maxHold: Infinity,
    maxQueue: Infinity,
    maxConcurrency: 1,
    onHold: undefined,
    place: 0,
    isRetry: false,
  });
  // The first is let through, and those behind it wait until it is answered.
  const line = Array.from({ length: waiting + 1 }, () => passage.acquire(call()));
  let head = 0;
  const turn = async () => {
    const joined = passage.acquire(call());
    const permit = await line[head]!;
    line[head++] = undefined as never;
    line.push(joined);
    permit.settle(answer);
  };
  const times = await calibrated(turn, effort);
  return { us: quantile(times, 0.5), low: quantile(times, 0.25), high: quantile(times, 0.75) };
}
