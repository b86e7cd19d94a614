import * as z from 'zod/mini';
import { headers } from '../../src/contract/index.js';
import type { Assumptions, RetryAfterForm } from '../assumptions/assumptions.js';
import { resetForms, retryAfterForms } from '../assumptions/table.js';
import type { ReadOutcome } from '../faults/parse.js';
import { corsHeaders } from '../http/cors.js';
import { Problem } from '../http/problem.js';
import { ascii, check } from '../utils/check.js';
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
  if (assumptions.dateHeader) written['Date'] = new Date(now + skew).toUTCString();
  if (!effects?.['no-rate-limit-headers']) {
    const remaining = decision.remaining + draw(assumptions.nodes.remaining, random);
    written[headers.limit] = String(decision.limit);
    written[headers.remaining] = String(Math.min(decision.limit, Math.max(0, remaining)));
    const reset = resetForms[assumptions.resetUnit](decision.resetAt + skew, now + skew);
    if (reset !== undefined) written[headers.reset] = String(Math.ceil(reset));
  }
  const raw = effects?.['retry-after'];
  const retryAfter =
    raw === undefined && retryAt !== undefined
      ? writeRetryAfter(assumptions.retryAfter, now + skew, retryAt + skew)
      : raw;
  if (retryAfter !== undefined) written[headers.retryAfter] = String(retryAfter);
  return written;
}

const draw = ([least, most]: readonly [number, number], random: Random): number =>
  least === most ? least : random.integer(least, most);

const givenText = z.optional(ascii);

/** The text of `Retry-After` for a wait from `now` to `retryAt`, ms since the epoch; undefined: no header. */
export function writeRetryAfter(
  form: RetryAfterForm,
  now: number,
  retryAt: number,
): string | undefined {
  const wait = retryAt - now;
  if (typeof form === 'string') return retryAfterForms[form](retryAt, wait);
  if (typeof form === 'function')
    return check(givenText, form({ now, until: retryAt, wait }), 'the result of retryAfter()');
  return String(typeof form === 'number' ? form : form.raw);
}

const httpDateForm = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), .* GMT$/;

/** The end of the wait as a client reads it from `Retry-After`, on a clock that is ahead by `skew`; undefined where it reads none. */
export function announcedRetryAt(
  text: string | undefined,
  now: number,
  skew = 0,
): number | undefined {
  // Several values: at every comma but the one after a weekday.
  const all = text?.split(/(?<![a-z]),/) ?? [];
  const latest = Math.max(...all.map((one) => readMoment(one.trim(), now, skew)));
  return Number.isFinite(latest) ? latest : undefined;
}

/** The longest wait that a client believes: a day, and an hour for a clock change. */
const longestWait = 25 * 3_600_000;

/** The moment that one value means to a client: NaN for what it cannot read, -Infinity for what it does not believe. */
function readMoment(text: string, now: number, skew: number): number {
  const amount = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : NaN;
  const date = httpDateForm.test(text) ? Date.parse(text) : NaN;
  const instant = amount >= 1e11 ? amount : amount >= 1e9 ? amount * 1_000 : date;
  const wait = amount * 1_000 > longestWait ? amount : amount * 1_000;
  const at = Number.isNaN(instant) ? now + wait : Math.max(now, instant - skew);
  return at > now + longestWait ? -Infinity : at;
}

/** The problem to respond with when the limiter does not allow a request; undefined for an allowed one. */
export function rateLimitProblem(
  { limitedBy, retryAt }: Decision,
  assumptions: Assumptions,
  now: number,
): Problem | undefined {
  if (limitedBy === undefined) return undefined;
  if (limitedBy !== 'ban') {
    const reached = `the limit of the ${limitedBy} is reached`;
    const hint = `wait ${Math.ceil((retryAt - now) / 1_000)} s: ${reached} until ${clockTime(retryAt)}`;
    return new Problem('rateLimited', `Too many requests: ${reached}.`, hint, { retryAt });
  }
  const hint = `the key is banned until ${clockTime(retryAt)}; keys.get(key).unban() ends the ban`;
  const told = assumptions.answers.banned.retryAfter ? retryAt : undefined;
  return new Problem('banned', 'The API key is banned temporarily.', hint, { retryAt: told });
}

/** An ISO date; of a time that no `Date` can hold, which `toJSON` makes null, its number. */
const clockTime = (at: number) => (new Date(at).toJSON() as string | null) ?? String(at);
