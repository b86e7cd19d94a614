/**
 * The bench of the fleet gate: `npm run bench:fleet`. Simulates fleets of 1 to 200 processes on virtual time against the mock service, then starts
 * real processes on a real store, and writes the tables of decision 19. `--runs N` takes at least so many runs a row. What writes nothing:
 * `--only fixed,rolling,business,priority,faults,real` does a part. `--quick` takes 2 runs of fleets of at most 16 processes, and no real ones.
 */
import { parseArgs } from 'node:util';
import { machine, progress, writeSection } from '../page.js';
import { inPool } from '../processes.js';
import { runReals } from './real.js';
import { tables, type Row, type TableName } from './situations.js';
import { figureTable, groupOf, realTable, summary } from './tables.js';
import type { FleetFigures, GateKind, Job } from './worker.js';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    runs: { type: 'string' },
  },
});
const { quick } = options;
const names = Object.keys(tables) as TableName[];
const wanted = options.only?.split(',') ?? [...names, ...(quick ? [] : ['real'])];
const runs = Number(options.runs ?? (quick ? 2 : 60));

/** All rows of a fleet; of gates alone those that have no store, up to 16 processes. */
function isShown(table: TableName, { name, scenarios }: Row, kind: GateKind): boolean {
  if (quick && scenarios.some(({ processes = 1 }) => processes > 16)) return false;
  return (
    kind === 'fleet' ||
    (['fixed', 'rolling'].includes(table) && Number(name) <= 16) ||
    name === 'store down from the start'
  );
}

const jobs = new Map<string, Job[]>();
for (const table of names.filter((name) => wanted.includes(name)))
  for (const row of tables[table])
    for (const kind of ['fleet', 'alone'] as const)
      if (isShown(table, row, kind))
        jobs.set(
          groupOf(table, row.name, kind),
          row.scenarios
            .flatMap((_, scenario) =>
              Array.from({ length: Math.ceil(runs / row.scenarios.length) }, (_, at) => {
                return { table, row: row.name, scenario, seed: at + 1, kind };
              }),
            )
            .slice(0, quick ? runs : undefined),
        );

const real = wanted.includes('real') ? [realTable(await runReals(progress))] : [];
const worker = new URL('worker.ts', import.meta.url);
const found = await inPool<Job, FleetFigures>(worker, jobs, (group, results) =>
  // A long bench may be stopped: its figures so far.
  progress(`${group}: ${summary(results)}`),
);
const page = [
  ...names.filter((name) => wanted.includes(name)).map((name) => figureTable(name, found)),
  ...real,
  `Made by \`npm run bench:fleet\` on ${new Date().toISOString().slice(0, 10)}: ${machine}.`,
].join('\n\n');
console.log(page);
if (!quick && options.only === undefined)
  await writeSection('docs/decisions/0019-the-fleet-in-figures.md', 'fleet', page);
process.exit();
