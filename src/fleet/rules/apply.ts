import { allot } from './allot.js';
import { constants } from './constants.js';
import {
  countRequests,
  extendHold,
  learnClock,
  learnRateLimited,
  learnWindow,
  reachedAt,
  toProbe,
} from './learn.js';
import { declare, sweep } from './members.js';
import type {
  FleetOperation,
  FleetReply,
  LeaveOperation,
  PeekOperation,
  PeekReply,
  SyncOperation,
  SyncReply,
} from './operations.js';
import { createMember, createState, never, type FleetState, type MemberState } from './state.js';

/**
 * Applies one operation to the state of a key, for stores that can read, change and write a text in one transaction.
 *
 * @param text the state as it was stored; `undefined` when there is none.
 * @param now the time of the store, ms since the epoch: one clock for all processes.
 * @returns what to store, `undefined` when nothing changed; and the reply.
 *
 * @example
 * ```ts
 * import { applyOperation, type FleetStore } from 'petstore-client/fleet';
 *
 * const texts = new Map<string, string>();
 * const store: FleetStore = {
 *   async run(key, operation) {
 *     const { text, reply } = applyOperation(texts.get(key), operation, Date.now());
 *     if (text !== undefined) texts.set(key, text);
 *     return reply;
 *   },
 * };
 * ```
 */
export function applyOperation(
  text: string | undefined,
  operation: FleetOperation,
  now: number,
): { readonly text: string | undefined; readonly reply: FleetReply } {
  const known = text === undefined ? undefined : (JSON.parse(text) as FleetState);
  const state = known ?? createState(operation.kind === 'sync' ? operation.newGeneration : '', now);
  const moment = Math.max(now, state.newest);
  if (operation.kind === 'peek') return { text: undefined, reply: peek(state, operation, moment) };
  state.newest = moment;
  if (operation.kind === 'leave') {
    if (known === undefined) return { text: undefined, reply: { kind: 'leave' } };
    leave(state, operation);
    return { text: JSON.stringify(state), reply: { kind: 'leave' } };
  }
  const reply = sync(state, operation, moment);
  return { text: JSON.stringify(state), reply };
}

/** Learns from the report of a member, and decides how many permits it gets. */
function sync(state: FleetState, operation: SyncOperation, now: number): SyncReply {
  const known = state.members[operation.member];
  if (known !== undefined && operation.sequence <= known.sequence) return staleReply(state, now);
  if (operation.perMinute !== undefined && state.mode === 'COLD' && state.windowLimit === 0)
    usePlan(state, operation.perMinute);
  if (operation.perDay !== undefined) state.perDay = operation.perDay;
  if (hasLostState(state, operation, known)) rest(state, now);

  if (operation.aloneFor > 0) {
    state.outageAt = Math.max(state.outageAt, now - operation.aloneFor);
    state.outageUntil = now + constants.rollingMinute;
  }

  const others = sweep(state, operation.member, now);
  const member = declare(state, operation, now);
  learnClock(state, operation, now);
  const successes = countRequests(state, operation, member, known === undefined, now);
  const out = others.out + member.unsent + member.inFlight;
  if (operation.observation === undefined) state.ownNow += successes;
  else learnWindow(state, operation, operation.observation, successes, out, now);
  if (operation.rateLimited !== undefined) learnRateLimited(state, operation.rateLimited, now);
  if (state.prober === operation.member && operation.probeDone) {
    state.prober = '';
    state.probeUntil = never;
  }
  return allot(state, operation, member, others, now);
}

function usePlan(state: FleetState, perMinute: number): void {
  state.limit = perMinute;
  state.remaining = perMinute;
  state.base = perMinute;
  state.mode = 'OPEN';
  state.planned = true;
}

/** Whether the store was emptied, or lost its newest writes in a failover. Members may hold leases then that the state does not contain. */
function hasLostState(
  state: FleetState,
  operation: SyncOperation,
  known: MemberState | undefined,
): boolean {
  if (operation.generation === '') return false;
  if (operation.generation !== state.generation) return true;
  return known === undefined
    ? operation.acknowledgedAgo < 100_000
    : known.sequence < operation.acknowledged;
}

/** Grants nothing for a time, so that the unknown leases end. */
function rest(state: FleetState, now: number): void {
  if (now - state.lostAt <= constants.careful) return;
  state.lostAt = now;
  state.carefulUntil = now + constants.careful;
  extendHold(state, now + constants.rest, 0);
  toProbe(state, now);
}

function leave(state: FleetState, { member, sequence }: LeaveOperation): void {
  const known = state.members[member];
  if (known === undefined || sequence <= known.sequence) return;
  if (known.inFlight === 0) Reflect.deleteProperty(state.members, member);
  // Its requests count until they are surely over; then it is forgotten.
  else {
    const { inFlight, inFlightEnd, total, assumed } = known;
    const rest = { sequence, inFlight, inFlightEnd, total, assumed };
    state.members[member] = { ...createMember(never), ...rest };
  }
  if (state.prober !== member) return;
  state.prober = '';
  state.probeUntil = never;
}

function peek(state: FleetState, { member: self = '' }: PeekOperation, now: number): PeekReply {
  // The state is not stored: what has ended is removed in the reply only.
  const others = sweep(state, self, now);
  let unsent = 0;
  for (const [id, member] of Object.entries(state.members))
    if (id !== self) unsent += member.unsent;
  return {
    kind: 'peek',
    now,
    members: Object.keys(state.members).length,
    leases: others.holders,
    unsent,
    inFlight: others.out - unsent,
    limit: state.limit,
    remaining: state.remaining,
    resetAt: reachedAt(state, state.reset) ?? 0,
    resumeAt: state.resumeAt,
  };
}

function staleReply(state: FleetState, now: number): SyncReply {
  return {
    kind: 'sync',
    stale: true,
    decision: 'report',
    now,
    generation: state.generation,
    members: Object.keys(state.members).length,
    rank: 0,
    limit: state.limit,
    granted: 0,
    leaseFor: 0,
    probe: false,
    inFlightCap: 1,
    left: -1,
    resumeAt: state.resumeAt,
    holdEndsAt: state.holdEndsAt,
    serverHoldUntil: state.serverHoldUntil,
    retryAt: 0,
    repeat: false,
    resetAt: 0,
    prompt: false,
    returnAfter: 0,
    eager: false,
  };
}
