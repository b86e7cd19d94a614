import { hasKey, type Ask } from '../asks.js';
import type { Exchanges } from './exchange.js';

/** What the service last said of a quota. */
export interface Level {
  readonly limit: number;
  readonly remaining: number;
  /** When it resets, ms since the epoch on the clock of this machine. */
  readonly resetAt: number;
}

/**
 * The quota of which one more request would leave too little to others, by the headers that the service has sent so far;
 * undefined where none is so low. A quota may be counted for each operation: of several, the one that resets last.
 */
export function lowQuota(exchanges: Exchanges, ask: Ask, now: number): Level | undefined {
  // The last word on each scope.
  const levels = new Map<string, Level>();
  for (const [at, { ask: other, answer, receivedAt }] of exchanges.entries()) {
    if (!answer?.rate || keyOf(other) !== keyOf(ask)) continue;
    const { limit, remaining, resetIn } = answer.rate;
    const resetAt = receivedAt + (Number.isNaN(resetIn) ? 60_000 : resetIn);
    // What was sent since may have been counted here too, whatever its key and operation.
    const left = remaining - (exchanges.length - 1 - at);
    const isLow = resetAt > now && left <= (hasKey(ask) ? reserveOf(limit) : 1);
    levels.delete(operationOf(other));
    if (isLow) levels.set(operationOf(other), { limit, remaining, resetAt });
  }
  return [...levels.values()].toSorted((one, other) => other.resetAt - one.resetAt)[0];
}

/** So many requests of a quota are left to others: 5, or 5 % of it, but never more than half. */
const reserveOf = (limit: number) =>
  Math.min(Math.max(5, Math.ceil(limit / 20)), Math.floor(limit / 2));

const keyOf = ({ key }: Ask) => (key === 'invalid' ? 'none' : key);

function operationOf({ method, path }: Ask): string {
  if (path.startsWith('/pets/')) return 'getPet';
  return path.startsWith('/pets') ? method : 'other';
}
