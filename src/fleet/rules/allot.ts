import { blindHold, pad } from '../../rate-limit/rules/hold-rule.js';
import { fewInFlight, roomForOthers, shareOf, slice } from '../../rate-limit/rules/pace.js';
import {
  distrustLog,
  longLease,
  minute,
  firstProbeTimeout,
  probeTimeout,
  releaseKept,
  rollingMinute,
  scarceLease,
} from './constants.js';
import { extendHold, isRolling, isOnlyUser, reachedAt, toProbe } from './learn.js';
import { held, requestsInMinute, type Others } from './members.js';
import type { FleetOperation, FleetReply } from './operations.js';
import {
  give,
  inFlightCap,
  inFlightTotal,
  isDayNearlyExhausted,
  later,
  leaseForNeed,
  reply,
  type Request,
} from './reply.js';
import type { FleetState, MemberState } from './state.js';

/** What may be granted: `left` of the quota, and the part of it that this member may have now. */
interface Allowance {
  left: number;
  free: number;
  /** Permits that are in neither, and may be free before the window ends: see keptForHigh and `away`. */
  reserved: number;
  /** `left` was told by the log of the rolling minute. */
  byLog: boolean;
}

/** Everything that a decision about the member looks at. */
export function requestOf(
  state: FleetState,
  operation: FleetOperation,
  member: MemberState,
  others: Others,
  now: number,
): Request {
  return {
    state,
    operation,
    member,
    others,
    now,
    sure: isOnlyUser(state) && now >= state.carefulUntil,
    rolling: isRolling(state, now),
    scarce: state.scarceAt > now - 1.5 * minute || state.recent * 2 * Math.LN2 > 0.7 * state.limit,
  };
}

/** Decides what the member gets: permits, the probe, or a moment to come back at. */
export function allot(request: Request): FleetReply {
  const { state, operation, member, now } = request;
  if (operation.need <= 0) {
    member.want = 0;
    return reply(request, 'report');
  }
  if (now < state.resumeAt) return later(request, 'hold', turnAfter(state, state.resumeAt));
  if (state.mode !== 'OPEN') {
    const isTaken = state.prober !== operation.member && now < state.probeUntil;
    if (isTaken) return later(request, 'probing', afterProbe(state, now));
    return held(member) > 0 ? later(request, 'out', soon(state, now)) : probe(request);
  }
  const allowance = allowanceOf(request);
  return allowance.free > 0 ? grant(request, allowance) : sendAway(request, allowance);
}

/** How much of the quota is left: the largest of two lower bounds, or three for rolling windows. Then how much of it this member may have. */
function allowanceOf({ state, operation, member, others, now, sure, rolling }: Request): Allowance {
  const awayShares = others.away * Math.ceil(state.limit / (others.count + 1));
  const out = others.out + held(member) + awayShares;
  if (state.remaining < 0) {
    const free = state.blind - out;
    return { left: free, free, reserved: 0, byLog: false };
  }
  const room = roomForOthers(state, state.limit);
  // After the state was lost, some processes use leases that the new state does not know. Their requests are not counted yet.
  const countedFrom = state.lostAt + longLease;
  const byLog =
    sure && rolling && now - state.logWrongAt > distrustLog && now - rollingMinute > countedFrom;
  let left = state.remaining - out;
  if (sure && !rolling && state.baseAt > countedFrom)
    left = Math.max(left, Math.min(state.remaining, state.base - state.consumed - out));
  if (byLog) left = Math.max(left, state.limit - requestsInMinute(state, now) - out);
  left -= room;
  let free = left;
  if (!sure) {
    const part = Math.floor((state.remaining - room) * Math.min(slice, shareOf(state) / 2));
    free = Math.min(left, Math.min(Math.max(1, part), inFlightTotal(state)) - out);
    // Old leases must not stop all requests of the careful phase.
    if (free <= 0 && left > 0 && now >= state.trickleAt) free = 1;
  }
  if (isDayNearlyExhausted(state)) free = Math.min(free, fewInFlight - out);
  const kept = keptForHigh(state, others, rolling, now);
  const reserved = kept + awayShares;
  const forNormal = Math.min(free, left - kept);
  if (operation.high === 0) return { left: left - kept, free: forNormal, reserved, byLog };
  return { left, free: Math.max(Math.min(free, operation.high), forNormal), reserved, byLog };
}

