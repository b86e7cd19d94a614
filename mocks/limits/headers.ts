import { headers } from '../../src/contract/index.js';
import type { Assumptions, RetryAfterForm } from '../assumptions/assumptions.js';
import type { ReadOutcome } from '../faults/parse.js';
import { corsHeaders } from '../http/cors.js';
import type { Random } from '../utils/random.js';
import type { Decision } from './cool-down.js';

/** The values that the headers of one response are made from. */
export interface HeaderFacts {
  readonly decision: Decision;
  readonly now: number;
  /** The end of the wait, where the request was not allowed. */
  readonly retryAt: number | undefined;
  readonly effects: ReadOutcome | undefined;
}

/** The headers of every response, CORS included, and `Retry-After` where the client has to wait. Service interface: "Rate limit headers". */
export function writeRateHeaders(
  { decision, now, retryAt, effects }: HeaderFacts,
  assumptions: Assumptions,
  random: Random,
): Record<string, string> {
  const skew = (effects?.['clock-skew'] ?? 0) + draw(assumptions.nodes.clock, random);
  const written: Record<string, string> = { ...corsHeaders };
  if (assumptions.dateHeader) written['Date'] = httpDate(now + skew);
  if (!effects?.['no-rate-limit-headers']) {
    const remaining = decision.remaining + draw(assumptions.nodes.remaining, random);
    written[headers.limit] = String(decision.limit);
    written[headers.remaining] = String(Math.min(decision.limit, Math.max(0, remaining)));
    const resetAt = decision.resetAt + skew;
    if (assumptions.resetUnit !== 'absent')
      written[headers.reset] = String(writeReset(assumptions.resetUnit, now + skew, resetAt));
  }
  const raw = effects?.['retry-after'];
  const retryAfter =
    raw !== undefined
      ? String(raw)
      : retryAt !== undefined
        ? writeRetryAfter(assumptions.retryAfter, now + skew, retryAt + skew)
        : undefined;
  if (retryAfter !== undefined) written[headers.retryAfter] = retryAfter;
  return written;
}

function writeReset(
  unit: Exclude<Assumptions['resetUnit'], 'absent'>,
  now: number,
  resetAt: number,
): number {
  if (unit === 'unix-milliseconds') return Math.ceil(resetAt);
  return Math.ceil((unit === 'unix-seconds' ? resetAt : resetAt - now) / 1_000);
}

function draw([least, most]: readonly [number, number], random: Random): number {
  return least === most ? least : random.integer(least, most);
}

let lastSecond = NaN;
let lastDate = '';

/** An HTTP date. Cached for the current second. */
function httpDate(ms: number): string {
  const second = Math.floor(ms / 1_000);
  if (second !== lastSecond) {
    lastSecond = second;
    lastDate = new Date(second * 1_000).toUTCString();
  }
  return lastDate;
}

/** The text of `Retry-After` for a wait from `now` to `retryAt`, ms since the epoch; undefined: no header. */
export function writeRetryAfter(
  form: RetryAfterForm,
  now: number,
  retryAt: number,
): string | undefined {
  const wait = retryAt - now;
  if (typeof form === 'number') return String(form);
  if (typeof form === 'function') return form({ now, until: retryAt, wait });
  if (typeof form === 'object') return form.raw;
  const date = new Date(Math.ceil(retryAt / 1_000) * 1_000);
  switch (form) {
    case 'seconds':
      return String(Math.ceil(wait / 1_000));
    case 'seconds-floored':
      return String(Math.floor(wait / 1_000));
    case 'decimal':
      return (Math.ceil(wait) / 1_000).toFixed(3);
    case 'milliseconds':
      return String(Math.ceil(wait));
    case 'http-date':
      return date.toUTCString();
    case 'unix-seconds':
      return String(date.getTime() / 1_000);
    case 'unix-milliseconds':
      return String(Math.ceil(retryAt));
    case 'absent':
      return undefined;
  }
}

const httpDateForm = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), .* GMT$/;

/** The end of the wait that the header announces, on a clock that is ahead by `skew`; `retryAt` where it announces none. */
export function announcedRetryAt(
  form: RetryAfterForm,
  now: number,
  retryAt: number,
  skew = 0,
): number {
  if (form === 'seconds') return now + Math.ceil((retryAt - now) / 1_000) * 1_000;
  if (form === 'seconds-floored') return now + Math.floor((retryAt - now) / 1_000) * 1_000;
  // Written in whole seconds.
  if (form === 'http-date' || form === 'unix-seconds') return Math.ceil(retryAt / 1_000) * 1_000;
  const text = typeof form === 'object' ? form.raw : String(form);
  // Several values: at every comma but the one after a weekday.
  const all = typeof form === 'function' ? [] : text.split(/(?<![a-z]),/);
  const latest = Math.max(...all.map((one) => readMoment(one.trim(), now, skew)));
  return Number.isFinite(latest) ? latest : retryAt;
}

/** The longest wait that a client believes: a day, and an hour for a clock change. */
const longestWait = 25 * 3_600_000;

/** The moment that one value means to a client: NaN for what it cannot read, -Infinity for what it does not believe. */
function readMoment(text: string, now: number, skew: number): number {
  const amount = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : NaN;
  const date = httpDateForm.test(text) ? Date.parse(text) : NaN;
  const instant = amount >= 1e11 ? amount : amount >= 1e9 ? amount * 1_000 : date;
  if (!Number.isNaN(instant))
    return instant - skew > now + longestWait ? -Infinity : Math.max(now, instant - skew);
  const wait = amount * 1_000 > longestWait ? amount : amount * 1_000;
  return wait > longestWait ? -Infinity : now + wait;
}
