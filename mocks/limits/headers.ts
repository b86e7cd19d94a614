import { headers } from '../../src/contract/index.js';
import type { Assumptions } from '../assumptions/assumptions.js';
import type { ReadOutcome } from '../faults/fault-outcome.js';
import type { Random } from '../utils/random.js';
import type { Verdict } from './limiter.js';
import { writeRetryAfter } from './retry-after.js';

/** What the header lines of one answer are made of. */
export interface HeaderFacts {
  readonly verdict: Verdict;
  readonly now: number;
  /** Until when to wait, on a refusal. */
  readonly until: number | undefined;
  readonly effects: ReadOutcome | undefined;
}

/** The headers that every answer carries, and `Retry-After` where there is something to wait for. Service interface: "Rate limit headers". */
export function writeRateHeaders(
  { verdict, now, until, effects }: HeaderFacts,
  assumed: Assumptions,
  random: Random,
): Record<string, string> {
  const skew = (effects?.['clock-skew'] ?? 0) + draw(assumed.nodes.clock, random);
  const lines: Record<string, string> = {};
  if (assumed.dateHeader) lines['Date'] = httpDate(now + skew);
  if (!effects?.['no-rate-limit-headers']) {
    const remaining = verdict.remaining + draw(assumed.nodes.remaining, random);
    lines[headers.limit] = String(verdict.limit);
    lines[headers.remaining] = String(Math.min(verdict.limit, Math.max(0, remaining)));
    const resetAt = verdict.resetAt + skew;
    if (assumed.resetUnit !== 'absent')
      lines[headers.reset] = String(assumed.resetUnit === 'unix-seconds' ? Math.ceil(resetAt / 1_000) : Math.ceil(resetAt));
  }
  const raw = effects?.['retry-after'];
  const retryAfter =
    raw !== undefined ? String(raw) : until !== undefined ? writeRetryAfter(assumed.retryAfter, now + skew, until + skew) : undefined;
  if (retryAfter !== undefined) lines[headers.retryAfter] = retryAfter;
  return lines;
}

function draw([least, most]: readonly [number, number], random: Random): number {
  return least === most ? least : random.integer(least, most);
}

let lastSecond = NaN;
let lastDate = '';

/** An HTTP date, made once a second. */
function httpDate(ms: number): string {
  const second = Math.floor(ms / 1_000);
  if (second !== lastSecond) {
    lastSecond = second;
    lastDate = new Date(second * 1_000).toUTCString();
  }
  return lastDate;
}
