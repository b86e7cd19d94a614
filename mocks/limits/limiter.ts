import { operations, type Environment, type Quota } from '../../src/contract/index.js';
import type { Assumptions } from '../assumptions/assumptions.js';
import {
  countStrike,
  isInForce,
  wasAnnounced,
  type CoolDown,
  type Decision,
  type StrikeFacts,
  type StrikeState,
} from './cool-down.js';
import type { MockKey, WindowName, WindowUsage } from './key-types.js';
import { createWindow, type View, type Window, type WindowState } from './windows.js';

/** The state of one key, or of all requests without a valid key together (`key` is empty then). */
export interface Account extends StrikeState {
  readonly key: string;
  plan: MockKey['plan'];
  quota: Quota;
  limits: 'on' | 'off';
  /** The newest cool-down of each counting scope, and apart from it that of a fault. */
  coolDowns: Map<string, CoolDown>;
}

/** The parts of a request, besides its key, that decide which account counts it. */
export interface CountedRequest {
  readonly operation: string | undefined;
  readonly environment: Environment;
}

type Windows = Record<WindowName, Window>;
type WindowStates = Readonly<Record<WindowName, WindowState>>;

/** The counts of all windows, by their counting scope. */
export type LimiterState = ReadonlyMap<string, WindowStates>;

const lengths = { minute: 60_000, day: 86_400_000 } as const;
/** The name under which an account keeps the cool-down of a fault. */
const faultScope = (scope: string) => `fault ${scope}`;

/**
 * Decides whether each request is within its quota. Service interface: "Limits". It never waits, and knows
 * nothing of HTTP. All times are ms since the epoch.
 */
export class RateLimiter {
  readonly #assumptions: Assumptions;
  readonly #scopes = new Map<string, Windows>();
  #requests = 0;

  constructor(assumptions: Assumptions) {
    this.#assumptions = assumptions;
  }

  /** Numbers a request when it is sent, to know later which 429s had been delivered before it. */
  nextRequestNumber(): number {
    return ++this.#requests;
  }

