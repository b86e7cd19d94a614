import { table } from '../page.js';
import type { RealFigures } from './real.js';
import { tables, type TableName } from './situations.js';
import type { FleetFigures } from './worker.js';

type Runs = readonly FleetFigures[];

const seconds = (ms: number) => (Number.isNaN(ms) ? '–' : (ms / 1_000).toFixed(1));
const known = (runs: Runs, name: keyof FleetFigures) =>
  runs.map((run) => run[name]).filter((value) => !Number.isNaN(value));
const sum = (runs: Runs, name: keyof FleetFigures) =>
  known(runs, name).reduce((total, value) => total + value, 0);
const mean = (runs: Runs, name: keyof FleetFigures) => sum(runs, name) / known(runs, name).length;
const meanSeconds = (name: keyof FleetFigures) => (runs: Runs) => seconds(mean(runs, name));

const columns = {
  runs: (runs) => runs.length,
  '429s': (runs) => sum(runs, 'refused'),
  'most in a run': (runs) => Math.max(...known(runs, 'refused')),
  bans: (runs) => sum(runs, 'bans'),
  'span (largest)': (runs) =>
    known(runs, 'span').length === 0
      ? '–'
      : `${mean(runs, 'span').toFixed(3)} (${Math.max(...known(runs, 'span')).toFixed(2)})`,
  'p50 s': meanSeconds('waitMedian'),
  'p99 s': meanSeconds('waitP99'),
  'trips per 1,000': (runs) => Math.round((1_000 * sum(runs, 'trips')) / sum(runs, 'served')),
  'high p50': meanSeconds('highMedian'),
  'high p99': meanSeconds('highP99'),
  'others p50': meanSeconds('othersMedian'),
  'others p99': meanSeconds('othersP99'),
} satisfies Record<string, (runs: Runs) => string | number>;
type Column = keyof typeof columns;

const usual: readonly Column[] = [
  ...(['runs', '429s', 'most in a run', 'bans', 'span (largest)'] as const),
  ...(['p50 s', 'p99 s', 'trips per 1,000'] as const),
];
const ofPriorities: readonly Column[] = [
  ...(['runs', '429s', 'high p50', 'high p99', 'others p50', 'others p99'] as const),
];
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
  usual.map((column) => `${column} ${columns[column](runs)}`).join(', ');

/** How the runs of a row are found, with gates of either kind. */
export const groupOf = (name: TableName, row: string, kind: string) => `${name}: ${row}: ${kind}`;

/** One table of those whose runs are there. */
export function figureTable(name: TableName, found: ReadonlyMap<string, Runs>): string {
  const shown = name === 'priority' ? ofPriorities : usual;
  const first = name === 'faults' ? 'fault' : 'processes';
  const rows = tables[name].flatMap((row) =>
    ['fleet', 'alone'].flatMap((kind) => {
      const runs = found.get(groupOf(name, row.name, kind));
      return runs ? [[row.name, kind, ...shown.map((column) => columns[column](runs))]] : [];
    }),
  );
  return `### ${titles[name]}\n\n${table([first, 'gate', ...shown], rows)}`;
}

export function realTable(rows: readonly RealFigures[]): string {
  const head = [
    ...['gate', 'processes', 'seconds', 'faults', 'served', 'possible', '429s', 'bans'],
    ...['p50 s', 'trips per 1,000'],
  ];
  const cells = rows.map((row) => [
    ...[row.name, row.processes, row.seconds, row.faults ?? '–', row.served, row.possible ?? '–'],
    ...[row.rateLimited, row.bans, seconds(row.p50), row.tripsPerThousand],
  ]);
  return `### Real processes\n\n${table(head, cells)}`;
}
