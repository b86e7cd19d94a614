import type { RowFigures } from './simulate.js';

const seconds = (ms: number) => (ms / 1_000).toFixed(1);
const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;

/** One line a number of processes, and under it that of gates that know nothing of each other. */
export function figureTable(fleet: readonly RowFigures[], local: readonly RowFigures[]): string {
  const lines = fleet.flatMap((row) => {
    const other = local.find(({ name }) => name === row.name);
    return [cells(row, 'fleet'), ...(other === undefined ? [] : [cells(other, 'no fleet')])];
  });
  return [
    line([
      ...['processes', 'gate', 'runs', '429s per 1,000', 'most in a run', 'bans'],
      ...['span', 'largest', 'p50 s', 'p99 s', 'trips per 1,000', 'fairness'],
    ]),
    line(Array<string>(12).fill('---')),
    ...lines.map(line),
  ].join('\n');
}

function cells(row: RowFigures, gate: string): (string | number)[] {
  return [
    ...[row.name, gate, row.runs, Number(row.refusedPerThousand.toFixed(3)), row.mostRefused],
    ...[row.bans, row.span.toFixed(3), row.spanMost.toFixed(2), seconds(row.p50), seconds(row.p99)],
    ...[gate === 'fleet' ? Math.round(row.trips) : 0, row.fairness.toFixed(2)],
  ];
}

/** One line a fault. */
export function faultTable(rows: readonly RowFigures[]): string {
  return [
    line(['fault', 'runs', '429s', 'most in a run', 'bans', 'span', 'p99 s', 'trips per 1,000']),
    line(Array<string>(8).fill('---')),
    ...rows.map((row) =>
      line([
        ...[row.name, row.runs, row.refused, row.mostRefused, row.bans],
        ...[Number.isNaN(row.span) ? '–' : row.span.toFixed(3), seconds(row.p99)],
        Math.round(row.trips),
      ]),
    ),
  ].join('\n');
}
