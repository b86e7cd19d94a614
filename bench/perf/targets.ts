/** The figures of a run, by name: of clients, ratios to `fetch` or µs; of others, what their case gives. */
export type Found = Record<string, number>;

const ours = 'petstore-client';
const over = (what: string, peer: string) => (found: Found) =>
  found[`${what}: ${ours}`]! / found[`${what}: ${peer}`]!;
const of = (name: string) => (found: Found) => found[name]!;

type Row = readonly [
  what: string,
  bound: '≤' | '≥',
  target: number,
  unit: string,
  (found: Found) => number,
];

const young = (request: string): Row[] => [
  ...[1, 100, 1_000].flatMap((period) =>
    ['openai core', 'axios'].map((peer): Row => {
      const what = `young ${request} ${period}`;
      return [
        `${what.replace(/ (\d+)$/, ', calls up to $1')}, divided by ${peer}`,
        '≤',
        1,
        '',
        over(what, peer),
      ];
    }),
  ),
  [
    `young ${request}, calls 101 to 1,000, divided by ky`,
    '≤',
    1.2,
    '',
    over(`young ${request} 1000`, 'ky, defaults'),
  ],
];

/** The targets were set before anything was measured. */
const targets: readonly Row[] = [
  ['List 100 pets, divided by openai core', '≤', 1, '', over('list', 'openai core')],
  ['List 100 pets, divided by axios', '≤', 1, '', over('list', 'axios')],
  ['Get one pet, divided by openai core', '≤', 0.8, '', over('get', 'openai core')],
  ['Create one pet, divided by openai core', '≤', 0.8, '', over('create', 'openai core')],
  ['Get one that is not there, divided by axios', '≤', 1, '', over('missing', 'axios')],
  ['List 100 pets, divided by ky, one bare call', '≤', 1.35, '', over('list', 'ky, one bare call')],
  ['Get one pet, divided by ky, one bare call', '≤', 1.5, '', over('get', 'ky, one bare call')],
  [
    'Create one pet, divided by ky, one bare call',
    '≤',
    1.5,
    '',
    over('create', 'ky, one bare call'),
  ],
  ...young('list'),
  ...young('get'),
  ['Loopback, one at a time: requests/s', '≥', 0.85, '', of(`loopback one: ${ours}`)],
  ['Loopback, 50 at once: requests/s', '≥', 0.8, '', of(`loopback fifty: ${ours}`)],
  ['Exact int64 divided by `JSON.parse`, no id long', '≤', 1.03, '', of('int64, no id long')],
  ['Exact int64 divided by `JSON.parse`, all ids long', '≤', 2.6, '', of('int64, all ids long')],
  [
    'Import, divided by that of openai',
    '≤',
    0.5,
    '',
    (found) => found[`import ${ours}`]! / found['import openai']!,
  ],
  [
    '`service.fetch` divided by a hand-written `fetch`',
    '≤',
    1.5,
    '',
    of('petstore-client/mocks, service.fetch'),
  ],
  [
    '`petstore-mock` on a port: requests/s, divided by bare `node:http`',
    '≥',
    0.6,
    '',
    of('petstore-mock on a port'),
  ],
  [
    '`petstore-mock`: start to first response',
    '≤',
    250,
    ' ms',
    of('petstore-mock, first response'),
  ],
  ['`reset()` of a million pets', '≤', 5, ' ms', of('reset')],
  ['`restore()` of a million pets', '≤', 5, ' ms', of('restore')],
  ['Memory of a pet', '≤', 200, ' bytes', of('bytes')],
  ['Heap for each further call', '≤', 2, ' bytes', of('perCall')],
  ['Heap for each key that is no longer used', '≤', 100, ' bytes', of('perKey')],
];

/** Holds the figures to the targets. What was not measured is left out. */
export function targetTable(found: Found): { rows: string[][]; missed: string[] } {
  const judged = targets.flatMap(([what, bound, target, unit, read]) => {
    const value = read(found);
    if (Number.isNaN(value)) return [];
    const met = bound === '≤' ? value <= target : value >= target;
    return [
      { met, what, cells: [what, `${bound} ${target}${unit}`, `${value.toFixed(2)}${unit}`] },
    ];
  });
  return {
    rows: judged.map(({ met, cells }) => [...cells, met ? 'reached' : '**not reached**']),
    missed: judged.filter(({ met }) => !met).map(({ cells }) => cells.join(', ')),
  };
}
