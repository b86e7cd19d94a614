/** Does the runs of the bench of the fleet gate in a process of its own. */
import { load, root } from '../product.js';
import type * as Fleet from '../../src/fleet/index.js';
import type { GateKind } from './fleet-client.js';
import { simulate } from './simulate.js';
import { tables, type TableName } from './situations.js';

/** One run: a scenario of a row of a table, by their indexes. */
export interface Job {
  readonly table: TableName;
  readonly row: number;
  readonly scenario: number;
  readonly seed: number;
  readonly kind: GateKind;
}

const product = await load(false);
const fleet = (await import(new URL('dist/fleet/index.js', root).href)) as typeof Fleet;
const whole = { ...product, ...fleet };

process.on('message', ({ table, row, scenario, seed, kind }: Job) => {
  const { scenarios, conditions } = tables[table][row]!;
  // A run that fails ends the process, and with it the bench.
  void simulate(
    scenarios[scenario]!,
    seed,
    conditions,
    kind,
    whole,
    product.createMockService,
  ).then((result) => process.send?.(result));
});
process.send?.('ready');
