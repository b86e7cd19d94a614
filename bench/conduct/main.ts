/**
 * The bench of conduct at the rate limit: `npm run bench:conduct`, or with `--quick` a part of it in under a minute,
 * which writes nothing. Measures the built package, or with `--source` the sources.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chart } from './chart.js';
import type { Client } from './client.js';
import { fakedWorld } from './faked-world.js';
import { figures, mean, type Figures } from './figures.js';
import { firstBursts, type FirstBurst } from './first-burst.js';
import { grid } from './grid.js';
import { headline } from './headline.js';
import { ours, type Ours } from './ours.js';
import { peers } from './peers/index.js';
import { kyDefaults } from './peers/ky.js';
import { run } from './run.js';
import type { Scenario } from './scenario.js';
import { writeSection } from './section.js';
import { firstBurstTable, gridTable, matrix, scenarioTable, type Line } from './tables.js';
import { judge, type Verdict } from './verdict.js';
import { virtualWorld } from './virtual-world.js';
import type { CreateMockService, MakeWorld } from './world.js';

const root = new URL('../../', import.meta.url);
const { values: options } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, source: { type: 'boolean', default: false } },
});
const seeds = options.quick ? [1] : [1, 2];
const started = performance.now();

const entry = (built: string, source: string): Promise<unknown> => import(new URL(options.source ? source : built, root).href);
if (!options.source && !existsSync(new URL('dist/index.js', root)))
  throw new Error('There is no dist/ to measure: run `npm run build` first.');
const product = (await entry('dist/index.js', 'src/index.ts')) as Ours;
const { createMockService } = (await entry('dist/mocks/index.js', 'mocks/index.ts')) as { createMockService: CreateMockService };

const client = ours(product);
const clients: readonly [Client, MakeWorld][] = [
  [client, virtualWorld(createMockService)],
  ...peers.map((peer): [Client, MakeWorld] => [peer, fakedWorld(createMockService)]),
];

const shown = options.quick ? headline.filter(({ plan }) => plan === 'free').slice(0, 3) : headline;
const rows = options.quick ? grid.map((row) => ({ ...row, scenarios: row.scenarios.filter((_, at) => at % 41 === 0 && at < 400) })) : grid;

const lines: Line[] = [];
for (const [peer, world] of clients) {
  const cells: Line['cells'][string][] = [];
  for (const scenario of shown)
    cells.push({
      strict: mean(await runs({ ...scenario, strikes: 'strict' }, peer, world, seeds)),
      lenient: mean(await runs({ ...scenario, strikes: 'lenient' }, peer, world, seeds)),
    });
  lines.push({ client: peer.name, cells: Object.fromEntries(shown.map(({ name }, at) => [name, cells[at]!])) });
  progress(peer.name);
}

const verdicts: Verdict[] = [];
for (const row of rows) {
  const all: Figures[] = [];
  // Large rows have a seed for each scenario, small ones several.
  const times = options.quick || row.scenarios.length > 50 ? 1 : 3;
  for (const [at, scenario] of row.scenarios.entries())
    all.push(
      ...(await runs(
        scenario,
        client,
        virtualWorld(createMockService),
        Array.from({ length: times }, (_, time) => at * times + time + 1),
      )),
    );
  verdicts.push(judge(row, all));
  progress(row.name);
}

const bursts: FirstBurst[] = [];
for (const scenario of firstBursts) {
  const last = async (tried: Client) => {
    const all = [];
    for (const seed of seeds) all.push(await run(scenario, tried, virtualWorld(createMockService), seed));
    return all.reduce((sum, { outcomes }) => sum + Math.max(...outcomes.map(({ endedAt }) => endedAt)), 0) / all.length / 1_000;
  };
  const [learned, told] = [await last(client), await last(ours(product, scenario.plan))];
  bursts.push({ plan: scenario.plan, calls: scenario.workload.calls, learned, told });
}

const machine = `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cpus().length} cores`;
const text = `${scenarioTable(lines, shown[0]!.name)}

500 calls started at once with a key of the Free plan (60 a minute). A refused request during a cool-down is a strike; five ban the key for ten minutes.

### All situations

A cell holds: calls served · 429s per 1,000 served calls · requests during a cool-down · bans when refused requests of the first 2 s are spared / when every one counts · time until the last call is served, over that of an all-knowing client (–: not all were served). But for the second figure of the bans, all of it is where the first 2 s are spared.

${matrix(lines)}

### What petstore-client promises, and what it keeps

Every refused request during a cool-down counts as a strike.

${gridTable(verdicts)}

A process that has just started knows nothing of its quota and asks with one request first. Served at 100 ms a round trip:

${firstBurstTable(bursts)}

Made by \`npm run bench:conduct\` in virtual time against the in-memory service: round trips of 60 ms + twice Exp(20 ms), seeds ${seeds.join(', ')}, and in the table of promises another one for each situation; ${machine}. got speaks only \`node:http\`, so its requests are taken from there; all others are given a \`fetch\`.`;

if (options.quick) console.log(text);
else {
  const scenario = headline[0]!;
  const pair = [
    { ...(await run(scenario, client, virtualWorld(createMockService), 1)), client: client.name },
    { ...(await run(scenario, kyDefaults, fakedWorld(createMockService), 1)), client: kyDefaults.name },
  ];
  write('docs/assets/burst.svg', chart('500 calls at once on the Free plan, 60 requests a minute', pair));
  write(
    'bench/results/conduct.json',
    `${JSON.stringify({ machine, seeds, headline: lines, grid: verdicts.map(summary), bursts }, null, 1)}\n`,
  );
  writeSection(fileURLToPath(new URL('docs/rate-limits.md', root)), 'conduct', text);
  console.log(text);
}
progress('done');
const broken = verdicts.filter(({ missed }) => missed.length > 0);
for (const { row, missed } of broken) console.error(`not kept: ${row.name}: ${missed.join(', ')}`);
process.exitCode = broken.length > 0 ? 1 : 0;

async function runs(scenario: Scenario, tried: Client, world: MakeWorld, seeds: readonly number[]): Promise<Figures[]> {
  const all: Figures[] = [];
  for (const seed of seeds) all.push(figures(await run(scenario, tried, world, seed)));
  return all;
}

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
