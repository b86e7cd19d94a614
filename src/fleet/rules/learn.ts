import { holdAfter429 } from '../../rate-limit/rules/hold-rule.js';
import { constants } from './constants.js';
import { addToLog, requestsInMinute } from './members.js';
import type { Observation, RateLimitedObservation, SyncOperation } from './operations.js';
import { never, type FleetState, type MemberState } from './state.js';

/** How much two clocks may drift apart, in ms per ms. */
const drift = 1e-4;
/** A Reset that moved by less than this is that of a rolling window: those of fixed ones are a minute apart. */
const wholeWindow = 50_000;
/** A window that ends later than this is not the minute's. */
const longWindow = 65_000;

/** When the service has surely reached an instant of its clock, on the clock of the store; `undefined`: unknown, or too far ahead to be true. */
export function reachedAt(state: FleetState, instant: number): number | undefined {
  const low = state.serviceLow ?? state.resetLow;
  if (instant === 0 || low === undefined) return undefined;
  const reached = instant - low;
  return reached - state.newest > constants.longestPlausibleWait ? undefined : reached;
}

/** Whether the window is a rolling one: its requests become free one by one, not all at once. */
export function isRolling(state: FleetState, now: number): boolean {
  return now - state.rollingAt < constants.rollingFor;
}

/** Whether the fleet is the only user of the API key, as far as the headers show. */
export function isAlone(state: FleetState): boolean {
  return (
    state.answered >= constants.evidence &&
    state.others <= (state.own + state.ownNow) / 10 &&
    state.othersNow <= 1 + state.ownNow / 20
  );
}

/** Forgets the window, because it has ended. The next request of the fleet is a probe, which finds out about the new one. */
export function toProbe(state: FleetState, now: number): void {
  state.mode = 'PROBE';
  state.probeFrom = now;
  state.remaining = -1;
  state.blind = 1;
  state.first = false;
  state.planned = false;
  state.prober = '';
  state.probeUntil = never;
}

/** Narrows down how far the clock of the service is ahead of the store's. */
export function learnClock(state: FleetState, operation: SyncOperation, now: number): void {
  const reset = operation.observation?.reset ?? 0;
  if (reset > 0)
    state.resetLow = Math.max(
      state.resetLow ?? reset - constants.minute - now,
      reset - constants.minute - now,
    );
  if (operation.clock === undefined) return;
  const { low, high } = operation.clock;
  const slack = (now - state.clockAt) * drift;
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
  operation: SyncOperation,
  member: MemberState,
  isNew: boolean,
  now: number,
): number {
  if (operation.rtt > 0) state.rtt += (state.rtt === 0 ? 1 : 0.2) * (operation.rtt - state.rtt);
  const day = Math.floor((now + (state.serviceLow ?? 0)) / 86_400_000);
  if (day !== state.day) {
    state.day = day;
    state.dayCount = 0;
  }
  const successes = isNew ? operation.successes : operation.total - member.total;
  member.total = operation.total;
  state.dayCount += successes;
  state.answered += successes;
  state.recent = state.recent * 2 ** (-(now - state.recentAt) / 30_000) + successes;
  state.recentAt = now;
  const second = Math.floor(now / 1_000);
  for (const [assumed, count] of member.assumed)
    if (state.log[assumed] !== undefined)
      state.log[assumed] = Math.max(0, state.log[assumed] - count);
  member.assumed = [];
  for (const [spent, count] of operation.times) addToLog(state, Math.min(spent, second), count);
  // Reported before, and lost by the store since.
  const forgotten = successes - operation.successes;
  if (forgotten > 0) addToLog(state, second, forgotten);
  if (operation.lost > 0) {
    addToLog(state, second, operation.lost);
    const known = state.lost.filter(([at]) => at > now - constants.minute);
    state.lost = [[now, operation.lost], ...known];
    state.consumed += operation.lost;
    if (state.remaining > 0) state.remaining = Math.max(0, state.remaining - operation.lost);
  }
  for (const old of Object.keys(state.log))
    if (Number(old) * 1_000 < now - 65_000) Reflect.deleteProperty(state.log, old);
  return successes;
}

