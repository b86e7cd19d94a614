/**
 * The bench of speed, by `npm run bench`: about 13 minutes, then it writes docs/performance.md. What writes nothing: `--quick`, all of it with little
 * effort, and `--only requests,young,loopback,parsing,import,size,mocks,growth`, a part.
 */
// @ts-nocheck

import { spawnSync } from 'node:child_process';
import { pinned } from '../../tools/install.mjs';
import { isWanted, machine, options, progress, publish, table } from '../page.js';
import { built } from '../product.js';
import { median, spread } from '../stats.js';
import { cell, round, speed, target, targets } from './cells.js';
import { clients } from './clients.js';
import { compare, inProcess } from './compare.js';
import { mocks } from './mocks.js';
import { sizes } from './sizes.js';
import { canned, parsers, servers } from './works.js';

const { quick } = options;

const titles = {
  list: 'List 100 pets',
  get: 'Get one pet',
  create: 'Create one pet',
  missing: 'Get one that is not there',
};
/** What a request may cost, divided by a peer. */
const steady: readonly (readonly [string, peer: string, most: number])[] = [
  ['list', 'openai core', 1],
  ['list', 'axios', 1],
  ['get', 'openai core', 0.8],
  ['create', 'openai core', 0.8],
  ['missing', 'axios', 1],
  ['list', 'ky, one bare call', 1.35],
  ['get', 'ky, one bare call', 1.5],
  ['create', 'ky, one bare call', 1.5],
];
/** The periods of a young process, by the number of calls at their ends. */
const periods = { 1: 'the first call', 100: 'calls 2 to 100', 1_000: 'calls 101 to 1,000' };
const youngClients = ['petstore-client', 'ky, defaults', 'openai core', 'axios', 'openapi-fetch'];
const loopbackClients = ['fetch', ...youngClients, 'stripe rawRequest', 'got'];

