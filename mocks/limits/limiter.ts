import { operations, type Quota } from '../../src/contract/index.js';
import type { Assumptions } from '../assumptions/assumptions.js';
import type { MockKey, WindowName, WindowUsage } from './key.js';
import { createWindow, type View, type Window } from './windows.js';

/** Whose requests are judged: a key, or everybody without one. */
export interface Caller {
  readonly key: string;
  plan: MockKey['plan'];
  quota: Quota;
  limits: 'on' | 'off';
  bannedUntil: number | undefined;
  strikes: number;
  lastStrike: number;
  /** Of each scope the cool-down told last. */
  coolDowns: Map<string, CoolDown>;
}

/** From the first 429 of a cool-down to the moment told. */
export interface CoolDown {
  readonly from: number;
  readonly until: number;
  /** The ticket drawn last when a 429 of it was first handed back; undefined while none was. */
  readonly told?: number | undefined;
  /** Told by a fault: it is journalled, and leads to no ban. */
  readonly injected?: true;
}

/** What the limiter says of one request. */
export interface Verdict {
  readonly refusedFor: WindowName | 'ban' | undefined;
  /** When it may be tried again, if it was refused. */
  readonly until: number;
  /** What the headers report. */
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: number;
  /** Whether it came while an earlier 429 told to wait, or while a ban did. */
  readonly inCoolDown: boolean;
  /** Whether it started a ban. */
  readonly startsBan: boolean;
}

type Windows = Record<WindowName, Window>;
const lengths = { minute: 60_000, day: 86_400_000 } as const;

/** Makes somebody who has used nothing yet. */
export function newCaller(
  key: string,
  plan: MockKey['plan'],
  quota: Quota,
  limits: 'on' | 'off',
): Caller {
  return {
    key,
    plan,
    quota,
    limits,
    bannedUntil: undefined,
    strikes: 0,
    lastStrike: 0,
    coolDowns: new Map(),
  };
}

/**
 * Says of each request whether it is within its quota. Service interface: "Limits". It never waits, and knows nothing of
 * HTTP. All times are ms since the epoch.
 */
export class RateLimiter {
  readonly #assumed: Assumptions;
  #scopes = new Map<string, Windows>();
  #tickets = 0;

  constructor(assumptions: Assumptions) {
    this.#assumed = assumptions;
  }

  /** A number for a request that was just sent, by which to tell later what had been handed back before it. */
  ticket(): number {
    return ++this.#tickets;
  }

