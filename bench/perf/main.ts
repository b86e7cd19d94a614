/**
 * The bench of speed, by `npm run bench`: about 12 minutes. With `--quick` a part of it in about a minute, which writes nothing.
 * Measures the build, or with `--source` the sources.
 */
import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { pinned } from '../../tools/install.mjs';
import { writeSection } from '../section.js';
import { root } from '../product.js';
import { periods, type RequestName } from './answers.js';
import { canned, type ServerName } from './cases.js';
import { clients, type ClientName } from './clients.js';
import { inTurns, ratios, type Timed } from './measure.js';
import { mocks, type MockName } from './mocks.js';
import { inProcess, started } from './processes.js';
import { median, quantile, type Ratio } from './stats.js';
import { targetTable, type Found } from './targets.js';

const quick = process.argv.includes('--quick');
const effort = quick ? { slices: 5, ms: 10 } : { slices: 25, ms: 20 };
const names = Object.keys(clients) as ClientName[];
const few: ClientName[] = ['fetch', 'petstore-client', 'ky, one bare call', 'openai core', 'axios'];
const requests = {
  list: 'List 100 pets',
  get: 'Get one pet',
  create: 'Create one pet',
  missing: 'Get one that is not there',
} as const;
const began = performance.now();

/** Rows of a Markdown table, numbers to the right. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(head),
    line(head.map((_, at) => (at === 0 ? '---' : '--:'))),
    ...rows.map(line),
  ].join('\n');
}
const round = (value: number) =>
  value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
const cell = ({ ratio, low, high }: Ratio) => `${round(ratio)} (${round(low)} – ${round(high)})`;
const progress = (what: string) =>
  console.error(`${((performance.now() - began) / 1_000).toFixed(0).padStart(5)} s  ${what}`);

/** Slices of each client in turns, of several processes of each: what V8 decides while a process warms up, it keeps. */
async function steady(
  of: readonly ClientName[],
  input: { request: RequestName; url?: string; atOnce?: number },
  { processes, warm }: { processes: number; warm: number },
) {
  const times = Object.fromEntries(of.map((name) => [name, [] as Timed[]]));
  const bytes = Object.fromEntries(of.map((name) => [name, [] as number[]]));
  for (let generation = 0; generation < processes; generation++) {
    const running = await Promise.all(
      of.map(
        async (client) => [client, await started('request', { client, warm, ...input })] as const,
      ),
    );
    const slices = Object.fromEntries(running.map(([name, { slice }]) => [name, slice]));
    const found = await inTurns(slices, quick ? { slices: 3, ms: 100 } : { slices: 3, ms: 250 });
    for (const [name, { ready, stop }] of running) {
      times[name]!.push(...found[name]!);
      bytes[name]!.push(ready);
      stop();
    }
  }
  progress(`${input.request}${input.url ? ' over loopback' : ''}`);
  return { cpu: ratios(times), wall: ratios(times, 'wall'), bytes };
}

const text: string[] = [];
const found: Found = {};
for (const [request, title] of Object.entries(requests) as [RequestName, string][]) {
  if (quick && request !== 'get') continue;
  const of = quick ? few : names;
  const result = await steady(
    of,
    { request },
    quick ? { processes: 1, warm: 3_000 } : { processes: 5, warm: 30_000 },
  );
  const rows = of.map((name) => [
    name,
    cell(result.cpu[name]!),
    cell(result.wall[name]!),
    round(median(result.bytes[name]!) / 1_000),
  ]);
  text.push(`### ${title}`, table(['client', 'CPU time', 'elapsed', 'kB'], rows));
  for (const name of of) found[`${request}: ${name}`] = result.cpu[name]!.ratio;
}

text.push(
  '## Young processes',
  'µs of a call by the clock, in processes that have just loaded the client: median of 20 processes of each, with the quartiles.',
);
const youngClients: ClientName[] = [
  'petstore-client',
  'ky, defaults',
  'openai core',
  'axios',
  'openapi-fetch',
];
for (const request of ['list', 'get'] as const) {
  const all = new Map(youngClients.map((name) => [name, [] as number[][]]));
  for (let process = 0; process < (quick ? 3 : 20); process++)
    for (const client of youngClients)
      all.get(client)!.push(await inProcess('young', { client, request }));
  const rows = [...all].map(([name, runs]) => {
    const of = periods.map((_, at) => runs.map((run) => run[at]!));
    of.forEach(
      (values, at) => (found[`young ${request} ${periods[at]}: ${name}`] = median(values)),
    );
    return [
      name,
      ...of.map(
        (values) =>
          `${round(median(values))} (${round(quantile(values, 0.25))} – ${round(quantile(values, 0.75))})`,
      ),
    ];
  });
  text.push(
    `### ${requests[request]}, young`,
    table(['client', 'the first call', 'calls 2 to 100', 'calls 101 to 1,000'], rows),
  );
  progress(`young, ${request}`);
}

