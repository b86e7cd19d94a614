import { constants, perDayOf } from './constants.js';
import { isAlone, reachedAt } from './learn.js';
import type { Others } from './members.js';
import type { Decision, SyncOperation, SyncReply } from './operations.js';
import type { FleetState, MemberState } from './state.js';

/** Everything that a decision looks at. */
export interface Request {
  readonly state: FleetState;
  readonly operation: SyncOperation;
  readonly member: MemberState;
  readonly others: Others;
  readonly now: number;
  /** Nobody else spends the quota, and the store has not lost its memory lately. */
  readonly sure: boolean;
  readonly rolling: boolean;
  /** Somebody had to wait lately, or will have to soon. */
  readonly scarce: boolean;
}

/** Permits and requests that the member may still spend, or has not reported. */
export const held = (member: MemberState): number => member.unsent + member.inFlight;

/** Near the end of the day's quota, which the headers do not show, little is sent at once. */
export function isDayNearlyExhausted(state: FleetState): boolean {
  const perDay = state.perDay || perDayOf[state.limit];
  // A whole minute's requests may be out that are not counted yet.
  const end = Math.max(0.05 * (perDay ?? 0), state.limit);
  return perDay !== undefined && state.dayCount >= perDay - end;
}

/** Requests that the whole fleet may have in flight. There is a bound because all of them would be refused at a limit that the headers do not show. */
export function inFlightTotal(state: FleetState): number {
  if (state.planned && state.othersNow === 0) return 256;
  if (state.windowLimit === 0 || state.reset === 0 || isDayNearlyExhausted(state)) return 4;
  const part = state.first ? constants.firstInFlightPart : constants.inFlightPart;
  const byLimit = isAlone(state) ? Math.floor(state.limit / part) : 0;
  const byPace = Math.ceil((1.5 * state.limit * state.rtt) / constants.minute);
  return Math.min(256, Math.max(4, byLimit, byPace));
}

/** Requests that the member may have in flight. */
export function inFlightCap({ state, others }: Request): number {
  const sharers = Math.max(1, Math.min(others.count, others.holders) + 1);
  return Math.max(1, Math.floor(inFlightTotal(state) / sharers + 0.5));
}

/** Long enough to send so many requests, ms. */
export const leaseForNeed = (state: FleetState, count: number, cap: number): number =>
  constants.leaseForNeed + (1.5 * count * state.rtt) / cap;

/** Grants permits. */
export function give(
  request: Request,
  decision: Decision,
  count: number,
  leaseFor: number,
  more: Partial<SyncReply>,
): SyncReply {
  const { operation, member, now } = request;
  member.unsent += count;
  member.unsentEnd = Math.max(member.unsentEnd, now + leaseFor);
  member.want = 0;
  member.promised = 0;
  member.ahead = Math.max(0, count - operation.need);
  return reply(request, decision, { granted: count, leaseFor, ...more });
}

/** Sends the member away until `retryAt`. */
export function later(
  request: Request,
  decision: Decision,
  retryAt: number,
  more: Partial<SyncReply> = {},
  promised = 0,
): SyncReply {
  const { operation, member } = request;
  member.want = operation.need;
  member.wantUntil = retryAt + 2_000;
  member.promised = promised;
  return reply(request, decision, { retryAt, ...more });
}

/** What every reply holds, and what this one says beyond it. */
export function reply(request: Request, decision: Decision, more: Partial<SyncReply>): SyncReply {
  const { state, others, now, sure, rolling, scarce } = request;
  const members = others.count + 1;
  return {
    kind: 'sync',
    stale: false,
    decision,
    now,
    generation: state.generation,
    members,
    rank: others.before,
    limit: state.limit,
    granted: 0,
    leaseFor: 0,
    probe: false,
    inFlightCap: inFlightCap(request),
    left: -1,
    resumeAt: state.resumeAt,
    holdEndsAt: state.holdEndsAt,
    serverHoldUntil: state.serverHoldUntil,
    retryAt: 0,
    repeat: false,
    resetAt: reachedAt(state, state.reset) ?? 0,
    prompt: !sure,
    returnAfter: scarce ? 8_000 : 0,
    eager: scarce && (rolling || state.limit < 4 * members),
    ...more,
  };
}
