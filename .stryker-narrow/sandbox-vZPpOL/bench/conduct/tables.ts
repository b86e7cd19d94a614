// @ts-nocheck
import { table } from '../page.js';
import { average, quantile } from '../stats.js';
import { mean, type Figures } from './figures.js';
import type { Row } from './grid.js';
import type { Strikes } from './scenario.js';

const percent = (share: number) => `${Math.round(share * 100)} %`;
const count = (value: number) =>
  Number.isFinite(value) ? (Math.round(value * 10) / 10).toLocaleString('en-US') : '∞';
const times = (value: number) => (Number.isNaN(value) ? '–' : `${value.toFixed(2)} ×`);

/** The mean figures of a client in a situation. */
export type FiguresOf = (client: string, situation: string, strikes: Strikes) => Figures;

/** One situation: all figures of each client, or some columns. */
export function situation(
  all: ReadonlyMap<string, Figures>,
  title: string,
  columns?: readonly string[],
): string {
  const rows = [...all].map(([client, figures]) => ({
    [title]: client,
    served: percent(figures.done),
    '429s': count(figures.refused),
    '429s per 1,000 served': count(figures.refusedPerThousand),
    'requests in a cool-down': count(figures.inCoolDown),
    bans: count(figures.bans),
    'time / ideal time': times(figures.span),
    'still waiting after 3 h': count(figures.hanging),
  }));
  return table(rows, columns && [title, ...columns]);
}

/** All situations, a column for each; the figures of a client in one cell. */
export function matrix(
  clients: readonly string[],
  situations: readonly string[],
  figuresOf: FiguresOf,
): string {
  const cell = (client: string, situation: string) => {
    const all = figuresOf(client, situation, 'lenient');
    const bans = `${count(all.bans)}/${count(figuresOf(client, situation, 'strict').bans)}`;
    return `${percent(all.done)} · ${count(all.refusedPerThousand)} · ${count(all.inCoolDown)} · ${bans} · ${times(all.span)}`;
  };
  const rows = clients.map((client) => ({
    client,
    ...Object.fromEntries(situations.map((name) => [name, cell(client, name)])),
  }));
  return table(rows);
}

/** What the runs of a row of the grid come to, and what they missed of what was promised. */
export function judge(name: string, { target }: Row, all: readonly Figures[]) {
  const { refused, refusedPerThousand, banned, span } = target;
  const means = mean(all);
  const most = Math.max(...all.map((each) => each.refused));
  const bannedRuns = all.filter(({ bans }) => bans > 0).length;
  const unfinished = all.filter(({ done }) => done < 1).length;
  const spans = all.map((each) => each.span).filter((value) => !Number.isNaN(value));
  const meanSpan = average(spans);
  const promised = [
    refused !== undefined && `≤ ${refused} 429s a run`,
    refusedPerThousand !== undefined && `≤ ${refusedPerThousand} 429s per 1,000`,
    banned === 0 ? 'no ban' : `bans in ≤ ${banned * 100} % of the runs`,
    span !== undefined && `≤ ${span} ×`,
  ];
  const missed = [
    most > (refused ?? Infinity) && `${most} 429s in a run`,
    means.refusedPerThousand > (refusedPerThousand ?? Infinity) && '429s per 1,000',
    bannedRuns / all.length > banned && 'bans',
    span !== undefined && !(meanSpan <= span) && 'time',
    unfinished > bannedRuns && 'calls not served',
  ].filter((text) => text !== false);
  // Several processes keep the promise with a fleet gate, which has a bench of its own.
  const fleet = name.includes('processes') ? '; with [a fleet](../fleet.md#figures): yes' : '';
  const row = {
    '': name,
    runs: count(all.length),
    '429s per 1,000': means.refusedPerThousand.toFixed(2),
    'without first requests': means.laterRefusedPerThousand.toFixed(2),
    'most 429s in a run': count(most),
    'runs with a ban': count(bannedRuns),
    'time: mean': times(meanSpan),
    longest: times(quantile(spans, 1)),
    promised: promised.filter(Boolean).join(', '),
    kept: missed.length === 0 ? 'yes' : `no: ${missed.join(', ')}${fleet}`,
  };
  return { name, row, missed };
}
