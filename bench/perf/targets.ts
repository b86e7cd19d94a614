import { round } from '../page.js';
import type { RequestName } from './answers.js';

/** The figures of a run, by name: of clients, ratios to `fetch` or µs; of others, what their case gives. */
export type Found = Record<string, number>;

export const titles: Readonly<Record<RequestName, string>> = {
  list: 'List 100 pets',
  get: 'Get one pet',
  create: 'Create one pet',
  missing: 'Get one that is not there',
};

/** The periods of a young process, by the number of calls at their ends. */
export const periods = { 1: 'the first call', 100: 'calls 2 to 100', 1_000: 'calls 101 to 1,000' };

const steady: readonly (readonly [RequestName, peer: string, most: number])[] = [
  ['list', 'openai core', 1],
  ['list', 'axios', 1],
  ['get', 'openai core', 0.8],
  ['create', 'openai core', 0.8],
  ['missing', 'axios', 1],
  ['list', 'ky, one bare call', 1.35],
  ['get', 'ky, one bare call', 1.5],
  ['create', 'ky, one bare call', 1.5],
];
const young = (['list', 'get'] as const).flatMap((request) => [
  ...Object.values(periods).flatMap((period) => [
    [request, period, 'openai core', 1] as const,
    [request, period, 'axios', 1] as const,
  ]),
  [request, periods[1_000], 'ky, defaults', 1.2] as const,
]);

/** What was found, and what it is held to. The targets were set before anything was measured. */
const others: Readonly<Record<string, string>> = {
  'Loopback, one at a time: requests/s': '≥ 0.85',
  'Loopback, 50 at once: requests/s': '≥ 0.8',
  'Exact int64 divided by `JSON.parse`, no id long': '≤ 1.03',
  'Exact int64 divided by `JSON.parse`, all ids long': '≤ 2.6',
  'Import, divided by that of openai': '≤ 0.5',
  '`service.fetch` divided by a hand-written `fetch`': '≤ 1.5',
  '`petstore-mock` on a port: requests/s, divided by bare `node:http`': '≥ 0.6',
  '`petstore-mock`: start to first response': '≤ 250 ms',
  'List by status of a million pets': '≤ 2 µs',
  '`reset()` of a million pets': '≤ 5 ms',
  '`restore()` of a million pets': '≤ 5 ms',
  'Memory of a pet': '≤ 200 bytes',
  'Heap for each further call': '≤ 2 bytes',
  'Heap for each key that is no longer used': '≤ 100 bytes',
};

/** Holds the figures to the targets. What was not measured is left out. */
export function targetTable(found: Found): { rows: string[][]; missed: string[] } {
  const over = (what: string, peer: string) =>
    found[`${what}: petstore-client`]! / found[`${what}: ${peer}`]!;
  const all = [
    ...steady.map(([request, peer, most]) => {
      return [`${titles[request]}, divided by ${peer}`, `≤ ${most}`, over(request, peer)] as const;
    }),
    ...young.map(([request, period, peer, most]) => {
      const what = `${titles[request]} in a young process, ${period}, divided by ${peer}`;
      return [what, `≤ ${most}`, over(`${request}, ${period}`, peer)] as const;
    }),
    ...Object.entries(others).map(([what, target]) => [what, target, found[what] ?? NaN] as const),
  ].filter(([, , value]) => !Number.isNaN(value));
  const rows = all.map(([what, target, value]) => {
    const [bound, limit, unit = ''] = target.split(' ') as [string, string, string?];
    const isMet = bound === '≤' ? value <= Number(limit) : value >= Number(limit);
    return [what, target, `${round(value)} ${unit}`.trim(), isMet ? 'reached' : '**not reached**'];
  });
  const missed = rows.filter(([, , , result]) => result !== 'reached');
  return { rows, missed: missed.map((cells) => cells.join(', ')) };
}
