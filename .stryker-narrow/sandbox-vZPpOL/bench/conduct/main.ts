/**
 * The bench of conduct at the rate limit: `npm run bench:conduct`, or with `--quick` a part of it in under a minute, which writes nothing.
 */
// @ts-nocheck

import { machine, options, progress, publish, table } from '../page.js';
import { inPool } from '../processes.js';
import { mean, type Figures } from './figures.js';
import { grid, headline } from './grid.js';
import { peers } from './peers.js';
import type { Scenario } from './scenario.js';
import { judge, matrix, situation, type FiguresOf } from './tables.js';
import type { Job } from './worker.js';

const { quick } = options;
const seeds = quick ? [1] : [1, 2];
const clients = ['petstore-client', ...Object.keys(peers)];
const shown = Object.entries(headline).slice(0, quick ? 2 : undefined);

const jobs = new Map<string, Job>();
const nameOf = (...parts: string[]) => parts.join(': ');
for (const client of clients)
  for (const [name, scenario] of shown)
    for (const strikes of ['strict', 'lenient'] as const) {
      const runs = seeds.map((seed) => ({ scenario: { ...scenario, strikes }, seed }));
      jobs.set(nameOf(client, name, strikes), { client, runs });
    }
for (const [name, { scenarios }] of Object.entries(grid)) {
  const isLarge = scenarios.length > 50;
  const times = isLarge || quick ? 1 : 3;
  const all = scenarios.flatMap((scenario) => Array<Scenario>(times).fill(scenario));
  const runs = all.map((scenario, at) => ({ scenario, seed: at + 1 }));
  const few = runs.filter((_, at) => !isLarge || at % 41 === 0).slice(0, 3);
  jobs.set(name, { client: 'petstore-client', runs: quick ? few : runs });
}
const found = await inPool<Job, Figures[]>(new URL('worker.ts', import.meta.url), jobs, progress);

const figuresOf: FiguresOf = (...run) => mean(found.get(nameOf(...run))!);
const situations = shown.map(([name]) => name);
const first = new Map(
  clients.map((client) => [client, figuresOf(client, situations[0]!, 'strict')]),
);
const verdicts = Object.entries(grid).map(([name, row]) => judge(name, row, found.get(name)!));

const text = `${situation(first, 'client')}

500 calls start at the same time with a key of the Free plan (60 requests a minute). Strict: every request in a cool-down is a strike. Five strikes ban the key for ten minutes.

## All situations

Each cell holds: calls served · 429s per 1,000 served calls · requests during a cool-down · bans (lenient / strict) · time until the last call is served, divided by the time of an ideal client that knows the limits in advance (–: not all calls were served). Lenient: requests in the first 2 s of a cool-down are not strikes. Strict: every request in a cool-down is a strike. All figures except the second number of bans are from lenient runs.

${matrix(clients, situations, figuresOf)}

## Promises and results of petstore-client

Every request in a cool-down is a strike. *Without first requests*: a process that starts while the key is exhausted cannot know this, so its first
request is always refused. This column does not count these requests.

${table(verdicts.map(({ row }) => row))}

Made by \`npm run bench:conduct\` in virtual time against the in-memory service: round trips of 60 ms + twice Exp(20 ms), seeds ${seeds.join(', ')}, and in the table of promises a different seed for each situation; ${machine}. got uses only \`node:http\`, so its requests are intercepted there. All other clients receive a \`fetch\` function.`;

const short = situation(first, '500 calls at once, Free plan', [
  'served',
  '429s',
  'bans',
  'time / ideal time',
]);
await publish('README.md', 'conduct-readme', short);
await publish('docs/decisions/0015-conduct-in-figures.md', 'conduct', text);
const broken = verdicts.filter(({ missed }) => missed.length > 0);
for (const { name, missed } of broken) console.error(`not kept: ${name}: ${missed.join(', ')}`);
process.exit(broken.length > 0 ? 1 : 0);
