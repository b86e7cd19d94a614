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
  const quota = quotaOf(plan);
  if (quota === undefined)
    throw new ConfigurationError(
      'estimateDuration: plan must be free, pro, business, or { perMinute, perDay }',
    );
  const { perMinute, perDay } = quota;
  if (count <= 0) return 0;
  const days = Math.floor((count - 1) / perDay);
  const minutes = Math.floor((count - 1 - days * perDay) / perMinute);
  return days * day + minutes * minute;
}

/** The quota of a plan by name, or a quota as it is; `undefined` for anything else. */
export function quotaOf(plan: unknown): Quota | undefined {
  const quota: unknown =
    typeof plan === 'string' && Object.hasOwn(plans, plan) ? plans[plan as PlanName] : plan;
  const { perMinute, perDay } = { ...(quota as Partial<Quota> | undefined) };
  return isCount(perMinute) && isCount(perDay) ? (quota as Quota) : undefined;
}

function isCount(value: unknown): boolean {
  return Number.isFinite(value) && Number(value) >= 1;
}

/** The published plan with this limit, if there is one: of a minute, or of a day where the reset is far away. */
export function planOf({ limit, resetAt }: RateLimit, now: number): Quota | undefined {
  const name = resetAt.getTime() - now > 2 * minute ? 'perDay' : 'perMinute';
  return Object.values(plans).find(
    (plan): plan is Exclude<typeof plan, 'custom'> => plan !== 'custom' && plan[name] === limit,
  );
}

/** A run, as far as its end depends on it. Times are ms since the Unix epoch. */
export interface RunState {
  readonly plan: Quota;
  readonly began: number;
  /** Rows to send, when the run began and now. */
  readonly toSend: number;
  readonly left: number;
  /** The most rows that the run sends. */
  readonly most: number;
  /** When the next row can be sent. */
  readonly next: number;
}

/** When a run sends its last row, ms since the Unix epoch. */
export function estimateEnd({ plan, began, toSend, left, most, next }: RunState): number {
  const total = Math.min(toSend, most);
  const remaining = Math.max(0, left - (toSend - total));
  // The remaining rows may be fewer than the quota of a day, but more than what is left of the quota of this day.
  return Math.max(next + estimateDuration(remaining, plan), began + estimateDuration(total, plan));
}
