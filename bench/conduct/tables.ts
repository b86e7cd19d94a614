import { table } from '../page.js';
import { mean, type Figures } from './figures.js';
import type { Row } from './grid.js';

const percent = (share: number) => `${Math.round(share * 100)} %`;
const count = (value: number) =>
  Number.isFinite(value) ? (Math.round(value * 10) / 10).toLocaleString('en-US') : '∞';
const times = (value: number) => (Number.isNaN(value) ? '–' : `${value.toFixed(2)} ×`);

/** The mean figures of each client in one situation. */
export type Lines = ReadonlyMap<string, Figures>;

const columns = {
  served: ({ done }) => percent(done),
  '429s': ({ refused }) => count(refused),
  '429s per 1,000 served': ({ refusedPerThousand }) => count(refusedPerThousand),
  'requests in a cool-down': ({ inCoolDown }) => count(inCoolDown),
  bans: ({ bans }) => count(bans),
  'time / ideal time': ({ span }) => times(span),
  'still waiting after 3 h': ({ hanging }) => count(hanging),
} satisfies Record<string, (figures: Figures) => string>;
type Column = keyof typeof columns;

/** One situation, a column for each figure. */
export function situation(
  lines: Lines,
  title: string,
  shown = Object.keys(columns) as readonly Column[],
): string {
  const rows = [...lines].map(([client, figures]) => [
    client,
    ...shown.map((column) => columns[column](figures)),
  ]);
  return table([title, ...shown], rows);
}

/** All situations, a column for each; the figures of a client in one cell. */
export function matrix(
  clients: readonly string[],
  situations: readonly { name: string; strict: Lines; lenient: Lines }[],
): string {
  const rows = clients.map((client) => [
    client,
    ...situations.map(({ strict, lenient }) => {
      const all = lenient.get(client)!;
      const bans = `${count(all.bans)}/${count(strict.get(client)!.bans)}`;
      return `${percent(all.done)} · ${count(all.refusedPerThousand)} · ${count(all.inCoolDown)} · ${bans} · ${times(all.span)}`;
    }),
  ]);
  return table(['client', ...situations.map(({ name }) => name)], rows);
}

/** What the runs of a row of the grid come to, and what they missed of what was promised. */
export function judge(name: string, { target }: Row, all: readonly Figures[]) {
  const { refused, refusedPerThousand, banned, span } = target;
  const average = mean(all);
  const most = Math.max(...all.map((each) => each.refused));
  const bannedRuns = all.filter(({ bans }) => bans > 0).length;
  const unfinished = all.filter(({ done }) => done < 1).length;
  const finished = all.filter((each) => !Number.isNaN(each.span));
  const meanSpan = finished.length > 0 ? mean(finished).span : NaN;
  const longest = finished.length > 0 ? Math.max(...finished.map((each) => each.span)) : NaN;
  const promised = [
    refused !== undefined && `≤ ${refused} 429s a run`,
    refusedPerThousand !== undefined && `≤ ${refusedPerThousand} 429s per 1,000`,
    banned === 0 ? 'no ban' : `bans in ≤ ${banned * 100} % of the runs`,
    span !== undefined && `≤ ${span} ×`,
  ];
  const missed = [
    most > (refused ?? Infinity) && `${most} 429s in a run`,
    average.refusedPerThousand > (refusedPerThousand ?? Infinity) && '429s per 1,000',
    bannedRuns / all.length > banned && 'bans',
    span !== undefined && !(meanSpan <= span) && 'time',
    unfinished > bannedRuns && 'calls not served',
  ].filter((text) => text !== false);
  // Several processes keep the promise with a fleet gate, which has a bench of its own.
  const fleet = name.includes('processes') ? '; with [a fleet](../fleet.md#figures): yes' : '';
  const cells = [
    name,
    count(all.length),
    average.refusedPerThousand.toFixed(2),
    average.laterRefusedPerThousand.toFixed(2),
    count(most),
    count(bannedRuns),
    times(meanSpan),
    times(longest),
    promised.filter(Boolean).join(', '),
    missed.length === 0 ? 'yes' : `no: ${missed.join(', ')}${fleet}`,
  ];
  return { name, cells, missed };
}

/** What our client promises, and what it keeps. */
export function gridTable(verdicts: readonly ReturnType<typeof judge>[]): string {
  const head = [
    ...['', 'runs', '429s per 1,000', 'without first requests', 'most 429s in a run'],
    ...['runs with a ban', 'time: mean', 'longest', 'promised', 'kept'],
  ];
  return table(
    head,
    verdicts.map(({ cells }) => cells),
  );
}
