const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Reads a length of time, in ms. @throws RangeError for a negative one, and for what is none. */
export function readDuration(by: Duration): number {
  const [, number, unit] =
    typeof by === 'string'
      ? (/^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/.exec(by) ?? [])
      : ['', by, typeof by === 'number' ? 'ms' : ''];
  const ms = Number(number) * (units[unit ?? ''] ?? NaN);
  if (!Number.isFinite(ms) || ms < 0)
    throw new RangeError(
      `A duration is ms (0 or more) or a text such as '61s', '10m' or '24h', got ${String(by)}`,
    );
  return ms;
}

/** Reads a point in time, in ms since the epoch. @throws RangeError for what is none, TypeError for what could not be one. */
export function readInstant(at: Instant): number {
  if (typeof at !== 'number' && typeof at !== 'string' && !isDate(at))
    throw new TypeError(`A time is a Date, an ISO text or ms since the epoch, got ${String(at)}`);
  const ms = typeof at === 'number' ? at : new Date(at).getTime();
  if (!Number.isFinite(ms))
    throw new RangeError(`A time is a Date, an ISO text or ms since the epoch, got ${String(at)}`);
  return ms;
}

/** Also a date of another realm, as test environments have them. */
function isDate(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object Date]';
}

/** A length of time: ms, or a number with its unit: `'250ms'`, `'61s'`, `'10m'`, `'24h'`, `'2d'`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

/** A point in time: a date, an ISO text, or ms since the epoch. */
export type Instant = Date | string | number;

/**
 * The service's clock. It is a `Clock` for the client too, so that both live in one time:
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
   * Resolves after `ms` milliseconds of this clock. A virtual clock gets there by itself, once nothing else is to be done.
   *
   * @throws the signal's reason, as a rejection, as soon as `signal` is aborted.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Moves time forward, and wakes who sleeps until then, in the order of their times.
   *
   * @throws RangeError when `by` is negative or no duration.
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
  /** Sets the time, forward or back. Forward wakes sleepers, as {@link advance} does. @throws RangeError when it is no date. */
  set(to: Instant): void;
}
