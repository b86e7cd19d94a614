/** Reads the time and the quota from the headers of a response. */
import { headers as names } from '../../../src/contract/index.js';
import { longestDuration } from '../../utils/check.js';
import type { ReceivedAnswer } from './exchange.js';

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

/** Whether the headers report the quota of the day, whose end is too far away for that of a minute. */
export const isOfDay = ({ resetIn }: Rate): boolean => resetIn > 2 * longestMinute;

/** What an answer says of time and quota. */
export interface Times {
  /** The time in `Date`; NaN without one, and where it is so far off that no clock is. */
  readonly date: number;
  /** The number in `X-RateLimit-Reset`, where there is one. */
  readonly reset: number | undefined;
  /** Undefined where limit or remaining are missing or no integers. */
  readonly rate: Rate | undefined;
}

/** Reads the headers of an answer, by their names in small letters. */
export function readTimes(headers: Readonly<Record<string, string>>, receivedAt: number): Times {
  const [limit, remaining, reset] = [names.limit, names.remaining, names.reset].map((name) =>
    numberIn(headers[name.toLowerCase()]),
  );
  const written = Date.parse(headers['date'] ?? '');
  const date = Math.abs(written - receivedAt) < longestDuration / 2 ? written : NaN;
  const now = date || receivedAt;
  const resetAt = reset === undefined ? NaN : inMs(reset, now);
  const wait = resetAt - now;
  // A timestamp of an unknown clock is used only where it is plausible.
  const isSure = now === date || (wait > -2_000 && wait < longestMinute);
  const resetIn = isSure ? wait : NaN;
  const isRate = Number.isSafeInteger(limit) && Number.isSafeInteger(remaining);
  const rate = isRate ? { limit: limit!, remaining: remaining!, resetAt, resetIn } : undefined;
  return { date, reset, rate };
}

/** The number in a header; undefined where it is none. */
export const numberIn = (text = ''): number | undefined =>
  /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;

/** The unit of a time. 10^8 seconds are three years, and 10^11 ms as well: no wait is so long, and no timestamp of today so small. */
export const unitOf = (time: number): 'unix-seconds' | 'unix-milliseconds' | 'seconds-from-now' =>
  time > 1e11 ? 'unix-milliseconds' : time > 1e8 ? 'unix-seconds' : 'seconds-from-now';

/** A time as ms since the epoch on the service's clock, on which it is `now`. */
function inMs(time: number, now: number): number {
  const unit = unitOf(time);
  if (unit === 'unix-milliseconds') return time < 8.64e15 ? time : NaN;
  return unit === 'unix-seconds' ? time * 1_000 : now + time * 1_000;
}

/**
 * How long to send nothing after a 429, ms: the longest of `Retry-After`, in any form, and Reset; undefined where it
 * is too long. Without one of them, a whole minute: the other may be too short, and a request during the wait is a
 * step to a ban.
 */
export function announcedWait({ headers, date, rate }: ReceivedAnswer): number | undefined {
  const { resetIn = NaN, remaining = NaN } = rate ?? {};
  const end = remaining === 0 ? resetIn + 1_500 : NaN;
  const announced = waitOf(headers[names.retryAfter.toLowerCase()], date, end);
  const known = [resetIn, announced].filter((wait) => !Number.isNaN(wait));
  const wait = Math.max(known.length < 2 ? longestMinute : 0, ...known) + 1_500;
  return wait > longestWait ? undefined : wait;
}

/** The wait that a text announces, ms; NaN where it says none, or a date of a clock that is not known. `end`: of the used up quota, ms from now. */
function waitOf(text = '', now: number, end: number): number {
  const number = Number(text || NaN);
  if (Number.isNaN(number)) return Date.parse(/GMT$/.test(text) ? text : `${text} GMT`) - now;
  if (unitOf(number) !== 'seconds-from-now') return inMs(number, now) - now;
  // A number that is too large for seconds is in milliseconds, but only if they end with the quota: it may be the rest of the day.
  return number > longestWait / 1_000 && number <= end ? number : number * 1_000;
}