/** Learns from the headers of the newest answers. `out`: permits and requests of the whole fleet that are not reported. */
export function learnWindow(
  state: FleetState,
  operation: SyncOperation,
  seen: Observation,
  successes: number,
  out: number,
  now: number,
): void {
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
  const fresh =
    !same ||
    (comparable ? Math.abs(reset - state.reset) > 1_000 : inOrder && remaining > state.remaining);
  if (comparable && movedBy(state, reset, fresh) < wholeWindow) state.rollingAt = now;
  if (opens || (fresh && remaining >= state.remaining))
    beginWindow(state, remaining, successes, sentAt, reset, now);
  else countInWindow(state, operation, seen.remaining, sentAt, successes, out, now);
  if (limit !== state.limit) state.planned = false;
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
  if (state.remaining > 0) state.remaining = Math.max(0, state.remaining - successes);
  else if (state.remaining < 0)
    state.blind = Math.min(state.blind + successes, state.limit || Infinity);
}

/** Requests that members may have sent after `sentAt`, and that have not been reported or were lost. */
function unseenSince(state: FleetState, sentAt: number): number {
  let count = 0;
  for (const member of Object.values(state.members))
    for (const [second, spent] of member.assumed)
      if (second * 1_000 + 1_000 > sentAt) count += spent;
  for (const [at, lost] of state.lost) if (at >= sentAt) count += lost;
  return count;
}

/** How far the Reset moved, ms: since the last answer, or little by little since the window was first seen. */
function movedBy(state: FleetState, reset: number, fresh: boolean): number {
  if (fresh) return Math.abs(reset - state.reset);
  return reset - state.firstReset > 1_500 ? reset - state.firstReset : Infinity;
}

function beginWindow(
  state: FleetState,
  remaining: number,
  successes: number,
  sentAt: number,
  reset: number,
  now: number,
): void {
  const decay = 2 ** (-(now - state.foldedAt) / constants.minute);
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
function countInWindow(
  state: FleetState,
  operation: SyncOperation,
  seenRemaining: number,
  sentAt: number,
  successes: number,
  out: number,
  now: number,
): void {
  let inWindow = Math.max(0, successes - operation.successes);
  for (const [second, count] of operation.times)
    if (Math.min(second * 1_000, now) + 1_000 > state.baseAt) inWindow += count;
  state.ownNow += successes;
  state.consumed += inWindow;
  if (isRolling(state, now)) {
    if (sentAt > now - 2_000)
      state.othersNow = Math.max(
        0,
        state.limit - requestsInMinute(state, sentAt) - out - seenRemaining,
      );
  } else
    state.othersNow = Math.max(state.othersNow, state.base - seenRemaining - state.ownNow - out);
}

function acceptWindow(state: FleetState, limit: number, reset: number, now: number): void {
  state.windowLimit = limit;
  state.reset = reset;
  state.acceptedAt = now;
  const end = reachedAt(state, reset);
  // The limit of a day's window is no measure for a minute's work.
  const isLong = end !== undefined && end - now > longWindow && state.limit > 0;
  state.limit = isLong ? Math.min(limit, state.limit) : limit;
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
    extendHold(state, now + (retryAfter ?? 0), constants.pad);
    state.serverHoldUntil = Math.max(state.serverHoldUntil, now + (retryAfter ?? 0));
    return toProbe(state, now);
  }
  if (status === 429 && limit !== undefined && reset !== undefined) {
    state.windowLimit = limit;
    state.reset = reset;
    state.acceptedAt = now;
  }
  // The 429 of a request that was in flight already when the limit was hit is not a second one.
  if (sentAt > state.rateLimitedAt) {
    state.rateLimitedCount += 1;
    if (status === 429 && state.mode === 'OPEN') {
      if (isRolling(state, now)) state.logWrongAt = now;
      state.others += state.own + state.ownNow + 1;
    }
  }
  state.rateLimitedAt = now;
  const end = reachedAt(state, reset ?? 0);
  const isPlausible = end !== undefined && end - now >= -constants.longestPast;
  const placed = isPlausible ? { wait: end - now, estimated: false } : undefined;
  const { stated, wait, padded } = holdAfter429(
    { retryAfter, reset: placed, exhausted },
    state.rateLimitedCount,
  );
  extendHold(state, now + wait, padded - wait);
  state.serverHoldUntil = Math.max(state.serverHoldUntil, now + stated);
  toProbe(state, now);
}

/** Nothing is sent before `end`, and for `pad` after it. A hold never becomes shorter. */
export function extendHold(state: FleetState, end: number, pad: number): void {
  state.holdEndsAt = Math.max(state.holdEndsAt, end);
  state.resumeAt = Math.max(state.resumeAt, end + pad);
}
