import {
  holdAfter429,
  longestOverload,
  longestPlausibleWait,
  pad,
  refusedProbes,
} from '../../rate-limit/rules/hold-rule.js';
import { clockDrift, isAlone, longWindow } from '../../rate-limit/rules/pace.js';
import { evidence, longestPast, minute, never, rollingFor } from './constants.js';
import { addToLog, requestsInMinute, spend } from './members.js';
import type { FleetOperation, Observation, RateLimitedObservation } from './operations.js';
import type { FleetState, MemberState } from './state.js';

/** A Reset that moved by less than this is that of a rolling window: those of fixed ones are a minute apart. */
const wholeWindow = 50_000;

/** A report, and what follows from it. */
export interface Report {
  readonly state: FleetState;
  readonly operation: FleetOperation;
  readonly now: number;
  /** Successes that the state did not know of. */
  readonly successes: number;
  /** Permits and requests of the whole fleet that are not reported. */
  readonly out: number;
}

/** When the service has surely reached an instant of its clock, on the clock of the store; `undefined`: unknown, or too far ahead to be true. */
export function reachedAt(
  state: FleetState,
  instant: number,
  low = state.serviceLow ?? state.resetLow,
): number | undefined {
  if (instant === 0 || low === undefined) return undefined;
  const reached = instant - low;
  return reached - state.newest > longestPlausibleWait ? undefined : reached;
}

/** Whether the window is a rolling one: its requests become free one by one, not all at once. */
export function isRolling(state: FleetState, now: number): boolean {
  return now - state.rollingAt < rollingFor;
}

/** Whether the fleet is the only user of the API key, as far as the headers show. */
export function isOnlyUser(state: FleetState): boolean {
  return state.answered >= evidence && isAlone(state);
}

/** Forgets the window, because it has ended. The next request of the fleet is a probe, which finds out about the new one. */
export function toProbe(state: FleetState, now: number): void {
  state.mode = 'PROBE';
  state.probeFrom = now;
  state.remaining = -1;
  state.blind = 1;
  endProbe(state);
}

/** Nobody has the probe. */
export function endProbe(state: FleetState): void {
  state.prober = '';
  state.probeUntil = never;
}

/** Nothing is sent before `end`, and for `more` after it. A hold never becomes shorter. */
export function extendHold(state: FleetState, end: number, more: number): void {
  state.holdEndsAt = Math.max(state.holdEndsAt, end);
  state.resumeAt = Math.max(state.resumeAt, end + more);
}

/** Narrows down how far the clock of the service is ahead of the store's. */
export function learnClock(state: FleetState, operation: FleetOperation, now: number): void {
  const { limit = 0, reset = 0 } = operation.observation ?? {};
  // A minute window ends at most a minute ahead. A larger limit is that of a day.
  const byReset = reset - minute - now;
  if (reset > 0 && (state.limit === 0 || limit <= state.limit))
    state.resetLow = Math.max(state.resetLow ?? byReset, byReset);
  if (operation.clock === undefined) return;
  const { low, high } = operation.clock;
  const slack = (now - state.clockAt) * clockDrift;
  const knownLow = (state.serviceLow ?? low) - slack;
  const knownHigh = (state.serviceHigh ?? high) + slack;
  // The service has answered from another server, or a clock was set: the newest report is used.
  const contradicts = low > knownHigh || high < knownLow;
  state.serviceLow = contradicts ? low : Math.max(knownLow, low);
  state.serviceHigh = contradicts ? high : Math.min(knownHigh, high);
  state.clockAt = now;
}

