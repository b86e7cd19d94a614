import { hasKey, type Ask } from '../asks.js';
import type { Exchange } from './exchange.js';
import { longestMinute, readRate } from './rate.js';

/** What the service last said of a quota. */
interface Level {
  readonly limit: number;
  readonly remaining: number;
  /** When it resets, ms since the epoch on the clock of this machine. */
  readonly resetAt: number;
  /** How many requests had been sent by then. */
  readonly sent: number;
}

/** When a request may be sent, ms since the epoch, or why it may not be sent at all. */
export type Permission = { readonly at: number; readonly why: string } | { readonly never: string };

/** How often the run may wait for a new window. */
const mostWaits = 8;

/**
 * Says whether one more request leaves enough of the quota to others, from the headers that the service has sent so far.
 * It goes by the lowest level that is still in force: a quota may be counted for each operation.
 */
export class Budget {
  readonly #most: number;
  readonly #levels = new Map<string, Level>();
  #sent = 0;
  #waits = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** How many more requests the run may send. */
  get left(): number {
    return this.#most - this.#sent;
  }

  /** Counts an exchange and remembers the quota in its headers. */
  note({ ask, answer, receivedAt }: Exchange): void {
    this.#sent++;
    const rate = answer && readRate(answer, receivedAt);
    if (!rate) return;
    const { limit, remaining, resetIn } = rate;
    const resetAt = receivedAt + (Number.isNaN(resetIn) ? 60_000 : resetIn);
    this.#levels.set(scopeOf(ask), { limit, remaining, resetAt, sent: this.#sent });
  }

  permission(ask: Ask, now: number): Permission {
    if (this.left <= 0)
      return { never: `all ${this.#most} requests that the run may send were sent` };
    const low = ask.needs === 'rate-limit' ? undefined : this.#lowest(ask, now);
    if (!low) return { at: now, why: '' };
    const why = `${low.remaining} of ${low.limit} requests left`;
    if (low.resetAt - now > longestMinute)
      return { never: `${why} until ${new Date(low.resetAt).toISOString()}` };
    if (++this.#waits > mostWaits)
      return { never: `${why}, after ${mostWaits} waits for a new window` };
    // Where a reset means one request more, the second wait is for a whole minute.
    return { at: this.#waits % 2 === 1 ? low.resetAt + 1_000 : now + longestMinute, why };
  }

  #lowest(ask: Ask, now: number): Level | undefined {
    const [key] = scopeOf(ask).split(' ');
    let low: Level | undefined;
    for (const [scope, level] of this.#levels) {
      if (!scope.startsWith(`${key} `) || level.resetAt <= now) continue;
      // What was sent since may have been counted here too, whatever its key and operation.
      const left = level.remaining - (this.#sent - level.sent);
      if (left > (hasKey(ask) ? reserveOf(level.limit) : 1)) continue;
      if (!low || level.resetAt > low.resetAt) low = level;
    }
    return low;
  }
}

/** So many requests of a quota are left to others: 5, or 5 % of it, but never more than half. */
function reserveOf(limit: number): number {
  return Math.min(Math.max(5, Math.ceil(limit / 20)), Math.floor(limit / 2));
}

function scopeOf({ method, path, key }: Ask): string {
  const operation = path.startsWith('/pets/')
    ? 'getPet'
    : path.startsWith('/pets')
      ? method
      : 'other';
  return `${key === 'invalid' ? 'none' : key} ${operation}`;
}
