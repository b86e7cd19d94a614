import { pad } from '../../rate-limit/rules/hold-rule.js';
import { GateCalls, noHold, type Hold, type WaitingCall } from '../../rate-limit/gate-calls.js';
import type { GateCall, GatePermit, GateResponse, RateLimitGate } from '../../rate-limit/types.js';
import type { Clock } from '../../utils/clock.js';
import type { FleetReply } from '../rules/operations.js';
import type { FleetEvent } from '../types.js';
import { Fallback, KnownFleet } from './fallback.js';
import { Lease } from './lease.js';
import { CallRate } from './report.js';
import { Responses } from './responses.js';
import type { Answered, LocalStatus, StoreLink } from './store-link.js';
import { idleSleep, oncePerTurn } from './waits.js';

/** One process in the fleet of a key. Calls without a permit wait, and one operation of the store asks for permits for all of them. Times are monotonic ms. */
export class FleetMember implements RateLimitGate {
  readonly #clock: Clock;
  readonly #link: StoreLink;
  readonly #holdsWithoutStore: boolean;
  readonly #emit: (event: FleetEvent) => void;
  readonly #calls: GateCalls;
  readonly #lease = new Lease();
  readonly #responses: Responses;
  readonly #rate: CallRate;
  readonly #pumpSoon = oncePerTurn(() => this.#pump());
  #probing = false;
  #calledAt = -Infinity;
  #reply: FleetReply | undefined;
  readonly #fleet = new KnownFleet();
  #hold = noHold;
  #askedForHigh = true;
  /** An operation is in progress, or its reply is not applied yet. A second one would report permits that are about to change. */
  #busy = false;
  #askAgain = false;
  #exchanging: Promise<void> | undefined;
  /** While the process leaves the fleet, it starts no operation but the last one. */
  #leaving: Promise<void> | undefined;
  /** Requests were sent that the store does not know of. */
  #unreported = false;
  /** A call that may not wait found no permit, so one is requested for the next call. */
  #wanted = false;
  #fallback: Fallback | undefined;

