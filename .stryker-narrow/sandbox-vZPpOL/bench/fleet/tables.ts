// @ts-nocheck
import { table } from '../page.js';
import { average } from '../stats.js';
import { tables, type TableName } from './situations.js';
import type { FleetFigures } from './worker.js';

type Runs = readonly FleetFigures[];

export const seconds = (ms: number) => (Number.isNaN(ms) ? '–' : (ms / 1_000).toFixed(1));
const known = (runs: Runs, name: keyof FleetFigures) =>
  runs.map((run) => run[name]).filter((value) => !Number.isNaN(value));
const sum = (runs: Runs, name: keyof FleetFigures) =>
  runs.reduce((total, run) => total + run[name], 0);
const meanSeconds = (runs: Runs, name: keyof FleetFigures) => seconds(average(known(runs, name)));

/** The cells of a row. */
function usual(runs: Runs) {
  const spans = known(runs, 'span');
  return {
    runs: runs.length,
    '429s': sum(runs, 'refused'),
    'most in a run': Math.max(...runs.map(({ refused }) => refused)),
    bans: sum(runs, 'bans'),
    'span (largest)':
      spans.length === 0 ? '–' : `${average(spans).toFixed(3)} (${Math.max(...spans).toFixed(2)})`,
    'p50 s': meanSeconds(runs, 'waitMedian'),
    'p99 s': meanSeconds(runs, 'waitP99'),
    'trips per 1,000': Math.round((1_000 * sum(runs, 'trips')) / sum(runs, 'served')),
  };
}

const ofPriorities = (runs: Runs) => ({
  runs: runs.length,
  '429s': sum(runs, 'refused'),
  'high p50': meanSeconds(runs, 'highMedian'),
  'high p99': meanSeconds(runs, 'highP99'),
  'others p50': meanSeconds(runs, 'othersMedian'),
  'others p99': meanSeconds(runs, 'othersP99'),
});

const titles: Readonly<Record<TableName, string>> = {
  fixed: 'Fixed windows (aligned, and from the first request)',
  rolling: 'Rolling windows (sliding, and a token bucket)',
  business: 'Trips to the store on Business (1,000 a minute), fixed windows',
  priority:
    'Priorities: seconds from the call to its end, calls from the second minute on, at 1.2 of the limit of Pro',
  faults:
    'Faults, 4 and 16 processes on Pro, fixed windows, a burst of 3.3 windows and arrivals at 0.95 of the limit',
};

/** The figures of a row in one line. */
export const summary = (runs: Runs) =>
  Object.entries(usual(runs))
    .map((cell) => cell.join(' '))
    .join(', ');

/** How the runs of a row are found, with gates of either kind. */
export const nameOf = (name: TableName, row: string, kind: string) => `${name}: ${row}: ${kind}`;

/** One table of those whose runs are there. */
export function figureTable(name: TableName, found: ReadonlyMap<string, Runs>): string {
  const cells = name === 'priority' ? ofPriorities : usual;
  const first = name === 'faults' ? 'fault' : 'processes';
  const rows = tables[name].flatMap((row) =>
    ['fleet', 'alone'].flatMap((gate) => {
      const runs = found.get(nameOf(name, row.name, gate));
      return runs ? [{ [first]: row.name, gate, ...cells(runs) }] : [];
    }),
  );
  return `### ${titles[name]}\n\n${table(rows)}`;
}