/**
 * Permits that are kept for calls of high priority of other members: as many as these members lately used in as much time as
 * the window has left. Some are kept in any case, because the rate of a member without permits is 0.
 */
function keptForHigh(state: FleetState, others: Others, rolling: boolean, now: number): number {
  const time = rolling ? 10_000 : Math.min(minute, keptUntil(state, now) - now);
  if (!others.high || time <= 0) return 0;
  const expected = others.highRate * time;
  const wanted = Math.ceil(expected + 2 * Math.sqrt(expected)) + 1;
  return Math.min(Math.floor(state.limit / 2), Math.max(wanted, Math.ceil(state.limit / 20)));
}

/** When other calls may use what is kept. It would be lost with the window, and the next window is so near that a call of high priority can wait. */
function keptUntil(state: FleetState, now: number): number {
  return (reachedAt(state, state.reset) ?? now) - releaseKept;
}

function grant(request: Request, { free }: Allowance): FleetReply {
  const { state, operation, member, others, now, sure, scarce } = request;
  if (!sure) state.trickleAt = soon(state, now);
  const promised = member.wantUntil > now ? member.promised : 0;
  // Without fair parts, the first member takes everything, and the others make a fifth more trips on rolling windows.
  const fairPart = Math.floor(free / (others.waiting + 1));
  const most = Math.max(1, fairPart, free - others.wants, promised);
  const needed = Math.min(operation.need, free, most);
  const steady = Math.ceil(operation.rate * (scarce ? 30_000 : minute)) - 1;
  const mayPrefetch = sure && needed === operation.need && !isDayNearlyExhausted(state);
  const ahead = mayPrefetch ? aheadFor(request, free - needed - others.wants, steady) : 0;
  const count = needed + ahead;
  if (ahead > 0 && ahead <= steady)
    return give(request, 'grant', count, scarce ? scarceLease : longLease);
  const lease = leaseForNeed(state, count, inFlightCap(request));
  const answer = give(request, 'grant', count, lease);
  // Permits are returned soon if their calls gave up or their workers stopped.
  answer.returnAfter = 2_000;
  return answer;
}

/** Permits for later calls, so that these need no operation of the store. Other members must not lack them. */
function aheadFor(
  { state, operation, others, scarce }: Request,
  spare: number,
  steady: number,
): number {
  const members = others.count + 1;
  if (state.limit < 4 * members) return 0;
  // A member that used its last lease quickly gets twice as many.
  const quick = operation.need <= operation.lastLease ? 2 * operation.lastLease : 0;
  const rates = others.rate + operation.rate;
  const part = Math.max(rates > 0 ? operation.rate / rates : 0, quick > 0 ? 1 / members : 0);
  const most = Math.floor(state.limit * Math.min(0.8, state.limit / members / 40)) - others.ahead;
  const bySpare = Math.floor(spare * (scarce ? part : Math.max(part, 0.25)));
  return Math.max(0, Math.min(most, Math.max(steady, quick), bySpare));
}

