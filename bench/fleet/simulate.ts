import { figures } from '../conduct/report/figures.js';
import { run, type Outcome } from '../conduct/run/run.js';
import type { Scenario } from '../conduct/scenario/scenario.js';
import { virtualWorld } from '../conduct/run/virtual-world.js';
import type { CreateMockService } from '../conduct/run/world.js';
import type { Conditions } from './conditions.js';
import { clientOf, type GateKind, type Package } from './fleet-client.js';

/** The figures of one run. */
export interface RunFigures {
  readonly calls: number;
  readonly served: number;
  /** Responses with status 429. */
  readonly rateLimited: number;
  readonly bans: number;
  /** Time until the last call was served over that of an ideal fleet; `null`: not every call was served. */
  readonly span: number | null;
  /** Operations of the store. */
  readonly trips: number;
  /** Jain's index of served calls between processes. */
  readonly fairness: number;
  /** ms from the call to its end. */
  readonly p50: number;
  readonly p99: number;
  /** The same of the calls of high priority that began after the first minute, and of the other calls then. */
  readonly high: Waits | null;
  readonly normal: Waits | null;
}

/** ms from the call to its end. */
export interface Waits {
  readonly p50: number;
  readonly p99: number;
}

/** The figures of a row: sums and means over its runs. */
export interface RowFigures extends Omit<RunFigures, 'span'> {
  readonly name: string;
  readonly runs: number;
  readonly rateLimitedPerThousand: number;
  /** The most 429s in one run. */
  readonly mostRateLimited: number;
  /** Runs in which not every call was served. A process that is killed serves no more. */
  readonly unserved: number;
  /** The mean and the largest of the runs that served all; `null`: no run did. */
  readonly span: number | null;
  readonly spanMost: number | null;
  readonly tripsPerThousand: number;
  /** The row was measured before the newest rules. */
  readonly earlier?: boolean;
}

/** Runs one scenario with one seed. */
export async function simulate(
  scenario: Scenario,
  seed: number,
  conditions: Conditions,
  kind: GateKind,
  product: Package,
  createMockService: CreateMockService,
): Promise<RunFigures> {
  const { client, trips } = clientOf(kind, product, conditions);
  const done = await run(scenario, client, virtualWorld(createMockService), seed);
  const one = figures(done);
  const later = done.outcomes.filter(({ ok, wantedAt }) => ok && wantedAt > 60_000);
  const isHigh = ({ process }: Outcome) => conditions.high?.(process) === true;
  return {
    calls: done.calls,
    served: done.outcomes.filter(({ ok }) => ok).length,
    rateLimited: one.refused,
    bans: one.bans,
    span: one.span ?? null,
    trips: trips.operations,
    fairness: one.fairness,
    p50: one.waitMedian,
    p99: one.waitP99,
    high: waitsOf(later.filter(isHigh)),
    normal: waitsOf(later.filter((outcome) => !isHigh(outcome))),
  };
}

function waitsOf(outcomes: readonly Outcome[]): Waits | null {
  const waits = outcomes.map(({ wantedAt, endedAt }) => endedAt - wantedAt).sort((a, b) => a - b);
  if (waits.length === 0) return null;
  return {
    p50: waits[Math.floor(waits.length / 2)]!,
    p99: waits[Math.floor(waits.length * 0.99)]!,
  };
}

/** Puts the runs of a row together. */
export function summarize(name: string, all: readonly RunFigures[]): RowFigures {
  const sum = (of: (one: RunFigures) => number) => all.reduce((total, one) => total + of(one), 0);
  const spans = all.flatMap(({ span }) => span ?? []);
  const waits = (of: (one: RunFigures) => Waits | null): Waits | null => {
    const known = all.flatMap((one) => of(one) ?? []);
    return known.length === 0
      ? null
      : { p50: mean(known.map(({ p50 }) => p50)), p99: mean(known.map(({ p99 }) => p99)) };
  };
  const served = sum((one) => one.served);
  const rateLimited = sum((one) => one.rateLimited);
  const trips = sum((one) => one.trips);
  return {
    name,
    runs: all.length,
    calls: sum((one) => one.calls),
    served,
    rateLimited,
    rateLimitedPerThousand: (1_000 * rateLimited) / served,
    mostRateLimited: Math.max(...all.map((one) => one.rateLimited)),
    bans: sum((one) => one.bans),
    unserved: all.filter(({ span }) => span === null).length,
    span: spans.length === 0 ? null : mean(spans),
    spanMost: spans.length === 0 ? null : Math.max(...spans),
    trips,
    tripsPerThousand: (1_000 * trips) / served,
    fairness: mean(all.map(({ fairness }) => fairness)),
    p50: mean(all.map(({ p50 }) => p50)),
    p99: mean(all.map(({ p99 }) => p99)),
    high: waits(({ high }) => high),
    normal: waits(({ normal }) => normal),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
