import { figures } from '../conduct/figures.js';
import { ours, type Ours } from '../conduct/ours.js';
import { run } from '../conduct/run.js';
import { virtualWorld } from '../conduct/virtual-world.js';
import type { CreateMockService } from '../conduct/world.js';
import { fleetClient, type Package } from './fleet-client.js';
import type { Row } from './situations.js';

/** The figures of a row: sums and means over its runs. */
export interface RowFigures {
  readonly name: string;
  readonly runs: number;
  readonly calls: number;
  readonly served: number;
  /** 429s, also in 1,000 served calls, and the most in one run. */
  readonly refused: number;
  readonly refusedPerThousand: number;
  readonly mostRefused: number;
  readonly bans: number;
  /** Runs in which not every call was served. A process that is killed serves no more. */
  readonly unserved: number;
  /** Time until the last call was served over that of an all-knowing fleet: the mean, and the largest. */
  readonly span: number;
  readonly spanMost: number;
  readonly p50: number;
  readonly p99: number;
  /** Operations of the store in 1,000 served calls. */
  readonly trips: number;
  readonly fairness: number;
}

/** Runs each scenario of a row with some seeds, with the fleet or with gates that know nothing of each other. */
export async function simulate(
  row: Row,
  seeds: readonly number[],
  product: Package & Ours,
  createMockService: CreateMockService,
  kind: 'fleet' | 'local',
): Promise<RowFigures> {
  const world = virtualWorld(createMockService);
  const spans: number[] = [];
  const sums = {
    runs: 0,
    calls: 0,
    served: 0,
    refused: 0,
    most: 0,
    bans: 0,
    unserved: 0,
    trips: 0,
  };
  const waits: [p50: number, p99: number, fairness: number][] = [];
  for (const scenario of row.scenarios)
    for (const seed of seeds) {
      const { client, trips } = fleetClient(product, row.conditions);
      const done = await run(scenario, kind === 'fleet' ? client : ours(product), world, seed);
      const one = figures(done);
      sums.runs += 1;
      sums.calls += done.calls;
      sums.served += done.outcomes.filter(({ ok }) => ok).length;
      sums.refused += one.refused;
      sums.most = Math.max(sums.most, one.refused);
      sums.bans += one.bans;
      sums.trips += trips.operations;
      if (one.span === undefined) sums.unserved += 1;
      else spans.push(one.span);
      waits.push([one.waitMedian, one.waitP99, one.fairness]);
    }
  const mean = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  return {
    name: row.name,
    runs: sums.runs,
    calls: sums.calls,
    served: sums.served,
    refused: sums.refused,
    refusedPerThousand: (1_000 * sums.refused) / sums.served,
    mostRefused: sums.most,
    bans: sums.bans,
    unserved: sums.unserved,
    span: mean(spans),
    spanMost: Math.max(...spans),
    p50: mean(waits.map(([p50]) => p50)),
    p99: mean(waits.map(([, p99]) => p99)),
    trips: (1_000 * sums.trips) / sums.served,
    fairness: mean(waits.map(([, , fairness]) => fairness)),
  };
}
