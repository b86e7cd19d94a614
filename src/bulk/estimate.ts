import { plans, type PlanName, type Quota } from '../contract/rate-limits.js';
import type { RateLimit } from '../rate-limit/types.js';

const minute = 60_000;
const day = 86_400_000;

/**
 * How long a number of requests takes at least on a plan, when nobody else uses the key. Quotas of a minute and of a day are taken as
 * windows that begin with the first request. Service interface: "Rate limits by plan".
 *
 * @param count - requests, 0 or more.
 * @param plan - a plan by name, or its quota.
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
  const { perMinute, perDay } = typeof plan === 'string' ? plans[plan] : plan;
  if (count <= 0) return 0;
  const days = Math.floor((count - 1) / perDay);
  const minutes = Math.floor((count - 1 - days * perDay) / perMinute);
  return days * day + minutes * minute;
}

/** The published plan with this limit, if there is one: of a minute, or of a day where the reset is far away. */
export function planOf({ limit, resetAt }: RateLimit, now: number): Quota | undefined {
  const name = resetAt.getTime() - now > 2 * minute ? 'perDay' : 'perMinute';
  return Object.values(plans).find(
    (plan): plan is Exclude<typeof plan, 'custom'> => plan !== 'custom' && plan[name] === limit,
  );
}
