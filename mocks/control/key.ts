import type { PlanName, Quota } from '../../src/contract/rate-limits.js';
import { readDuration } from '../clock/duration.js';
import type { MockKey } from '../limits/key.js';
import type { Duration, MockService } from '../service/types.js';

/** What may be changed of a key at once. */
export interface KeyChange {
  plan?: string | Quota | undefined;
  limits?: 'on' | 'off' | undefined;
  remaining?: { minute?: number | undefined; day?: number | undefined } | undefined;
  exhaust?: 'minute' | 'day' | undefined;
  ban?: true | number | string | undefined;
  unban?: true | undefined;
  revoke?: true | undefined;
}

/** Adds the key where it is new (on the Free plan, unless told), then makes each change. */
export function controlKey(service: MockService, name: string, change: KeyChange): unknown {
  if (change.ban !== undefined && change.ban !== true) readDuration(change.ban as Duration); // before anything is changed
  const known = service.keys.has(name) ? service.keys.get(name) : undefined;
  const plan = (change.plan ?? (known?.plan === 'custom' ? known.quota : known?.plan) ?? 'free') as
    PlanName | Quota;
  const limits = change.limits ?? known?.limits;
  const key = service.keys.add(name, { plan, ...(limits && { limits }) });
  if (change.remaining?.minute !== undefined) key.setRemaining('minute', change.remaining.minute);
  if (change.remaining?.day !== undefined) key.setRemaining('day', change.remaining.day);
  if (change.exhaust) key.exhaust(change.exhaust);
  if (change.ban !== undefined) key.ban(change.ban === true ? undefined : (change.ban as Duration));
  if (change.unban) key.unban();
  const after = showKey(key);
  if (change.revoke) key.revoke();
  return after;
}

/** A key as the control side shows it. */
export function showKey(key: MockKey): object {
  const { plan, quota, limits, usage, bannedUntil, strikes } = key;
  return { key: key.key, plan, quota, limits, usage, bannedUntil: bannedUntil ?? null, strikes };
}
