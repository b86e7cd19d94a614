import type { StrikeRule } from '../assumptions/assumptions.js';
import type { WindowName } from './key-types.js';

/** The time in which a client must not send: from the first 429 to the moment that `Retry-After` announced. ms since the epoch. */
export interface CoolDown {
  readonly from: number;
  readonly until: number;
  /** The number of the last request that was sent before a 429 of this cool-down was delivered; undefined while none was. */
  readonly lastRequestBefore429?: number | undefined;
  /** Announced by a fault: the journal shows it, and it leads to no ban. */
  readonly injected?: true;
}

/** The ban and the strikes of one key. */
export interface StrikeState {
  bannedUntil: number | undefined;
  /** Of a ban that no request caused, as {@link CoolDown.lastRequestBefore429}: Infinity while no request was told of it. */
  lastRequestBeforeBan?: number | undefined;
  strikes: number;
  lastStrike: number;
  /** When its last request arrived, or its last ban began, ms since the epoch. */
  seenAt?: number;
}

/** Whether a cool-down is in force. After the clock was set back, a cool-down that begins in the future is over. */
export function isInForce({ from, until }: CoolDown, now: number): boolean {
  return from <= now && now < until;
}

/** Whether the sender of a request could know of the cool-down: a 429 had been delivered before the request was sent. */
export function wasAnnounced(
  { lastRequestBefore429 }: CoolDown,
  requestNumber: number,
  rule: StrikeRule | 'never',
): boolean {
  return (
    (rule !== 'never' && rule.inFlight === 'count') ||
    (lastRequestBefore429 !== undefined && requestNumber > lastRequestBefore429)
  );
}

/** The facts that decide whether a request is a strike. */
export interface StrikeFacts {
  readonly isBanned: boolean;
  readonly isWithinQuota: boolean;
  /** The cool-down that is in force, whether its 429 was delivered or not. */
  readonly coolDown: CoolDown | undefined;
  readonly isAnnounced: boolean;
}

/** Counts a strike where the request is one, and returns true when it starts a ban. */
export function countStrike(
  state: StrikeState,
  rule: StrikeRule,
  { isBanned, isWithinQuota, coolDown, isAnnounced }: StrikeFacts,
  now: number,
): boolean {
  if (isBanned) {
    if (rule.extend) state.bannedUntil = now + rule.ban;
    return false;
  }
  if (typeof rule.forget === 'number' && now - state.lastStrike >= rule.forget) state.strikes = 0;
  if (!coolDown || !isAnnounced) {
    if (isWithinQuota && !coolDown && rule.forget === 'admitted') state.strikes = 0;
    return false;
  }
  if (coolDown.injected || now - coolDown.from < rule.grace) return false;
  state.lastStrike = now;
  if (++state.strikes < rule.strikes) return false;
  state.bannedUntil = now + rule.ban;
  return true;
}

/** The decision of the limiter about one request. */
export interface Decision {
  /** The limit that was exceeded; undefined when the request is allowed. */
  readonly limitedBy: WindowName | 'ban' | undefined;
  /** When the next request is allowed, if this one was not. */
  readonly until: number;
  /** The quota that the headers report. */
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: number;
  /** Whether it arrived during a cool-down or a ban. */
  readonly inCoolDown: boolean;
  /** Whether it started a ban. */
  readonly startsBan: boolean;
}
