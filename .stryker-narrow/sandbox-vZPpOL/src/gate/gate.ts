// @ts-nocheck
function stryNS_9fa48() {
  var g = typeof globalThis === 'object' && globalThis && globalThis.Math === Math && globalThis || new Function("return this")();
  var ns = g.__stryker__ || (g.__stryker__ = {});
  if (ns.activeMutant === undefined && g.process && g.process.env && g.process.env.__STRYKER_ACTIVE_MUTANT__) {
    ns.activeMutant = g.process.env.__STRYKER_ACTIVE_MUTANT__;
  }
  function retrieveNS() {
    return ns;
  }
  stryNS_9fa48 = retrieveNS;
  return retrieveNS();
}
stryNS_9fa48();
function stryCov_9fa48() {
  var ns = stryNS_9fa48();
  var cov = ns.mutantCoverage || (ns.mutantCoverage = {
    static: {},
    perTest: {}
  });
  function cover() {
    var c = cov.static;
    if (ns.currentTestId) {
      c = cov.perTest[ns.currentTestId] = cov.perTest[ns.currentTestId] || {};
    }
    var a = arguments;
    for (var i = 0; i < a.length; i++) {
      c[a[i]] = (c[a[i]] || 0) + 1;
    }
  }
  stryCov_9fa48 = cover;
  cover.apply(null, arguments);
}
function stryMutAct_9fa48(id) {
  var ns = stryNS_9fa48();
  function isActive(id) {
    if (ns.activeMutant === id) {
      if (ns.hitCount !== void 0 && ++ns.hitCount > ns.hitLimit) {
        throw new Error('Stryker: Hit count limit reached (' + ns.hitCount + ')');
      }
      return true;
    }
    return false;
  }
  stryMutAct_9fa48 = isActive;
  return isActive(id);
}
import type { Clock } from '../utils/clock.js';
import { Budget } from './budget.js';
import { GateCalls } from '../rate-limit/gate-calls.js';
import { largestJitter, noHold } from '../rate-limit/rules/hold.js';
import { blindHold, holdAfter429, longestPlausibleWait, pad } from '../rate-limit/rules/hold-rule.js';
import { readResponse, type RateLimitInfo } from '../rate-limit/headers.js';
import { ServerClock } from '../rate-limit/server-clock.js';
import type { GateCall, GatePermit, GateResponse, RateLimitGate, WaitCause } from '../rate-limit/types.js';

