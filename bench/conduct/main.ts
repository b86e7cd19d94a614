/**
 * The bench of conduct at the rate limit: `npm run bench:conduct`, or with `--quick` a part of it in under a minute,
 * which writes nothing. Measures the built package, or with `--source` the sources.
 * `--every N` takes every N-th situation of the large rows, `--seeds N` so many seeds where clients are compared.
 */
import { availableParallelism, cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { grid } from './grid.js';
import { headline } from './report/headline.js';
import { peers } from './peers.js';
import { inPool } from './pool.js';
import { root } from '../product.js';
import { writeSection } from '../section.js';
import { gridTable, matrix, scenarioTable, shortTable } from './report/tables.js';
import { judge } from './report/verdict.js';
import type { Job, Result } from './worker.js';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    source: { type: 'boolean', default: false },
    // Of the rows with more than 50 situations, each so-manieth.
    every: { type: 'string', default: '1' },
    // Runs of each client in each situation of the headline.
    seeds: { type: 'string', default: '2' },
  },
});
const seeds = Array.from({ length: options.quick ? 1 : Number(options.seeds) }, (_, at) => at + 1);
const every = options.quick ? 41 : Number(options.every);
const started = performance.now();

const shown = headline
  .filter(({ plan }) => !options.quick || plan === 'free')
  .slice(0, options.quick ? 3 : undefined);
const jobs: Job[] = [0, ...peers.map((_, at) => at + 1)].map((at) => ({
  kind: 'line',
  client: at,
  scenarios: shown.map((scenario) => headline.indexOf(scenario)),
  seeds,
}));
for (const [row, { scenarios }] of grid.entries()) {
  const large = scenarios.length > 50;
  const chosen = scenarios.map((_, at) => at).filter((at) => at % (large ? every : 1) === 0);
  jobs.push({
    kind: 'row',
    row,
    scenarios: options.quick ? chosen.slice(0, 3) : chosen,
    seeds: large || options.quick ? 1 : 3,
  });
}
const results = await inPool<Job, Result>(
  new URL('worker.ts', import.meta.url),
  jobs,
  availableParallelism(),
  (job, result) =>
    progress(
      result.kind === 'line'
        ? result.line.client
        : (job.kind === 'row' && grid[job.row]?.name) || '',
    ),
);
const lines = results.flatMap((result) => (result.kind === 'line' ? result.line : []));
const verdicts = results.flatMap((result, at) => {
  const job = jobs[at]!;
  return result.kind === 'row' && job.kind === 'row' ? judge(grid[job.row]!, result.all) : [];
});

const machine = `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cpus().length} cores`;
const text = `${scenarioTable(lines, shown[0]!.name)}

500 calls start at the same time with a key of the Free plan (60 requests a minute). Strict: every request in a cool-down is a strike. Five strikes ban the key for ten minutes.

### All situations

Each cell holds: calls served · 429s per 1,000 served calls · requests during a cool-down · bans (lenient / strict) · time until the last call is served, divided by the time of an ideal client that knows the limits in advance (–: not all calls were served). Lenient: requests in the first 2 s of a cool-down are not strikes. Strict: every request in a cool-down is a strike. All figures except the second number of bans are from lenient runs.

${matrix(lines)}

### Promises and results of petstore-client

Every request in a cool-down is a strike. *Without first requests*: a process that starts while the key is exhausted cannot know this, so its first
request is always refused. This column does not count these requests.

${gridTable(verdicts)}

Made by \`npm run bench:conduct\` in virtual time against the in-memory service: round trips of 60 ms + twice Exp(20 ms), seeds ${seeds.join(', ')}, and in the table of promises a different seed for each situation${every > 1 ? ` (every ${every}th, for rows with more than 50)` : ''}; ${machine}. got uses only \`node:http\`, so its requests are intercepted there. All other clients receive a \`fetch\` function.`;

if (options.quick) console.log(text);
else {
  writeSection(
    fileURLToPath(new URL('docs/decisions/0015-conduct-in-figures.md', root)),
    'conduct',
    text,
  );
  writeSection(
    fileURLToPath(new URL('README.md', root)),
    'conduct-readme',
    shortTable(lines, shown[0]!.name),
  );
  console.log(text);
}
progress('done');
const broken = verdicts.filter(({ missed }) => missed.length > 0);
for (const { row, missed } of broken) console.error(`not kept: ${row.name}: ${missed.join(', ')}`);
process.exitCode = broken.length > 0 ? 1 : 0;

function progress(what: string): void {
  console.error(`${((performance.now() - started) / 1_000).toFixed(0).padStart(5)} s  ${what}`);
}
