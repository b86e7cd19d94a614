import { InFlight } from '../../rate-limit/in-flight.js';
import type { GateCall, GatePermit, GateResponse, RateLimitGate } from '../../rate-limit/types.js';
import type { Clock } from '../../utils/clock.js';
import type { SyncReply } from '../rules/operations.js';
import type { LocalStatus, MemberEvent } from '../types.js';
import { Answers } from './answers.js';
import { Fallback, SentRequests, type Wrap } from './fallback.js';
import { Lease, settledOnce } from './lease.js';
import { CallRate, Report } from './report.js';
import type { Answered, StoreLink } from './store-link.js';
import { oncePerTurn, Timer } from './timer.js';
import { WaitingCalls, type HeldUntil, type WaitingCall } from './waiting-calls.js';

/** One process in the fleet of a key. Calls that find a permit go at once; the others ask together. Times are monotonic ms. */
export class FleetMember implements RateLimitGate {
  readonly #clock: Clock;
  readonly #link: StoreLink;
  readonly #holdsWithoutStore: boolean;
  readonly #emit: (event: MemberEvent) => void;
  readonly #calls: WaitingCalls;
  readonly #lease = new Lease();
  readonly #report = new Report();
  readonly #answers: Answers;
  readonly #rate: CallRate;
  readonly #timer: Timer;
  readonly #pumpSoon = oncePerTurn(() => this.#pump());
  readonly #inFlight = new InFlight((abandoned) => this.#abandon(abandoned));
  #probing = false;
  #rtt = 0;
  readonly #sent = new SentRequests();
  #calledAt = -Infinity;
  #reply: SyncReply | undefined;
  #hold = -Infinity;
  #askedForHigh = true;
  /** An operation is under way, or its reply is not taken over yet: what is held would be told wrong. */
  #busy = false;
  #askAgain = false;
  /** Something was spent that the store does not know of. */
  #unreported = false;
  /** A call that may not wait found no permit: the next one shall. */
  #wanted = false;
  #fallback: Fallback | undefined;

  constructor(
    link: StoreLink,
    clock: Clock,
    holdsWithoutStore: boolean,
    emit: (event: MemberEvent) => void,
  ) {
    this.#link = link;
    this.#clock = clock;
    this.#holdsWithoutStore = holdsWithoutStore;
    this.#emit = emit;
    this.#calls = new WaitingCalls(clock);
    this.#answers = new Answers(clock, link.service);
    this.#rate = new CallRate(clock.monotonic());
    this.#timer = new Timer(clock, () => this.#pump());
  }

  get status(): LocalStatus {
    return {
      store: this.#link.failures > 0 ? 'lost' : this.#reply ? 'joined' : 'unused',
      processes: this.#reply?.members ?? 1,
      limit: this.#reply?.limit ?? 0,
      unsent: this.#lease.permits,
      inFlight: this.#inFlight.size,
      waiting: this.#waiting,
      hold: Math.max(0, this.#hold - this.#clock.monotonic()),
    };
  }

  get #waiting(): number {
    return this.#calls.size + (this.#fallback?.waiting ?? 0);
  }

  expect(perMinute: number): void {
    this.#link.perMinute = perMinute;
  }

