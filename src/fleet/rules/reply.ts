import {
  fewInFlight,
  inFlightBound,
  isDayNearlySpent,
  publishedPerDay,
} from '../../rate-limit/rules/pace.js';
import { shortLease } from './constants.js';
import { isOnlyUser, reachedAt } from './learn.js';
import type { Others } from './members.js';
import type { Decision, FleetOperation } from './operations.js';
import type { FleetState, MemberState } from './state.js';

/** The reply to an operation. It is plain JSON. Moments are ms on the clock of the store. */
export type FleetReply = ReturnType<typeof reply>;

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
  if (state.reset === 0 || isDayNearlyExhausted(state)) return fewInFlight;
  return inFlightBound(state.limit, state.rtt, isOnlyUser(state));
}

/** Requests that the member may have in flight. */
export function inFlightCap(request: Request): number {
  return Math.max(1, Math.round(inFlightTotal(request.state) / (request.others.holders + 1)));
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
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- the reply is what is written here
export function reply(request: Request, decision: Decision) {
  const { state, others, now, sure, rolling, scarce } = request;
  const members = others.count + 1;
  return {
    /** `stale`: a newer operation of the member had arrived before, so that this one changed nothing. */
    decision,
    /** The moment of the reply, and the generation of the state. */
    now,
    generation: state.generation,
    /** The number of processes in the fleet, and the position of this one among them, from 0. */
    members,
    rank: others.before,
    /** Of the other processes: how many hold permits or wait for responses, unused permits, and requests without a response. */
    leases: others.holders,
    unsent: others.unsent,
    inFlight: others.out - others.unsent,
    /** Requests per minute of the API key; 0: unknown. */
    limit: state.limit,
    /** Requests that remain in the window; -1: unknown. */
    remaining: state.remaining,
    /** The number of permits granted, and how long they are valid, ms from before the operation was sent. */
    granted: 0,
    leaseFor: 0,
    /** Whether the one granted permit is a probe: a request that finds out if the window is open. */
    probe: false,
    /** The largest number of requests that the member may have in flight. */
    inFlightCap: inFlightCap(request),
    /** Until when no request may be sent; 0 or less: no hold. */
    resumeAt: state.resumeAt,
    /** The end of the hold without the pad that covers rounded headers: a call with a shorter `maxHold` is rejected. */
    holdEndsAt: state.holdEndsAt,
    /** The part of the hold that the service stated in a header; 0 or less: none. */
    serverHoldUntil: state.serverHoldUntil,
    /** When to ask again, and whether that operation counts in `repeats`; 0: there is nothing to ask for. */
    retryAt: 0,
    repeat: false,
    /** When the window ends; 0: unknown. */
    resetAt: reachedAt(state, state.reset) ?? 0,
    /** Whether the member must report each response at once. */
    prompt: !sure,
    /** After how long without a call the member returns unused permits, ms; 0: it keeps them until they expire. */
    returnAfter: scarce ? 8_000 : 0,
    /** Whether the member must report used permits soon, because other members wait. */
    eager: scarce && (rolling || state.limit < 4 * members),
  };
}
