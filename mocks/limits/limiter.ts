import * as z from 'zod/mini';
import { operations, type Environment, type Quota } from '../../src/contract/index.js';
import type { Assumptions } from '../assumptions/assumptions.js';
import { showValue } from '../utils/options.js';
import {
  countStrike,
  inForce,
  isOver,
  type Account,
  type CoolDown,
  type Decision,
} from './cool-down.js';
import type { WindowName, WindowUsage } from './key-types.js';
import { createWindow, windowKind, windowSchema, type View, type Window } from './windows.js';

/** The parts of a request, besides its key, that decide which windows count it. */
export interface CountedRequest {
  readonly operation: string | undefined;
  readonly environment: Environment;
}

const windowNames = ['minute', 'day'] as const;
const everywhere: readonly Environment[] = ['production', 'staging'];
type Windows = Readonly<Record<WindowName, Window>>;

/** The counts of all windows, and how they were counted, as plain JSON. */
export const limiterSchema = z.strictObject({
  /** The kind of the window of a minute. */
  minuteWindow: windowKind,
  /** The kind of the window of a day. */
  dayWindow: windowKind,
  /** The requests that one count includes. */
  countingScope: z.literal(['key', 'key-and-operation', 'everyone']),
  /** The two windows of each counting scope: of each key that was used, by default. */
  scopes: z.array(z.strictObject({ scope: z.string(), minute: windowSchema, day: windowSchema })),
});
type LimiterState = z.output<typeof limiterSchema>;
type ScopeState = LimiterState['scopes'][number];

/** The name under which an account keeps the cool-down of a fault: the journal shows it, and it leads to no ban. */
const faultScope = (scope: string) => `fault ${scope}`;

/**
 * Decides whether each request is within its quota. Service interface: "Limits". It never waits, and knows
 * nothing of HTTP. All times are ms since the epoch.
 */
export class RateLimiter {
  readonly #assumptions: Assumptions;
  #scopes = new Map<string, Windows>();

  constructor(assumptions: Assumptions) {
    this.#assumptions = assumptions;
  }

  /** Records that a 429 was delivered: senders of requests from the number `knownFrom` on know of the cool-down. */
  markDelivered(
    account: Account,
    request: CountedRequest,
    now: number,
    knownFrom: number,
    limitedBy: Decision['limitedBy'],
  ): void {
    const { ban } = account;
    if (limitedBy === 'ban' && ban) account.ban = { ...ban, knownFrom: ban.knownFrom ?? knownFrom };
    const counted = this.#scope(account.key, request);
    const scope = limitedBy === undefined ? faultScope(counted) : counted;
    const coolDown = coolDownOf(account, scope);
    // A later cool-down is not the one that this 429 announced.
    if (coolDown && coolDown.from <= now)
      keepCoolDown(account, scope, { ...coolDown, knownFrom: coolDown.knownFrom ?? knownFrom });
  }

