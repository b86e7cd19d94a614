import type { Assumptions } from '../assumptions/assumptions.js';

/** A time in which a client must not send: after a 429, or during a ban. ms since the epoch. Plain JSON, as its key is. */
export interface CoolDown {
  readonly from: number;
  readonly until: number;
  /** The number of the first request whose sender could know of it; undefined while nobody was told. */
  readonly knownFrom?: number | undefined;
}

/** The ban and the strikes of one key. */
export interface StrikeState {
  ban?: CoolDown | undefined;
  strikes: number;
  /** When its last request arrived, or its last ban began, ms since the epoch. */
  seenAt?: number | undefined;
}

/** The cool-down, if it is in force. After the clock was set back, one that begins in the future is over. */
export function inForce(coolDown: CoolDown | undefined, now: number): CoolDown | undefined {
  return coolDown && coolDown.from <= now && now < coolDown.until ? coolDown : undefined;
}

/**
 * Whether the ban, the strikes and the cool-downs of a key are over: the ban has ended, or the clock was set back, and the
 * windows have forgotten the requests that led to them.
 */
export function isOver({ ban, seenAt }: StrikeState, now: number): boolean {
  return now < (seenAt ?? now) || (ban !== undefined && now >= ban.until);
}

/** Counts a strike in a cool-down that the sender knew of, unless it is excused, and returns true when it starts a ban. */
export function countStrike(
  state: StrikeState,
  { strikes, grace, ban }: Assumptions,
  { from }: CoolDown,
  now: number,
): boolean {
  if (state.ban || strikes === 'never') return false;
  if (grace !== 'in-flight' && now - from < grace) return false;
  if (++state.strikes < strikes) return false;
  state.ban = { from: now, until: now + ban, knownFrom: 0 };
  return true;
}

/** The decision of the limiter about one request. */
export interface Decision {
  /** The limit that was exceeded; undefined when the request is allowed. */
  readonly limitedBy: 'minute' | 'day' | 'ban' | undefined;
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
