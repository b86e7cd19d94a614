import { mean, type Figures } from './figures.js';
import type { Row } from '../grid.js';

/** What the runs of a row of the grid come to, and whether that is what was promised. */
export interface Verdict {
  readonly row: Row;
  readonly runs: number;
  readonly mean: Figures;
  /** The most 429s in one run. */
  readonly mostRefused: number;
  readonly bannedRuns: number;
  readonly unfinishedRuns: number;
  /** Of the runs that were finished. */
  readonly meanSpan: number;
  readonly longestSpan: number;
  readonly leastOrder: number;
  /** What was missed; empty when all was kept. */
  readonly missed: readonly string[];
}

/** Judges the runs of one row. */
export function judge(row: Row, all: readonly Figures[]): Verdict {
  const { target } = row;
  const spans = all.flatMap(({ span }) => span ?? []);
  const average = mean(all);
  const mostRefused = Math.max(...all.map((each) => each.refused));
  const bannedRuns = all.filter((each) => each.bans > 0).length;
  const unfinishedRuns = all.filter((each) => each.done < 1).length;
  const meanSpan = spans.reduce((sum, span) => sum + span, 0) / spans.length;
  const missed = [
    target.refused !== undefined && mostRefused > target.refused && `${mostRefused} 429s in a run`,
    target.refusedPerThousand !== undefined &&
      average.refusedPerThousand > target.refusedPerThousand &&
      '429s per 1,000',
    bannedRuns / all.length > target.banned && 'bans',
    target.span !== undefined && !(meanSpan <= target.span) && 'time',
    unfinishedRuns > bannedRuns && 'calls not served',
  ].filter((text) => text !== false);
  const leastOrder = Math.min(...all.map((each) => each.order));
  const longestSpan = spans.length === 0 ? NaN : Math.max(...spans);
  return {
    row,
    runs: all.length,
    mean: average,
    mostRefused,
    bannedRuns,
    unfinishedRuns,
    meanSpan,
    longestSpan,
    leastOrder,
    missed,
  };
}
