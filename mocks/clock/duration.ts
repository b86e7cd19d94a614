const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** The longest duration, ms: 100 years of 365.25 days. */
export const longestDuration = 36_525 * 86_400_000;

/** The last moment that a `Date` can hold, ms since the epoch: 13 September of the year 275760. */
export const lastInstant = 8.64e15;

/** Reads a length of time, in ms. @throws RangeError for a negative duration, one beyond 100 years, and any other value. */
export function readDuration(by: Duration): number {
  const [, number, unit] =
    typeof by === 'string'
      ? (/^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/.exec(by) ?? [])
      : ['', by, typeof by === 'number' ? 'ms' : ''];
  const ms = Number(number) * (units[unit ?? ''] ?? NaN);
  if (!(ms >= 0 && ms <= longestDuration))
    throw new RangeError(
      `A duration is ms (0 or more) or a text such as '61s', '10m' or '24h', at most 100 years; got ${String(by)}`,
    );
  return ms;
}

/** The end of a duration that begins at `now`. @throws RangeError when no date can hold it. */
export function endOf(now: number, duration: number): number {
  if (now + duration <= lastInstant) return now + duration;
  throw new RangeError(
    `The time would be after the last possible date, in the year 275760: set the clock back first`,
  );
}

/** Reads a point in time, in ms since the epoch. @throws RangeError for a time that no date can hold, TypeError for any other value. */
export function readInstant(at: Instant): number {
  if (typeof at !== 'number' && typeof at !== 'string' && !isDate(at))
    throw new TypeError(`A time is a Date, an ISO text or ms since the epoch, got ${String(at)}`);
  const ms = typeof at === 'number' ? at : new Date(at).getTime();
  if (!(Math.abs(ms) <= lastInstant))
    throw new RangeError(
      `A time is a Date, an ISO text or ms since the epoch, up to the year 275760; got ${String(at)}`,
    );
  return ms;
}

/** True also for a date of another realm, as in test environments. */
function isDate(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object Date]';
}

/** A length of time: ms, or a number with its unit: `'250ms'`, `'61s'`, `'10m'`, `'24h'`, `'2d'`. From 0 to 100 years. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

/** A point in time: a date, an ISO text, or ms since the epoch, up to the year 275760. */
export type Instant = Date | string | number;

/**
 * The service's clock. It is a `Clock` for the client too, so that both have the same time:
 * `new PetStoreClient({ fetch: service.fetch, clock: service.clock })`.
 */
export interface MockClock {
  /** `'system'` or `'virtual'`. */
  readonly kind: 'system' | 'virtual';
  /** Wall-clock time, ms since the Unix epoch. */
  now(): number;
  /** ms since any fixed moment; never goes back, whatever `set()` does. */
  monotonic(): number;
  /**
   * Resolves after `ms` milliseconds of this clock, 0 to 100 years; a negative wait is over at once. A virtual clock
   * advances by itself when nothing else is left to do.
   *
   * @throws RangeError, as a rejection, for a longer wait and for NaN; the signal's reason, as a rejection, as soon as `signal` is aborted.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Moves time forward, and ends the sleeps that are due, earliest first.
   *
   * @throws RangeError when `by` is negative, more than 100 years or not a duration, or when no date can hold the new time.
   * @example
   * ```ts
   * import { createMockService } from 'petstore-client/mocks';
   *
   * const { clock } = createMockService({ clock: 'virtual' });
   * clock.advance('61s');
   * console.log(new Date(clock.now()).toISOString()); // 2026-01-01T00:01:01.000Z
   * ```
   */
  advance(by: Duration): void;
  /** Sets the time, forward or back. Forward ends sleeps, as {@link advance} does. @throws RangeError when it is not a date. */
  set(to: Instant): void;
}
