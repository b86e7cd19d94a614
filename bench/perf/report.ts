import type { Request } from './answers.js';
import type { Requests, Results } from './results.js';
import type { Spread } from './cases/cold-start.js';
import type { Ratio } from './stats.js';
import { client, round, targets, titles } from './targets.js';

/** The results as Markdown. */
export function report(results: Results): string {
  const {
    requests,
    loopback,
    parsing,
    gate,
    coldStart,
    mocks,
    ports,
    million,
    growth,
    memory,
    gates,
  } = results;
  return [
    '## Targets',
    table(
      ['', 'target', 'found', ''],
      targets(results).map(({ what, target, found, met }) => [
        what,
        target,
        found,
        met ? 'reached' : '**not reached**',
      ]),
    ),
    '## One request, without a network',
    'Each request through a `fetch` that responds at once: CPU time of the whole process (with the threads of the garbage collector) and elapsed time, both divided by those of `fetch` + `text()` + `JSON.parse`, as median of the slices (lower – upper quartile); and what one call allocates.',
    '![One pet through each client](assets/perf-requests.svg)',
    requestTables(requests),
    '## Over loopback',
    "Requests for 100 pets per second, divided by those of Node's `fetch` with `JSON.parse`. More is better.",
    loopbackTable(loopback),
    '## Parsing',
    'Validation of 100 pets, divided by hand-written validation. Exact int64, divided by `JSON.parse` of the same text.',
    table(
      ['', 'ratio'],
      Object.entries(parsing).map(([what, ratio]) => [what, spread(ratio)]),
    ),
    '## The gate alone',
    'One call enters the queue, one is sent, and one receives its response, while a number of calls wait: µs of CPU time.',
    table(
      ['waiting', 'µs'],
      Object.entries(gate).map(([waiting, { us, low, high }]) => [
        whole(waiting),
        `${round(us)} (${round(low)} – ${round(high)})`,
      ]),
    ),
    '## Import',
    'ms that `import` takes by the clock, and ms of CPU time in addition to an empty process.',
    table(
      ['package', 'elapsed', 'CPU time'],
      Object.entries(coldStart).map(([name, { wall, cpu }]) => [name, ms(wall), ms(cpu)]),
    ),
    '## Mocks in one process',
    'A list of 20 pets, read by its caller: CPU time divided by that of a hand-written `fetch`.',
    '![A list of 20 pets from each mock](assets/perf-mocks.svg)',
    table(
      ['mock', 'ratio'],
      Object.entries(mocks).map(([name, ratio]) => [name, spread(ratio)]),
    ),
    '## Mocks on a port',
    'Requests for 20 pets per second with ten connections, divided by those of bare `node:http`, and the time from the start of the process to the first response.',
    table(
      ['mock', 'speed', 'first response, ms'],
      Object.entries(ports).map(([name, ratio]) => [
        name,
        speed(ratio),
        ratio.firstAnswer.toFixed(0),
      ]),
    ),
    '## Many pets',
    table(
      ['', ''],
      [
        ['fill', `${round(million.fill)} ms`],
        ['memory of a pet', `${round(million.bytes)} bytes`],
        ['list 20 by status', `${round(million.list)} µs`],
        ['`snapshot()`', `${round(million.snapshot)} ms`],
        ['`restore()`', `${round(million.restore)} ms`],
        ['`reset()`', `${round(million.reset)} ms`],
        ['add a pet', `${round(million.add)} ms`],
        [
          'add the first pet after a snapshot (copies the shared part)',
          `${round(million.addAfterSnapshot)} ms`,
        ],
      ],
    ),
    '## Growth',
    'µs of CPU time of one request, by the number of existing items.',
    ...Object.entries(growth).map(([what, by]) =>
      table(
        [what, 'µs'],
        Object.entries(by).map(([count, us]) => [whole(count), round(us)]),
      ),
    ),
    `The heap grows by ${round(memory.bytesPerCall)} bytes for each call (linear regression; ${round(memory.first)} MB at first, ${round(memory.last)} MB at the end), and by ${round(gates.bytesPerKey)} bytes for each key that is used once.`,
  ]
    .filter((line) => line !== '')
    .join('\n\n');
}

/** A table for each request, and how often one bare call of ky fits into one of ours. */
export function requestTables(requests: Requests): string {
  const measured = Object.entries(requests) as [Request, Requests[Request] & {}][];
  const above = measured.map(([request, { [client]: own, 'ky, one bare call': bare }]) =>
    own && bare ? `${titles[request].toLowerCase()} ${round(own.cpu.ratio / bare.cpu.ratio)}` : '',
  );
  return [
    ...measured.flatMap(([request, by]) => [
      `### ${titles[request]}`,
      table(
        ['client', 'CPU time', 'elapsed', 'kB'],
        Object.entries(by).map(([name, { cpu, wall, bytes }]) => [
          name,
          spread(cpu),
          spread(wall),
          round(bytes / 1_000),
        ]),
      ),
    ]),
    `CPU time of ${client} divided by one bare call of ky, which it makes for each attempt: ${above.join(', ')}.`,
  ].join('\n\n');
}

export function loopbackTable({ one, fifty }: Results['loopback']): string {
  return table(
    ['client', 'one at a time', '50 at once'],
    Object.entries(one).map(([name, { wall }]) => [name, speed(wall), speed(fifty[name]!.wall)]),
  );
}

const ms = ([median, low, high]: Spread) => `${round(median)} (${round(low)} – ${round(high)})`;
const spread = ({ ratio, low, high }: Ratio) => `${round(ratio)} (${round(low)} – ${round(high)})`;
const speed = ({ ratio, low, high }: Ratio) =>
  `${round(1 / ratio)} (${round(1 / high)} – ${round(1 / low)})`;
const whole = (count: string) => Number(count).toLocaleString('en');

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(head),
    line(head.map((_, at) => (at === 0 ? '---' : '--:'))),
    ...rows.map(line),
  ].join('\n');
}
