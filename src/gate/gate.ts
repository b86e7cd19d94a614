import type { Clock } from '../utils/clock.js';
import { Budget } from './budget.js';
import { GateCalls, noHold, type Hold } from '../rate-limit/gate-calls.js';
import {
  blindHold,
  holdAfter429,
  largestJitter,
  pad,
  refusedProbes,
} from '../rate-limit/rules/hold-rule.js';
import { readResponse } from '../rate-limit/headers.js';
import { ServerClock } from '../rate-limit/server-clock.js';
import type { GateCall, GatePermit, GateResponse, RateLimitGate } from '../rate-limit/types.js';

/**
 * The gate of one API key. Calls wait in {@link GateCalls}; `#pump` sends those that may be sent. The information in each response
 * goes to one of three places: {@link ServerClock} (the time on the clock of the service), {@link Budget} (how many requests may be in
 * flight) and `#hold` (until when nothing may be sent).
 */
export class Gate implements RateLimitGate {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #budget = new Budget();
  readonly #serverClock: ServerClock;
  readonly #calls: GateCalls;
  #hold = noHold;
  /** `false` before the first response and after each hold: one request finds out whether the window is open. */
  #isOpen = false;
  /** Consecutive 429s, and when the last arrived. Those to requests that were already in flight do not count. */
  #rateLimitedCount = 0;
  #rateLimitedAt = -Infinity;
  /** When the gate was last used. A gate that is idle for a long time is dropped. */
  #usedAt: number;

  constructor(clock: Clock, random: () => number = Math.random) {
    this.#clock = clock;
    this.#random = random;
    this.#serverClock = new ServerClock(clock);
    this.#usedAt = clock.monotonic();
    this.#calls = new GateCalls(clock, {
      pump: () => this.#pump(),
      sendable: (hold) => this.#budget.sendable(this.#calls.inFlight, hold),
      cause: () => (this.#isOpen ? 'in-flight' : 'probe'),
    });
  }

  /** `true` if the gate can be dropped: it has been unused since a moment, and has no hold. */
  isIdle(since: number): boolean {
    // Without requests in flight, calls wait only for a hold.
    return this.#calls.inFlight === 0 && Math.max(this.#usedAt, this.#hold.resumeAt) < since;
  }

  acquire(call: GateCall): Promise<GatePermit> {
    return this.#calls.acquire(call);
  }

  /** Sends the calls that may be sent, in order. While calls wait, a timer or a response calls this again. */
  #pump(): void {
    for (;;) {
      const now = this.#clock.monotonic();
      this.#usedAt = now;
      if (this.#serverClock.noticeJump(now)) this.#probeNext();
      if (now < this.#hold.resumeAt && this.#calls.hold(this.#hold))
        return void this.#calls.pumpAt(this.#hold.resumeAt);
      // A listener may have aborted the first call, or made another call that comes before it.
      if (this.#calls.resume()) continue;
      if (this.#calls.waiting === 0) return this.#calls.stopTimer();
      const most = Math.min(this.#budget.maxInFlight(), this.#isOpen ? Infinity : 1);
      if (this.#calls.inFlight < most) {
        const permit = this.#calls.permit({
          settle: (response) => this.#learn(response, now),
          lose: () => this.#budget.spend(),
          cancel: () => undefined,
        });
        this.#calls.shift()?.grant(permit);
      } else if (this.#calls.inFlight > 0) return this.#calls.watch();
      else {
        // No request is in flight whose response could report a new window.
        const { at, estimated } = this.#budget.reset ?? { at: now + blindHold, estimated: true };
        this.#extendHold('exhausted', at, pad, !estimated && at > now);
        this.#probeNext();
      }
    }
  }

  /** Updates the state from a response, whatever its status. */
  #learn(response: GateResponse, sentAt: number): void {
    const now = this.#clock.monotonic();
    const info = readResponse(response, this.#serverClock, sentAt, now);
    const { quota, retryAfter = 0, cause } = info;
    const isNew = sentAt > this.#rateLimitedAt;
    if (cause === '429') {
      if (isNew) {
        this.#rateLimitedCount += 1;
        if (this.#isOpen) this.#budget.countUnexpected429();
        // The probe after a hold was too early: without a `Date` the hold ended by the local wall clock, which is wrong then.
        else if (this.#hold !== noHold) this.#serverClock.trustsWall = false;
      }
      this.#rateLimitedAt = now;
      const isGuess = info.reset?.estimated && info.retryAfter === undefined;
      const isFar = isGuess && this.#rateLimitedCount > refusedProbes;
      const reset = isFar ? this.#serverClock.placeReset(quota.reset!, true) : info.reset;
      const limited = { ...info, reset, exhausted: (quota.remaining ?? 0) === 0 };
      const { stated, wait, padded } = holdAfter429(limited, this.#rateLimitedCount);
      const fromServer = reset?.estimated ? retryAfter : stated;
      this.#extendHold(cause, now + wait, padded - wait, wait > 0 && fromServer >= wait);
      this.#budget.reset = reset ?? this.#budget.reset;
      return this.#probeNext();
    }
    // Divided by the ms of a day: the number of the day in UTC.
    this.#budget.learn(info, this.#calls.inFlight, Math.floor(this.#clock.now() / 86_400_000));
    if (cause === undefined && isNew) this.#rateLimitedCount = 0;
    if (cause === 'overload') this.#extendHold(cause, now + retryAfter, pad, retryAfter > 0);
    this.#isOpen = now >= this.#hold.resumeAt;
  }

  /** Of two holds, the one that ends later counts. `more`: what is added to the time that was stated or chosen. */
  #extendHold(cause: Hold['cause'], endsAt: number, more: number, fromServer: boolean): void {
    const resumeAt = endsAt + more + this.#random() * largestJitter;
    if (resumeAt > this.#hold.resumeAt) this.#hold = { resumeAt, endsAt, fromServer, cause };
  }

  /** After the hold one request finds out whether the window is open. */
  #probeNext(): void {
    this.#isOpen = false;
    this.#budget.remaining = Infinity;
  }
}
