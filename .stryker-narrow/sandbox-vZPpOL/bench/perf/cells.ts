// @ts-nocheck
import type { Row } from '../page.js';
import type { Spread } from '../stats.js';

/** Two digits that say something. */
export function round(value: number): string {
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

export const cell = ({ middle, low, high }: Spread) =>
  `${round(middle)} (${round(low)} – ${round(high)})`;

/** Of something that is the better the faster. */
export const speed = ({ middle, low, high }: Spread) =>
  cell({ middle: 1 / middle, low: 1 / high, high: 1 / low });

/** What was found, and what it is held to. The targets were set before anything was measured. */
export const targets: Row[] = [];

/** Holds a figure to its target, as in `≤ 250 ms`. */
export function target(what: string, bound: string, value: number): void {
  const [sign, limit, unit = ''] = bound.split(' ');
  const isMet = sign === '≤' ? value <= Number(limit) : value >= Number(limit);
  const found = `${round(value)} ${unit}`.trim();
  targets.push({ '': what, target: bound, found, ' ': isMet ? 'reached' : '**not reached**' });
}
