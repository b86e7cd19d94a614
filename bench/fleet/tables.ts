import type { RealFigures } from './real.js';
import type { RowFigures } from './simulate.js';

/** Everything that the page shows, as reports/bench-fleet.json has it. */
export type Results = Readonly<Partial<Record<string, unknown>>>;

/** The section of docs/fleet.md. */
export function page(results: Results): string {
  const rows = (name: string) => (results[name] ?? []) as readonly RowFigures[];
  return [
    '### Fixed windows (aligned, and from the first request)',
    figureTable(rows('fixed'), rows('fixed, alone')),
    '### Rolling windows (sliding, and a token bucket)',
    figureTable(rows('rolling'), rows('rolling, alone')),
    '### Trips to the store on Business (1,000 a minute), fixed windows',
    figureTable(rows('business'), []),
    ...(rows('priority').length === 0
      ? []
      : [
          '### Priorities',
          'Calls from the second minute on, at 1.2 of the limit of Pro: seconds from the call to its end.',
          priorityTable(rows('priority')),
        ]),
    '### Faults, 4 and 16 processes on Pro, fixed windows',
    'Each row: a burst of 3.3 windows, and arrivals at 0.95 of the limit.',
    faultTable(rows('faults'), rows('faults, alone')),
    '### Real processes',
    realTable((results['real'] ?? []) as readonly RealFigures[]),
  ].join('\n\n');
}

const seconds = (ms: number | null) => (ms === null ? '–' : (ms / 1_000).toFixed(1));
const spanOf = ({ span, spanMost }: RowFigures) => {
  if (span === null) return '–';
  return spanMost === null ? span.toFixed(3) : `${span.toFixed(3)} (${spanMost.toFixed(2)})`;
};
/** Rows that a part of the bench left as they were. */
const nameOf = ({ name, earlier }: RowFigures) => (earlier === true ? `${name} †` : name);

function table(head: readonly string[], lines: readonly (readonly (string | number)[])[]): string {
  return [head, Array<string>(head.length).fill('---'), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function figureTable(fleet: readonly RowFigures[], alone: readonly RowFigures[]): string {
  const cells = (row: RowFigures, gate: string) => [
    ...[nameOf(row), gate, row.runs, row.rateLimited],
    ...[row.bans, spanOf(row), seconds(row.p50), seconds(row.p99)],
    gate === 'fleet' ? Math.round(row.tripsPerThousand) : 0,
  ];
  return table(
    [
      ...['processes', 'gate', 'runs', '429s', 'bans', 'span (largest)'],
      ...['p50 s', 'p99 s', 'trips per 1,000'],
    ],
    fleet.flatMap((row) => [
      cells(row, 'fleet'),
      ...alone.filter(({ name }) => name === row.name).map((other) => cells(other, 'alone')),
    ]),
  );
}

function priorityTable(rows: readonly RowFigures[]): string {
  return table(
    ['processes', 'runs', '429s', 'high p50', 'high p99', 'others p50', 'others p99'],
    rows.map(({ name, runs, rateLimited, high, normal }) => [
      ...[name, runs, rateLimited],
      ...[high, normal].flatMap((waits) => [
        waits === null ? '–' : seconds(waits.p50),
        waits === null ? '–' : seconds(waits.p99),
      ]),
    ]),
  );
}

function faultTable(fleet: readonly RowFigures[], alone: readonly RowFigures[]): string {
  const cells = (row: RowFigures, name: string, trips: number) => [
    ...[name, row.runs, row.rateLimited, row.mostRateLimited, row.bans, spanOf(row)],
    ...[seconds(row.p99), trips],
  ];
  return table(
    [
      ...['fault', 'runs', '429s', 'most in a run', 'bans', 'span (largest)'],
      ...['p99 s', 'trips per 1,000'],
    ],
    fleet.flatMap((row) => [
      cells(row, nameOf(row), Math.round(row.tripsPerThousand)),
      ...alone
        .filter(({ name }) => name === row.name)
        .map((other) => cells(other, 'the same without a fleet', 0)),
    ]),
  );
}

function realTable(rows: readonly RealFigures[]): string {
  return table(
    [
      ...['gate', 'processes', 'seconds', 'faults', 'served', 'possible', '429s', 'bans'],
      ...['p50 s', 'trips per 1,000'],
    ],
    rows.map((row) => [
      ...[row.name, row.processes, row.seconds, row.faults, row.served, row.possible ?? '–'],
      ...[row.rateLimited, row.bans, seconds(row.p50), row.tripsPerThousand],
    ]),
  );
}
