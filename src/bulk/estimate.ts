import { plans, type PlanName, type Quota } from '../contract/rate-limits.js';
import { ConfigurationError } from '../errors/errors.js';
import type { RateLimit } from '../rate-limit/types.js';

const minute = 60_000;
const day = 86_400_000;

/**
 * How long a number of requests takes at least on a plan, when nobody else uses the key. Quotas of a minute and of a day are taken as
 * windows that begin with the first request. Service interface: "Rate limits by plan".
 *
 * @param count - requests, 0 or more.
 * @param plan - a plan by name, or its quota.
 * @throws `ConfigurationError` when the plan is neither.
 * @returns ms. The requests of the last window need no wait, so 60 requests on Free take 0 ms.
 *
 * @example
 * ```ts
 * import { estimateDuration } from 'petstore-client/bulk';
 *
 * const days = estimateDuration(5_000, 'free') / 86_400_000;
 * console.log(days.toFixed(2)); // 4.01
 * ```
 */
export function estimateDuration(
  count: number,
  plan: Exclude<PlanName, 'enterprise'> | Quota,
): number {
  const named: unknown = typeof plan === 'string' ? plans[plan] : plan;
  const { perMinute = 0, perDay = 0 } = { ...(named as Partial<Quota> | undefined) };
  if (!(perMinute >= 1 && perDay >= 1))
    throw new ConfigurationError(
      'estimateDuration: plan must be free, pro, business, or { perMinute, perDay }',
    );
  if (count <= 0) return 0;
  const days = Math.floor((count - 1) / perDay);
  const minutes = Math.floor(((count - 1) % perDay) / perMinute);
  return days * day + minutes * minute;
}

/** The estimate of the end of a run, for the quota that the responses report. Times are ms since the Unix epoch. */
export class EndEstimate {
  #quota: Quota | undefined;
  #began = 0;
  #toSend = 0;

  begin(now: number, toSend: number): void {
    this.#began = now;
    this.#toSend = toSend;
  }

  /** The lowest quota that fits: a limit of 1,000 is the minute limit of one plan and the day limit of another. */
  learn(rateLimit: RateLimit | undefined, now: number): void {
    const quota = rateLimit && quotaOf(rateLimit, now);
    if (quota && quota.perMinute < (this.#quota?.perMinute ?? Infinity)) this.#quota = quota;
  }

  /** When the last row can be sent, if so many are left, and the next one can be sent at `next`. */
  end(left: number, next: number): Date | undefined {
    if (this.#quota === undefined) return undefined;
    // The rows that are left may be fewer than the quota of a day, but more than what is left of the quota of this day.
    const least = this.#began + estimateDuration(this.#toSend, this.#quota);
    return new Date(Math.max(next + estimateDuration(left, this.#quota), least));
  }
}

/**
 * The published plan with this limit: of a minute, or of a day where the reset is far away. A limit of a minute that no published
 * plan has is taken as the only one, so that the estimate is the least time.
 */
function quotaOf({ limit, resetAt }: RateLimit, now: number): Quota | undefined {
  const isMinute = resetAt.getTime() - now <= 2 * minute;
  const name = isMinute ? 'perMinute' : 'perDay';
  const published = Object.values(plans).find((plan) => plan !== 'custom' && plan[name] === limit);
  if (published !== undefined && published !== 'custom') return published;
  return isMinute ? { perMinute: limit, perDay: Infinity } : undefined;
}
