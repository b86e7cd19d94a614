import type { Results } from './results.js';
import type { Ratio } from './stats.js';
import { round, targets } from './targets.js';

const titles = {
  list: 'list 100 pets',
  get: 'get one pet',
  create: 'create one pet',
  missing: 'get one that is not there',
};

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
  const done = Object.keys(Object.values(requests)[0] ?? {}) as (keyof typeof titles)[];
  const bare = requests['ky, one bare call'];
  const own = requests['petstore-client'];
  const above =
    bare && own
      ? done
          .map((name) => `${titles[name]} ${round(own[name]!.ratio / bare[name]!.ratio)}`)
          .join(', ')
      : undefined;
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
    'CPU time over that of `fetch` + `text()` + `JSON.parse` with a `fetch` that answers at once: median of the pairs of slices (quarter below – quarter above).',
    '![One pet through each client](assets/perf-requests.svg)',
    table(
      ['client', ...done.map((name) => titles[name])],
      Object.entries(requests).map(([client, by]) => [
        client,
        ...done.map((name) => spread(by[name]!)),
      ]),
    ),
    above === undefined
      ? ''
      : `petstore-client over one bare call of ky, which it makes for each attempt: ${above}.`,
    '## Over loopback',
    "Requests for 100 pets a second, over those of Node's `fetch` with `JSON.parse`; more is better.",
    table(
      ['client', 'one at a time', '50 at once'],
      Object.entries(loopback).map(([client, { one, fifty }]) => [
        client,
        speed(one),
        speed(fifty),
      ]),
    ),
    '## Parsing',
    'Checks of 100 pets over a check by hand; exact int64 over `JSON.parse` of the same text.',
    table(
      ['', 'ratio'],
      Object.entries(parsing).map(([what, ratio]) => [what, spread(ratio)]),
    ),
    '## The gate alone',
    'One call joins, one goes, one is answered, while so many wait: µs of CPU time.',
    table(
      ['waiting', 'µs'],
      Object.entries(gate).map(([waiting, { us, low, high }]) => [
        whole(waiting),
        `${round(us)} (${round(low)} – ${round(high)})`,
      ]),
    ),
    '## Import',
    'ms of CPU time beyond an empty process.',
    table(
      ['package', 'ms'],
      Object.entries(coldStart).map(([name, [ms, low, high]]) => [
        name,
        `${round(ms)} (${round(low)} – ${round(high)})`,
      ]),
    ),
    '## Mocks in one process',
    'A list of 20 pets, read by its caller: CPU time over a `fetch` by hand.',
    '![A list of 20 pets from each mock](assets/perf-mocks.svg)',
    table(
      ['mock', 'ratio'],
      Object.entries(mocks).map(([name, ratio]) => [name, spread(ratio)]),
    ),
    '## Mocks on a port',
    'Requests for 20 pets a second over those of bare `node:http`, ten connections; time from the start of the process to the first answer.',
    table(
      ['mock', 'speed', 'first answer, ms'],
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
          'add the first pet after a snapshot (what they share is copied then)',
          `${round(million.addAfterSnapshot)} ms`,
        ],
      ],
    ),
    '## Growth',
    'µs of CPU time of one request while so much is there.',
    ...Object.entries(growth).map(([what, by]) =>
      table(
        [what, 'µs'],
        Object.entries(by).map(([count, us]) => [whole(count), round(us)]),
      ),
    ),
    `The heap grows by ${round(memory.bytesPerCall)} bytes a call (line of least squares; ${round(memory.first)} MB at first, ${round(memory.last)} MB at the end), and by ${round(gates.bytesPerKey)} bytes for each key that is used once and then left.`,
  ]
    .filter((line) => line !== '')
    .join('\n\n');
}

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
