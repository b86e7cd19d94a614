import type { Duration, Instant } from './clock-types.js';

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads a length of time, in ms. @throws RangeError for a negative one, and for what is none. */
export function readDuration(by: Duration): number {
  const [, number, unit] =
    typeof by === 'string' ? (/^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/.exec(by) ?? []) : ['', by, typeof by === 'number' ? 'ms' : ''];
  const ms = Number(number) * (units[unit ?? ''] ?? NaN);
  if (!Number.isFinite(ms) || ms < 0)
    throw new RangeError(`A duration is ms (0 or more) or a text such as '61s', '10m' or '24h', got ${String(by)}`);
  return ms;
}

/** Reads a point in time, in ms since the epoch. @throws RangeError for what is none, TypeError for what could not be one. */
export function readInstant(at: Instant): number {
  if (typeof at !== 'number' && typeof at !== 'string' && !isDate(at))
    throw new TypeError(`A time is a Date, an ISO text or ms since the epoch, got ${String(at)}`);
  const ms = typeof at === 'number' ? at : new Date(at).getTime();
  if (!Number.isFinite(ms)) throw new RangeError(`A time is a Date, an ISO text or ms since the epoch, got ${String(at)}`);
  return ms;
}

/** Also a date of another realm, as test environments have them. */
function isDate(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object Date]';
}
