/** Does the jobs of the bench in a process of its own: a part of the clients' module state never ends with a run. */
import type { Client } from './run/client.js';
import { fakedWorld } from './run/faked-world.js';
import { figures, mean, type Figures } from './report/figures.js';
import { grid } from './grid.js';
import { headline } from './report/headline.js';
import { ours } from './run/ours.js';
import { peers } from './peers.js';
import { load } from '../product.js';
import { run } from './run/run.js';
import type { Scenario } from './scenario/scenario.js';
import type { Cell, Line } from './report/tables.js';
import { virtualWorld } from './run/virtual-world.js';
import type { MakeWorld } from './run/world.js';

/** One client through situations of the headline, or our client through situations of a row of the grid; by their indexes. */
export type Job =
  | {
      readonly kind: 'line';
      readonly client: number;
      readonly scenarios: readonly number[];
      readonly seeds: readonly number[];
    }
  | {
      readonly kind: 'row';
      readonly row: number;
      readonly scenarios: readonly number[];
      readonly seeds: number;
    };

/** What comes of a job. */
export type Result =
  | { readonly kind: 'line'; readonly line: Line }
  | { readonly kind: 'row'; readonly all: readonly Figures[] };

const product = await load();
const { createMockService } = product;
const clients: readonly [Client, MakeWorld][] = [
  [ours(product), virtualWorld(createMockService)],
  ...peers.map((peer): [Client, MakeWorld] => [peer, fakedWorld(createMockService)]),
];

process.on('message', (job: Job) => {
  // A run that fails ends the process, and with it the bench.
  void (job.kind === 'line' ? line(job) : row(job)).then((result) => process.send?.(result));
});
process.send?.('ready');

async function line({ client, scenarios, seeds }: Job & { kind: 'line' }): Promise<Result> {
  const [tried, world] = clients[client]!;
  const cells: [string, Cell][] = [];
  for (const at of scenarios) {
    const scenario = headline[at]!;
    const strict = mean(await runs({ ...scenario, strikes: 'strict' }, tried, world, seeds));
    const lenient = mean(await runs({ ...scenario, strikes: 'lenient' }, tried, world, seeds));
    cells.push([scenario.name, { strict, lenient }]);
  }
  return { kind: 'line', line: { client: tried.name, cells: Object.fromEntries(cells) } };
}

async function row({ row, scenarios, seeds }: Job & { kind: 'row' }): Promise<Result> {
  const [tried, world] = clients[0]!;
  const all: Figures[] = [];
  for (const at of scenarios) {
    const several = Array.from({ length: seeds }, (_, time) => at * seeds + time + 1);
    all.push(...(await runs(grid[row]!.scenarios[at]!, tried, world, several)));
  }
  return { kind: 'row', all };
}

async function runs(
  scenario: Scenario,
  tried: Client,
  world: MakeWorld,
  seeds: readonly number[],
): Promise<Figures[]> {
  const all: Figures[] = [];
  for (const seed of seeds) all.push(figures(await run(scenario, tried, world, seed)));
  return all;
}