/** Nothing may be granted now: the member asks again when that may have changed. */
function sendAway(request: Request, { left, reserved, byLog }: Allowance): FleetReply {
  const { state, operation, member, others, now } = request;
  state.scarceAt = now;
  // Only a part of the remaining requests may be granted at a time, and others have that part.
  if (left > 0) {
    const pause = Math.max(30, rttOr(state, 100)) * Math.min(20, 2 ** operation.repeats);
    const answer = later(request, 'careful', now + pause);
    answer.repeat = true;
    return answer;
  }
  const resetAt = reachedAt(state, state.reset);
  if (resetAt === undefined) {
    if (others.out + held(member) > 0) return later(request, 'out', soon(state, now));
    extendHold(state, now + blindHold, pad);
    toProbe(state, now);
    return later(request, 'unknown', turnAfter(state, state.resumeAt));
  }
  const open = resetAt + pad;
  if (byLog) return nextOfRollingMinute(request, left, open);
  if (now < open) return untilReset(request, left + reserved, open);
  if (held(member) > 0) return later(request, 'out', soon(state, now));
  toProbe(state, now);
  return probe(request);
}

/** The window is used up, but for what is kept for others. */
function untilReset(request: Request, kept: number, open: number): FleetReply {
  const { state, others, now } = request;
  // Reserved permits decrease, and absent members return.
  const release = keptUntil(state, now);
  if (now < release && kept > 0)
    return later(request, 'idle', Math.min(release, now + Math.max(2_000, (release - now) / 8)));
  // Permits for future calls may be returned before the window ends.
  if (others.idleAhead > 0 && open - now > 6_000)
    return later(request, 'idle', now + Math.max(4_000, (open - now) / 3));
  return later(request, 'exhausted', turnAfter(state, open));
}

function probe(request: Request): FleetReply {
  const { state, operation, now } = request;
  state.prober = operation.member;
  state.probeAt = now;
  const timeout = state.rtt === 0 ? firstProbeTimeout : Math.max(probeTimeout, 4 * state.rtt);
  state.probeUntil = now + timeout;
  const answer = give(request, 'probe', 1, leaseForNeed(state, 1, 1));
  answer.probe = true;
  answer.prompt = true;
  answer.inFlightCap = 1;
  return answer;
}

/** The round-trip time, or a guess. */
function rttOr(state: FleetState, guess: number): number {
  return state.rtt > 0 ? state.rtt : guess;
}

function soon(state: FleetState, now: number): number {
  return now + Math.max(50, state.rtt);
}

function afterProbe(state: FleetState, now: number): number {
  const rtt = rttOr(state, 120);
  return Math.max(state.probeAt + 1.3 * rtt, now + Math.max(40, 0.5 * rtt));
}

/**
 * When the member asks again after `moment`. The first member asks at once and gets the probe; the others ask after its
 * response. If all came at once, 16 members on rolling windows would make twice as many trips.
 */
function turnAfter(state: FleetState, moment: number): number {
  if (Math.abs(state.deniedFor - moment) > 2_000) {
    state.deniedFor = moment;
    state.deniedCount = 0;
  }
  state.deniedCount += 1;
  return state.deniedCount === 1 ? moment : moment + 2 * state.rtt + 50;
}

/**
 * Sends the member away until its part of the rolling minute is free again, after the parts of the members that wait already.
 * Without this and the log, 64 members meet a 429 in 90 runs and make twice as many trips.
 */
function nextOfRollingMinute(request: Request, left: number, open: number): FleetReply {
  const { state, operation, member, others, now } = request;
  const part = Math.min(operation.need, Math.max(1, Math.ceil(state.limit / 60)));
  let missing = others.promised + part - left;
  let when = now + 1_000;
  const newest = Math.floor(now / 1_000);
  for (let at = Math.ceil((now - rollingMinute) / 1_000); at <= newest; at += 1) {
    const spent = state.log[at] ?? 0;
    missing -= spent;
    if (spent > 0) when = (at + 61) * 1_000 + 110;
    if (missing <= 0) break;
  }
  // Not later than the pace of a minute allows.
  const byPace = Math.max(open, now) + others.promised / (state.limit / minute);
  const answer = later(request, 'rolls', Math.max(now + 100, Math.min(when, byPace)));
  member.promised = part;
  return answer;
}
