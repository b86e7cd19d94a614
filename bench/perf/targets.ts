import { round } from '../page.js';

/** What was found, and what it is held to. The targets were set before anything was measured. */
export const targets: string[][] = [];

/** Holds a figure to its target, as in `≤ 250 ms`. */
export function target(what: string, bound: string, value: number): void {
  const [sign, limit, unit = ''] = bound.split(' ');
  const isMet = sign === '≤' ? value <= Number(limit) : value >= Number(limit);
  const result = isMet ? 'reached' : '**not reached**';
  targets.push([what, bound, `${round(value)} ${unit}`.trim(), result]);
}
