import type { Assumptions } from '../assumptions/assumptions.js';
import type { WindowName } from './key-types.js';

/** A time in which a client must not send: after a 429, or during a ban. ms since the epoch. */
export interface CoolDown {
  readonly from: number;
  readonly until: number;
  /** The number of the first request whose sender could know of it; Infinity while nobody was told. */
  readonly knownFrom: number;
  /** Announced by a fault: the journal shows it, and it leads to no ban. */
  readonly injected?: true;
}

/** The ban and the strikes of one key. */
export interface StrikeState {
  ban: CoolDown | undefined;
  strikes: number;
  /** When its last request arrived, or its last ban began, ms since the epoch. */
  seenAt?: number | undefined;
}

/** Whether a cool-down is in force. After the clock was set back, a cool-down that begins in the future is over. */
export function isInForce({ from, until }: CoolDown, now: number): boolean {
  return from <= now && now < until;
}

/**
 * Whether the ban, the strikes and the cool-downs of a key are over: the ban has ended, or the clock was set back, and the
 * windows have forgotten the requests that led to them.
 */
export function isOver({ ban, seenAt }: StrikeState, now: number): boolean {
  return now < (seenAt ?? now) || (ban !== undefined && now >= ban.until);
}

/** Whether a request counts as one of a sender who knew of the cool-down: a 429 had been delivered before it was sent, or `grace` does not ask. */
export function wasAnnounced(
  { knownFrom }: CoolDown,
  requestNumber: number,
  grace: Assumptions['grace'],
): boolean {
  return grace !== 'in-flight' || requestNumber >= knownFrom;
}

/** The facts that decide whether a request is a strike. */
export interface StrikeFacts {
  readonly isWithinQuota: boolean;
  /** The cool-down that is in force, whether its 429 was delivered or not. */
  readonly coolDown: CoolDown | undefined;
  readonly isAnnounced: boolean;
}

/** Counts a strike where the request is one, and returns true when it starts a ban. */
export function countStrike(
  state: StrikeState,
  { strikes, grace, ban }: Assumptions,
  { isWithinQuota, coolDown, isAnnounced }: StrikeFacts,
  now: number,
): boolean {
  if (state.ban || strikes === 'never') return false;
  if (!coolDown || !isAnnounced) {
    if (isWithinQuota && !coolDown) state.strikes = 0;
    return false;
  }
  if (coolDown.injected || (grace !== 'in-flight' && now - coolDown.from < grace)) return false;
  if (++state.strikes < strikes) return false;
  state.ban = { from: now, until: now + ban, knownFrom: 0 };
  return true;
}

/** The decision of the limiter about one request. */
export interface Decision {
  /** The limit that was exceeded; undefined when the request is allowed. */
  readonly limitedBy: WindowName | 'ban' | undefined;
  /** When the next request is allowed, if this one was not. */
  readonly retryAt: number;
  /** The quota that the headers report. */
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: number;
  /** Whether it arrived during a cool-down or a ban. */
  readonly inCoolDown: boolean;
  /** Whether it started a ban. */
  readonly startsBan: boolean;
}
