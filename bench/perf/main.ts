/**
 * The bench of speed, by `npm run bench`: about 13 minutes, then it writes docs/performance.md. What writes nothing: `--quick`, all of it with little
 * effort, and `--only requests,young,loopback,parsing,import,size,mocks,growth`, a part.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { pinned } from '../../tools/install.mjs';
import { machine, progress, round, table, writeSection } from '../page.js';
import { inProcess, startProcess } from '../processes.js';
import { built } from '../product.js';
import { clients, type ClientName } from './clients.js';
import { inTurns, ratios, type Slice, type Timed } from './measure.js';
import { mocks, type MockName } from './mocks.js';
import { canned, serverNames } from './servers.js';
import { sizes } from './sizes.js';
import { median, quantile, type Ratio } from './stats.js';
import { periods, targetTable, titles, type Found } from './targets.js';

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
});
const { quick } = options;
const effort = quick ? { slices: 2, ms: 10 } : { slices: 25, ms: 20 };
const module = (name: string) => new URL(name, import.meta.url);
const cases = inProcess<typeof import('./cases.js')>(module('cases.ts'));
const requests = module('requests.ts');
type Requests = typeof import('./requests.js');
type RequestCase = Parameters<Requests['warm']>[0];

const found: Found = {};
const quartiles = (middle: number, low: number, high: number) =>
  `${round(middle)} (${round(low)} – ${round(high)})`;
const cell = ({ ratio, low, high }: Ratio) => quartiles(ratio, low, high);
/** Of something that is the better the faster. */
const speed = ({ ratio, low, high }: Ratio) => quartiles(1 / ratio, 1 / high, 1 / low);

/** Slices of each client in turns, of several processes of each: what V8 decides while a process warms up, it keeps. */
async function steady(
  names: readonly ClientName[],
  input: Omit<RequestCase, 'client'>,
  { processes, calls, atOnce = 1 }: { processes: number; calls: number; atOnce?: number },
) {
  const times = Object.fromEntries(names.map((name) => [name, [] as Timed[]]));
  const bytes = Object.fromEntries(names.map((name) => [name, [] as number[]]));
  for (let generation = 0; generation < (quick ? 1 : processes); generation++) {
    const running = names.map((client) => [client, startProcess<Requests>(requests)] as const);
    const warm = quick ? 500 : calls;
    await Promise.all(
      running.map(([client, { call }]) => call('warm', { client, ...input }, warm, atOnce)),
    );
    const slices = running.map(([name, { call }]): [string, Slice] => [
      name,
      (ms) => call('slice', ms),
    ]);
    const all = await inTurns(Object.fromEntries(slices), { slices: 3, ms: quick ? 20 : 250 });
    for (const [name, { call, stop }] of running) {
      times[name]!.push(...all[name]!);
      bytes[name]!.push(await call('allocated'));
      stop();
    }
  }
  return { cpu: ratios(times), wall: ratios(times, 'wall'), bytes };
}

const names = Object.keys(clients) as ClientName[];
const youngClients = ['petstore-client', 'ky, defaults', 'openai core', 'axios', 'openapi-fetch'];
const loopbackClients = ['fetch', ...youngClients, 'stripe rawRequest', 'got'] as ClientName[];

