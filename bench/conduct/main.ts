/**
 * The bench of conduct at the rate limit: `npm run bench:conduct`, or with `--quick` a part of it in under a minute,
 * which writes nothing. Measures the built package, or with `--source` the sources.
 * `--every N` takes every N-th situation of the large rows, `--seeds N` so many seeds where clients are compared.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chart } from './report/chart.js';
import type { Client } from './run/client.js';
import { fakedWorld } from './run/faked-world.js';
import { firstBursts, type FirstBurst } from './scenario/first-burst.js';
import { grid } from './grid.js';
import { headline } from './report/headline.js';
import { ours } from './run/ours.js';
import { peers } from './peers/index.js';
import { kyDefaults } from './peers/ky.js';
import { inPool } from './pool.js';
import { loadProduct, root } from './product.js';
import { run } from './run/run.js';
import { writeSection } from './report/section.js';
import { firstBurstTable, gridTable, matrix, scenarioTable, shortTable } from './report/tables.js';
import { judge, type Verdict } from './report/verdict.js';
import { virtualWorld } from './run/virtual-world.js';
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
const { product, createMockService } = await loadProduct(options.source);
const client = ours(product);

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

const bursts: FirstBurst[] = [];
for (const scenario of firstBursts) {
  const last = async (tried: Client) => {
    const all = [];
    for (const seed of seeds)
      all.push(await run(scenario, tried, virtualWorld(createMockService), seed));
    return (
      all.reduce(
        (sum, { outcomes }) => sum + Math.max(...outcomes.map(({ endedAt }) => endedAt)),
        0,
      ) /
      all.length /
      1_000
    );
  };
  const [learned, told] = [await last(client), await last(ours(product, scenario.plan))];
  bursts.push({ plan: scenario.plan, calls: scenario.workload.calls, learned, told });
}

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

A new process does not know its quota, so it sends one request first. With the option \`plan\` it does not have to. Time until the last call is served, with round trips of 100 ms:

${firstBurstTable(bursts)}

Made by \`npm run bench:conduct\` in virtual time against the in-memory service: round trips of 60 ms + twice Exp(20 ms), seeds ${seeds.join(', ')}, and in the table of promises a different seed for each situation${every > 1 ? ` (every ${every}th, for rows with more than 50)` : ''}; ${machine}. got uses only \`node:http\`, so its requests are intercepted there. All other clients receive a \`fetch\` function.`;

if (options.quick) console.log(text);
else {
  const scenario = headline[0]!;
  const pair = [
    { ...(await run(scenario, client, virtualWorld(createMockService), 1)), client: client.name },
    {
      ...(await run(scenario, kyDefaults, fakedWorld(createMockService), 1)),
      client: kyDefaults.name,
    },
  ];
  write(
    'docs/assets/burst.svg',
    chart('500 calls at once on the Free plan, 60 requests a minute', pair),
  );
  write(
    'bench/results/conduct.json',
    `${JSON.stringify({ machine, seeds, headline: lines, grid: verdicts.map(summary), bursts }, null, 1)}\n`,
  );
  writeSection(fileURLToPath(new URL('docs/rate-limits.md', root)), 'conduct', text);
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

function summary({ row, ...rest }: Verdict): object {
  return { name: row.name, target: row.target, ...rest };
}

function write(path: string, content: string): void {
  const file = new URL(path, root);
  mkdirSync(new URL('.', file), { recursive: true });
  writeFileSync(file, content);
}

function progress(what: string): void {
  console.error(`${((performance.now() - started) / 1_000).toFixed(0).padStart(5)} s  ${what}`);
}