/** The sections of the page, each in Markdown. */
const sections: Readonly<Record<string, () => Promise<string[]>>> = {
  async requests() {
    const text = [
      '## Requests without a network',
      'CPU time of the whole process and elapsed time, divided by those of `fetch` with `JSON.parse`. kB: allocated by one call.',
    ];
    const names = Object.keys(clients).filter((name) => name !== 'got');
    for (const [request, title] of Object.entries(titles)) {
      const effort = { processes: 4, calls: 30_000, slices: 3, ms: 250 };
      const all = await compare('request', names, effort, request);
      const costOf = (client: string) => all.find(({ name }) => name === client)!.cpu.middle;
      const own = costOf('petstore-client');
      for (const [, peer, most] of steady.filter(([what]) => what === request))
        target(`${title}, divided by ${peer}`, `≤ ${most}`, own / costOf(peer));
      const rows = all.map(({ name, cpu, wall, bytes }) => ({
        client: name,
        'CPU time': cell(cpu),
        elapsed: cell(wall),
        kB: round(bytes / 1_000),
      }));
      text.push(`### ${title}`, table(rows));
      progress(title);
    }
    return text;
  },

  async young() {
    const count = quick ? 2 : 20;
    const text = [
      '## Young processes',
      `µs of a call by the clock, in processes that have just loaded the client: median of ${count} processes of each, with the quartiles.`,
    ];
    for (const request of ['list', 'get'] as const) {
      const all = youngClients.map((client) => ({ client, runs: [] as number[][] }));
      for (let process = 0; process < count; process++)
        for (const { client, runs } of all)
          runs.push(await inProcess('young', Object.keys(periods).map(Number), client, request));
      const rows: Record<string, string>[] = youngClients.map((client) => ({ client }));
      for (const [at, period] of Object.values(periods).entries()) {
        const times = all.map(({ runs }) => spread(runs.map((run) => run[at]!)));
        const [own, ky, openai, axios] = times.map(({ middle }) => middle);
        const what = `${titles[request]} in a young process, ${period}, divided by`;
        target(`${what} openai core`, '≤ 1', own! / openai!);
        target(`${what} axios`, '≤ 1', own! / axios!);
        if (at === 2) target(`${what} ky`, '≤ 1.2', own! / ky!);
        for (const [row, time] of times.entries()) rows[row]![period] = cell(time);
      }
      text.push(`### ${titles[request]}, young`, table(rows));
    }
    return text;
  },

  async loopback() {
    const origin = await canned();
    const speeds = (atOnce: number) => {
      const effort = { processes: 3, calls: 5_000, slices: 3, ms: 250, atOnce };
      return compare('request', loopbackClients, effort, 'list', origin);
    };
    const [one, fifty] = [await speeds(1), await speeds(50)];
    target('Loopback, one at a time: requests/s', '≥ 0.85', 1 / one[1]!.wall.middle);
    target('Loopback, 50 at once: requests/s', '≥ 0.8', 1 / fifty[1]!.wall.middle);
    const rows = one.map(({ name, wall }, at) => ({
      client: name,
      'one at a time': speed(wall),
      '50 at once': speed(fifty[at]!.wall),
    }));
    return [
      '## Over loopback',
      "Requests for 100 pets per second, divided by those of Node's `fetch` with `JSON.parse`. More is better.",
      table(rows),
    ];
  },

  async parsing() {
    const effort = { processes: 'one', calls: 10_000, slices: 25, ms: 20 } as const;
    const names = Object.keys(await parsers());
    const short = (await compare('parsing', names.slice(0, -2), effort)).slice(1);
    const long = (await compare('parsing', names.slice(-2), effort)).slice(1);
    const [noLong, allLong] = [short.at(-1)!.cpu.middle, long[0]!.cpu.middle];
    target('Exact int64 divided by `JSON.parse`, no id long', '≤ 1.03', noLong);
    target('Exact int64 divided by `JSON.parse`, all ids long', '≤ 2.6', allLong);
    return [
      '## Parsing',
      'A body of 100 pets: checked, or parsed with exact ids, divided by `JSON.parse` of the same text.',
      table([...short, ...long].map(({ name, cpu }) => ({ '': name, ratio: cell(cpu) }))),
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
    const names = Object.keys(packages);
    const times = new Map(names.map((name) => [name, [] as (readonly [number, number])[]]));
    // The first round fills the caches of the disk.
    for (let again = -1; again < (quick ? 1 : 9); again++)
      for (const [name, all] of times) {
        const code = `const began = performance.now(), used = process.cpuUsage();
          for (const name of ${JSON.stringify(packages[name])}) await import(name);
          const { user, system } = process.cpuUsage(used);
          console.log(JSON.stringify([performance.now() - began, (user + system) / 1_000]));`;
        const args = ['--input-type=module', '--eval', code];
        const { stdout } = spawnSync(process.execPath, args, { cwd: import.meta.dirname });
        if (again >= 0) all.push(JSON.parse(String(stdout)) as [number, number]);
      }
    const middle = (name: string, at: 0 | 1) => median(times.get(name)!.map((each) => each[at]));
    const share = middle('petstore-client', 0) / middle('openai', 0);
    target('Import, divided by that of openai', '≤ 0.5', share);
    const rows = names.map((name) => ({
      package: name,
      elapsed: round(middle(name, 0)),
      'CPU time': round(middle(name, 1)),
    }));
    return [
      '## Import',
      'ms that `import` takes by the clock, and of CPU time, in fresh processes.',
      table(rows),
    ];
  },

  async size() {
    return [
      '## Size in a browser',
      'kB that a page loads, bundled and minified by esbuild, with all dependencies.',
      table(await sizes()),
    ];
  },

  async mocks() {
    const effort = { processes: 3, calls: 3_000, slices: 5, ms: 50 };
    const inside = (await compare('mock', Object.keys(mocks), effort)).slice(1);
    const loaded = { processes: 1, calls: 5_000, slices: 25, ms: 200, atOnce: 10 };
    const ports = (await compare('port', servers, loaded)).slice(1);
    const { wall, first } = ports[0]!;
    target('`service.fetch` divided by a hand-written `fetch`', '≤ 1.5', inside[0]!.cpu.middle);
    const relative = 1 / wall.middle;
    target('`petstore-mock` on a port: requests/s, divided by bare `node:http`', '≥ 0.6', relative);
    target('`petstore-mock`: start to first response', '≤ 250 ms', first);
    const creates = await inProcess('createsWithState');
    target('`petstore-mock --state`: creates/s of 50 clients, 10,000 pets', '≥ 200', creates);
    return [
      '## Mocks in one process',
      'A list of 20 pets, read by its caller: CPU time divided by that of a hand-written `fetch`.',
      table(inside.map(({ name, cpu }) => ({ mock: name, ratio: cell(cpu) }))),
      '## Mocks on a port',
      'Requests for 20 pets per second with ten connections, divided by those of bare `node:http`, and the time from the start of the process to the first response.',
      table(
        ports.map(({ name, wall, first }) => {
          return { mock: name, speed: speed(wall), 'first response, ms': round(first) };
        }),
      ),
    ];
  },

  async growth() {
    const text = [
      '## Growth',
      'µs of CPU time of one request, of one turn of the gate or of one list in the store, by the number of what is there.',
    ];
    const counts = {
      pets: [1_000, 10_000, 100_000, 1_000_000],
      'list by status': [1_000_000],
      faults: [1, 10, 100, 1_000],
      'requests in the journal': [100, 10_000, 100_000],
      'clients of the process': [1, 100, 10_000],
      'waiting calls of the gate': [1, 10, 100, 1_000, 10_000],
    };
    for (const [what, all] of Object.entries(counts)) {
      const names = all.slice(0, quick ? 2 : undefined).map(String);
      const effort = { processes: 1, calls: 5_000, slices: 9, ms: 20 };
      const found = await compare('growth', names, effort, what);
      const rows = found.map(({ name, us }) => {
        return { [what]: Number(name).toLocaleString('en-US'), µs: round(us) };
      });
      text.push(table(rows));
      if (what === 'list by status')
        target('List by status of a million pets', '≤ 2 µs', found[0]!.us);
    }
    const { bytes, acts } = await inProcess('store', quick ? 100_000 : 1_000_000);
    const { perCall, perKey } = await inProcess('memory', quick ? 20_000 : 1_000_000);
    target('`reset()` of a million pets', '≤ 5 ms', acts.reset);
    target('`restore()` of a million pets', '≤ 5 ms', acts.restore);
    target('Memory of a pet', '≤ 200 bytes', bytes);
    target('Heap for each further call', '≤ 2 bytes', perCall);
    target('Heap for each key that is no longer used', '≤ 100 bytes', perKey);
    const rows = Object.entries(acts).map(([act, ms]) => ({
      'with a million pets': act,
      ms: round(ms),
    }));
    text.push(
      table(rows),
      `A pet takes ${round(bytes)} bytes. The heap grows by ${round(perCall)} bytes for each call, and by ${round(perKey)} bytes for each key that is used once.`,
    );
    return text;
  },
};

const text: string[] = [];
for (const [name, section] of Object.entries(sections)) {
  if (!isWanted(name)) continue;
  const found = await section();
  // A long bench may be stopped: its figures so far.
  progress(found.join('\n\n'));
  text.push(...found);
}
const peers = [
  ...['ky', 'zod', 'openapi-fetch', 'openai', 'axios', 'axios-retry', 'stripe'],
  ...['got', 'hono', '@hono/node-server', 'msw', 'msw2'],
].map((name) => `${name} ${pinned(name)}`);
const page = [
  '## Targets',
  table(targets),
  ...text,
  `Made by \`npm run bench\` ${machine}; ${peers.join(', ')}.`,
].join('\n\n');
await publish('docs/performance.md', 'perf', page);
for (const { '': what, found, ' ': result } of targets)
  if (result !== 'reached') console.error(`not reached: ${what}: ${found}`);
process.exit();
