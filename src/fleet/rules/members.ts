import { constants } from './constants.js';
import type { SyncOperation } from './operations.js';
import { createMember, type FleetState, type MemberState } from './state.js';

/** What the other members hold and want. */
export interface Others {
  count: number;
  /** Members whose name sorts before the one that asks. */
  before: number;
  /** Permits and requests that may still be spent or are not reported, and how many members have some. */
  out: number;
  holders: number;
  /** Members that have not returned yet, and may send their share without the store. */
  away: number;
  /** Members that wait, the calls that they want permits for, and what they were promised of a rolling window. */
  waiting: number;
  wants: number;
  promised: number;
  /** Permits for calls to come; those of members that have been quiet for 5 s. */
  ahead: number;
  idleAhead: number;
  /** Calls a ms of the members seen within a minute. */
  rate: number;
  /** Members that had calls of high priority lately, and their calls a ms. */
  high: number;
  highRate: number;
}

/** Sums up the other members. The permits of a lease that has ended count as used, because they may have been. Members that are silent for long are removed. */
export function sweep(state: FleetState, self: string, now: number): Others {
  const others: Others = {
    count: 0,
    before: 0,
    out: 0,
    holders: 0,
    away: 0,
    waiting: 0,
    wants: 0,
    promised: 0,
    ahead: 0,
    idleAhead: 0,
    rate: 0,
    high: 0,
    highRate: 0,
  };
  for (const [id, member] of Object.entries(state.members)) {
    if (id === self) continue;
    expire(state, member, now);
    const held = member.unsent + member.inFlight;
    if (held === 0 && now - member.seenAt > constants.forgetAfter && member.wantUntil < now) {
      Reflect.deleteProperty(state.members, id);
      continue;
    }
    others.count += 1;
    if (id < self) others.before += 1;
    others.out += held;
    if (held > 0) others.holders += 1;
    if (now < state.outageUntil && member.seenAt < state.outageAt) others.away += 1;
    if (member.want > 0 && member.wantUntil >= now) {
      others.waiting += 1;
      others.wants += member.want;
      others.promised += member.promised;
    }
    if (member.unsent > 0) {
      others.ahead += member.ahead;
      if (now - member.seenAt > 5_000) others.idleAhead += member.ahead;
    }
    if (now - member.seenAt < constants.minute) others.rate += member.rate;
    if (now - member.highAt < 2 * constants.minute) {
      others.high += 1;
      others.highRate += member.rate;
    }
  }
  return others;
}

function expire(state: FleetState, member: MemberState, now: number): void {
  if (member.inFlight > 0 && now >= member.inFlightEnd + constants.grace) {
    assumeSent(state, member, member.inFlight, member.inFlightEnd);
    member.inFlight = 0;
  }
  if (member.unsent > 0 && now >= member.unsentEnd + constants.grace) {
    assumeSent(state, member, member.unsent, member.unsentEnd);
    member.unsent = 0;
  }
}

function assumeSent(state: FleetState, member: MemberState, count: number, end: number): void {
  // Requests that were sent before Remaining was seen are contained in it.
  if (end >= state.remainingAt && state.remaining > 0)
    state.remaining = Math.max(0, state.remaining - count);
  if (end >= state.baseAt) {
    state.consumed += count;
    state.ownNow += count;
  }
  const second = Math.floor((end + 500) / 1_000);
  addToLog(state, second, count);
  member.assumed.push([second, count]);
}

/** Counts spent requests towards a second of the store's clock. */
export function addToLog(state: FleetState, second: number, count: number): void {
  state.log[second] = (state.log[second] ?? 0) + count;
}

/** Requests that the fleet spent in the minute before `moment`. */
export function requestsInMinute(state: FleetState, moment: number): number {
  let spent = 0;
  for (const [second, count] of Object.entries(state.log))
    if (Number(second) * 1_000 >= moment - constants.rollingMinute) spent += count;
  return spent;
}

/** Stores what the member reports about itself, and returns the member. */
export function declare(state: FleetState, operation: SyncOperation, now: number): MemberState {
  const known = state.members[operation.member];
  const member = known ?? (state.members[operation.member] = createMember(now));
  member.sequence = operation.sequence;
  member.seenAt = now;
  member.unsent = operation.unsent;
  if (member.unsent === 0) member.unsentEnd = 0;
  else if (known === undefined) member.unsentEnd = now + constants.leaseAhead;
  member.inFlight = operation.inFlight;
  member.inFlightEnd = now + Math.max(4 * state.rtt, 2_000);
  member.rate = operation.rate;
  if (operation.high > 0) member.highAt = now;
  return member;
}
