import { Gate } from '../../gate/gate.js';
import { pad } from '../../rate-limit/rules/hold-rule.js';
import type { GatePermit } from '../../rate-limit/types.js';
import type { RateLimitHeaders } from '../../rate-limit/headers.js';
import { whenAborted } from '../../utils/abort.js';
import type { Clock } from '../../utils/clock.js';
import { longLease, shortLease } from '../rules/constants.js';
import type { FleetReply } from '../rules/operations.js';
import type { WaitingCall } from '../../rate-limit/gate-calls.js';

const minute = 60_000;
/** A minute of the service, with the errors of two clocks. */
const rollingMinute = 61_000;
/** While more than this part of the limit remains, a process may send more than its share, one request at a time. */
const plenty = 0.15;

/** A pace is measured over this many ms or more. */
const shortestPace = 2_000;

/** A fleet, as a reply of the store shows it. `notBefore`: nothing is sent before this moment, monotonic ms. */
interface Fleet extends Pick<FleetReply, 'limit' | 'members' | 'rank'> {
  readonly notBefore: number;
}

/** What the process knows of its fleet, for the time when the store fails. */
export class KnownFleet {
  newest: Fleet | undefined;
  #stateLostAt = -Infinity;

  /**
   * Learns from a reply. After lost state, the known fleet stays: the new state learns of its processes one by one, until all long leases
   * have ended. `resetAt`: the end of the window, monotonic ms.
   */
  learn(reply: FleetReply, resetAt: number, isStateLost: boolean, now: number): void {
    const { limit, members, rank, decision } = reply;
    if (isStateLost) this.#stateLostAt = now;
    if (limit === 0) return;
    if (members < (this.newest?.members ?? 0) && now < this.#stateLostAt + longLease) return;
    // The store said that the fleet has used up the window: a share of it would be too much.
    const isUsedUp = decision === 'exhausted' || decision === 'idle';
    this.newest = { limit, members, rank, notBefore: isUsedUp ? resetAt + pad : -Infinity };
  }
}

/** The abort reason of a call that is taken back: the gate did not reject it. */
const takenBack = new Error('the store answers again');

/**
 * Sends without the store: the gate of one process, and before it a bound. In any minute the process sends no more than its
 * share of the last known fleet, or one request at a time beyond it while the headers show plenty. A process that has never
 * reached the store knows no share: it has the gate of one process alone.
 */
export class Fallback {
  readonly #clock: Clock;
  readonly #gate: Gate;
  readonly #fleet: Fleet | undefined;
  readonly #traffic: RecentTraffic;
  readonly #beginsAt: number;
  readonly #forwarded = new Map<AbortController, WaitingCall>();

  /**
   * `traffic`: what the process sent and saw before, and sends and sees while there is no store. `failingSince`: when the
   * store failed first, monotonic ms.
   */
  constructor(
    clock: Clock,
    fleet: Fleet | undefined,
    traffic: RecentTraffic,
    failingSince: number,
  ) {
    this.#clock = clock;
    this.#gate = new Gate(clock);
    this.#fleet = fleet;
    this.#traffic = traffic;
    // Other processes may have leases for all remaining requests. Leases for waiting calls end first, so wait for these.
    const { members, notBefore } = fleet ?? { members: 1, notBefore: -Infinity };
    this.#beginsAt = Math.max(notBefore, members === 1 ? -Infinity : failingSince + shortLease);
  }

  /** The part of the limit that the process sends, 0 to 1. */
  get share(): number | undefined {
    return this.#fleet === undefined ? undefined : 1 / this.#fleet.members;
  }

  /** Calls that wait in the gate of this process. */
  get waiting(): number {
    return this.#forwarded.size;
  }