/** The sections of the page, each in Markdown. */
const sections: Readonly<Record<string, () => Promise<string[]>>> = {
  async requests() {
    const text = [
      '## Requests without a network',
      'CPU time of the whole process and elapsed time, divided by those of `fetch` with `JSON.parse`. kB: allocated by one call.',
    ];
    const direct = names.filter((name) => name !== 'got');
    for (const request of ['list', 'get', 'create', 'missing'] as const) {
      const effort = { processes: 5, calls: 30_000 };
      const { cpu, wall, bytes } = await steady(direct, { request }, effort);
      const rows = direct.map((name) => [
        ...[name, cell(cpu[name]!), cell(wall[name]!)],
        round(median(bytes[name]!) / 1_000),
      ]);
      text.push(`### ${titles[request]}`, table(['client', 'CPU time', 'elapsed', 'kB'], rows));
      for (const name of direct) found[`${request}: ${name}`] = cpu[name]!.ratio;
      progress(titles[request]);
    }
    return text;
  },

  async young() {
    const text = [
      '## Young processes',
      'µs of a call by the clock, in processes that have just loaded the client: median of 20 processes of each, with the quartiles.',
    ];
    const young = inProcess<Requests>(requests);
    const ends = Object.keys(periods).map(Number);
    for (const request of ['list', 'get'] as const) {
      const all = youngClients.map((client) => [client, [] as number[][]] as const);
      for (let process = 0; process < (quick ? 2 : 20); process++)
        for (const [client, runs] of all)
          runs.push(await young('young', { client: client as ClientName, request }, ends));
      const rows = all.map(([client, runs]) => {
        const cells = Object.values(periods).map((period, at) => {
          const values = runs.map((run) => run[at]!);
          const middle = (found[`${request}, ${period}: ${client}`] = median(values));
          return quartiles(middle, quantile(values, 0.25), quantile(values, 0.75));
        });
        return [client, ...cells];
      });
      text.push(
        `### ${titles[request]}, young`,
        table(['client', ...Object.values(periods)], rows),
      );
    }
    return text;
  },

  async loopback() {
    const url = await canned();
    const effort = { processes: 3, calls: 5_000 };
    const loads = { 'one at a time': 1, '50 at once': 50 };
    const columns: Record<string, Ratio>[] = [];
    for (const [load, atOnce] of Object.entries(loads)) {
      const request = { request: 'list', url } as const;
      const { wall } = await steady(loopbackClients, request, { ...effort, atOnce });
      found[`Loopback, ${load}: requests/s`] = 1 / wall['petstore-client']!.ratio;
      columns.push(wall);
    }
    const rows = loopbackClients.map((name) => [
      name,
      ...columns.map((wall) => speed(wall[name]!)),
    ]);
    return [
      '## Over loopback',
      "Requests for 100 pets per second, divided by those of Node's `fetch` with `JSON.parse`. More is better.",
      table(['client', ...Object.keys(loads)], rows),
    ];
  },

  async parsing() {
    const parsing = Object.entries(await cases('parsing', effort));
    for (const [name, { ratio }] of parsing)
      found[name.replace('int64', 'Exact int64 divided by `JSON.parse`')] = ratio;
    return [
      '## Parsing',
      'A body of 100 pets: checked, or parsed with exact ids, divided by `JSON.parse` of the same text.',
      table(
        ['', 'ratio'],
        parsing.map(([name, ratio]) => [name, cell(ratio)]),
      ),
    ];
  },

  async import() {
    const packages: Record<string, string[]> = {
      'petstore-client': [built('index')],
      'petstore-client/contract': [built('contract/index')],
      'petstore-client/mocks': [built('mocks/index')],
      'msw 3 + msw/node': ['msw', 'msw/node'],
    };
    for (const name of ['ky', 'zod', 'openapi-fetch', 'openai', 'axios', 'stripe', 'got'])
      packages[name] = [name];
    const times = Object.keys(packages).map(
      (name) => [name, [] as number[], [] as number[]] as const,
    );
    // The first round fills the caches of the disk.
    for (let again = -1; again < (quick ? 1 : 9); again++)
      for (const [name, wall, cpu] of times) {
        const code = `const began = performance.now(), used = process.cpuUsage();
          for (const name of ${JSON.stringify(packages[name])}) await import(name);
          const { user, system } = process.cpuUsage(used);
          console.log(JSON.stringify([performance.now() - began, (user + system) / 1_000]));`;
        const args = ['--input-type=module', '--eval', code];
        const child = spawnSync(process.execPath, args, { cwd: import.meta.dirname });
        const [elapsed, used] = JSON.parse(String(child.stdout)) as [number, number];
        if (again < 0) continue;
        wall.push(elapsed);
        cpu.push(used);
      }
    const wallOf = (name: string) => median(times.find(([other]) => other === name)![1]);
    found['Import, divided by that of openai'] = wallOf('petstore-client') / wallOf('openai');
    return [
      '## Import',
      'ms that `import` takes by the clock, and of CPU time, in fresh processes.',
      table(
        ['package', 'elapsed', 'CPU time'],
        times.map(([name, wall, cpu]) => [name, round(median(wall)), round(median(cpu))]),
      ),
    ];
  },

  async size() {
    const rows = (await sizes()).map(([page, ...kB]) => [
      page,
      ...kB.map((each) => each.toFixed(1)),
    ]);
    return [
      '## Size in a browser',
      'kB that a page loads, bundled and minified by esbuild, with all dependencies.',
      table(['', 'minified', 'gzip'], rows),
    ];
  },

  async mocks() {
    const rows = [];
    for (const name of (Object.keys(mocks) as MockName[]).slice(1)) {
      const ratio = await cases('mock', name, effort);
      rows.push([name, cell(ratio)]);
      if (name.endsWith('service.fetch'))
        found['`service.fetch` divided by a hand-written `fetch`'] = ratio.ratio;
    }
    const servers = serverNames.map((name) => {
      return [name, startProcess<typeof import('./servers.js')>(module('servers.ts'))] as const;
    });
    const first = new Map<string, number>();
    for (const [name, { call }] of servers) first.set(name, await call('start', name));
    const slices = servers.map(([name, { call }]): [string, Slice] => [
      name,
      (ms) => call('slice', ms),
    ]);
    const times = await inTurns(Object.fromEntries(slices), { ...effort, ms: quick ? 50 : 200 });
    for (const [, { stop }] of servers) stop();
    const ports = Object.entries(ratios(times, 'wall')).slice(1);
    const [[own, { ratio }]] = ports as [[string, Ratio]];
    found['`petstore-mock` on a port: requests/s, divided by bare `node:http`'] = 1 / ratio;
    found['`petstore-mock`: start to first response'] = first.get(own)!;
    return [
      '## Mocks in one process',
      'A list of 20 pets, read by its caller: CPU time divided by that of a hand-written `fetch`.',
      table(['mock', 'ratio'], rows),
      '## Mocks on a port',
      'Requests for 20 pets per second with ten connections, divided by those of bare `node:http`, and the time from the start of the process to the first response.',
      table(
        ['mock', 'speed', 'first response, ms'],
        ports.map(([name, ratio]) => [name, speed(ratio), round(first.get(name)!)]),
      ),
    ];
  },

  async growth() {
    const text = [
      '## Growth',
      'µs of CPU time of one request or of one turn of the gate, by the number of what is there.',
    ];
    const counts = {
      pets: [1_000, 10_000, 100_000, 1_000_000],
      faults: [1, 10, 100, 1_000],
      'requests in the journal': [100, 10_000, 100_000],
      'clients of the process': [1, 100, 10_000],
      'waiting calls of the gate': [1, 10, 100, 1_000, 10_000, 100_000],
    };
    for (const [what, all] of Object.entries(counts)) {
      const rows: string[][] = [];
      for (const count of quick ? all.slice(0, 2) : all) {
        const us = await cases('growth', what, count, quick ? effort : { slices: 9, ms: 20 });
        rows.push([count.toLocaleString('en-US'), round(us)]);
      }
      text.push(table([what, 'µs'], rows));
    }
    const { bytes, list, ...acts } = await cases('store', quick ? 100_000 : 1_000_000, effort);
    const { perCall, perKey } = await cases('memory', quick ? 20_000 : 1_000_000);
    Object.assign(found, {
      'List by status of a million pets': list,
      '`reset()` of a million pets': acts['reset'],
      '`restore()` of a million pets': acts['restore'],
      'Memory of a pet': bytes,
      'Heap for each further call': perCall,
      'Heap for each key that is no longer used': perKey,
    });
    const rows = Object.entries(acts).map(([act, ms]) => [act, round(ms)]);
    text.push(
      table(['with a million pets', 'ms'], rows),
      `A pet takes ${round(bytes!)} bytes, and a list of 20 by status ${round(list!)} µs. The heap grows by ${round(perCall)} bytes for each call, and by ${round(perKey)} bytes for each key that is used once.`,
    );
    return text;
  },
};

const text: string[] = [];
for (const [name, section] of Object.entries(sections)) {
  if (options.only && !options.only.split(',').includes(name)) continue;
  text.push(...(await section()));
  progress(name);
}
const peers = [
  ...['ky', 'zod', 'openapi-fetch', 'openai', 'axios', 'axios-retry', 'stripe'],
  ...['got', 'hono', '@hono/node-server', 'msw', 'msw2'],
].map((name) => `${name} ${pinned(name)}`);
const { rows, missed } = targetTable(found);
const page = [
  '## Targets',
  table(['', 'target', 'found', ''], rows),
  ...text,
  `Made by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}: ${machine}; ${peers.join(', ')}.`,
].join('\n\n');
console.log(page);
if (!quick && !options.only) await writeSection('docs/performance.md', 'perf', page);
for (const what of missed) console.error(`not reached: ${what}`);
process.exit();
