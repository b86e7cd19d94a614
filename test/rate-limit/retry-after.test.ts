import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  readRateLimitHeaders,
  readRateLimit,
  readReset,
  readRetryAfter,
  readStatedWait,
  readWait,
} from '../../src/rate-limit/headers.js';
import { longestPlausibleWait } from '../../src/rate-limit/rules/hold-rule.js';

const now = Date.UTC(2026, 0, 1, 12, 0, 0);
/** A service whose clock is known exactly. */
const until = (instant: number) => instant - now;
const unknown = () => undefined;
const read = (value: string | null, resetIn?: number) => readRetryAfter(value, until, resetIn);

const imf = (instant: number) => new Date(instant).toUTCString();
test.each([
  ['30', 30_000],
  ['1.5', 1_500],
  [' 7 ', 7_000],
  ['30, 40', 40_000],
  ['0', 0],
  ['0, 3', 3_000],
  ['21600', 21_600_000],
  ['90000', 90_000_000],
  ['90001', 90_001],
  ['90000000', 90_000_000],
  ['90000001', undefined],
  [String(now / 1_000 + 60), 60_000],
  [String(now + 60_000), 60_000],
  [String(now / 1_000 - 3), 0],
  [String(now / 1_000 - 60), undefined],
  [String(now / 1_000 + 26 * 3_600), undefined],
  [imf(now + 20_000), 21_000],
  ['Thursday, 01-Jan-26 12:00:20 GMT', undefined],
  ['Thu Jan  1 12:00:20 2026', undefined],
  ['Thu, 01 Jan 2026 25:00:00 GMT', undefined],
  [`${imf(now + 20_000)}, ${imf(now + 40_000)}`, 41_000],
  [imf(now - 4_000), 0],
  [imf(now - 7_000), undefined],
  [imf(now + 26 * 3_600_000), undefined],
  ['-5', undefined],
  ['30s', undefined],
  ['soon', undefined],
  ['', undefined],
  ['1e3', undefined],
  ['0x10', undefined],
  ['2026-01-01T12:00:30Z', undefined],
  ['Thu, 32 Jan 2026 99:00:00 GMT', undefined],
  ['Infinity', undefined],
  ['NaN', undefined],
  [null, undefined],
])('Retry-After %j means %j ms', (value, wait) => {
  expect(read(value)).toBe(wait);
});

test('a large number is read as milliseconds only where it agrees with the reset as such', () => {
  expect(read('30000', 30_000)).toBe(30_000);
  expect(read('30000', 31_500)).toBe(30_000);
  expect(read('30000', 33_000)).toBe(30_000_000);
  expect(read('1500', 1_500_000)).toBe(1_500_000);
  expect(read('999', 999)).toBe(999_000);
});

test('a date in Retry-After is ignored while the clock of the service is unknown', () => {
  expect(readRetryAfter(imf(now + 20_000), unknown, undefined)).toBeUndefined();
  expect(readRetryAfter(String(now / 1_000 + 60), unknown, undefined)).toBeUndefined();
  expect(readRetryAfter('60', unknown, undefined)).toBe(60_000);
});

test('for every Retry-After the wait is undefined, or a number of ms up to 25 hours', () => {
  const anything = fc.oneof(
    fc.string(),
    fc.double().map(String),
    fc.integer().map(String),
    fc.bigInt().map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    fc.array(fc.nat().map(String)).map((parts) => parts.join(', ')),
  );
  fc.assert(
    fc.property(anything, fc.option(fc.nat({ max: 100_000 })), (value, resetIn) => {
      const wait = read(value, resetIn ?? undefined);
      expect(wait === undefined || (wait >= 0 && wait <= longestPlausibleWait)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('whole and decimal seconds are never read as less', () => {
  fc.assert(
    fc.property(fc.nat({ max: 89_999 }), fc.nat({ max: 999 }), (whole, thousandths) => {
      const text = `${whole}.${String(thousandths).padStart(3, '0')}`;
      expect(read(text)).toBeCloseTo(whole * 1_000 + thousandths, 5);
    }),
  );
});

test('a date is never read as earlier than the instant it was truncated from', () => {
  fc.assert(
    fc.property(fc.nat({ max: 80_000_000 }), (ahead) => {
      const wait = read(imf(now + ahead));
      expect(wait).toBeGreaterThanOrEqual(ahead);
      expect(wait).toBeLessThanOrEqual(ahead + 1_000);
    }),
  );
});

test('when a header is sent several times, the longest wait counts', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 900 }), { minLength: 1, maxLength: 5 }), (seconds) => {
      expect(read(seconds.join(', '))).toBe(Math.max(...seconds) * 1_000);
    }),
  );
});

