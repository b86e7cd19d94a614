/** The answers of a run, as they are to be explained by a way of counting. */
import { longestMinute } from '../ask/budget.js';
import { readRate, type Rate } from '../ask/rate.js';
import { hasKey, type Ask, type Exchange } from '../ask/request.js';
import type { Known } from '../case.js';
import { arrivalsOf } from './clock.js';
import type { Hypothesis } from './hypotheses.js';
import { createExactReplay, type Replay, type RunSetup } from './replay.js';

/** How far a Reset may be off, ms: it is rounded to a second, and times are known to a second. */
export const resetSlack = 1_500;

/** One answer that is to be explained. */
export interface Sample {
  readonly exchange: Exchange;
  /** The request, as far as it is counted. */
  readonly counted: Ask;
  readonly early: number;
  readonly late: number;
  readonly rate: Rate | undefined;
}

/** The answers from the first one on whose window was empty before it. */
export function samplesOf(known: Known): Sample[] {
  const arrivals = arrivalsOf(known);
  const samples = known.exchanges.map((exchange, index) => ({
    exchange,
    counted: withoutBody(exchange.ask),
    ...arrivals[index]!,
    rate: exchange.answer && readRate(exchange.answer, exchange.receivedAt),
  }));
  const first = samples.find(isKeyed);
  if (!first || !isUsed(first.rate)) return samples;
  const quiet = samples.findIndex(
    ({ exchange }, index) =>
      index > 0 && exchange.sentAt - samples[index - 1]!.exchange.receivedAt >= longestMinute - 600,
  );
  return quiet < 0 ? samples : samples.slice(quiet);
}

/** A body is not counted, and takes time. */
function withoutBody({ method, path, key }: Ask): Ask {
  return { method, path, key };
}

/** True when the first response shows that the key was used shortly before. */
export function isUsed(rate: Rate | undefined): boolean {
  return rate !== undefined && rate.remaining !== rate.limit - 1;
}

/** True for an answer to a valid key that shows its quota. */
export function isKeyed({ exchange: { ask, answer }, rate }: Sample): boolean {
  return hasKey(ask) && answer !== undefined && rate !== undefined;
}

/** The mock that counts so, as if every request had come as early, and as late, as it may have. */
export function replaysOf(
  samples: readonly Sample[],
  hypothesis: Hypothesis,
  setup: RunSetup,
): { early: Replay; late: Replay } {
  const begun = (start: number) =>
    createExactReplay({
      ...setup,
      assumptions: { ...setup.assumptions, ...hypothesis },
      start,
    });
  return { early: begun(samples[0]!.early), late: begun(samples[0]!.late) };
}

/** True for a value between two others, which may stand in either order. */
export function isBetween(value: number, one: number, other: number, slack: number): boolean {
  return value >= Math.min(one, other) - slack && value <= Math.max(one, other) + slack;
}
