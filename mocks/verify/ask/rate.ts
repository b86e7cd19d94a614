import { headers as names } from '../../../src/contract/index.js';
import { longestDuration } from '../../utils/check.js';
import type { Answer, Answered } from './exchange.js';

/** A limit resets within so many ms, or it is the day's. */
export const longestMinute = 61_500;
/** The longest wait after a 429 that a run sits out, ms. */
const longestWait = 300_000;

/** The three rate-limit headers of an answer, as numbers. */
export interface Rate {
  readonly limit: number;
  readonly remaining: number;
  /** When the limit resets, ms since the epoch on the service's clock, read in the unit that fits its size; NaN without the header. */
  readonly resetAt: number;
  /** The same as ms from the answer on; NaN without the header, and where the clock of the service is not known and seems to be off. */
  readonly resetIn: number;
}

/** The unit of `X-RateLimit-Reset`, judged by the size of its value. */
export type ResetUnit = 'unix-seconds' | 'unix-milliseconds' | 'seconds-from-now';

/** What the headers of an answer say of the quota; undefined where limit or remaining are missing or no integers. */
export function readRate({ headers }: Answer, receivedAt: number): Rate | undefined {
  const limit = integer(headers[names.limit.toLowerCase()]);
  const remaining = integer(headers[names.remaining.toLowerCase()]);
  if (limit === undefined || remaining === undefined) return undefined;
  const reset = resetOf(headers);
  const date = dateOf(headers, receivedAt);
  const now = Number.isNaN(date) ? receivedAt : date;
  const resetAt = reset === undefined ? NaN : inMs(reset, now);
  // A timestamp of an unknown clock is used only where it is plausible.
  const isSure = !Number.isNaN(date) || (resetAt - now > -2_000 && resetAt - now < longestMinute);
  return { limit, remaining, resetAt, resetIn: isSure ? resetAt - now : NaN };
}

/** The time in `Date`; NaN without one, and where it is so far off that no clock is. */
export function dateOf(headers: Answer['headers'], receivedAt: number): number {
  const date = Date.parse(headers['date'] ?? '');
  return Math.abs(date - receivedAt) < longestDuration / 2 ? date : NaN;
}

/** The number in `X-RateLimit-Reset`, where there is one. */
export function resetOf(headers: Answer['headers']): number | undefined {
  const text = headers[names.reset.toLowerCase()];
  return text === undefined || !/^\d+(\.\d+)?$/.test(text) ? undefined : Number(text);
}

/** 10^8 seconds are three years, and 10^11 ms as well: no wait is so long, and no timestamp of today so small. */
export function unitOf(reset: number): ResetUnit {
  return reset > 1e11 ? 'unix-milliseconds' : reset > 1e8 ? 'unix-seconds' : 'seconds-from-now';
}

/** A time as ms since the epoch on the service's clock, on which it is `now`. */
function inMs(time: number, now: number): number {
  const unit = unitOf(time);
  if (unit === 'unix-milliseconds') return time < 8.64e15 ? time : NaN;
  return unit === 'unix-seconds' ? time * 1_000 : now + time * 1_000;
}

function integer(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined;
}

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
  if (unitOf(number) !== 'seconds-from-now') return inMs(number, now) - now;
  // A number of seconds that is too long is one of milliseconds.
  return number > longestWait / 1_000 ? number : number * 1_000;
}
