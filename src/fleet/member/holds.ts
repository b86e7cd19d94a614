import type { HoldTimes } from '../../rate-limit/rules/hold.js';
import { pad } from '../../rate-limit/rules/hold-rule.js';
import type { WaitCause } from '../../rate-limit/types.js';

/** A time in which the process sends nothing. */
export interface FleetHold extends HoldTimes {
  /** A window begins when the hold ends. */
  readonly beginsWindow?: boolean | undefined;
}

/** A hold that the service stated. */
export function statedHold(
  endsAt: number,
  resumeAt: number = endsAt + pad,
  cause: WaitCause = '429',
): FleetHold {
  return { resumeAt, endsAt, serverHoldUntil: endsAt, cause };
}

/** The later end of two holds. */
export function later(one: FleetHold, other: FleetHold): FleetHold {
  const { beginsWindow, cause } = one.resumeAt > other.resumeAt ? one : other;
  return {
    resumeAt: Math.max(one.resumeAt, other.resumeAt),
    endsAt: Math.max(one.endsAt, other.endsAt),
    serverHoldUntil: Math.max(one.serverHoldUntil, other.serverHoldUntil),
    beginsWindow,
    cause,
  };
}

/** The hold, and whole windows for the calls before this one. The end of a window whose beginning is unknown may be near. */
export function shortestWait(
  position: number,
  hold: number,
  limit: number | undefined,
  { beginsWindow }: FleetHold,
): number {
  const begun = hold > 0 && beginsWindow === true ? 0 : 1;
  const windows = limit ? Math.floor(position / limit) - begun : 0;
  return hold + 60_000 * Math.max(0, windows);
}
