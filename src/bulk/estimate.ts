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
  const named: unknown = Object.hasOwn(plans, String(plan)) ? plans[plan as PlanName] : plan;
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

/**
 * The published plan with this limit: of a minute, or of a day where the reset is far away. A limit of a minute that no published
 * plan has is taken as the only one, so that the estimate is the least time.
 */
export function quotaOf({ limit, resetAt }: RateLimit, now: number): Quota | undefined {
  const isMinute = resetAt.getTime() - now <= 2 * minute;
  const name = isMinute ? 'perMinute' : 'perDay';
  const published = Object.values(plans).find((plan) => plan !== 'custom' && plan[name] === limit);
  if (published !== undefined && published !== 'custom') return published;
  return isMinute ? { perMinute: limit, perDay: Infinity } : undefined;
}
