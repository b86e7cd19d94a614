// @ts-nocheck
import { createWindow } from '../../mocks/limits/windows.js';
import type { Limiter } from './scenario.js';

const minute = 60_000;

/** What the rule allows: calls when each moment, in order, each as soon as the limit lets it through. */
export interface Rule {
  readonly limit: number;
  readonly window: Limiter['window'];
  /** The moment, on the service's clock, at which the run starts: aligned windows begin at whole minutes of it. */
  readonly epoch: number;
  /** The quota is spent when the run starts. */
  readonly spent: boolean;
}

/**
 * When each of the calls, wanted at `wanted` ms (sorted), would be served by a client that knew everything: in order,
 * without latency, each at the first moment at which the limit allows it.
 */
export function optimum(wanted: readonly number[], rule: Rule): number[] {
  const { limit, window, epoch, spent } = rule;
  const requests = createWindow(window, minute, 'full');
  // A small number: fractions of a ms are exact then.
  const start = epoch % minute;
  if (spent) requests.setRemaining(start, limit, 0);
  let last = start;
  return wanted.map((at) => {
    last = requests.view(Math.max(start + at, last), limit).nextAt;
    requests.count(last, limit);
    return last - start;
  });
}
