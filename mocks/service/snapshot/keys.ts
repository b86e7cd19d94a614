import type { Assumptions } from '../../assumptions/assumptions.js';
import { isKey, newAccount, quotaOf } from '../../limits/key-registry.js';
import { isOver, type Account, type RateLimiter } from '../../limits/limiter.js';
import type { CoolDownSnapshot, KeySnapshot } from './snapshot-types.js';

const windows = ['minute', 'day'] as const;

/** A key as plain JSON. `now` is the time of the limiter. */
export function keyRecord(account: Account, limiter: RateLimiter, now: number): KeySnapshot {
  const { key, plan, quota, limits } = account;
  // As the next request would find it: the limiter clears what is over with that request.
  const { bannedUntil, strikes, lastStrike, coolDowns } = isOver(account, now)
    ? newAccount(key, plan, quota, limits)
    : account;
  const used = (window: (typeof windows)[number]) => {
    const { used: count, resetAt } = limiter.usage(account, window, now);
    return { used: count, resetAt };
  };
  const left = [...coolDowns].filter(([, { until }]) => until > now);
  return {
    key,
    plan: plan === 'custom' ? quota : plan,
    limits,
    used: { minute: used('minute'), day: used('day') },
    bannedUntil: bannedUntil ?? null,
    ...(strikes > 0 && { strikes, lastStrike }),
    ...(left.length > 0 && {
      coolDowns: left.map(([scope, { from, until, lastRequestBefore429, injected = false }]) => ({
        scope,
        from,
        until,
        isDelivered: lastRequestBefore429 !== undefined,
        isInjected: injected,
      })),
    }),
  };
}

/** The account of a key. @throws TypeError for a key or a plan that cannot be. */
export function readAccount(record: KeySnapshot, { enterpriseQuota }: Assumptions): Account {
  const { key, plan, limits, bannedUntil, strikes = 0, lastStrike = 0, coolDowns = [] } = record;
  if (!isKey(key)) throw new TypeError(`keys: ${JSON.stringify(key)} is not a key`);
  const name = typeof plan === 'string' ? plan : 'custom';
  return {
    ...newAccount(key, name, quotaOf(plan, enterpriseQuota), limits),
    bannedUntil: bannedUntil ?? undefined,
    strikes,
    lastStrike,
    coolDowns: new Map(coolDowns.map((one) => [one.scope, readCoolDown(one)])),
  };
}

/** The numbers of requests start again, so that all requests from now on come after a 429 that was delivered. */
function readCoolDown({ from, until, isDelivered, isInjected }: CoolDownSnapshot) {
  return {
    from,
    until,
    ...(isDelivered && { lastRequestBefore429: 0 }),
    ...(isInjected && { injected: true as const }),
  };
}

/**
 * Sets the counts of the windows of a limiter that has counted nothing. Keys may share a window, or have several, by the assumption `countingScope`: the highest
 * count is kept.
 */
export function applyUsage(
  limiter: RateLimiter,
  accounts: readonly Account[],
  records: readonly KeySnapshot[],
  now: number,
): void {
  for (const [index, { used }] of records.entries()) {
    const account = accounts[index]!;
    for (const window of windows) {
      const count = used[window].resetAt > now ? used[window].used : 0;
      if (count > limiter.usage(account, window, now).used)
        limiter.setUsed(account, window, now, count);
    }
  }
}
