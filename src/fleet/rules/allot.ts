import { constants } from './constants.js';
import { extendHold, isAlone, isRolling, reachedAt, toProbe } from './learn.js';
import { requestsInMinute, type Others } from './members.js';
import type { SyncOperation, SyncReply } from './operations.js';
import {
  give,
  held,
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

/** Decides what the member gets: permits, the probe, or a moment to come back at. */
export function allot(
  state: FleetState,
  operation: SyncOperation,
  member: MemberState,
  others: Others,
  now: number,
): SyncReply {
  const request: Request = {
    state,
    operation,
    member,
    others,
    now,
    sure: isAlone(state) && now >= state.carefulUntil,
    rolling: isRolling(state, now),
    scarce:
      state.scarceAt > now - 1.5 * constants.minute ||
      state.recent * 2 * Math.LN2 > 0.7 * state.limit,
  };
  const soon = now + Math.max(50, state.rtt);
  if (operation.need <= 0) {
    member.want = 0;
    return reply(request, 'report', {});
  }
  if (now < state.resumeAt) return later(request, 'hold', turnAfter(state, state.resumeAt));
  if (state.mode !== 'OPEN') {
    const isTaken =
      state.prober !== '' && state.prober !== operation.member && now < state.probeUntil;
    if (isTaken) return later(request, 'probing', afterProbe(state, now));
    return held(member) > 0 ? later(request, 'out', soon) : probe(request);
  }
  const allowance = allowanceOf(request);
  if (allowance.free > 0) return grant(request, allowance);
  state.scarceAt = now;
  // Only a part of what is left may be granted at a time, and that part is granted to others.
  if (allowance.left > 0)
    return later(
      request,
      'careful',
      now + Math.max(30, state.rtt || 100) * Math.min(20, 2 ** operation.repeats),
      {
        repeat: true,
      },
    );
  const resetAt = reachedAt(state, state.reset);
  if (resetAt === undefined) {
    if (others.out + held(member) > 0) return later(request, 'out', soon);
    extendHold(state, now + constants.blindHold, constants.pad);
    toProbe(state, now);
    return later(request, 'unknown', turnAfter(state, state.resumeAt));
  }
  const open = resetAt + constants.pad;
  if (allowance.byLog) return nextOfRollingMinute(request, allowance.left, open);
  if (now < open) {
    // What is kept becomes less, and who is away comes back.
    const release = keptUntil(state, now);
    if (now < release && allowance.left + allowance.reserved > 0)
      return later(request, 'idle', Math.min(release, now + Math.max(2_000, (release - now) / 8)));
    // Permits that were granted for calls to come may come back before the window ends.
    const maySoonReturn = others.idleAhead > 0 && open - now > 6_000;
    return maySoonReturn
      ? later(request, 'idle', now + Math.max(4_000, (open - now) / 3))
      : later(request, 'exhausted', turnAfter(state, open));
  }
  if (held(member) > 0) return later(request, 'out', soon);
  toProbe(state, now);
  return probe(request);
}

/** How much of the quota is left: the largest of two lower bounds, or three for rolling windows. Then how much of it this member may have. */
function allowanceOf({ state, operation, member, others, now, sure, rolling }: Request): Allowance {
  const awayShares = others.away * Math.ceil(state.limit / (others.count + 1));
  const out = others.out + held(member) + awayShares;
  if (state.remaining < 0)
    return { left: state.blind - out, free: state.blind - out, reserved: 0, byLog: false };
  const own = state.own + state.ownNow;
  const strangers = state.others + state.othersNow;
  const share = (own + 1) / (own + 1 + strangers);
  const room = Math.max(
    0,
    Math.min(Math.ceil(strangers / (own + 1) - 0.25), 8, Math.floor(state.limit / 20)),
  );
  // After lost state some processes spend leases that the new state does not know. Their requests are in no count yet.
  const isCounted = (since: number) => since > state.lostAt + constants.leaseAhead;
  const byLog =
    sure &&
    rolling &&
    now - state.logWrongAt > constants.distrustLog &&
    isCounted(now - constants.rollingMinute);
  let left = state.remaining - out;
  if (sure && !rolling && isCounted(state.baseAt))
    left = Math.max(left, Math.min(state.remaining, state.base - state.consumed - out));
  if (byLog) left = Math.max(left, state.limit - requestsInMinute(state, now) - out);
  left -= room;
  let free = left;
  if (!sure && !(state.planned && state.othersNow === 0)) {
    const slice = Math.floor((state.remaining - room) * Math.min(1 / constants.slice, share / 2));
    free = Math.min(left, Math.min(Math.max(1, slice), inFlightTotal(state)) - out);
    // Old leases must not starve the careful phase.
    if (free <= 0 && left > 0 && now >= state.trickleAt) free = 1;
  }
  if (isDayNearlyExhausted(state)) free = Math.min(free, 4 - out);
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
  const time = rolling ? 10_000 : Math.min(constants.minute, keptUntil(state, now) - now);
  if (others.high === 0 || time <= 0) return 0;
  const expected = others.highRate * time;
  const wanted = Math.ceil(expected + 2 * Math.sqrt(expected)) + 1;
  return Math.min(Math.floor(state.limit / 2), Math.max(wanted, Math.ceil(state.limit / 20)));
}

/** When other calls may use what is kept. It would be lost with the window, and the next window is so near that a call of high priority can wait. */
function keptUntil(state: FleetState, now: number): number {
  return (reachedAt(state, state.reset) ?? now) - constants.releaseKept;
}

function grant(request: Request, { left, free }: Allowance): SyncReply {
  const { state, operation, member, others, now, sure, scarce } = request;
  if (!sure) state.trickleAt = now + Math.max(50, state.rtt);
  const promised = member.wantUntil > now ? member.promised : 0;
  const fairPart = Math.floor(free / (others.waiting + 1));
  const needed = Math.min(
    operation.need,
    free,
    Math.max(1, fairPart, free - others.wants, promised),
  );
  const steady = Math.ceil(operation.rate * (scarce ? 30_000 : constants.minute)) - 1;
  const ahead =
    sure && needed === operation.need && !isDayNearlyExhausted(state)
      ? aheadFor(request, free - needed - others.wants, steady)
      : 0;
  const isShort = ahead === 0 || ahead > steady;
  const leaseFor = isShort
    ? leaseForNeed(state, needed + ahead, inFlightCap(request))
    : scarce
      ? constants.leaseScarce
      : constants.leaseAhead;
  return give(request, 'grant', needed + ahead, leaseFor, {
    left: left - needed - ahead,
    // Permits are returned soon if their calls gave up or their workers stopped.
    ...(isShort && { returnAfter: 2_000 }),
  });
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

function probe(request: Request): SyncReply {
  const { state, operation, now } = request;
  state.prober = operation.member;
  state.probeAt = now;
  state.probeUntil = now + Math.max(constants.probeTimeout, 4 * state.rtt);
  return give(request, 'probe', 1, leaseForNeed(state, 1, 1), {
    probe: true,
    prompt: true,
    inFlightCap: 1,
  });
}

function afterProbe(state: FleetState, now: number): number {
  const rtt = state.rtt || 120;
  return Math.max(state.probeAt + 1.3 * rtt, now + Math.max(40, 0.5 * rtt));
}

/** When the member asks again after `moment`. The first member asks at once and gets the probe; the others ask after its response. */
function turnAfter(state: FleetState, moment: number): number {
  if (Math.abs(state.deniedFor - moment) > 2_000) {
    state.deniedFor = moment;
    state.deniedCount = 0;
  }
  state.deniedCount += 1;
  return state.deniedCount === 1 ? moment : moment + 2 * state.rtt + 50;
}

/** Sends the member away until its part of the rolling minute is free again, after the parts of the members that wait already. */
function nextOfRollingMinute(request: Request, left: number, open: number): SyncReply {
  const { state, operation, others, now } = request;
  const part = Math.min(operation.need, Math.max(1, Math.ceil(state.limit / 60)));
  let missing = others.promised + part - left;
  let when = now + 1_000;
  const seconds = Object.keys(state.log)
    .map(Number)
    .sort((a, b) => a - b);
  for (const second of seconds) {
    if (second * 1_000 < now - constants.rollingMinute) continue;
    missing -= state.log[second]!;
    when = (second + 61) * 1_000 + 110;
    if (missing <= 0) break;
  }
  // No later than a minute's pace allows.
  const byPace = Math.max(open, now) + others.promised / (state.limit / constants.minute);
  return later(request, 'rolls', Math.max(now + 100, Math.min(when, byPace)), {}, part);
}
