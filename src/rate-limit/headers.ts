import { headers as names } from '../contract/rate-limits.js';
import { longestOverload, longestPlausibleWait } from './rules/hold-rule.js';
import { largestError, parseHttpDate, type PlacedReset, type ServerClock } from './server-clock.js';
import type { GateResponse, RateLimit } from './types.js';

/** No quota is this large. The value may be a timestamp in the wrong header. */
const largestCount = 10_000_000;
/** `Retry-After` in ms and the Reset may differ by this much (ms). */
const sameInstant = 2_000;

/** Converts an instant of the service's clock to ms from now until it has surely been reached; `NaN`: unknown. */
type Until = (instant: number) => number;

/**
 * Reads `Retry-After`, whose unit and format the interface leaves open: ms to wait from now, or `undefined` when it says
 * nothing that can be trusted.
 *
 * | value | reading |
 * |---|---|
 * | `30`, `1.5` | seconds |
 * | HTTP-date | on the clock of the service, plus the second that it is truncated by |
 * | from 10^9, from 10^11 | Unix timestamp in seconds, in ms, on the clock of the service |
 * | from 1,000, and as ms within 2 s of `resetIn`, as seconds not | ms |
 * | `0`, a date at most 5 s past | now |
 * | anything else, or more than 25 hours | not stated |
 */
function readRetryAfter(headers: Headers, until: Until, resetIn: number): number | undefined {
  const header = headers.get(names.retryAfter);
  const date = parseHttpDate(header);
  const amount = readNumber(header, 0, Infinity) ?? NaN;
  const isReset = (ms: number) => Math.abs(ms - resetIn) <= sameInstant;
  let wait = amount * 1_000;
  if (date !== undefined) wait = until(date + 1_000);
  else if (amount >= 1e9) wait = until(amount < 1e11 ? amount * 1_000 : amount);
  else if (amount >= 1_000 && isReset(amount) && !isReset(wait)) wait = amount;
  return wait >= -largestError && wait <= longestPlausibleWait ? Math.max(0, wait) : undefined;
}

/** When a response was made, ms since the epoch: by its `Date`, else by the local clock. */
export function dateOf(headers: Headers, localNow: number): number {
  return parseHttpDate(headers.get('date')) ?? localNow;
}

/** The wait that one response states, by itself: ms from its `Date`, or `undefined`. */
export function readWait(headers: Headers, localNow: number): number | undefined {
  const date = dateOf(headers, localNow);
  const { reset = NaN } = readRateLimitHeaders(headers);
  return readRetryAfter(headers, (instant) => instant - date, reset - date);
}

/** Whether a response has been stored in a cache for some time, so that it says nothing about the present. */
function hasAge(headers: Headers): boolean {
  return Number(headers.get('age')) > 0;
}

/** The three headers of one response: the Reset in ms since the epoch, on the clock of the service. */
export type RateLimitHeaders = Readonly<ReturnType<typeof readRateLimitHeaders>>;

/**
 * Reads the three headers. A header that cannot be read is undefined. A Remaining above the Limit is ignored. A Reset is a Unix timestamp in
 * seconds or ms.
 */
function readRateLimitHeaders(headers: Headers) {
  if (hasAge(headers)) return {};
  const limit = readNumber(headers.get(names.limit), 0, largestCount);
  const remaining = readNumber(headers.get(names.remaining), 0, limit ?? largestCount);
  const reset = readNumber(headers.get(names.reset), 1e9, 8.64e15);
  return { limit, remaining, reset: reset && reset < 1e11 ? reset * 1_000 : reset };
}

function readNumber(header: string | null, smallest: number, largest: number): number | undefined {
  const isDecimal = /^\d{1,16}(\.\d+)?$/.test(String(header));
  const value = Number(header);
  return isDecimal && value >= smallest && value <= largest ? value : undefined;
}

/** The quota that the client shows, only if all three headers could be read. */
export function readRateLimit(headers: Headers): RateLimit | undefined {
  const { limit, remaining, reset } = readRateLimitHeaders(headers);
  return limit === undefined || remaining === undefined || reset === undefined
    ? undefined
    : { limit, remaining, resetAt: new Date(reset) };
}

/** What one response says about the limit. Moments are monotonic ms. */
export interface RateLimitInfo {
  readonly quota: RateLimitHeaders;
  readonly reset: PlacedReset | undefined;
  /** The wait that `Retry-After` asks for, ms; of a 503, which may be the page of a proxy, a minute at most. */
  readonly retryAfter: number | undefined;
  /** Why all calls have to wait, if it says so. */
  readonly cause: '429' | 'overload' | undefined;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** Reads a response. The clock of the service learns from its `Date`. */
export function readResponse(
  { status, headers }: GateResponse,
  clock: ServerClock,
  sentAt: number,
  receivedAt: number,
): RateLimitInfo {
  const isStored = hasAge(headers) || !clock.learn(headers, sentAt, receivedAt);
  const quota = isStored ? {} : readRateLimitHeaders(headers);
  const reset = quota.reset === undefined ? undefined : clock.placeReset(quota.reset);
  const asked = readRetryAfter(headers, (instant) => clock.until(instant), reset?.wait ?? NaN);
  const isOverload = status === 503 && asked !== undefined;
  // Some services respond with 403 to a banned key. Without the headers of the service, a 403 comes from a proxy.
  const isBan = status === 403 && asked !== undefined && quota.limit !== undefined;
  const retryAfter = isOverload ? Math.min(asked, longestOverload) : asked;
  const cause = status === 429 || isBan ? '429' : undefined;
  return { quota, reset, retryAfter, cause: isOverload ? 'overload' : cause, sentAt, receivedAt };
}