  /** Decides about one request, and counts it. Requests are numbered in the order in which they are sent. */
  decide(account: Account, request: CountedRequest, now: number, requestNumber: number): Decision {
    const scope = this.#scope(account.key, request);
    if (isOver(account, now)) this.unban(account);
    account.seenAt = now;
    const { grace } = this.#assumptions;
    const isKnown = (one: CoolDown | undefined): one is CoolDown =>
      one !== undefined && (grace !== 'in-flight' || wasTold(one, requestNumber));
    const isWithinQuota = this.#count(account, scope, now);
    if (isWithinQuota) {
      keepCoolDown(account, scope, undefined);
      account.strikes = 0;
    }
    const own = inForce(coolDownOf(account, scope), now);
    const injected = inForce(coolDownOf(account, faultScope(scope)), now);
    const { ban } = account;
    // A request without a key has no key to ban.
    const startsBan =
      account.key !== '' && isKnown(own) && countStrike(account, this.#assumptions, own, now);
    const inCoolDown =
      isKnown(own) || isKnown(injected) || (ban !== undefined && wasTold(ban, requestNumber));
    const report = this.#report(account, scope, now, inCoolDown);
    if (account.ban) {
      const retryAt = account.ban.until;
      return { ...report, limitedBy: 'ban', retryAt, remaining: 0, resetAt: retryAt, startsBan };
    }
    if (isWithinQuota) return report;
    const { minute, day } = this.#views(account, scope, now);
    const retryAt = Math.max(minute.nextAt, day.nextAt);
    const until = Math.max(retryAt, own?.until ?? 0);
    keepCoolDown(account, scope, { from: now, ...own, until });
    return { ...report, limitedBy: day.nextAt >= minute.nextAt ? 'day' : 'minute', retryAt };
  }

  /** The headers of a request that is not counted. */
  peek(account: Account, request: CountedRequest, now: number): Decision {
    return this.#report(account, this.#scope(account.key, request), now, false);
  }

  /** Starts a cool-down that was announced by a fault, not by the quota. */
  startCoolDown(account: Account, request: CountedRequest, now: number, until: number): void {
    const scope = faultScope(this.#scope(account.key, request));
    const before = inForce(coolDownOf(account, scope), now);
    keepCoolDown(account, scope, { ...before, from: now, until });
  }

  /**
   * Bans a key without strikes. Requests that were sent before the client received a response about the ban do not count as
   * strikes.
   */
  ban(account: Account, now: number, ms: number): void {
    const before = isOver(account, now) ? undefined : account.ban;
    account.ban = { ...before, from: now, until: now + ms };
    account.seenAt = now;
  }

  unban(account: Account): void {
    account.ban = undefined;
    account.strikes = 0;
    account.coolDowns = [];
  }

  /** The usage of a key; with several counting scopes, that of the scope with the fewest requests left. */
  usage(account: Account, window: WindowName, now: number, environments = everywhere): WindowUsage {
    const limit = limitOf(account.quota, window);
    const { remaining, resetAt } = [...this.#scopesOf(account.key, environments)]
      .map((scope) => this.#windows(scope)[window].view(now, limit))
      .reduce((least, view) => (view.remaining < least.remaining ? view : least));
    return { limit, used: limit - remaining, remaining, resetAt };
  }

  setRemaining(account: Account, window: WindowName, now: number, remaining: number): void {
    const limit = limitOf(account.quota, window);
    if (!Number.isInteger(remaining) || remaining < 0 || remaining > limit)
      throw new RangeError(
        `remaining must be an integer from 0 to the limit ${limit}, got ${showValue(remaining)}`,
      );
    for (const scope of this.#scopesOf(account.key))
      this.#keepWindows(scope)[window].setRemaining(now, limit, remaining);
  }

  /** The counts of all windows, and how they were counted. */
  save(): LimiterState {
    const { minuteWindow, dayWindow, countingScope } = this.#assumptions;
    const scopes = [...this.#scopes].map(([scope, { minute, day }]) => ({
      scope,
      minute: minute.save(),
      day: day.save(),
    }));
    return { minuteWindow, dayWindow, countingScope, scopes };
  }

  /**
   * Loads the counts of all windows. Where they were counted in another way, each of `accounts` has used as many requests as
   * there. @throws TypeError for the state of a window of another kind; nothing is changed then.
   */
  load({ scopes, ...counted }: LimiterState, accounts: readonly Account[], now: number): void {
    const loaded = new RateLimiter({ ...this.#assumptions, ...counted });
    for (const state of scopes) loaded.#keepWindows(state.scope, state);
    const isSame = Object.entries(counted).every(
      ([name, value]) => value === this.#assumptions[name as keyof typeof counted],
    );
    this.#scopes = isSame ? loaded.#scopes : new Map<string, Windows>();
    for (const account of isSame ? [] : accounts)
      for (const window of windowNames)
        for (const one of everywhere) {
          const { limit, remaining } = loaded.usage(account, window, now, [one]);
          // Keys may share a window or have several, so the highest count is kept.
          if (remaining < this.usage(account, window, now, [one]).remaining)
            for (const scope of this.#scopesOf(account.key, [one]))
              this.#keepWindows(scope)[window].setRemaining(now, limit, remaining);
        }
  }

  /** Counts a request where its key has limits, and returns whether it is within the quota. */
  #count(account: Account, scope: string, now: number): boolean {
    if (account.limits === 'off') return !account.ban;
    const { minute, day } = this.#views(account, scope, now);
    const isWithinQuota = !account.ban && minute.remaining > 0 && day.remaining > 0;
    const isCounted = isWithinQuota || this.#assumptions.refusedCount;
    const windows = isCounted ? this.#keepWindows(scope) : this.#windows(scope);
    for (const name of windowNames) {
      const limit = limitOf(account.quota, name);
      if (isCounted) windows[name].count(now, limit);
      else windows[name].arrive(now, limit);
    }
    return isWithinQuota;
  }

  #report(account: Account, scope: string, now: number, inCoolDown: boolean): Decision {
    const { minute, day } = this.#views(account, scope, now);
    const isDay =
      this.#assumptions.announcedWindow === 'binding' &&
      (day.remaining < minute.remaining ||
        (day.remaining === minute.remaining && day.resetAt > minute.resetAt));
    const { remaining, resetAt } = isDay ? day : minute;
    const limit = limitOf(account.quota, isDay ? 'day' : 'minute');
    const allowed = { limitedBy: undefined, retryAt: now, startsBan: false };
    return { ...allowed, limit, remaining, resetAt, minuteEnd: minute.resetAt, inCoolDown };
  }

  #views({ quota }: Account, scope: string, now: number): Record<WindowName, View> {
    const { minute, day } = this.#windows(scope);
    return { minute: minute.view(now, quota.perMinute), day: day.view(now, quota.perDay) };
  }

  /** The windows of a scope, to change them. Only these are kept, so that a look at a key leaves no trace in a snapshot. */
  #keepWindows(scope: string, state?: ScopeState): Windows {
    const windows = this.#windows(scope, state);
    this.#scopes.set(scope, windows);
    return windows;
  }

  #windows(scope: string, state?: ScopeState): Windows {
    const { minuteWindow, dayWindow, resetMeaning } = this.#assumptions;
    return (
      this.#scopes.get(scope) ?? {
        minute: createWindow(minuteWindow, 60_000, resetMeaning, state?.minute),
        day: createWindow(dayWindow, 86_400_000, resetMeaning, state?.day),
      }
    );
  }

