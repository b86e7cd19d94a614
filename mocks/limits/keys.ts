import { plans, type PlanName, type Quota } from '../../src/contract/index.js';
import type { Assumptions } from '../assumptions/assumptions.js';
import { checkOptions, oneOf, describeValue } from '../utils/options.js';
import { readDuration } from '../clock/duration.js';
import type { KeyOptions, MockKey, MockKeys, WindowName } from './key.js';
import { newCaller, type Caller, type RateLimiter } from './limiter.js';

/** The keys that every service knows from the start, each on the plan of its name. */
export const knownKeys = {
  'mock-free': 'free',
  'mock-pro': 'pro',
  'mock-business': 'business',
  'mock-enterprise': 'enterprise',
} as const;

const rules = { plan: { takes: 'a plan', is: () => true }, limits: oneOf('on', 'off') };

/** The keys of a service, and the state of each. */
export class KeyRegistry {
  readonly #assumed: Assumptions;
  readonly #limits: 'on' | 'off';
  #callers = new Map<string, Caller>();

  constructor(
    assumptions: Assumptions,
    limits: 'on' | 'off',
    given: Readonly<Record<string, KeyOptions>>,
  ) {
    this.#assumed = assumptions;
    this.#limits = limits;
    for (const [key, plan] of Object.entries(knownKeys)) this.add(key, { plan });
    for (const [key, options] of Object.entries(given)) this.add(key, options);
  }

  find(key: string): Caller | undefined {
    return this.#callers.get(key);
  }

  add(key: string, options: KeyOptions): Caller {
    checkOptions('keys.add(key, { plan })', options, rules);
    const { plan, limits = this.#limits } = options;
    if (typeof key !== 'string' || !/^[\x21-\x7e]+$/.test(key))
      throw new TypeError('A key is one or more visible ASCII characters without spaces');
    const quota = quotaOf(plan, this.#assumed.enterpriseQuota);
    const name = typeof plan === 'string' ? plan : 'custom';
    const known = this.#callers.get(key);
    if (known) return Object.assign(known, { plan: name, quota, limits, coolDowns: new Map() });
    const caller = newCaller(key, name, quota, limits);
    this.#callers.set(key, caller);
    return caller;
  }

  remove(key: string): boolean {
    return this.#callers.delete(key);
  }

  names(): string[] {
    return [...this.#callers.keys()];
  }

  save(): ReadonlyMap<string, Caller> {
    return copyCallers(this.#callers);
  }

  load(saved: ReadonlyMap<string, Caller>): void {
    this.#callers = copyCallers(saved);
  }
}

/** The quota of a plan. @throws TypeError for what is no plan. */
export function quotaOf(plan: PlanName | Quota, enterprise: Quota): Quota {
  const quota =
    typeof plan === 'string' ? (Object.hasOwn(plans, plan) ? plans[plan] : undefined) : plan;
  if (quota === 'custom') return enterprise;
  if (quota && isCount(quota.perMinute) && isCount(quota.perDay))
    return { perMinute: quota.perMinute, perDay: quota.perDay };
  const names = Object.keys(plans).join(', ');
  throw new TypeError(
    `A plan is one of ${names}, or { perMinute, perDay } with integers of 1 or more; got ${JSON.stringify(plan)}`,
  );
}

/** The keys, for the author of a test. `now` is the time by which the service limits. */
export function createKeys(
  registry: KeyRegistry,
  limiter: RateLimiter,
  assumptions: Assumptions,
  now: () => number,
): MockKeys {
  const need = (key: string): Caller => {
    const caller = registry.find(key);
    if (!caller)
      throw new Error(
        `The key is not known: add it with keys.add(key, { plan }). Known: ${registry.names().join(', ')}`,
      );
    return caller;
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
      const caller = need(key);
      return {
        minute: limiter.usage(caller, 'minute', now()),
        day: limiter.usage(caller, 'day', now()),
      };
    },
    get bannedUntil() {
      const { bannedUntil } = need(key);
      return bannedUntil !== undefined && bannedUntil > now() ? bannedUntil : undefined;
    },
    get strikes() {
      return need(key).strikes;
    },
    setRemaining: (...given: [number] | [WindowName, number]) => {
      const [window, remaining] = given.length === 1 ? (['minute', given[0]] as const) : given;
      limiter.setRemaining(need(key), aWindow(window), now(), remaining as number);
    },
    exhaust: (window) => limiter.setRemaining(need(key), aWindow(window), now(), 0),
    ban(duration) {
      const usual = assumptions.strikeRule === 'never' ? 600_000 : assumptions.strikeRule.ban;
      need(key).bannedUntil = now() + readDuration(duration ?? usual);
    },
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

function aWindow(window: unknown): WindowName {
  if (window === 'minute' || window === 'day') return window;
  throw new TypeError(`A window is 'minute' or 'day', got ${describeValue(window)}`);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function copyCallers(callers: ReadonlyMap<string, Caller>): Map<string, Caller> {
  return new Map(
    [...callers].map(([key, caller]) => [key, { ...caller, coolDowns: new Map(caller.coolDowns) }]),
  );
}
