import type { Figures } from './figures.js';
import type { Target } from '../grid.js';
import type { Verdict } from './verdict.js';

/** The figures of one client in one scenario, under the strict rule of strikes and the lenient one. */
export interface Cell {
  readonly strict: Figures;
  readonly lenient: Figures;
}

/** One client's way through the scenarios, by their names. */
export interface Line {
  readonly client: string;
  readonly cells: Readonly<Record<string, Cell>>;
}

const percent = (share: number) => `${Math.round(share * 100)} %`;
const count = (value: number) =>
  (Number.isFinite(value) ? Math.round(value * 10) / 10 : '∞').toLocaleString('en-US');
const times = (value: number | undefined) =>
  value === undefined || Number.isNaN(value) ? '–' : `${value.toFixed(2)} ×`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(head),
    `|${head.map((_, at) => (at === 0 ? ' --- ' : ' ---: ')).join('|')}|`,
    ...rows.map(line),
  ].join('\n');
}

/** One scenario, a column for each figure. Strict strikes. */
export function scenarioTable(lines: readonly Line[], scenario: string): string {
  const head = [
    'client',
    'served',
    '429s',
    '429s per 1,000 served',
    'requests in a cool-down',
    'bans',
    'time / ideal time',
    'still waiting after 3 h',
  ];
  const rows = lines.map(({ client, cells }) => {
    const { strict } = cells[scenario] as Cell;
    const { done, refused, refusedPerThousand, inCoolDown, bans, span, hanging } = strict;
    return [
      client,
      percent(done),
      count(refused),
      count(refusedPerThousand),
      count(inCoolDown),
      count(bans),
      times(span),
      count(hanging),
    ];
  });
  return table(head, rows);
}

/** The same, short. */
export function shortTable(lines: readonly Line[], scenario: string): string {
  const rows = lines.map(({ client, cells }) => {
    const { done, refused, bans, span } = (cells[scenario] as Cell).strict;
    return [client, percent(done), count(refused), count(bans), times(span)];
  });
  return table(
    ['500 calls at once, Free plan', 'served', '429s', 'bans', 'time / ideal time'],
    rows,
  );
}

/** All scenarios, a column for each; the figures of a client in one cell. */
export function matrix(lines: readonly Line[]): string {
  const scenarios = Object.keys(lines[0]?.cells ?? {});
  const rows = lines.map(({ client, cells }) => [
    client,
    ...scenarios.map((scenario) => {
      const { strict, lenient } = cells[scenario] as Cell;
      const bans = `${count(lenient.bans)}/${count(strict.bans)}`;
      return `${percent(lenient.done)} · ${count(lenient.refusedPerThousand)} · ${count(lenient.inCoolDown)} · ${bans} · ${times(lenient.span)}`;
    }),
  ]);
  return table(['client', ...scenarios], rows);
}

/** What our client promises, and what it keeps. */
export function gridTable(verdicts: readonly Verdict[]): string {
  const head = [
    '',
    'runs',
    '429s per 1,000',
    'without first requests',
    'most 429s in a run',
    'runs with a ban',
    'time: mean',
    'longest',
    'promised',
    'kept',
  ];
  const rows = verdicts.map((verdict) => [
    verdict.row.name,
    count(verdict.runs),
    verdict.mean.refusedPerThousand.toFixed(2),
    verdict.mean.laterRefusedPerThousand.toFixed(2),
    count(verdict.mostRefused),
    count(verdict.bannedRuns),
    times(verdict.meanSpan),
    times(verdict.longestSpan),
    promise(verdict.row.target),
    kept(verdict),
  ]);
  return table(head, rows);
}

function promise({ refused, refusedPerThousand, banned, span }: Target): string {
  return [
    refused !== undefined && `≤ ${refused} 429s a run`,
    refusedPerThousand !== undefined && `≤ ${refusedPerThousand} 429s per 1,000`,
    banned === 0 ? 'no ban' : `bans in ≤ ${banned * 100} % of the runs`,
    span !== undefined && `≤ ${span} ×`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** Several processes keep the promise with a fleet gate, which has a bench of its own. */
function kept({ missed, row }: Verdict): string {
  if (missed.length === 0) return 'yes';
  const fleet = row.name.includes('processes') ? '; with [a fleet](../fleet.md#figures): yes' : '';
  return `no: ${missed.join(', ')}${fleet}`;
}
