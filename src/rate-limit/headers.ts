import { headers as names } from '../contract/rate-limits.js';
import { httpDatePattern, parseHttpDate } from '../utils/http-date.js';
import { longestPlausibleWait } from './rules/hold-rule.js';
import type { RateLimit } from './types.js';

/** An instant at most this far in the past (ms) still means "now". */
export const justPast = -5_000;

const waitPattern = String.raw`(?:${httpDatePattern}|\d+(?:\.\d+)?)`;
const everyWait = new RegExp(waitPattern, 'g');
const waitList = new RegExp(String.raw`^${waitPattern}(?:\s*,\s*${waitPattern})*$`);

/** Converts an instant of the service's clock to ms from now until it has surely been reached. */
export type Until = (instant: number) => number | undefined;

/**
 * Reads `Retry-After`, whose unit and format the interface leaves open: ms to wait from now, or `undefined` when it says
 * nothing that can be trusted. Of several plausible readings the longest counts.
 *
 * | value | reading |
 * |---|---|
 * | `30`, `1.5` | seconds |
 * | `30, 40` (sent twice) | the largest |
 * | HTTP-date (`Thu, 01 Jan 2026 12:00:00 GMT`) | on the clock of the service, plus the second that it is truncated by |
 * | from 10^9, from 10^11 | Unix timestamp in seconds, in ms, on the clock of the service |
 * | from 1,000, and as ms within 2 s of `resetIn`, as seconds not | ms |
 * | up to 90,000 | seconds |
 * | beyond | ms, where that is at most 25 hours |
 * | `0`, a date at most 5 s past | now |
 * | negative, text, older or later dates, missing | nothing |
 */
export function readRetryAfter(
  header: string | null,
  until: Until,
  resetIn: number | undefined,
): number | undefined {
  const text = header?.trim() ?? '';
  if (!waitList.test(text)) return undefined;
  const waits = [...text.matchAll(everyWait)]
    .map(([part]) => readOne(part, until, resetIn))
    .filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

/** When a response was made, ms since the epoch: by its `Date`, else by the local clock. */
export function dateOf(headers: Headers, localNow: number): number {
  return parseHttpDate(headers.get('date') ?? '') ?? localNow;
}

/** The wait that one response states, by itself: ms from its `Date`, or `undefined`. */
export function readWait(headers: Headers, localNow: number): number | undefined {
  const date = dateOf(headers, localNow);
  const { reset } = readRateLimitHeaders(headers);
  return readStatedWait(
    headers,
    (instant) => instant - date,
    reset === undefined ? undefined : reset - date,
  );
}

/** `retry-after-ms`, which some gateways send and which is unambiguous, otherwise `Retry-After`. */
export function readStatedWait(
  headers: Headers,
  until: Until,
  resetIn: number | undefined,
): number | undefined {
  const ms = headers.get('retry-after-ms')?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(ms) && Number(ms) <= longestPlausibleWait) return Number(ms);
  return readRetryAfter(headers.get(names.retryAfter), until, resetIn);
}

function readOne(part: string, until: Until, resetIn: number | undefined): number | undefined {
  const date = parseHttpDate(part);
  if (date !== undefined) return fromInstant(date + 1_000, until);
  const amount = Number(part);
  if (amount >= 1e11) return fromInstant(amount, until);
  if (amount >= 1e9) return fromInstant(amount * 1_000, until);
  const near = (ms: number) => resetIn !== undefined && Math.abs(ms - resetIn) <= 2_000;
  if (amount >= 1_000 && near(amount) && !near(amount * 1_000)) return amount;
  if (amount * 1_000 <= longestPlausibleWait) return amount * 1_000;
  return amount <= longestPlausibleWait ? amount : undefined;
}

function fromInstant(instant: number, until: Until): number | undefined {
  const wait = until(instant);
  return wait === undefined || wait > longestPlausibleWait || wait < justPast
    ? undefined
    : Math.max(0, wait);
}

/** Remembers the newest result, because most responses have the same header as the one before. */
export function remembering<T>(read: (header: string | null) => T): (header: string | null) => T {
  let last: { readonly header: string | null; readonly value: T } | undefined;
  return (header) =>
    (last?.header === header ? last : (last = { header, value: read(header) })).value;
}

const readNewestReset = /* @__PURE__ */ remembering(readReset);

/** Reads `X-RateLimit-Reset` as a Unix timestamp in seconds or ms: ms since the epoch. Other values are ignored. */
export function readReset(header: string | null): number | undefined {
  const instants = (header ?? '').split(',').map((part) => {
    const amount = /^\s*\d+(\.\d+)?\s*$/.test(part) ? Number(part) : 0;
    return amount >= 1e11 ? amount : amount * 1_000;
  });
  return instants.every((instant) => instant >= 1e12 && instant <= 8.64e15)
    ? Math.max(...instants)
    : undefined;
}

/** No quota is this large. The value may be a timestamp in the wrong header. */
const largestCount = 10_000_000;

function readCount(header: string | null): number | undefined {
  const count = header !== null && /^\d{1,15}$/.test(header.trim()) ? Number(header) : undefined;
  return count !== undefined && count <= largestCount ? count : undefined;
}

/** The three headers of one response. A header that cannot be read is absent. A Remaining above the Limit is ignored. */
export interface RateLimitHeaders {
  readonly limit: number | undefined;
  readonly remaining: number | undefined;
  /** ms since the epoch, on the clock of the service. */
  readonly reset: number | undefined;
}

/** A response from a cache (`Age` above 0) says nothing about the present. */
export function isCached(headers: Headers): boolean {
  return Number(headers.get('age') ?? 0) > 0;
}

/** Reads the three headers. */
export function readRateLimitHeaders(headers: Headers): RateLimitHeaders {
  if (isCached(headers)) return { limit: undefined, remaining: undefined, reset: undefined };
  const limit = readCount(headers.get(names.limit));
  const remaining = readCount(headers.get(names.remaining));
  return {
    limit,
    remaining:
      remaining !== undefined && limit !== undefined && remaining > limit ? undefined : remaining,
    reset: readNewestReset(headers.get(names.reset)),
  };
}

/** The quota that the client shows, only if all three headers could be read. */
export function readRateLimit(headers: Headers): RateLimit | undefined {
  const { limit, remaining, reset } = readRateLimitHeaders(headers);
  return limit === undefined || remaining === undefined || reset === undefined
    ? undefined
    : { limit, remaining, resetAt: new Date(reset) };
}
