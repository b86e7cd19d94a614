/**
 * The bench of speed: `npm run bench`, or with `--quick` a part of it in about a minute, which writes nothing. Measures
 * the built package, or with `--dist <folder>` another build of it. With `--requests list,get` only these requests are measured,
 * with `--loopback` only the service over loopback, and with `--clients petstore,bare` only the clients whose names hold one of these words.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { writeSection } from '../conduct/report/section.js';
import { bars } from './bars.js';
import type { Request } from './answers.js';
import type { ClientName } from './clients/index.js';
import { all, part, type Plan } from './plan.js';
import { loopbackTable, report, requestTables } from './report.js';
import { measure, measureLoopback, measureRequests } from './results.js';
import { targets } from './targets.js';

const root = new URL('../../', import.meta.url);
const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    dist: { type: 'string' },
    requests: { type: 'string' },
    loopback: { type: 'boolean', default: false },
    clients: { type: 'string' },
  },
});
const dist =
  options.dist === undefined ? new URL('dist/', root) : pathToFileURL(`${resolve(options.dist)}/`);
if (!existsSync(new URL('index.js', dist)))
  throw new Error('There is no build to measure: run `npm run build` first.');

const started = performance.now();
const progress = (what: string) =>
  console.error(`${((performance.now() - started) / 1_000).toFixed(0).padStart(5)} s  ${what}`);
const plan = options.quick ? part : all;
if (options.requests !== undefined || options.loopback) {
  console.log(await excerpt());
  process.exit();
}
const results = await measure(plan, dist, progress);

const { devDependencies } = JSON.parse(
  readFileSync(new URL('bench/package.json', root), 'utf8'),
) as {
  devDependencies: Record<string, string>;
};
const peers = [
  'ky',
  'zod',
  'openapi-fetch',
  'openai',
  'axios',
  'stripe',
  '@octokit/request',
  'got',
  'hono',
  'msw',
  'msw2',
  '@mswjs/data',
  'json-server',
  '@stoplight/prism-cli',
];
const versions = peers
  .map((name) => `${name} ${devDependencies[name]?.replace(/^npm:\w+@/, '')}`)
  .join(', ');
const machine = `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cpus().length} cores`;
const text = `${report(results)}

Made by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}: ${machine}; ${versions}.`;

console.log(text);
if (!options.quick) {
  const one = Object.entries(results.requests.get!).map(
    ([name, { cpu }]) => [name, cpu.ratio] as const,
  );
  write(
    'docs/assets/perf-requests.svg',
    bars(
      'Get one pet through each client, without a network',
      'CPU time over fetch + JSON.parse; shorter is better',
      one,
      'petstore-client',
    ),
  );
  const twenty = Object.entries(results.mocks).map(([name, { ratio }]) => [name, ratio] as const);
  write(
    'docs/assets/perf-mocks.svg',
    bars(
      'A list of 20 pets from each mock, in one process',
      'CPU time over a fetch by hand; shorter is better',
      twenty,
      'petstore-client',
    ),
  );
  write('bench/results/perf.json', `${JSON.stringify({ machine, ...results }, null, 1)}\n`);
  writeSection(fileURLToPath(new URL('docs/performance.md', root)), 'perf', text);
}
for (const { what, target, found, met } of targets(results))
  if (!met) console.error(`not reached: ${what}: ${found}, target ${target}`);

/** The tables of what the options name. */
async function excerpt(): Promise<string> {
  const parts = options.clients?.split(',');
  const named = (names: readonly ClientName[]) =>
    names.filter(
      (name, at) => at === 0 || parts === undefined || parts.some((part) => name.includes(part)),
    );
  const chosen: Plan = {
    ...plan,
    requests: (options.requests?.split(',') ?? []) as Request[],
    clients: named(plan.clients),
    overLoopback: named(plan.overLoopback),
  };
  return options.loopback
    ? loopbackTable(await measureLoopback(chosen, dist, progress))
    : requestTables(await measureRequests(chosen, dist, progress));
}

function write(path: string, content: string): void {
  const file = new URL(path, root);
  mkdirSync(new URL('.', file), { recursive: true });
  writeFileSync(file, content);
}