test.each([
  [String(now / 1_000), now],
  [String(now), now],
  [`${now / 1_000}.5`, now + 500],
  [`${now / 1_000}, ${now / 1_000 + 1}`, now + 1_000],
  ['60', undefined],
  ['0', undefined],
  ['-1', undefined],
  ['tomorrow', undefined],
  ['99999999999999999999', undefined],
  ['', undefined],
  [null, undefined],
])('X-RateLimit-Reset %j is the instant %j', (value, instant) => {
  expect(readReset(value)).toBe(instant);
});

const quota = (limit?: string, remaining?: string, reset?: string, age?: string) =>
  new Headers(
    Object.entries({
      'x-ratelimit-limit': limit,
      'x-ratelimit-remaining': remaining,
      'x-ratelimit-reset': reset,
      age,
    }).filter((header): header is [string, string] => header[1] !== undefined),
  );

test('the three headers are read as one quota', () => {
  expect(readRateLimit(quota('60', '59', String(now / 1_000)))).toEqual({
    limit: 60,
    remaining: 59,
    resetAt: new Date(now),
  });
});

test('a quota with a missing or broken header is not shown', () => {
  expect(readRateLimit(quota('60', '59'))).toBeUndefined();
  expect(readRateLimit(quota('sixty', '59', String(now)))).toBeUndefined();
  expect(readRateLimit(quota('60', '-1', String(now)))).toBeUndefined();
  expect(readRateLimit(quota('60', '5.5', String(now)))).toBeUndefined();
});

test('a Remaining above the Limit is ignored', () => {
  expect(readRateLimitHeaders(quota('60', '61', String(now))).remaining).toBeUndefined();
  expect(readRateLimitHeaders(quota('60', '60', String(now))).remaining).toBe(60);
});

test('the headers of a cached response are ignored', () => {
  expect(readRateLimitHeaders(quota('60', '59', String(now), '10'))).toEqual({
    limit: undefined,
    remaining: undefined,
    reset: undefined,
  });
  expect(readRateLimitHeaders(quota('60', '59', String(now), '0')).limit).toBe(60);
});

const headers = (fields: Record<string, string>) => new Headers(fields);

test('the wait of one response is computed from its own Date, and its Reset decides the unit', () => {
  const date = new Date(now).toUTCString();
  const wait = (fields: Record<string, string>) =>
    readWait(headers({ Date: date, ...fields }), now + 3_600_000);
  expect(wait({ 'Retry-After': new Date(now + 30_000).toUTCString() })).toBe(31_000);
  expect(wait({ 'Retry-After': '30000' })).toBe(30_000_000);
  expect(wait({ 'Retry-After': '30000', 'X-RateLimit-Reset': String(now / 1_000 + 30) })).toBe(
    30_000,
  );
});

test.each([
  ['1500', 1_500],
  ['0.5', 0.5],
  ['90000000', 90_000_000],
  ['90000001', 7_000],
  ['1500x', 7_000],
  ['x1500', 7_000],
  ['1.x', 7_000],
])('a retry-after-ms of %s goes before Retry-After where it can be read: %i ms', (ms, wait) => {
  expect(
    readStatedWait(
      headers({ 'retry-after-ms': ms, 'Retry-After': '7' }),
      () => undefined,
      undefined,
    ),
  ).toBe(wait);
});

test.each([
  ['30000', 32_000, 30_000],
  ['30000', 32_001, 30_000_000],
  ['1000', 1_000, 1_000],
  ['999', 999, 999_000],
  ['1500', 1_500, 1_500],
])('a Retry-After of %s beside a Reset in %i ms means %i ms', (text, resetIn, wait) => {
  expect(readRetryAfter(text, () => undefined, resetIn)).toBe(wait);
});

test.each([
  [25 * 3_600_000, 25 * 3_600_000],
  [25 * 3_600_000 + 1, undefined],
  [-5_000, 0],
  [-5_001, undefined],
])('a timestamp %i ms from now means a wait of %s ms', (away, wait) => {
  expect(readRetryAfter(new Date(now).toUTCString(), () => away, undefined)).toBe(wait);
});

test.each([
  ['1767225600x', undefined],
  ['x1767225600', undefined],
  ['8640000000000000', 8.64e15],
  ['8640000000000001', undefined],
])('a Reset of %s is the moment %s', (text, moment) => {
  expect(readReset(text)).toBe(moment);
});

test('a Limit of ten million is accepted, and one above it is ignored', () => {
  const limitOf = (text: string) =>
    readRateLimitHeaders(headers({ 'X-RateLimit-Limit': text })).limit;
  expect([limitOf('10000000'), limitOf('10000001')]).toEqual([10_000_000, undefined]);
});
