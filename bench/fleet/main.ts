/**
 * The bench of the fleet gate: `npm run bench:fleet`. Simulates fleets of 1 to 200 processes on virtual time against the mock service, then starts
 * real processes on a real store, and writes reports/bench-fleet.json and the tables of docs/fleet.md.
 *
 * `--only fixed,rolling,business,priority,faults,real` does a part, and keeps the other figures. `--runs N` takes at least so many runs a row.
 * `--row TEXT` takes the rows whose name contains the text. `--to N` takes rows of at most so many processes. `--kind alone` simulates gates that know
 * nothing of each other. `--workers N` uses N processes. `--dry` writes nothing.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { inPool } from '../conduct/pool.js';
import { root } from '../product.js';
import { writeSection } from '../section.js';
import type { GateKind } from './fleet-client.js';
import { runReals, type RealFigures } from './real.js';
import { summarize, type RowFigures, type RunFigures } from './simulate.js';
import { tables, type TableName } from './situations.js';
import { page } from './tables.js';
import type { Job } from './worker.js';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: 'fixed,rolling,business,priority,faults,real' },
    row: { type: 'string', default: '' },
    runs: { type: 'string', default: '60' },
    to: { type: 'string', default: '200' },
    kind: { type: 'string' },
    dry: { type: 'boolean', default: false },
    workers: { type: 'string', default: String(availableParallelism()) },
  },
});
const started = performance.now();
const wanted = options.only.split(',');

/** The figures of a table, with gates of either kind. */
interface Part {
  readonly table: TableName;
  readonly kind: GateKind;
  readonly rows: readonly number[];
}

const parts: Part[] = (Object.keys(tables) as TableName[])
  .filter((table) => wanted.includes(table))
  .flatMap((table) => {
    const kinds: GateKind[] =
      options.kind === undefined ? ['fleet', 'alone'] : [options.kind as GateKind];
    return kinds.map((kind) => ({ table, kind, rows: rowsOf(table, kind) }));
  });

/** All rows of a fleet; of gates alone those that have no store, up to 16 processes. */
function rowsOf(table: TableName, kind: GateKind): number[] {
  const isShown = (name: string) =>
    name.includes(options.row) && !(Number.parseInt(name, 10) > Number(options.to));
  const isWithoutStore = (name: string) =>
    options.kind !== undefined ||
    (table !== 'business' && Number(name) <= 16) ||
    name === 'store down from the start';
  return tables[table].flatMap(({ name }, row) =>
    isShown(name) && (kind === 'fleet' || isWithoutStore(name)) ? row : [],
  );
}

const jobs: Job[] = parts.flatMap(({ table, kind, rows }) =>
  rows.flatMap((row) => {
    const { scenarios } = tables[table][row]!;
    const seeds = Math.ceil(Number(options.runs) / scenarios.length);
    return Array.from({ length: seeds }, (_, at) => at + 1).flatMap((seed) =>
      scenarios.map((_, scenario) => ({ table, row, scenario, seed, kind })),
    );
  }),
);
// The rows of the figures to reach come first, small fleets before large ones.
jobs.sort(
  (a, b) =>
    Number(b.kind === 'fleet') - Number(a.kind === 'fleet') || processesOf(a) - processesOf(b),
);

function processesOf({ table, row, scenario }: Pick<Job, 'table' | 'row' | 'scenario'>): number {
  return tables[table][row]!.scenarios[scenario]!.processes ?? 1;
}

const file = fileURLToPath(new URL('reports/bench-fleet.json', root));
const machine = `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cpus().length} cores`;
const results: Partial<Record<string, unknown>> = {
  ...(existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as object)),
  machine,
};

/** Writes the figures as they come: a long bench may be stopped. */
function write(): void {
  if (options.dry) return;
  mkdirSync(fileURLToPath(new URL('reports/', root)), { recursive: true });
  writeFileSync(file, `${JSON.stringify(results, null, 1)}\n`);
  writeSection(fileURLToPath(new URL('docs/fleet.md', root)), 'fleet', page(results));
}

/** The row with its new figures, at its place in its table. */
function keep(table: TableName, kind: GateKind, row: RowFigures): void {
  const label = kind === 'fleet' ? table : `${table}, alone`;
  const known = ((results[label] ?? []) as RowFigures[]).filter(({ name }) => name !== row.name);
  const order = tables[table].map(({ name }) => name);
  results[label] = [...known, row].sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  const { span, spanMost, high, normal } = row;
  progress(
    `${label} ${row.name}: ${row.runs} runs, ${row.rateLimited} 429s (${row.mostRateLimited} in one), ${row.bans} bans, ` +
      `span ${span?.toFixed(3)} (to ${spanMost?.toFixed(2)}), ${Math.round(row.tripsPerThousand)} trips, ` +
      `p50 ${Math.round(row.p50)}, p99 ${Math.round(row.p99)}${high === null ? '' : JSON.stringify([high, normal])}`,
  );
  write();
}

if (wanted.includes('real')) {
  const known = (results['real'] ?? []) as RealFigures[];
  results['real'] = await runReals(options.row, known, progress);
  write();
}
const runs = new Map<string, RunFigures[]>();
await inPool<Job, RunFigures>(
  new URL('worker.ts', import.meta.url),
  jobs,
  Number(options.workers),
  ({ table, kind, row }, figures) => {
    const isOfRow = (job: Job) => job.table === table && job.kind === kind && job.row === row;
    const id = `${table} ${kind} ${row}`;
    const known = [...(runs.get(id) ?? []), figures];
    runs.set(id, known);
    if (known.length === jobs.filter(isOfRow).length)
      keep(table, kind, summarize(tables[table][row]!.name, known));
  },
);
progress('done');
process.exit(0);

function progress(what: string): void {
  console.error(`${((performance.now() - started) / 1_000).toFixed(0).padStart(5)} s  ${what}`);
}
