import type * as z from 'zod/mini';
import { fastCheck } from '../../src/contract/schema-builders.js';
import { longestDuration } from '../utils/check.js';
import { showValue, isOfKind } from '../utils/options.js';

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const durationText = /^(-?\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/;

/** A length of time in ms; NaN for what is none. */
function msOf(given: unknown): number {
  if (typeof given === 'number') return given;
  const [, number, unit] = (typeof given === 'string' && durationText.exec(given)) || [];
  return Number(number) * units[unit as keyof typeof units];
}

const isFrom = (least: number, ms: number) => ms >= least && ms <= longestDuration;

/** Reads a length of time, in ms. @throws RangeError for a negative duration, one beyond 100 years, and any other value. */
export function readDuration(by: Duration): number {
  const ms = msOf(by);
  if (isFrom(0, ms)) return ms;
  throw new RangeError(
    `A duration is ms (0 or more) or a text such as '61s', '10m' or '24h', at most 100 years; got ${showValue(by)}`,
  );
}

/** A length of time, read as ms. `isSigned`: it may be negative. */
export const durationSchema = (isSigned = false): z.ZodMiniType<number, Duration> =>
  fastCheck({
    read(given) {
      const ms = msOf(given);
      return isFrom(isSigned ? -longestDuration : 0, ms) ? ms : undefined;
    },
    explain: () =>
      isSigned
        ? "must be ms, or a text such as '90s' or '-90s'"
        : "must be ms, 0 or more, or a text such as '500ms' or '2s'",
    jsonSchema: () => ({ type: ['number', 'string'] }),
  }) as unknown as z.ZodMiniType<number, Duration>;

/** `new Date` takes many other texts too: '5' is in May 2001. */
const isoText = /^(?:[+-]\d\d)?\d{4}-\d\d(?:-\d\d(?:T.+)?)?$/;

/** Reads a point in time, in ms since the epoch. @throws RangeError for anything that is no date. */
export function readInstant(at: Instant): number {
  // `new Date` of another value, such as null, would be a date.
  const isText = typeof at === 'string' && isoText.test(at);
  const isInstant = typeof at === 'number' || isText || isOfKind(at, 'Date');
  const ms = typeof at === 'number' ? at : new Date(isInstant ? at : NaN).getTime();
  if (!Number.isNaN(new Date(ms).getTime())) return ms;
  throw new RangeError(
    `A time is a Date, an ISO text or ms since the epoch that a Date can hold; got ${showValue(at)}`,
  );
}

/** A length of time: ms, or a number with its unit: `'250ms'`, `'61s'`, `'10m'`, `'24h'`, `'2d'`. From 0 to 100 years. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

/** A point in time: a date, an ISO text, or ms since the epoch. */
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
   * @throws RangeError when `by` is negative, more than 100 years or not a duration, and beyond the last date.
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