  /** How many more calls may be handed to the gate. `serviceNow`: the clock of the service, about. */
  left(inFlight: number, serviceNow: number): number {
    if (this.#fleet === undefined) return Infinity;
    const { limit, members } = this.#fleet;
    const now = this.#clock.monotonic();
    if (now < this.#beginsAt) return 0;
    const waiting = this.#forwarded.size;
    let left = shareOf(this.#fleet, serviceNow) - this.#traffic.since(now - rollingMinute);
    const { window } = this.#traffic;
    if (window === undefined || serviceNow >= window.reset) return left - waiting;
    // Requests of the others since the last response are not visible. After ten seconds, that response says nothing about what remains.
    const age = now - window.seenAt;
    const others = members + age * Math.max(limit / 10_000, window.pace);
    if (left <= 0 && window.remaining - others > plenty * limit) left = 1;
    // Within its share, the process assumes that the others continue at their pace, and at least at the pace of the limit.
    const room =
      Math.min(members - 1, Math.floor(limit / 4)) + age * Math.max(limit / minute, window.pace);
    const available = window.remaining - room;
    const part = available <= 0 ? 0 : Math.max(1, Math.floor(available / members / 2));
    return Math.min(left, part - inFlight) - waiting;
  }

  /** After how many ms more calls may be allowed. */
  retryIn(): number {
    const untilBegin = this.#beginsAt - this.#clock.monotonic();
    if (untilBegin > 0) return untilBegin;
    const oldest = this.#traffic.oldest;
    const rollsOut =
      oldest === undefined ? 5_000 : oldest + rollingMinute + 1 - this.#clock.monotonic();
    return Math.max(100, Math.min(5_000, rollsOut));
  }

  /** Hands a call to the gate of this process. `wrap` makes the permit that the call gets from that of the gate. */
  forward(waiting: WaitingCall, wrap: (inner: GatePermit) => GatePermit, done: () => void): void {
    const { call } = waiting;
    const abort = new AbortController();
    const stop = () => abort.abort(call.signal?.reason);
    const forget = whenAborted(call.signal, stop);
    this.#forwarded.set(abort, waiting);
    const finish = () => {
      forget();
      this.#forwarded.delete(abort);
    };
    // The copy has the `place` of the call, so the order of the calls stays the same.
    this.#gate.acquire({ ...call, signal: abort.signal }).then(
      (permit) => {
        const isForwarded = this.#forwarded.has(abort);
        finish();
        // The call was taken back in the same turn of the event loop, and now waits in the queue of the member.
        if (!isForwarded) return permit.cancel();
        // A call that was aborted in that turn is rejected already.
        if (call.signal?.aborted) permit.cancel();
        else waiting.grant(wrap(permit));
        done();
      },
      (reason: unknown) => {
        finish();
        if (reason === takenBack) return;
        waiting.reject(reason);
        done();
      },
    );
  }

  /** Takes the calls back that wait in the gate of this process: none of them is sent from now on. */
  takeBack(): WaitingCall[] {
    const forwarded = [...this.#forwarded];
    this.#forwarded.clear();
    for (const [abort] of forwarded) abort.abort(takenBack);
    return forwarded.map(([, waiting]) => waiting).filter(({ call }) => !call.signal?.aborted);
  }
}

/** The share of each minute; with more processes than requests they take turns. */
function shareOf({ limit, members, rank }: Fleet, serviceNow: number): number {
  const rest = limit % members;
  const turn = (rank + Math.floor(serviceNow / minute) * rest) % members;
  return Math.floor(limit / members) + (turn < rest ? 1 : 0);
}

/** A window as this process saw it. */
interface SeenWindow {
  /** The lowest value of `X-RateLimit-Remaining`. */
  readonly remaining: number;
  /** On the clock of the service. */
  readonly reset: number;
  /** When the newest response arrived, monotonic ms. */
  readonly seenAt: number;
  /** The first response of the window. */
  readonly first: { readonly remaining: number; readonly seenAt: number };
  /** Requests per ms of all processes, since the first response. */
  readonly pace: number;
}

/** When the process sent each request of the last minute, and the window that it saw last. Monotonic ms. */
export class RecentTraffic {
  readonly #times: number[] = [];
  window: SeenWindow | undefined;

  get oldest(): number | undefined {
    return this.#times[0];
  }

  add(time: number): void {
    this.since(time - rollingMinute);
    this.#times.push(time);
  }

  /** Removes a request that was not sent. */
  remove(time: number): void {
    const at = this.#times.lastIndexOf(time);
    if (at >= 0) this.#times.splice(at, 1);
  }

  /** Counts the requests after `moment`, and forgets those before. */
  since(moment: number): number {
    while (this.#times.length > 0 && this.#times[0]! <= moment) this.#times.shift();
    return this.#times.length;
  }

  /** Learns Remaining, which counts the requests of all processes. */
  learn({ remaining, reset }: RateLimitHeaders, seenAt: number): void {
    if (remaining === undefined || reset === undefined) return;
    const known = this.window;
    const isSame = known !== undefined && Math.abs(reset - known.reset) <= 1_000;
    const first = isSame ? known.first : { remaining, seenAt };
    const lowest = isSame ? Math.min(known.remaining, remaining) : remaining;
    // Two responses at the same moment show no pace.
    const pace = (first.remaining - lowest) / Math.max(shortestPace, seenAt - first.seenAt);
    this.window = { remaining: lowest, reset, seenAt, first, pace };
  }
}