/** Counts what the member has spent. Returns the successes that the state did not know of. */
export function countRequests(
  state: FleetState,
  operation: FleetOperation,
  member: MemberState,
  isNew: boolean,
  now: number,
): number {
  if (operation.rtt > 0) state.rtt += (state.rtt === 0 ? 1 : 0.2) * (operation.rtt - state.rtt);
  const successes = isNew ? operation.successes : operation.total - member.total;
  member.total = operation.total;
  const day = Math.floor(now / 86_400_000);
  state.dayCount = (day === state.day ? state.dayCount : 0) + successes;
  state.day = day;
  state.answered += successes;
  state.recent = state.recent * 2 ** (-(now - state.recentAt) / 30_000) + successes;
  state.recentAt = now;
  const second = Math.floor(now / 1_000);
  // The member itself reports what it has sent since its lease ended.
  for (const [assumed, count] of member.assumed) {
    const logged = state.log[assumed];
    if (logged !== undefined) state.log[assumed] = Math.max(0, logged - count);
  }
  member.assumed = [];
  for (const [spent, count] of operation.times) addToLog(state, Math.min(spent, second), count);
  // These successes were reported before, and the store has lost them.
  const forgotten = successes - operation.successes;
  if (forgotten > 0) addToLog(state, second, forgotten);
  if (operation.lost > 0) {
    addToLog(state, second, operation.lost);
    state.lost = state.lost.filter(([at]) => at > now - minute);
    state.lost.push([now, operation.lost]);
    state.consumed += operation.lost;
    spend(state, operation.lost);
  }
  for (const old in state.log) if (Number(old) * 1_000 < now - longestPast) delete state.log[old];
  return successes;
}

/** Learns from the headers of the newest answers. */
export function learnWindow(report: Report, seen: Observation): void {
  const { state, operation, now, successes } = report;
  const opens =
    state.mode !== 'OPEN' &&
    now >= state.resumeAt &&
    (state.mode === 'COLD' ||
      (state.prober === operation.member && operation.probeDone) ||
      (seen.sentAt >= state.resumeAt && seen.sentAt >= state.probeFrom));
  if (seen.remaining === undefined || seen.limit === undefined) {
    learnWithoutHeaders(state, successes);
    if (opens) state.mode = 'OPEN';
    return;
  }
  const { limit, reset = 0, sentAt } = seen;
  const remaining = Math.max(0, seen.remaining - unseenSince(state, sentAt));
  const inOrder = sentAt > state.acceptedAt;
  const same = limit === state.windowLimit;
  const comparable = same && reset > 0 && state.reset > 0;
  if (comparable && reset < state.reset - 1_000 && !inOrder) {
    // The response is from an earlier window, and arrived after one of the next window.
    state.own += successes;
    return;
  }
  const isOther = comparable
    ? Math.abs(reset - state.reset) > 1_000
    : inOrder && remaining > state.remaining;
  const fresh = !same || isOther;
  if (comparable && movedBy(state, reset, fresh) < wholeWindow) state.rollingAt = now;
  if (opens || (fresh && remaining >= state.remaining)) beginWindow(report, remaining, seen);
  else countInWindow(report, seen.remaining, sentAt);
  acceptWindow(state, limit, fresh || opens ? reset : Math.max(state.reset, reset), now);
  if (state.mode !== 'OPEN' && !opens) return;
  // A response that arrived out of order is used only if its value is lower.
  if (opens || fresh || state.remaining < 0 || remaining < state.remaining || inOrder) {
    state.remaining = remaining;
    state.remainingAt = sentAt;
  }
  state.mode = 'OPEN';
  if (sentAt > state.rateLimitedAt) state.rateLimitedCount = 0;
}

function learnWithoutHeaders(state: FleetState, successes: number): void {
  state.ownNow += successes;
  state.consumed += successes;
  if (state.remaining >= 0) return spend(state, successes);
  state.blind += successes;
  if (state.limit > 0) state.blind = Math.min(state.blind, state.limit);
}

/** Requests that members may have sent after `sentAt`, and that have not been reported or were lost. */
function unseenSince(state: FleetState, sentAt: number): number {
  let count = 0;
  for (const id in state.members)
    for (const [second, spent] of state.members[id]!.assumed)
      if (second * 1_000 + 1_000 > sentAt) count += spent;
  for (const [at, lost] of state.lost) if (at >= sentAt) count += lost;
  return count;
}

