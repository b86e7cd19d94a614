import { plans, type PlanName, type Quota } from '../contract/rate-limits.js';
import { ConfigurationError } from '../errors/errors.js';
import type { RateLimit } from '../rate-limit/types.js';

const minute = 60_000;
const day = 86_400_000;

/**
 * Returns the minimum time for a number of requests on a plan, if no other program uses the key, and the minute and the day of the
 * quotas begin with the first request. If they begin at fixed times, it can be up to a day less. Service interface: "Rate limits by
 * plan".
 *
 * @param count - requests, 0 or more.
 * @param plan - a plan by name, or its quota.
 * @throws `ConfigurationError` when the plan is neither, or the count is no number from 0 up.
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
  if (!(count >= 0 && count < Infinity && perMinute >= 1 && perDay >= 1))
    throw new ConfigurationError(
      'estimateDuration takes a count and free, pro, business or { perMinute, perDay }',
    );
  const before = Math.max(0, count - 1);
  return Math.floor(before / perDay) * day + Math.floor((before % perDay) / perMinute) * minute;
}

/** The estimate of the end of a run, for the quota that the responses report. Times are ms since the Unix epoch. */
export class EndEstimate {
  #begin: { readonly at: number; readonly toSend: number } | undefined;
  #quota: Quota | undefined;

  /** `now`: on the clock of the service. The lowest quota that fits counts: a limit of 1,000 is the minute limit of one plan and the day limit of another. */
  learn(rateLimit: RateLimit | undefined, now: number): void {
    if (rateLimit === undefined || rateLimit.limit < 1) return;
    const quota = quotaOf(rateLimit, now);
    if (this.#quota === undefined || quota.perMinute < this.#quota.perMinute) this.#quota = quota;
  }

  /** When the last row can be sent, if so many are left, and the next one can be sent at `next`. Asked first when the run begins. */
  end(left: number, next: number): Date | undefined {
    const { at, toSend } = (this.#begin ??= { at: next, toSend: left });
    if (this.#quota === undefined) return undefined;
    // The remaining rows may fit into the quota of a day, but not into the rest of the quota of this day.
    const least = at + estimateDuration(toSend, this.#quota);
    return new Date(Math.max(next + estimateDuration(left, this.#quota), least));
  }
}

/**
 * The published plan with this limit: of a minute, or of a day where the reset is far away. A limit that no published plan has is taken as
 * the only one, so that the estimate is the least time.
 */
function quotaOf({ limit, resetAt }: RateLimit, now: number): Quota {
  const name = resetAt.getTime() - now <= 2 * minute ? 'perMinute' : 'perDay';
  const plan = [plans.free, plans.pro, plans.business].find((quota) => quota[name] === limit);
  return plan ?? { perMinute: Infinity, perDay: Infinity, [name]: limit };
}
