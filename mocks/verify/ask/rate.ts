import { headers as names } from '../../../src/contract/index.js';
import { longestDuration } from '../../clock/duration.js';
import type { Answer } from './exchange.js';

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
  const isSure = !Number.isNaN(date) || (resetAt - now > -2_000 && resetAt - now < 61_500);
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

/** A reset as ms since the epoch on the service's clock, on which it is `now`. */
function inMs(reset: number, now: number): number {
  const unit = unitOf(reset);
  if (unit === 'unix-milliseconds') return reset < 8.64e15 ? reset : NaN;
  return unit === 'unix-seconds' ? reset * 1_000 : now + reset * 1_000;
}

function integer(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined;
}
