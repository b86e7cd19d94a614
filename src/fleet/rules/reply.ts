import { fewInFlight, inFlightBound, isDayNearlySpent } from '../../rate-limit/rules/pace.js';
import { publishedPerDay, shortLease } from './constants.js';
import { isOnlyUser, reachedAt } from './learn.js';
import type { Others } from './members.js';
import type { Decision, FleetOperation, FleetReply } from './operations.js';
import type { FleetState, MemberState } from './state.js';

/** Everything that a decision looks at. */
export interface Request {
  readonly state: FleetState;
  readonly operation: FleetOperation;
  readonly member: MemberState;
  readonly others: Others;
  readonly now: number;
  /** Nobody else spends the quota, and the store has not lost its memory lately. */
  readonly sure: boolean;
  readonly rolling: boolean;
  /** Somebody had to wait lately, or will have to soon. */
  readonly scarce: boolean;
}

/** Near the end of the day's quota, which the headers do not show, little is sent at once. */
export function isDayNearlyExhausted(state: FleetState): boolean {
  const perDay = state.perDay > 0 ? state.perDay : publishedPerDay(state.limit);
  return isDayNearlySpent(state.dayCount, perDay, state.limit);
}

/** Requests that the whole fleet may have in flight. There is a bound because all of them would be refused at a limit that the headers do not show. */
export function inFlightTotal(state: FleetState): number {
  if (state.windowLimit === 0 || state.reset === 0 || isDayNearlyExhausted(state))
    return fewInFlight;
  return inFlightBound(state.limit, state.rtt, isOnlyUser(state));
}

/** Requests that the member may have in flight. */
export function inFlightCap({ state, others }: Request): number {
  const sharers = Math.max(1, Math.min(others.count, others.holders) + 1);
  return Math.max(1, Math.floor(inFlightTotal(state) / sharers + 0.5));
}

/** Long enough to send so many requests, ms. */
export function leaseForNeed(state: FleetState, count: number, cap: number): number {
  return shortLease + (1.5 * count * state.rtt) / cap;
}

/** Grants permits. */
export function give(
  request: Request,
  decision: Decision,
  count: number,
  leaseFor: number,
): FleetReply {
  const { operation, member, now } = request;
  member.unsent += count;
  member.unsentEnd = Math.max(member.unsentEnd, now + leaseFor);
  member.want = 0;
  member.promised = 0;
  member.ahead = Math.max(0, count - operation.need);
  const answer = reply(request, decision);
  answer.granted = count;
  answer.leaseFor = leaseFor;
  return answer;
}

/** Sends the member away until `retryAt`. */
export function later(request: Request, decision: Decision, retryAt: number): FleetReply {
  const { operation, member } = request;
  member.want = operation.need;
  member.wantUntil = retryAt + 2_000;
  member.promised = 0;
  const answer = reply(request, decision);
  answer.retryAt = retryAt;
  return answer;
}

/** What every reply says. */
export function reply(request: Request, decision: Decision): FleetReply {
  const { state, others, now, sure, rolling, scarce } = request;
  const members = others.count + 1;
  return {
    decision,
    now,
    generation: state.generation,
    members,
    rank: others.before,
    leases: others.holders,
    unsent: others.unsent,
    inFlight: others.out - others.unsent,
    limit: state.limit,
    remaining: state.remaining,
    granted: 0,
    leaseFor: 0,
    probe: false,
    inFlightCap: inFlightCap(request),
    resumeAt: state.resumeAt,
    holdEndsAt: state.holdEndsAt,
    serverHoldUntil: state.serverHoldUntil,
    retryAt: 0,
    repeat: false,
    resetAt: reachedAt(state, state.reset) ?? 0,
    prompt: !sure,
    returnAfter: scarce ? 8_000 : 0,
    eager: scarce && (rolling || state.limit < 4 * members),
  };
}
