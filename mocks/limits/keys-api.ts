import type { Assumptions } from '../assumptions/assumptions.js';
import { type Duration, readDuration } from '../clock/duration.js';
import { checkName } from '../utils/options.js';
import { isOver } from './cool-down.js';
import type { KeyRegistry } from './key-registry.js';
import type { MockKey, MockKeys, WindowName } from './key-types.js';
import type { Account, RateLimiter } from './limiter.js';

/** The keys, as tests use them. `now` is the time of the limiter. */
export function createKeys(
  registry: KeyRegistry,
  limiter: RateLimiter,
  assumptions: Assumptions,
  now: () => number,
): MockKeys {
  const need = (key: string): Account => {
    const account = registry.find(key);
    if (!account)
      throw new Error(
        `The key is not known: add it with keys.add(key, { plan }). Known: ${registry.names().join(', ')}`,
      );
    return account;
  };
  const view = (key: string): MockKey => ({
    key,
    get plan() {
      return need(key).plan;
    },
    get quota() {
      return need(key).quota;
    },
    get limits() {
      return need(key).limits;
    },
    get usage() {
      const account = need(key);
      return {
        minute: limiter.usage(account, 'minute', now()),
        day: limiter.usage(account, 'day', now()),
      };
    },
    get bannedUntil() {
      const account = need(key);
      return isOver(account, now()) ? undefined : account.ban?.until;
    },
    get strikes() {
      const account = need(key);
      return isOver(account, now()) ? 0 : account.strikes;
    },
    setRemaining: (...given: [number] | [WindowName, number]) => {
      const [window, remaining] = given.length === 1 ? (['minute', given[0]] as const) : given;
      limiter.setRemaining(need(key), checkWindow(window), now(), remaining as number);
    },
    exhaust: (window) => limiter.setRemaining(need(key), checkWindow(window), now(), 0),
    ban: (duration) => limiter.ban(need(key), now(), endOfBan(assumptions, now(), duration)),
    unban: () => limiter.unban(need(key)),
    revoke: () => void registry.remove(key),
  });
  return {
    add: (key, options) => view(registry.add(key, options).key),
    revoke: (key) => registry.remove(key),
    get: (key) => view(need(key).key),
    has: (key) => registry.find(key) !== undefined,
    list: () => registry.names().map(view),
  };
}

/** When a ban that begins at `now` ends. @throws RangeError for an invalid duration. */
export function endOfBan({ ban }: Assumptions, now: number, duration: Duration = ban): number {
  return now + readDuration(duration);
}

function checkWindow(window: WindowName): WindowName {
  checkName('window', window, ['minute', 'day']);
  return window;
}
