/**
 * The bench of speed: `npm run bench`, or with `--quick` a part of it in under a minute, which writes nothing. Measures
 * the built package, or with `--dist <folder>` another build of it.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { writeSection } from '../conduct/section.js';
import { bars } from './bars.js';
import { all, part } from './plan.js';
import { report } from './report.js';
import { measure } from './results.js';
import { targets } from './targets.js';

const root = new URL('../../', import.meta.url);
const { values: options } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, dist: { type: 'string' } },
});
const dist =
  options.dist === undefined ? new URL('dist/', root) : pathToFileURL(`${resolve(options.dist)}/`);
if (!existsSync(new URL('index.js', dist)))
  throw new Error('There is no build to measure: run `npm run build` first.');

const started = performance.now();
const progress = (what: string) =>
  console.error(`${((performance.now() - started) / 1_000).toFixed(0).padStart(5)} s  ${what}`);
const results = await measure(options.quick ? part : all, dist, progress);

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
  const one = Object.entries(results.requests).map(([name, by]) => [name, by.get!.ratio] as const);
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

function write(path: string, content: string): void {
  const file = new URL(path, root);
  mkdirSync(new URL('.', file), { recursive: true });
  writeFileSync(file, content);
}
