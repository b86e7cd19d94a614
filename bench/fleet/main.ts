/**
 * The bench of the fleet gate: `npm run bench:fleet`. Simulates fleets of 1 to 200 processes on virtual time against the
 * mock service, and writes the tables into docs/fleet.md. `--only fixed|rolling|business|faults` runs one table, `--seeds N` takes so many seeds,
 * `--local` adds gates that know nothing of each other, `--dry` writes nothing. `real` as the first argument: real processes and a real Redis.
 */
import { mkdirSync, readFileSync, writeFileSync, existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadProduct, root } from '../conduct/product.js';
import { writeSection } from '../conduct/section.js';
import type * as Fleet from '../../src/fleet/index.js';
import { runReal, type RealOptions } from './real.js';
import { simulate, type RowFigures } from './simulate.js';
import { businessRows, faultRows, fixedRows, rollingRows, type Row } from './situations.js';
import { faultTable, figureTable } from './tables.js';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    seeds: { type: 'string', default: '2' },
    local: { type: 'boolean', default: false },
    dry: { type: 'boolean', default: false },
    to: { type: 'string', default: '200' },
    rough: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '100' },
    processes: { type: 'string', default: '8' },
  },
});
const { product, createMockService } = await loadProduct(false);
const fleet = (await import(new URL('dist/fleet/index.js', root).href)) as typeof Fleet;
const whole = { ...product, ...fleet };
const seeds = Array.from({ length: Number(options.seeds) }, (_, at) => at + 1);

const file = fileURLToPath(new URL('bench/results/fleet.json', root));
type Results = Record<string, RowFigures[]>;
const results: Results = existsSync(file)
  ? (JSON.parse(readFileSync(file, 'utf8')) as Results)
  : {};

async function table(name: string, rows: readonly Row[], kind: 'fleet' | 'local' = 'fleet') {
  if (options.only !== undefined && !options.only.split(',').includes(name)) return;
  const label = kind === 'fleet' ? name : `${name}, local`;
  const done: RowFigures[] = [];
  for (const row of rows) {
    if (Number(row.name) > Number(options.to)) continue;
    const began = performance.now();
    const many = row.scenarios.length < 5 ? seeds.length * 5 : seeds.length;
    const figures = await simulate(
      row,
      Array.from({ length: many }, (_, at) => at + 1),
      whole,
      createMockService,
      kind,
    );
    done.push(figures);
    const { refused, bans, span, trips, runs } = figures;
    const took = Math.round((performance.now() - began) / 1_000);
    console.log(
      `${label} ${row.name}: ${runs} runs, ${refused} 429s, ${bans} bans, span ${span.toFixed(3)}, ${Math.round(trips)} trips (${took} s)`,
    );
    if (options.dry) continue;
    results[label] = done;
    mkdirSync(fileURLToPath(new URL('bench/results/', root)), { recursive: true });
    writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  }
}

if (positionals[0] === 'real') {
  const { serve } = (await import(new URL('dist/mocks/server.js', root).href)) as {
    serve: RealOptions['serve'];
  };
  const figures = await runReal({
    kind: positionals[1] ?? 'redis',
    processes: Number(options.processes),
    seconds: Number(options.seconds),
    rough: options.rough,
    dist: new URL('dist/', root).href,
    worker: fileURLToPath(new URL('bench/fleet/real-worker.mjs', root)),
    createMockService,
    serve,
  });
  console.log(JSON.stringify(figures));
  process.exit(0);
}
await table('fixed', fixedRows);
await table('rolling', rollingRows);
await table('business', businessRows);
await table('faults', faultRows);
if (options.local) {
  await table('fixed', fixedRows, 'local');
  await table('rolling', rollingRows, 'local');
}
if (!options.dry) {
  const page = fileURLToPath(new URL('docs/fleet.md', root));
  const text = [
    '### Fixed windows',
    figureTable(results['fixed'] ?? [], results['fixed, local'] ?? []),
    '### Rolling windows',
    figureTable(results['rolling'] ?? [], results['rolling, local'] ?? []),
    '### Business, 1,000 a minute, fixed windows',
    figureTable(results['business'] ?? [], []),
    '### Faults',
    faultTable(results['faults'] ?? []),
  ];
  writeSection(page, 'fleet', text.join('\n\n'));
}
process.exit(0);