  #scope(key: string, { operation, environment }: CountedRequest): string {
    const { countingScope, environments } = this.#assumptions;
    const scope = { everyone: '', key, 'key-and-operation': `${key} ${operation ?? ''}` };
    const prefix =
      environment === 'production' || environments === 'shared' ? '' : `${environment} `;
    return prefix + scope[countingScope];
  }

  #scopesOf(key: string, environments = everywhere): Set<string> {
    const all = environments.flatMap((environment) =>
      [...Object.keys(operations), undefined].map((operation) =>
        this.#scope(key, { operation, environment }),
      ),
    );
    return new Set(all);
  }
}

const wasTold = ({ knownFrom = Infinity }: CoolDown, requestNumber: number): boolean =>
  requestNumber >= knownFrom;

function coolDownOf({ coolDowns }: Account, scope: string): CoolDown | undefined {
  return coolDowns.find((one) => one.scope === scope);
}

/** Replaces the cool-down of a scope; undefined removes it. */
function keepCoolDown(account: Account, scope: string, coolDown: CoolDown | undefined): void {
  const others = account.coolDowns.filter((one) => one.scope !== scope);
  account.coolDowns = coolDown ? [...others, { scope, ...coolDown }] : others;
}

function limitOf(quota: Quota, window: WindowName): number {
  return window === 'minute' ? quota.perMinute : quota.perDay;
}