  /** A 429 leaves the service: requests sent from now on are sent by somebody who was told to wait. */
  markDelivered(caller: Caller, operation: string | undefined, now: number): void {
    const scope = this.#scope(caller.key, operation);
    const coolDown = caller.coolDowns.get(scope);
    // A later cool-down is not the one that this 429 told of.
    if (coolDown && coolDown.told === undefined && coolDown.from <= now)
      caller.coolDowns.set(scope, { ...coolDown, told: this.#tickets });
  }

  /** Judges one request, and counts it. `told` turns the moment of admission into the one that `Retry-After` tells. */
  admit(
    caller: Caller,
    operation: string | undefined,
    now: number,
    ticket: number,
    told: (until: number) => number,
  ): Verdict {
    const scope = this.#scope(caller.key, operation);
    if (caller.limits === 'off' && caller.bannedUntil === undefined)
      return this.#verdict(caller, scope, now, false);
    if (caller.bannedUntil !== undefined && now >= caller.bannedUntil) this.unban(caller);
    const windows = this.#windows(scope);
    const banned = caller.bannedUntil !== undefined;
    const room = this.#views(windows, caller.quota, now);
    const admitted =
      !banned && (caller.limits === 'off' || (room.minute.remaining > 0 && room.day.remaining > 0));
    if (admitted || this.#assumed.refusedCount) {
      windows.minute.count(now, caller.quota.perMinute);
      windows.day.count(now, caller.quota.perDay);
    }
    const coolDown = caller.coolDowns.get(scope);
    const running = coolDown !== undefined && now < coolDown.until;
    const inCoolDown = banned || (running && this.#knew(coolDown, ticket));
    const startsBan = this.#strike(
      caller,
      banned,
      admitted,
      inCoolDown ? coolDown : undefined,
      running,
      now,
    );
    if (admitted && !startsBan) return this.#verdict(caller, scope, now, inCoolDown);

    if (banned || startsBan) {
      const until = caller.bannedUntil!;
      const { limit } = this.#verdict(caller, scope, now, inCoolDown);
      return {
        refusedFor: 'ban',
        until,
        limit,
        remaining: 0,
        resetAt: until,
        inCoolDown,
        startsBan,
      };
    }
    const { minute, day } = this.#views(windows, caller.quota, now);
    const until = Math.max(minute.admitsAt, day.admitsAt);
    const asTold =
      this.#assumed.strikeRule !== 'never' && this.#assumed.strikeRule.until === 'told'
        ? told(until)
        : until;
    const { from, told: toldBefore } = running ? coolDown : { from: now };
    caller.coolDowns.set(scope, {
      from,
      until: Math.max(asTold, coolDown?.until ?? 0),
      told: toldBefore,
    });
    return {
      ...this.#verdict(caller, scope, now, inCoolDown),
      refusedFor: day.admitsAt >= minute.admitsAt ? 'day' : 'minute',
      until,
    };
  }

  /** What the headers would say, of a request that is not counted. */
  peek(caller: Caller, operation: string | undefined, now: number): Verdict {
    return this.#verdict(caller, this.#scope(caller.key, operation), now, false);
  }

  /** Starts a cool-down that a fault told, and not the quota. */
  startCoolDown(caller: Caller, operation: string | undefined, now: number, until: number): void {
    const scope = this.#scope(caller.key, operation);
    const before = caller.coolDowns.get(scope);
    const told = before && now < before.until ? before.told : undefined;
    caller.coolDowns.set(scope, { from: now, until, told, injected: true });
  }

  unban(caller: Caller): void {
    caller.bannedUntil = undefined;
    caller.strikes = 0;
    caller.coolDowns.clear();
  }

  /** What a key has used: of the scope with the fewest requests left, where there are several. */
  usage(caller: Caller, window: WindowName, now: number): WindowUsage {
    const limit = limitOf(caller.quota, window);
    const views = this.#scopesOf(caller.key).map((scope) =>
      this.#windows(scope)[window].view(now, limit),
    );
    const { remaining, resetAt } = views.reduce((least, view) =>
      view.remaining < least.remaining ? view : least,
    );
    return { limit, used: limit - remaining, remaining, resetAt };
  }

  setRemaining(caller: Caller, window: WindowName, now: number, remaining: number): void {
    const limit = limitOf(caller.quota, window);
    if (!Number.isInteger(remaining) || remaining < 0 || remaining > limit)
      throw new RangeError(
        `remaining must be an integer from 0 to the limit ${limit}, got ${remaining}`,
      );
    for (const scope of this.#scopesOf(caller.key))
      this.#windows(scope)[window].setRemaining(now, limit, remaining);
    caller.coolDowns.clear();
  }

  save(): ReadonlyMap<string, Windows> {
    return copyScopes(this.#scopes);
  }

  load(saved: ReadonlyMap<string, Windows>): void {
    this.#scopes = copyScopes(saved);
  }

  /** Whether whoever sent a request could know of a cool-down, or is taken to. */
  #knew({ told }: CoolDown, ticket: number): boolean {
    const { strikeRule: rule } = this.#assumed;
    return (rule !== 'never' && rule.underWay === 'count') || (told !== undefined && ticket > told);
  }

  /** Counts a strike, and says whether it was the last. */
  #strike(
    caller: Caller,
    banned: boolean,
    admitted: boolean,
    coolDown: CoolDown | undefined,
    running: boolean,
    now: number,
  ): boolean {
    const rule = this.#assumed.strikeRule;
    // Without a key there is nothing to ban.
    if (rule === 'never' || caller.key === '') return false;
    if (banned) {
      if (rule.extend) caller.bannedUntil = now + rule.ban;
      return false;
    }
    if (typeof rule.forget === 'number' && now - caller.lastStrike >= rule.forget)
      caller.strikes = 0;
    if (!coolDown) {
      if (admitted && !running && rule.forget === 'admitted') caller.strikes = 0;
      return false;
    }
    if (coolDown.injected || now - coolDown.from < rule.grace) return false;
    caller.lastStrike = now;
    if (++caller.strikes < rule.strikes) return false;
    caller.bannedUntil = now + rule.ban;
    return true;
  }

  #verdict(caller: Caller, scope: string, now: number, inCoolDown: boolean): Verdict {
    const { minute, day } = this.#views(this.#windows(scope), caller.quota, now);
    const dayBinds =
      day.remaining < minute.remaining ||
      (day.remaining === minute.remaining && day.resetAt > minute.resetAt);
    const reported: WindowName =
      this.#assumed.announcedWindow === 'binding' && dayBinds ? 'day' : 'minute';
    const { remaining, resetAt } = reported === 'day' ? day : minute;
    return {
      refusedFor: undefined,
      until: now,
      limit: limitOf(caller.quota, reported),
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
      const { minuteWindow, dayWindow, resetMeaning } = this.#assumed;
      windows = {
        minute: createWindow(minuteWindow, lengths.minute, resetMeaning),
        day: createWindow(dayWindow, lengths.day, resetMeaning),
      };
      this.#scopes.set(scope, windows);
    }
    return windows;
  }

  #scope(key: string, operation: string | undefined): string {
    if (this.#assumed.countingScope === 'everyone') return '';
    return this.#assumed.countingScope === 'key' ? key : `${key} ${operation ?? ''}`;
  }

  #scopesOf(key: string): string[] {
    return [
      ...new Set(
        [...Object.keys(operations), undefined].map((operation) => this.#scope(key, operation)),
      ),
    ];
  }
}

function limitOf(quota: Quota, window: WindowName): number {
  return window === 'minute' ? quota.perMinute : quota.perDay;
}

function copyScopes(scopes: ReadonlyMap<string, Windows>): Map<string, Windows> {
  return new Map(
    [...scopes].map(([scope, { minute, day }]) => [
      scope,
      { minute: minute.copy(), day: day.copy() },
    ]),
  );
}