/** During a hold, new calls set its timer again at most this often (ms), in case it was lost. */
const timerCheck = 1_000;

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
  #timer: {
    readonly setAt: number;
    readonly stop: AbortController;
  } | undefined;
  /** When the gate was last used. A gate that is idle for a long time is dropped. */
  #usedAt: number;
  constructor(clock: Clock, random: () => number = Math.random) {
    this.#clock = clock;
    this.#random = random;
    this.#serverClock = new ServerClock(clock);
    this.#usedAt = clock.monotonic();
    this.#calls = new GateCalls(clock, {
      pump: () => this.#pump(),
      sendable: hold => this.#budget.sendable(this.#calls.inFlight, hold),
      cause: () => this.#isOpen ? 'in-flight' : 'probe'
    });
  }

  /** `true` if the gate can be dropped: it has been unused since a moment, and has no hold. */
  isIdle(since: number): boolean {
    // Where no request is in flight, calls wait only for a hold.
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
      const isHeld = now < this.#hold.resumeAt;
      if (isHeld && this.#calls.hold(this.#hold)) return this.#setTimer(now);
      this.#stopTimers();
      // A listener may have aborted the first call, or made another one that comes before it.
      if (this.#calls.resume()) continue;
      if (isHeld || this.#calls.waiting === 0) return;
      const most = Math.min(this.#budget.maxInFlight(), this.#isOpen ? Infinity : 1);
      if (this.#calls.inFlight < most) this.#calls.shift()?.grant(this.#newPermit(now));else if (this.#calls.inFlight > 0) return this.#calls.startLossTimer();else {
        // No request is in flight whose response could report a new window.
        const {
          at,
          estimated
        } = this.#budget.reset ?? {
          at: now + blindHold,
          estimated: true
        };
        this.#extendHold('exhausted', now, at - now, pad, !estimated && at > now);
        this.#probeNext();
      }
    }
  }
  #newPermit(sentAt: number): GatePermit {
    return this.#calls.permit({
      settle: response => this.#learn(response, sentAt),
      lose: () => this.#budget.spend(),
      cancel: () => undefined
    });
  }

  /** Updates the state from a response, whatever its status. */
  #learn(response: GateResponse, sentAt: number): void {
    const now = this.#clock.monotonic();
    const info = readResponse(response, this.#serverClock, sentAt, now);
    const {
      retryAfter = 0,
      cause
    } = info;
    if (cause === '429') return this.#learn429(info);
    this.#budget.learn(info, this.#calls.inFlight, Math.floor(this.#clock.now() / 86_400_000));
    if (cause === 'overload') {
      this.#extendHold(cause, now, retryAfter, pad, retryAfter > 0);
      this.#isOpen = false;
      return;
    }
    if (now >= this.#hold.resumeAt) this.#isOpen = true;
    if (stryMutAct_9fa48("47") ? sentAt <= this.#rateLimitedAt : stryMutAct_9fa48("46") ? sentAt >= this.#rateLimitedAt : stryMutAct_9fa48("45") ? false : stryMutAct_9fa48("44") ? true : (stryCov_9fa48("44", "45", "46", "47"), sentAt > this.#rateLimitedAt)) this.#rateLimitedCount = 0;
  }
  #learn429(info: RateLimitInfo): void {
    const {
      quota,
      reset,
      retryAfter,
      sentAt,
      receivedAt
    } = info;
    const isNew = sentAt > this.#rateLimitedAt;
    if (isNew) this.#rateLimitedCount += 1;
    if (isNew && this.#isOpen) this.#budget.countUnexpected429();else if (isNew && this.#hold !== noHold) this.#serverClock.trustsWall = false;
    this.#rateLimitedAt = receivedAt;
    const response = {
      retryAfter,
      reset,
      exhausted: (quota.remaining ?? 0) === 0
    };
    const {
      stated,
      wait,
      padded
    } = holdAfter429(response, this.#rateLimitedCount);
    const fromServer = reset?.estimated === true ? retryAfter ?? 0 : stated;
    this.#extendHold('429', receivedAt, wait, padded - wait, fromServer > 0);
    this.#budget.learnReset(info);
    this.#probeNext();
  }

  /** A hold never becomes shorter, and a header cannot make it longer than is plausible. */
  #extendHold(cause: WaitCause, now: number, wait: number, more: number, fromServer: boolean) {
    const endsAt = now + Math.min(wait, longestPlausibleWait);
    const resumeAt = endsAt + more + this.#random() * largestJitter;
    if (resumeAt > this.#hold.resumeAt) this.#hold = {
      resumeAt,
      endsAt,
      fromServer,
      cause
    };
  }

  /** After the hold one request finds out whether the window is open. */
  #probeNext(): void {
    this.#isOpen = false;
    this.#budget.remaining = Infinity;
  }

  /** The timer may be lost, for example if a test has removed its fake timers, so a later call sets it again. */
  #setTimer(now: number): void {
    if (this.#timer !== undefined && Math.abs(now - this.#timer.setAt) < timerCheck) return;
    this.#stopTimers();
    const stop = new AbortController();
    this.#timer = {
      setAt: now,
      stop
    };
    const end = (then: () => void) => {
      if (stop.signal.aborted) return;
      this.#timer = undefined;
      then();
    };
    this.#clock.sleep(this.#hold.resumeAt - now, stop.signal).then(() => end(() => this.#pump()), (failure: unknown) => end(() => this.#calls.fail(failure)));
  }
  #stopTimers(): void {
    this.#timer?.stop.abort();
    this.#timer = undefined;
    this.#calls.stopLossTimer();
  }
}