  acquire(call: GateCall): Promise<GatePermit> {
    this.#calledAt = this.#clock.monotonic();
    if (!call.isRetry) this.#rate.count(this.#calledAt);
    // At once where there is a permit; else all calls of this turn ask together.
    const pump = () => (this.#lease.permits > 0 ? this.#pump() : this.#pumpSoon());
    const onDenied = () => {
      this.#wanted = true;
      this.#pumpSoon();
    };
    return this.#calls.acquire(call, pump, onDenied);
  }

  /** Gives back what is not sent. Calls that wait go on waiting, and join again. */
  async leave(): Promise<void> {
    this.#lease.drop();
    if (this.#waiting === 0) this.#timer.clear();
    await this.#link.leave();
  }

  /** Sends what may be sent, in order; asks the store for more; keeps the timer set. */
  #pump(): void {
    const now = this.#clock.monotonic();
    if (this.#lease.expire(now)) this.#unreported = true;
    const held = this.#heldUntil();
    if (now < held.until) this.#calls.hold(held);
    else this.#calls.resume();
    const cap = this.#reply?.inFlightCap ?? 1;
    while (
      now >= this.#hold &&
      this.#lease.permits > 0 &&
      this.#calls.allows(this.#inFlight.size, cap)
    )
      this.#grant(this.#calls.shift(), now);
    if (this.#fallback !== undefined) this.#pumpFallback(this.#fallback, now);
    else if (this.#calls.size > 0 || this.#wanted) this.#askStore(now);
    else this.#returnUnused(now);
  }

  /** Until when nothing can be granted: by a hold of the fleet, or because the window is spent. */
  #heldUntil(): HeldUntil {
    const reply = this.#reply;
    if (this.#fallback !== undefined || reply === undefined)
      return { until: this.#hold, told: this.#hold };
    if (reply.decision !== 'spent')
      return { until: this.#hold, told: this.#link.toLocal(reply.toldHold) };
    const until = Math.max(this.#hold, this.#link.retryAt);
    return { until, told: this.#link.toLocal(reply.resetAt) };
  }

  #grant({ call, grant }: WaitingCall, now: number): void {
    const isProbe = this.#lease.use();
    this.#probing ||= isProbe;
    grant(this.#permit(call, now, isProbe));
  }

  #askStore(now: number): void {
    // With permits left the next answer goes on; so it does after the probe.
    if ((this.#lease.permits > 0 && now >= this.#hold) || this.#probing)
      return this.#inFlight.watch();
    if (this.#busy) return;
    // What is kept for calls of high priority is theirs at once.
    const isUrgent = this.#calls.high > 0 && !this.#askedForHigh;
    const next = Math.max(isUrgent ? now : this.#link.retryAt, this.#hold);
    if (now >= next) void this.#sync();
    else this.#timer.set(next, false);
  }

  /** Nobody waits: what is not needed goes back, where somebody may want it. */
  #returnUnused(now: number): void {
    this.#inFlight.unwatch();
    const { returnAfter = 0, eager = false } = this.#reply ?? {};
    const delay = this.#lease.permits > 0 ? returnAfter : this.#unreported && eager ? 200 : 0;
    if (delay === 0 || this.#inFlight.size > 0 || this.#busy) return;
    const due = this.#calledAt + delay;
    if (now < due) return this.#timer.set(due, true);
    this.#lease.drop();
    void this.#sync();
  }

  #pumpFallback(fallback: Fallback, now: number): void {
    const serviceNow = this.#answers.serviceNow();
    const wrap: Wrap = (call, inner) => this.#permit(call, this.#clock.monotonic(), false, inner);
    while (
      this.#calls.size > 0 &&
      now >= this.#hold &&
      fallback.left(this.#inFlight.size, serviceNow) > 0
    )
      fallback.forward(this.#calls.shift(), wrap, () => this.#pump());
    if (this.#waiting === 0) return;
    if (now >= this.#link.retryAt && !this.#busy) void this.#sync();
    const again = Math.max(this.#hold, now + fallback.retryIn());
    this.#timer.set(this.#busy ? again : Math.min(this.#link.retryAt, again), false);
  }

  /** The permit of a request that is sent now; with `inner`, one of the fallback's gate. */
  #permit(call: GateCall, sentAt: number, isProbe: boolean, inner?: GatePermit): GatePermit {
    const request = this.#inFlight.add();
    this.#unreported = true;
    this.#sent.add(sentAt);
    const close = () => {
      this.#inFlight.remove(request);
      if (isProbe) this.#probing = false;
    };
    const permit: GatePermit = {
      settle: (response) => {
        inner?.settle(response);
        this.#settle(response, call, sentAt, isProbe);
      },
      lose: () => {
        inner?.lose();
        this.#report.lost(1);
        if (isProbe) this.#tellSoon(true);
      },
      cancel: () => {
        inner?.cancel();
        this.#sent.remove(sentAt);
        if (inner === undefined) this.#lease.putBack(isProbe, this.#clock.monotonic());
      },
    };
    return settledOnce(close, permit, () => this.#pump());
  }

  /** Requests were never answered: each may have been counted, and no longer keeps other calls from being sent. */
  #abandon(count: number): void {
    this.#report.lost(count);
    if (this.#inFlight.size === 0) this.#probing = false;
    this.#pump();
  }

  #settle(response: GateResponse, call: GateCall, sentAt: number, isProbe: boolean): void {
    const receivedAt = this.#clock.monotonic();
    this.#rtt = receivedAt - sentAt;
    const { quota, retryAfter, isRefused } = this.#answers.read(response, sentAt, receivedAt);
    if (isRefused) {
      this.#report.refused({ quota, retryAfter, maxHold: call.maxHold, sentAt });
      // At once, before the store says so.
      this.#lease.drop();
      this.#hold = Math.max(this.#hold, receivedAt + Math.max(1_000, retryAfter ?? 0));
    } else {
      this.#report.succeeded(quota, sentAt, receivedAt);
      this.#fallback?.learn(quota);
      // Others spend too: no more is left than the newest answer says.
      if (quota.remaining !== undefined && !isProbe)
        this.#lease.trim(quota.remaining - this.#inFlight.size);
    }
    if (isProbe || isRefused || this.#reply?.prompt === true) this.#tellSoon(isProbe);
  }

  #tellSoon(isProbe: boolean): void {
    if (isProbe) this.#report.probeIsDone();
    if (this.#fallback === undefined) void this.#sync();
  }

  /** One operation: reports, and asks for what the waiting calls need. */
  async #sync(): Promise<void> {
    if (this.#busy) {
      this.#askAgain = true;
      return;
    }
    this.#busy = true;
    this.#askAgain = false;
    const sentAt = this.#clock.monotonic();
    const news = this.#report.take();
    const need = Math.max(this.#wanted ? 1 : 0, this.#waiting - this.#lease.permits);
    const high = Math.min(need, this.#calls.high);
    this.#wanted = false;
    this.#unreported = this.#inFlight.size > 0;
    this.#askedForHigh = high > 0;
    const exchanged = await this.#link.exchange(
      {
        unsent: this.#lease.permits,
        inFlight: this.#inFlight.size,
        need,
        high,
        rate: this.#rate.now(sentAt),
        lastLease: this.#lease.usedUpSize(sentAt),
        rtt: this.#rtt,
      },
      news,
    );
    this.#busy = false;
    if ('failure' in exchanged) {
      this.#report.restore(news);
      this.#unreported = true;
      if (exchanged.isLost) this.#loseStore(exchanged.failure);
    } else this.#onReply(exchanged, sentAt);
    this.#pump();
  }

  #onReply({ reply, lostState, wasLost }: Answered, sentAt: number): void {
    const processes = reply.members;
    if (this.#reply === undefined) this.#emit({ type: 'fleet-joined', processes });
    else if (wasLost) this.#emit({ type: 'fleet-rejoined', processes });
    if (lostState) this.#emit({ type: 'fleet-state-lost' });
    for (const waiting of this.#fallback?.takeBack() ?? []) this.#calls.add(waiting);
    this.#fallback = undefined;
    this.#reply = reply;
    this.#calls.limit = reply.limit;
    // A refusal that came while the operation was under way: the store granted without knowing of it.
    if (!this.#report.hasRefusal) this.#take(reply, sentAt);
    if (this.#askAgain && this.#report.isUrgent) void this.#sync();
  }

  #take(reply: SyncReply, sentAt: number): void {
    this.#hold = this.#link.toLocal(reply.hold);
    if (reply.granted > 0) this.#lease.add(reply, sentAt, this.#clock.monotonic());
  }

  #loseStore(reason: string): void {
    if (!this.#holdsWithoutStore)
      this.#fallback = new Fallback(this.#clock, this.#reply, this.#sent);
    this.#emit({ type: 'fleet-lost', reason, share: this.#fallback?.share });
  }
}