text.push(
  '## Over loopback',
  "Requests for 100 pets per second, divided by those of Node's `fetch` with `JSON.parse`. More is better.",
);
const over = (quick ? few : names).filter((name) => !/bare|bigint/.test(name));
const origin = await canned();
const loads = { one: 1, fifty: 50 } as const;
const speeds: Record<string, string[]> = Object.fromEntries(over.map((name) => [name, [name]]));
for (const [name, atOnce] of Object.entries(loads)) {
  const { wall } = await steady(
    over,
    { request: 'list', url: origin, atOnce },
    quick ? { processes: 1, warm: 500 } : { processes: 3, warm: 5_000 },
  );
  for (const client of over) {
    const { ratio, low, high } = wall[client]!;
    speeds[client]!.push(`${round(1 / ratio)} (${round(1 / high)} – ${round(1 / low)})`);
    found[`loopback ${name}: ${client}`] = 1 / ratio;
  }
}
text.push(table(['client', 'one at a time', '50 at once'], Object.values(speeds)));

text.push('## Parsing', 'A body of 100 pets, divided by `JSON.parse` of the same text.');
const parsing = await inProcess('parsing', effort);
text.push(
  table(
    ['', 'ratio'],
    Object.entries(parsing).map(([name, ratio]) => [name, cell(ratio)]),
  ),
);
for (const [name, { ratio }] of Object.entries(parsing)) found[name] = ratio;

text.push('## Import', 'ms that `import` takes by the clock, in fresh processes.');
const imports = {
  'petstore-client': '',
  'petstore-client/contract': 'contract/',
  'petstore-client/mocks': 'mocks/',
};
const modules = {
  ...Object.fromEntries(
    Object.entries(imports).map(([name, folder]) => [
      name,
      new URL(`dist/${folder}index.js`, root).href,
    ]),
  ),
  ...Object.fromEntries(
    ['ky', 'zod', 'openapi-fetch', 'openai', 'axios', 'stripe', 'msw/node'].map((name) => [
      name,
      name,
    ]),
  ),
};
const started_: Record<string, number[]> = {};
for (let again = quick ? 0 : -1; again < (quick ? 1 : 9); again++)
  for (const [name, module] of Object.entries(modules)) {
    const code = `const began = performance.now(); await import(${JSON.stringify(module)}); console.log(performance.now() - began);`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      encoding: 'utf8',
    });
    // The first round fills the caches of the disk.
    if (again >= 0) (started_[name] ??= []).push(Number(stdout.trim().split('\n').at(-1)));
  }
text.push(
  table(
    ['package', 'ms'],
    Object.entries(started_).map(([name, all]) => [name, round(median(all))]),
  ),
);
for (const [name, all] of Object.entries(started_)) found[`import ${name}`] = median(all);
progress('imports');

text.push(
  '## Mocks',
  'A list of 20 pets, read by its caller: CPU time divided by that of a hand-written `fetch`.',
);
const mockRows: string[][] = [];
for (const name of (Object.keys(mocks) as MockName[]).slice(1)) {
  const ratio = await inProcess('mock', { name, effort });
  mockRows.push([name, cell(ratio)]);
  found[name] = ratio.ratio;
}
text.push(table(['mock', 'ratio'], mockRows));
const ports = {} as Record<ServerName, Awaited<ReturnType<typeof started>>>;
for (const server of ['node:http by hand', 'petstore-mock'] as const)
  ports[server] = await started('port', { server });
const portTimes = await inTurns(
  { base: ports['node:http by hand'].slice, own: ports['petstore-mock'].slice },
  { slices: effort.slices, ms: 200 },
);
for (const { stop } of Object.values(ports)) stop();
found['petstore-mock on a port'] = 1 / ratios(portTimes, 'wall').own.ratio;
found['petstore-mock, first response'] = ports['petstore-mock'].ready;
progress('mocks');

text.push(
  '## Growth',
  'µs of CPU time of one request or of one turn of the gate, by the number of what is there.',
);
const growth = await inProcess('growth', quick ? { slices: 1, ms: 10 } : { slices: 9, ms: 20 });
for (const [what, times] of Object.entries(growth)) {
  const rows = Object.entries(times).map(([count, us]) => [
    Number(count).toLocaleString('en-US'),
    round(us),
  ]);
  text.push(table([what, 'µs'], rows));
}
const store = await inProcess('store', quick ? 100_000 : 1_000_000);
const memory = await inProcess('memory', quick ? 20_000 : 1_000_000);
Object.assign(found, store, memory);
text.push(
  `With a million pets: \`seed()\` ${round(store['fill']!)} ms, \`snapshot()\` ${round(store['snapshot']!)} ms, \`restore()\` ${round(store['restore']!)} ms, \`reset()\` ${round(store['reset']!)} ms, ${round(store['bytes']!)} bytes a pet. The heap grows by ${round(memory.perCall)} bytes for each call, and by ${round(memory.perKey)} bytes for each key that is used once.`,
);

const peers = ['ky', 'zod', 'openapi-fetch', 'openai', 'axios', 'stripe', 'hono', 'msw', 'msw2'];
const machine = `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cpus().length} cores`;
const { rows, missed } = targetTable(found);
const page = [
  '## Targets',
  table(['', 'target', 'found', ''], rows),
  '## Requests without a network',
  'Divided by `fetch` with `JSON.parse`. kB: allocated by one call.',
  ...text,
  `Made by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}: ${machine}; ${peers.map((name) => `${name} ${pinned(name)}`).join(', ')}.`,
].join('\n\n');
console.log(page);
if (!quick) writeSection(fileURLToPath(new URL('docs/performance.md', root)), 'perf', page);
for (const what of missed) console.error(`not reached: ${what}`);
progress('done');
process.exit();
