import { headers as names } from '../../../src/contract/index.js';
import { longestMinute } from './budget.js';
import type { Answered } from './exchange.js';
import { dateOf, readRate } from './rate.js';

/** The longest wait after a 429 that a run sits out, ms. */
const longestWait = 300_000;

/**
 * How long to send nothing after a 429, ms: the longest of `Retry-After`, in any form, and Reset; undefined where it
 * is too long. Without one of them, a whole minute: the other may be too short, and a request during the wait is a
 * step to a ban.
 */
export function announcedWait({ answer, receivedAt }: Answered): number | undefined {
  const date = dateOf(answer.headers, receivedAt);
  const reset = readRate(answer, receivedAt)?.resetIn ?? NaN;
  const announced = waitOf(answer.headers[names.retryAfter.toLowerCase()], date);
  const known = [reset, announced].filter((wait) => !Number.isNaN(wait));
  const wait = Math.max(known.length < 2 ? longestMinute : 0, ...known) + 1_500;
  return wait > longestWait ? undefined : wait;
}

/** The wait that a text announces, ms; NaN where it says none, or a date of a clock that is not known. */
function waitOf(text = '', now: number): number {
  const number = text === '' ? NaN : Number(text);
  if (Number.isNaN(number)) return Date.parse(/GMT$/.test(text) ? text : `${text} GMT`) - now;
  if (number > 1e11) return number - now;
  if (number > 1e8) return number * 1_000 - now;
  // A number of seconds that is too long is one of milliseconds.
  return number > longestWait / 1_000 ? number : number * 1_000;
}