/** How far the Reset moved, ms: since the last answer, or little by little since the window was first seen. */
function movedBy(state: FleetState, reset: number, fresh: boolean): number {
  if (fresh) return Math.abs(reset - state.reset);
  return reset - state.firstReset > 1_500 ? reset - state.firstReset : wholeWindow;
}

/** The sums of the past windows halve each minute. */
function beginWindow(report: Report, remaining: number, { sentAt, reset = 0 }: Observation): void {
  const { state, now, successes } = report;
  const decay = 2 ** (-(now - state.foldedAt) / minute);
  state.own = (state.own + state.ownNow + successes) * decay;
  state.others = (state.others + state.othersNow) * decay;
  state.ownNow = 0;
  state.othersNow = 0;
  state.base = remaining;
  state.baseAt = sentAt;
  state.consumed = 0;
  state.foldedAt = now;
  state.firstReset = reset;
}

/** Counts what was spent in a window that is known, and tells from it what others have spent. */
function countInWindow(report: Report, remaining: number, sentAt: number): void {
  const { state, operation, now, successes, out } = report;
  let inWindow = Math.max(0, successes - operation.successes);
  for (const [second, count] of operation.times)
    if (Math.min(second * 1_000, now) + 1_000 > state.baseAt) inWindow += count;
  state.ownNow += successes;
  state.consumed += inWindow;
  if (!isRolling(state, now))
    state.othersNow = Math.max(state.othersNow, state.base - remaining - state.ownNow - out);
  else if (sentAt > now - 2_000) {
    const unexplained = state.limit - requestsInMinute(state, sentAt) - out - remaining;
    state.othersNow = Math.max(0, unexplained);
  }
}

function acceptWindow(state: FleetState, limit: number, reset: number, now: number): void {
  state.windowLimit = limit;
  state.reset = reset;
  state.acceptedAt = now;
  if ((reachedAt(state, reset) ?? 0) - now > longWindow && state.limit > 0) {
    // The limit of a day does not show how much a minute allows, nor the log of a minute what is left of the day.
    state.limit = Math.min(limit, state.limit);
    state.rollingAt = never;
  } else state.limit = limit;
}

/** A response asked to wait: nobody sends until then, as in the gate of one process. */
export function learnRateLimited(
  state: FleetState,
  limited: RateLimitedObservation,
  now: number,
): void {
  const { status, limit, reset, retryAfter, exhausted, sentAt } = limited;
  if (status === 503) {
    // The service is overloaded: that says nothing about the quota.
    const wait = Math.min(retryAfter ?? 0, longestOverload);
    hold(state, now, wait, wait, pad);
    return;
  }
  if (status === 429 && limit !== undefined && reset !== undefined) {
    state.windowLimit = limit;
    state.reset = reset;
    state.acceptedAt = now;
  }
  // A 429 of a request that was already in flight when the limit was reached does not count again.
  if (sentAt > state.rateLimitedAt) {
    state.rateLimitedCount += 1;
    if (status === 429 && state.mode === 'OPEN') {
      if (isRolling(state, now)) state.logWrongAt = now;
      state.others += state.own + state.ownNow + 1;
    }
  }
  state.rateLimitedAt = now;
  const isUnknown = state.serviceLow === undefined && retryAfter === undefined;
  const isFar = isUnknown && state.rateLimitedCount > refusedProbes;
  // By the clock of the store.
  const end = reachedAt(state, reset ?? 0, isFar ? 0 : undefined);
  const isPlausible = end !== undefined && end - now >= -longestPast;
  const placed = isPlausible ? { wait: end - now, estimated: false } : undefined;
  const response = { retryAfter, reset: placed, exhausted };
  const { stated, wait, padded } = holdAfter429(response, state.rateLimitedCount);
  hold(state, now, stated, wait, padded - wait);
}

function hold(state: FleetState, now: number, stated: number, wait: number, more: number): void {
  extendHold(state, now + wait, more);
  state.serverHoldUntil = Math.max(state.serverHoldUntil, now + stated);
  toProbe(state, now);
}
