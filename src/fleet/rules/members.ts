import { forgetAfter, grace, longLease, minute, never, rollingMinute } from './constants.js';
import type { FleetOperation } from './operations.js';
import { createMember, type FleetState, type MemberState } from './state.js';

/** What the other members hold and want. */
export type Others = ReturnType<typeof noOthers>;

function noOthers() {
  return {
    count: 0,
    /** Members whose name sorts before the one that asks. */
    before: 0,
    /** Permits and requests that may still be spent or are not reported, the permits among them, and how many members have some. */
    out: 0,
    unsent: 0,
    holders: 0,
    /** Members that have not returned yet, and may send their share without the store. */
    away: 0,
    /** Members that wait, the calls that they want permits for, and what they were promised of a rolling window. */
    waiting: 0,
    wants: 0,
    promised: 0,
    /** Permits for calls to come; those of members that have been quiet for 5 s. */
    ahead: 0,
    idleAhead: 0,
    /** Calls a ms of the members seen within a minute. */
    rate: 0,
    /** Whether members had calls of high priority lately, and the calls a ms of those that had. */
    high: false,
    highRate: 0,
  };
}

/** Permits and requests that the member may still spend, or has not reported. */
export function held(member: MemberState): number {
  return member.unsent + member.inFlight;
}

/** Sums up the other members. The permits of a lease that has ended count as used, because they may have been. Members that are silent for long are removed. */
export function sweep(state: FleetState, self: string, now: number): Others {
  const others = noOthers();
  for (const id in state.members) {
    const member = state.members[id]!;
    if (id !== self) {
      expire(state, member, now);
      const isSilent = now - member.seenAt > forgetAfter && member.wantUntil < now;
      if (held(member) === 0 && isSilent) delete state.members[id];
      else addUp(others, state, member, id < self, now);
    }
  }
  return others;
}

function addUp(
  others: Others,
  state: FleetState,
  member: MemberState,
  isBefore: boolean,
  now: number,
): void {
  others.count += 1;
  if (isBefore) others.before += 1;
  others.out += held(member);
  others.unsent += member.unsent;
  if (held(member) > 0) others.holders += 1;
  if (now < state.outageUntil && member.seenAt < state.outageAt) others.away += 1;
  if (member.want > 0 && member.wantUntil >= now) {
    others.waiting += 1;
    others.wants += member.want;
    others.promised += member.promised;
  }
  const quietFor = now - member.seenAt;
  if (member.unsent > 0) others.ahead += member.ahead;
  if (member.unsent > 0 && quietFor > 5_000) others.idleAhead += member.ahead;
  if (quietFor < minute) others.rate += member.rate;
  if (now - member.highAt < 2 * minute) {
    others.high = true;
    others.highRate += member.rate;
  }
}

function expire(state: FleetState, member: MemberState, now: number): void {
  if (member.inFlight > 0 && now >= member.inFlightEnd + grace) {
    assumeSent(state, member, member.inFlight, member.inFlightEnd);
    member.inFlight = 0;
  }
  if (member.unsent > 0 && now >= member.unsentEnd + grace) {
    assumeSent(state, member, member.unsent, member.unsentEnd);
    member.unsent = 0;
  }
}

function assumeSent(state: FleetState, member: MemberState, count: number, end: number): void {
  // Remaining already includes requests that were sent before it was read.
  if (end >= state.remainingAt) spend(state, count);
  if (end >= state.baseAt) {
    state.consumed += count;
    state.ownNow += count;
  }
  const second = Math.floor((end + 500) / 1_000);
  addToLog(state, second, count);
  member.assumed.push([second, count]);
}

/** Takes requests from what remains of the window, if that is known. */
export function spend(state: FleetState, count: number): void {
  if (state.remaining > 0) state.remaining = Math.max(0, state.remaining - count);
}

/** Counts spent requests towards a second of the store's clock. */
export function addToLog(state: FleetState, second: number, count: number): void {
  state.log[second] = (state.log[second] ?? 0) + count;
}

/** Requests that the fleet spent in the minute before `moment`. */
export function requestsInMinute(state: FleetState, moment: number): number {
  let spent = 0;
  for (const second in state.log)
    if (Number(second) * 1_000 >= moment - rollingMinute) spent += state.log[second]!;
  return spent;
}

/** Stores what the member reports about itself, and returns the member. */
export function declare(state: FleetState, operation: FleetOperation, now: number): MemberState {
  const known = state.members[operation.member];
  const member = known ?? createMember(now);
  state.members[operation.member] = member;
  member.sequence = operation.sequence;
  member.seenAt = now;
  member.unsent = operation.unsent;
  if (member.unsent === 0) member.unsentEnd = 0;
  else if (known === undefined) member.unsentEnd = now + longLease;
  member.inFlight = operation.inFlight;
  member.inFlightEnd = now + Math.max(4 * state.rtt, 2_000);
  member.rate = operation.rate;
  if (operation.high > 0) member.highAt = now;
  return member;
}

/** The member leaves. Its requests count until they are surely over; then it is forgotten. */
export function leave(state: FleetState, id: string, member: MemberState): void {
  if (member.inFlight === 0) delete state.members[id];
  member.unsent = 0;
  member.seenAt = never;
  member.wantUntil = never;
  member.highAt = never;
}
