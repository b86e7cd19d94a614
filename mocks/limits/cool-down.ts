import * as z from 'zod/mini';
import type { Assumptions } from '../assumptions/assumptions.js';
import { integer, moment } from '../utils/check.js';
import { keyRows } from './key-types.js';

const coolDown = z.strictObject({
  /** When it began, ms since the epoch. */
  from: moment,
  /** When it ends, ms since the epoch. */
  until: z.number(),
  /**
   * The number of the first request whose sender could know about the cool-down, 0 in a snapshot. Missing until a client
   * has received the 429.
   */
  knownFrom: z.optional(integer(0)),
});

/** A time in which a client must not send: after a 429, or during a ban. */
export type CoolDown = Readonly<z.output<typeof coolDown>>;

/** The state of one key, or of all requests without a valid key together (`key` is empty then), as plain JSON. */
export const accountSchema = z.strictObject({
  ...keyRows,
  /** When its last request arrived, or its last ban began. Missing: never. */
  seenAt: z.optional(moment),
  /** Its ban. Left out: none. */
  ban: z.optional(coolDown),
  /** The newest cool-down of each counting scope, and separately the newest one of a fault. */
  coolDowns: z.array(z.strictObject({ scope: z.string(), ...coolDown.shape })),
});
export type Account = z.output<typeof accountSchema>;

/** The cool-down, if it is in force. After the clock was set back, one that begins in the future is over. */
export function inForce(coolDown: CoolDown | undefined, now: number): CoolDown | undefined {
  return coolDown && coolDown.from <= now && now < coolDown.until ? coolDown : undefined;
}

/**
 * Whether the ban, the strikes and the cool-downs of a key are over: the ban has ended, or the clock was set back, and the
 * windows have forgotten the requests that led to them.
 */
export function isOver({ ban, seenAt }: Account, now: number): boolean {
  return now < (seenAt ?? now) || (ban !== undefined && now >= ban.until);
}

/** Counts a strike in a cool-down that the sender knew of, unless it is excused, and returns true when it starts a ban. */
export function countStrike(
  state: Account,
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
  /** The end of the minute in which the request was counted, for a 429 of a fault. */
  readonly minuteEnd: number;
  /** Whether it arrived during a cool-down or a ban. */
  readonly inCoolDown: boolean;
  /** Whether it started a ban. */
  readonly startsBan: boolean;
}
