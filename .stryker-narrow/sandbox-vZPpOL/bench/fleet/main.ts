/**
 * The bench of the fleet gate: `npm run bench:fleet`. Simulates fleets of 1 to 200 processes on virtual time against the mock service, then starts
 * real processes on a real store, and writes the tables of decision 19. What writes nothing: `--only fixed,rolling,business,priority,faults,real`
 * does a part. `--quick` takes 2 runs of fleets of at most 16 processes, and no real ones.
 */
// @ts-nocheck

import { isWanted, machine, options, progress, publish } from '../page.js';
import { inPool } from '../processes.js';
import { realTable } from './real.js';
import { tables, type Row, type TableName } from './situations.js';
import { figureTable, nameOf, summary } from './tables.js';
import type { FleetFigures, GateKind, Job } from './worker.js';

const { quick } = options;
const runs = quick ? 2 : 60;
const names = (Object.keys(tables) as TableName[]).filter(isWanted);

/** All rows of a fleet; of gates alone those that have no store, up to 16 processes. */
function isShown(table: TableName, { name, scenarios }: Row, kind: GateKind): boolean {
  if (quick && scenarios.some(({ processes = 1 }) => processes > 16)) return false;
  return (
    kind === 'fleet' ||
    (['fixed', 'rolling'].includes(table) && Number(name) <= 16) ||
    name === 'store down from the start'
  );
}

const jobs = new Map<string, Job>();
for (const table of names)
  for (const row of tables[table])
    for (const kind of ['fleet', 'alone'] as const)
      if (isShown(table, row, kind))
        jobs.set(nameOf(table, row.name, kind), { table, row: row.name, kind, runs });

const real = isWanted('real') && !quick ? [await realTable()] : [];
const worker = new URL('worker.ts', import.meta.url);
const found = await inPool<Job, FleetFigures[]>(worker, jobs, (name, results) =>
  // A long bench may be stopped: its figures so far.
  progress(`${name}: ${summary(results)}`),
);
const page = [
  ...names.map((name) => figureTable(name, found)),
  ...real,
  `Made by \`npm run bench:fleet\` ${machine}.`,
].join('\n\n');
await publish('docs/decisions/0019-the-fleet-in-figures.md', 'fleet', page);
process.exit();