  /** Records that a 429 was delivered: senders of later requests know of the cool-down. */
  markDelivered(
    account: Account,
    request: CountedRequest,
    now: number,
    limitedBy: Decision['limitedBy'],
  ): void {
    if (limitedBy === 'ban' && account.lastRequestBeforeBan === Infinity)
      account.lastRequestBeforeBan = this.#requests;
    const counted = this.#scope(account.key, request);
    const scope = limitedBy === undefined ? faultScope(counted) : counted;
    const coolDown = account.coolDowns.get(scope);
    // A later cool-down is not the one that this 429 announced.
    if (coolDown && coolDown.lastRequestBefore429 === undefined && coolDown.from <= now)
      account.coolDowns.set(scope, { ...coolDown, lastRequestBefore429: this.#requests });
  }

  /**
   * Decides about one request, and counts it. `announce` turns the moment from which requests are allowed again into the
   * moment that `Retry-After` announces.
   */
  decide(
    account: Account,
    request: CountedRequest,
    now: number,
    requestNumber: number,
    announce: (until: number) => number,
  ): Decision {
    const scope = this.#scope(account.key, request);
    if (isOver(account, now)) this.unban(account);
    account.seenAt = now;
    const { strikeRule: rule } = this.#assumptions;
    const inForce = (name: string) => {
      const last = account.coolDowns.get(name);
      return last && isInForce(last, now) ? last : undefined;
    };
    const isKnown = (one: CoolDown | undefined) =>
      one !== undefined && wasAnnounced(one, requestNumber, rule);
    const own = inForce(scope);
    const injected = inForce(faultScope(scope));
    const coolDown = own ?? injected;
    const isAnnounced = isKnown(own) || isKnown(injected);
    if (account.limits === 'off' && account.bannedUntil === undefined)
      return this.#report(account, scope, now, isAnnounced);
    const windows = this.#windows(scope);
    const isBanned = account.bannedUntil !== undefined;
    const before = this.#views(windows, account.quota, now);
    const isWithinQuota =
      !isBanned &&
      (account.limits === 'off' || (before.minute.remaining > 0 && before.day.remaining > 0));
    if (isWithinQuota || this.#assumptions.refusedCount) {
      windows.minute.count(now, account.quota.perMinute);
      windows.day.count(now, account.quota.perDay);
    }
    if (isWithinQuota && account.coolDowns.size === 0 && account.strikes === 0)
      return this.#report(account, scope, now, false);

    const inCoolDown =
      isAnnounced || (isBanned && requestNumber > (account.lastRequestBeforeBan ?? 0));
    const facts: StrikeFacts = {
      isBanned,
      isWithinQuota,
      coolDown,
      isAnnounced: isKnown(coolDown),
    };
    // A request without a key has no key to ban.
    const startsBan =
      rule !== 'never' && account.key !== '' && countStrike(account, rule, facts, now);
    const report = this.#report(account, scope, now, inCoolDown);
    if (isWithinQuota && !startsBan) return report;
    if (isBanned || startsBan) {
      const until = account.bannedUntil!;
      return { ...report, limitedBy: 'ban', until, remaining: 0, resetAt: until, startsBan };
    }
    const { minute, day } = this.#views(windows, account.quota, now);
    const until = Math.max(minute.nextAt, day.nextAt);
    account.coolDowns.set(scope, {
      from: own?.from ?? now,
      until: Math.max(
        rule !== 'never' && rule.until === 'retry-after' ? announce(until) : until,
        own?.until ?? 0,
      ),
      lastRequestBefore429: own?.lastRequestBefore429,
    });
    return { ...report, limitedBy: day.nextAt >= minute.nextAt ? 'day' : 'minute', until };
  }

  /** The headers of a request that is not counted. */
  peek(account: Account, request: CountedRequest, now: number): Decision {
    return this.#report(account, this.#scope(account.key, request), now, false);
  }

  /** Starts a cool-down that was announced by a fault, not by the quota. */
  startCoolDown(account: Account, request: CountedRequest, now: number, until: number): void {
    const scope = faultScope(this.#scope(account.key, request));
    const last = account.coolDowns.get(scope);
    const lastRequestBefore429 =
      last && isInForce(last, now) ? last.lastRequestBefore429 : undefined;
    account.coolDowns.set(scope, { from: now, until, lastRequestBefore429, injected: true });
  }

  /** Bans a key that did nothing wrong: requests sent before one of them was told of the ban could not know of it. */
  ban(account: Account, now: number, until: number): void {
    if (account.bannedUntil === undefined || isOver(account, now))
      account.lastRequestBeforeBan = Infinity;
    account.bannedUntil = until;
    account.seenAt = now;
  }

  unban(account: Account): void {
    account.bannedUntil = undefined;
    account.lastRequestBeforeBan = undefined;
    account.strikes = 0;
    account.coolDowns.clear();
  }

  /** The usage of a key; with several counting scopes, that of the scope with the fewest requests left. */
  usage(account: Account, window: WindowName, now: number): WindowUsage {
    const limit = limitOf(account.quota, window);
    const views = this.#scopesOf(account.key).map((scope) =>
      this.#windows(scope)[window].view(now, limit),
    );
    const { remaining, resetAt } = views.reduce((least, view) =>
      view.remaining < least.remaining ? view : least,
    );
    return { limit, used: limit - remaining, remaining, resetAt };
  }

  setRemaining(account: Account, window: WindowName, now: number, remaining: number): void {
    const limit = limitOf(account.quota, window);
    if (!Number.isInteger(remaining) || remaining < 0 || remaining > limit)
      throw new RangeError(
        `remaining must be an integer from 0 to the limit ${limit}, got ${remaining}`,
      );
    this.setUsed(account, window, now, limit - remaining);
    account.coolDowns.clear();
  }

  /** Sets the number of requests counted in a window, at most the limit. Cool-downs stay. */
  setUsed(account: Account, window: WindowName, now: number, used: number): void {
    const limit = limitOf(account.quota, window);
    for (const scope of this.#scopesOf(account.key))
      this.#windows(scope)[window].setRemaining(now, limit, Math.max(0, limit - used));
  }

  /** Loads the windows of one counting scope. @throws TypeError for the state of a window of another kind. */
  loadScope(scope: string, states: WindowStates): void {
    const windows = this.#windows(scope);
    windows.minute.load(states.minute);
    windows.day.load(states.day);
  }

  /** The counts of all windows. */
  save(): LimiterState {
    return new Map(
      [...this.#scopes].map(([scope, { minute, day }]) => [
        scope,
        { minute: minute.save(), day: day.save() },
      ]),
    );
  }

  load(saved: LimiterState): void {
    this.#scopes.clear();
    for (const [scope, states] of saved) this.loadScope(scope, states);
  }

  #report(account: Account, scope: string, now: number, inCoolDown: boolean): Decision {
    const { minute, day } = this.#views(this.#windows(scope), account.quota, now);
    const dayBinds =
      day.remaining < minute.remaining ||
      (day.remaining === minute.remaining && day.resetAt > minute.resetAt);
    const reported: WindowName =
      this.#assumptions.announcedWindow === 'binding' && dayBinds ? 'day' : 'minute';
    const { remaining, resetAt } = reported === 'day' ? day : minute;
    return {
      limitedBy: undefined,
      until: now,
      limit: limitOf(account.quota, reported),
      remaining,
      resetAt,
      inCoolDown,
      startsBan: false,
    };
  }

  #views(windows: Windows, quota: Quota, now: number): Record<WindowName, View> {
    return {
      minute: windows.minute.view(now, quota.perMinute),
      day: windows.day.view(now, quota.perDay),
    };
  }

  #windows(scope: string): Windows {
    let windows = this.#scopes.get(scope);
    if (!windows) {
      const { minuteWindow, dayWindow, resetMeaning } = this.#assumptions;
      windows = {
        minute: createWindow(minuteWindow, lengths.minute, resetMeaning),
        day: createWindow(dayWindow, lengths.day, resetMeaning),
      };
      this.#scopes.set(scope, windows);
    }
    return windows;
  }

  #scope(key: string, { operation, environment }: CountedRequest): string {
    const { countingScope, environments } = this.#assumptions;
    const scope =
      countingScope === 'everyone'
        ? ''
        : countingScope === 'key'
          ? key
          : `${key} ${operation ?? ''}`;
    return environment === 'production' || environments === 'shared' ? scope : `staging ${scope}`;
  }

  #scopesOf(key: string): string[] {
    return [
      ...new Set(
        (['production', 'staging'] as const).flatMap((environment) =>
          [...Object.keys(operations), undefined].map((operation) =>
            this.#scope(key, { operation, environment }),
          ),
        ),
      ),
    ];
  }
}

/**
 * Whether the ban, the strikes and the cool-downs of a key are over: the ban has ended, or the clock was set back, and the
 * windows have forgotten the requests that led to them.
 */
export function isOver({ bannedUntil, seenAt }: Account, now: number): boolean {
  return now < (seenAt ?? now) || (bannedUntil !== undefined && now >= bannedUntil);
}

function limitOf(quota: Quota, window: WindowName): number {
  return window === 'minute' ? quota.perMinute : quota.perDay;
}