  constructor(
    link: StoreLink,
    clock: Clock,
    holdsWithoutStore: boolean,
    emit: (event: FleetEvent) => void,
  ) {
    this.#link = link;
    this.#clock = clock;
    this.#holdsWithoutStore = holdsWithoutStore;
    this.#emit = emit;
    this.#calls = new GateCalls(clock, {
      // With a permit, the call is sent at once. Otherwise all calls of this turn of the event loop ask the store together.
      pump: () => (this.#lease.permits > 0 ? this.#pump() : this.#pumpSoon()),
      sendable: (hold) => {
        const perWindow = this.#reply?.limit || Infinity;
        return [perWindow, perWindow, hold.cause === 'exhausted'];
      },
      cause: () => (this.#probing ? 'probe' : 'fleet'),
      onRefused: () => (this.#wanted = true),
    });
    this.#responses = new Responses(clock, link.service);
    this.#rate = new CallRate(clock.monotonic());
  }

  /** Asks the store. Then: its newest reply, unless the process has left, and what this process knows by itself. */
  async status(): Promise<LocalStatus> {
    if (this.#link.isUsed) this.#sync();
    await this.#exchanging;
    return {
      reply: this.#link.isUsed ? this.#reply : undefined,
      isLost: this.#link.failures > 0,
      unsent: this.#lease.permits,
      inFlight: this.#calls.inFlight,
      waiting: this.#waiting,
      hold: Math.max(0, this.#hold.resumeAt - this.#clock.monotonic()),
    };
  }

  get #waiting(): number {
    return this.#calls.waiting + (this.#fallback?.waiting ?? 0);
  }

  acquire(call: GateCall): Promise<GatePermit> {
    this.#calledAt = this.#clock.monotonic();
    this.#rate.count(this.#calledAt);
    return this.#calls.acquire(call);
  }

  /** Reports what was sent, and returns what was not. Calls that wait go on waiting, and join again. */
  async leave(): Promise<void> {
    if (this.#waiting === 0) this.#calls.stopTimer();
    if (!this.#link.isUsed) return;
    await (this.#leaving ??= this.#leave());
    if (this.#responses.report.hasRateLimited) this.#sync();
    this.#pump();
  }

  async #leave(): Promise<void> {
    this.#wanted = false;
    await this.#exchanging;
    this.#lease.drop();
    // If the report does not arrive, the store does not know what was sent: the permits stay reserved until their lease ends.
    await this.#exchange(0);
    this.#leaving = undefined;
  }

  /** Grants permits to the calls that may be sent, in order. Asks the store for more, or sets the timer for the next attempt. */
  #pump(): void {
    const now = this.#clock.monotonic();
    if (this.#lease.expire(now)) this.#unreported = true;
    const hold = this.#currentHold;
    if (now >= hold.resumeAt || !this.#calls.hold(hold)) this.#calls.resume();
    const cap = now < this.#hold.resumeAt ? 0 : (this.#reply?.inFlightCap ?? 1);
    while (this.#lease.permits > 0 && this.#calls.waiting > 0 && this.#calls.inFlight < cap) {
      const isProbe = this.#lease.use();
      this.#probing ||= isProbe;
      this.#calls.shift()?.grant(this.#permit(now, isProbe));
    }
    if (this.#fallback !== undefined) this.#pumpFallback(this.#fallback, now);
    else if (this.#calls.waiting > 0 || this.#wanted) this.#askStore(now);
    else this.#returnUnused(now);
    this.#calls.watch();
  }

  /** A hold of the fleet, or an exhausted window, which counts as a hold: what ends later. */
  get #currentHold(): Hold {
    const reply = this.#reply;
    if (this.#fallback !== undefined || reply?.decision !== 'exhausted') return this.#hold;
    // Not the next trip: after one that failed it comes long before the end of the window.
    const resumeAt = this.#link.toLocal(reply.retryAt);
    if (this.#hold.resumeAt > resumeAt) return this.#hold;
    const endsAt = this.#link.toLocal(reply.resetAt);
    return { resumeAt, endsAt, fromServer: true, cause: 'exhausted' };
  }

  #askStore(now: number): void {
    // With permits left, or during a probe, there is nothing to ask: the response of a request in flight calls #pump.
    if ((this.#lease.permits > 0 && now >= this.#hold.resumeAt) || this.#probing || this.#busy)
      return;
    // Permits are reserved for calls of high priority, so these need not wait until normal calls ask again.
    const isUrgent = this.#calls.high > 0 && !this.#askedForHigh;
    // A 429 whose report has failed is reported again during its hold.
    const heldUntil = this.#responses.report.hasRateLimited ? now : this.#hold.resumeAt;
    const next = Math.max(isUrgent ? now : this.#link.retryAt, heldUntil);
    if (now >= next) this.#sync();
    // A permit for a later call is no reason to keep the process alive.
    else void this.#calls.pumpAt(next, this.#calls.waiting === 0 ? idleSleep : undefined);
  }

  /** No call waits: returns permits that other processes may need. */
  #returnUnused(now: number): void {
    const { returnAfter = 0, eager = false } = this.#reply ?? {};
    const delay = this.#lease.permits > 0 ? returnAfter : this.#unreported && eager ? 200 : 0;
    // A failing store is tried again when there are calls.
    if (delay === 0 || this.#link.failures + this.#calls.inFlight > 0 || this.#busy)
      return this.#calls.stopTimer();
    const due = this.#calledAt + delay;
    if (now < due) return void this.#calls.pumpAt(due, idleSleep);
    this.#lease.drop();
    this.#sync();
  }

  #pumpFallback(fallback: Fallback, now: number): void {
    const wrap = (inner: GatePermit) => this.#permit(this.#clock.monotonic(), false, inner);
    // Nothing is sent while an operation is in progress: its report would not contain the request.
    if (now >= this.#link.retryAt && this.#waiting > 0) this.#sync();
    while (
      !this.#busy &&
      this.#calls.waiting > 0 &&
      now >= this.#hold.resumeAt &&
      fallback.left(this.#calls.inFlight, this.#responses.serviceNow()) > 0
    )
      fallback.forward(this.#calls.shift() as WaitingCall, wrap, () => this.#pump());
    if (this.#waiting === 0) return this.#calls.stopTimer();
    if (this.#busy) return;
    const again = Math.max(this.#hold.resumeAt, now + fallback.retryIn());
    void this.#calls.pumpAt(Math.min(this.#link.retryAt, again));
  }

  /** The permit of a request that is sent now; with `inner`, one of the fallback's gate. */
  #permit(sentAt: number, isProbe: boolean, inner?: GatePermit): GatePermit {
    this.#unreported = true;
    this.#responses.traffic.add(sentAt);
    const end = () => void (this.#probing &&= !isProbe);
    return this.#calls.permit({
      settle: (response) => {
        end();
        inner?.settle(response);
        this.#settle(response, sentAt, isProbe);
      },
      lose: () => {
        end();
        inner?.lose();
        this.#responses.report.lost(1);
        if (isProbe) this.#reportSoon(true);
      },
      cancel: () => {
        end();
        inner?.cancel();
        this.#responses.traffic.remove(sentAt);
        if (inner === undefined) this.#lease.putBack(isProbe, this.#clock.monotonic());
      },
    });
  }

  #settle(response: GateResponse, sentAt: number, isProbe: boolean): void {
    const receivedAt = this.#clock.monotonic();
    const { quota, retryAfter = 0, cause } = this.#responses.read(response, sentAt, receivedAt);
    if (cause !== undefined) {
      this.#lease.drop();
      const endsAt = receivedAt + retryAfter;
      const resumeAt = endsAt + pad;
      if (resumeAt > this.#hold.resumeAt)
        this.#hold = { resumeAt, endsAt, fromServer: retryAfter > 0, cause };
    }
    // Others may use the quota too, so no more remains than the newest response says.
    else if (quota.remaining !== undefined)
      this.#lease.trim(quota.remaining - this.#calls.inFlight);
    if (isProbe || cause !== undefined || this.#reply?.prompt === true) this.#reportSoon(isProbe);
  }

  #reportSoon(isProbe: boolean): void {
    if (isProbe) this.#responses.report.probeIsDone();
    if (this.#fallback === undefined) this.#sync();
  }

  /** One operation: reports, and asks for what the waiting calls need. */
  #sync(): void {
    if (this.#leaving) return;
    this.#askAgain = this.#busy;
    if (this.#busy) return;
    this.#lease.expire(this.#clock.monotonic());
    const need = Math.max(this.#wanted ? 1 : 0, this.#waiting - this.#lease.permits);
    this.#wanted = false;
    this.#exchanging = this.#exchange(need);
  }

  async #exchange(need: number): Promise<void> {
    this.#busy = true;
    for (const waiting of this.#fallback?.takeBack() ?? []) this.#calls.add(waiting);
    const sentAt = this.#clock.monotonic();
    const news = this.#responses.report.take();
    const high = Math.min(need, this.#calls.high);
    this.#unreported = this.#calls.inFlight > 0;
    this.#askedForHigh = high > 0;
    const exchanged = await this.#link.exchange(
      {
        unsent: this.#lease.permits,
        inFlight: this.#calls.inFlight,
        need,
        high,
        rate: this.#rate.now(sentAt),
        lastLease: this.#lease.usedUpSize(sentAt),
        leaves: this.#leaving !== undefined,
        rtt: this.#responses.rtt,
      },
      news,
    );
    this.#busy = false;
    if ('failure' in exchanged) {
      this.#responses.report.restore(news);
      this.#unreported = true;
      if (exchanged.isLost) this.#loseStore(exchanged.failure);
    } else this.#onReply(exchanged, sentAt);
    this.#pump();
  }

  #onReply({ reply, events }: Answered, sentAt: number): void {
    for (const event of events) this.#emit(event);
    this.#fallback = undefined;
    this.#reply = reply;
    const isStateLost = events.some(({ type }) => type === 'fleet-state-lost');
    this.#fleet.learn(reply, this.#link.toLocal(reply.resetAt), isStateLost, sentAt);
    // A 429 arrived during the operation, so the store granted permits without knowing of it.
    if (!this.#responses.report.hasRateLimited) {
      const hold = this.#link.holdOf(reply);
      // The store does not know why a hold began.
      const isOwn = Math.abs(hold.endsAt - this.#hold.endsAt) < 1_000;
      this.#hold = isOwn ? { ...hold, cause: this.#hold.cause } : hold;
      if (reply.granted > 0) this.#lease.add(reply, sentAt, this.#clock.monotonic());
    }
    if (this.#askAgain) this.#sync();
  }

  #loseStore(reason: string): void {
    const { failingSince } = this.#link;
    const { traffic } = this.#responses;
    if (!this.#holdsWithoutStore)
      this.#fallback = new Fallback(this.#clock, this.#fleet.newest, traffic, failingSince);
    const { state } = this.#link;
    this.#emit({ type: 'fleet-lost', state, reason, share: this.#fallback?.share });
  }
}
