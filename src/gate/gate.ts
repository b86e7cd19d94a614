import type { Clock } from '../utils/clock.js';
import { Budget } from './budget.js';
import { Hold } from '../rate-limit/rules/hold.js';
import { InFlight } from '../rate-limit/in-flight.js';
import { ServerClock } from '../rate-limit/server-clock.js';
import type { GateCall, GatePermit, GateResponse, RateLimitGate } from '../rate-limit/types.js';
import { WaitingCalls } from '../rate-limit/waiting-calls.js';

/** During a hold, new calls set its timer again at most this often (ms), in case it was lost. */
const timerCheck = 1_000;
/** A hold that ends at most so long (ms) after a reset ends at the beginning of a window. */
const startOfWindow = 2_000;

/**
 * The gate of one API key. Calls wait in {@link WaitingCalls}; `#pump` sends those that may be sent. The information in each response
 * goes to one of three parts: {@link ServerClock} (the time on the clock of the service), {@link Budget} (how many requests may be in
 * flight) and {@link Hold} (how long nothing may be sent).
 */
export class Gate implements RateLimitGate {
  readonly #clock: Clock;
  readonly #budget = new Budget();
  readonly #serverClock: ServerClock;
  readonly #hold: Hold;
  readonly #waiting: WaitingCalls;
  readonly #inFlight = new InFlight((abandoned) => this.#abandon(abandoned));
  /** `false` before the first response and after each hold: one request finds out whether the window is open. */
  #isOpen = false;
  /** When the window resets, monotonic ms. */
  #reset: { readonly at: number; readonly estimated: boolean } | undefined;
  #timer:
    { readonly until: number; readonly setAt: number; readonly abort: () => void } | undefined;
  /** Time of the last request or response. A gate that is idle for a long time is dropped. */
  #usedAt: number;

  constructor(clock: Clock, random: () => number = Math.random) {
    this.#clock = clock;
    this.#hold = new Hold(random);
    this.#serverClock = new ServerClock(clock);
    this.#usedAt = clock.monotonic();
    this.#waiting = new WaitingCalls(clock, {
      pump: () => this.#pump(),
      shortestWait: (position, hold) => this.#shortestWait(position, hold),
      cause: () => (this.#isOpen ? 'in-flight' : 'probe'),
    });
  }

  /** `true` if the gate can be dropped: it has been unused since a moment, and has no hold. */
  isIdle(since: number): boolean {
    const isUsed = this.#waiting.size + this.#inFlight.size > 0;
    return !isUsed && Math.max(this.#usedAt, this.#hold.resumeAt) < since;
  }

  acquire(call: GateCall): Promise<GatePermit> {
    return this.#waiting.acquire(call);
  }

  /** Sends the calls that may be sent, in order. While calls wait, a timer or a response calls this again. */
  #pump(): void {
    for (;;) {
      const { head } = this.#waiting;
      const now = this.#clock.monotonic();
      if (this.#serverClock.noticeJump(now)) this.#probeNext();
      if (head !== undefined && now < this.#hold.resumeAt) {
        this.#waiting.hold(this.#hold);
        if (this.#waiting.size > 0) return this.#setTimer(now);
      }
      this.#stopTimers();
      // A listener may have aborted the first call, or made another one that comes before it.
      if (this.#waiting.resume()) continue;
      if (head === undefined || now < this.#hold.resumeAt) return;
      const most = Math.min(this.#budget.maxInFlight(), this.#isOpen ? Infinity : 1);
      if (this.#inFlight.size < most) this.#waiting.shift()?.grant(this.#newPermit(now));
      else if (this.#inFlight.size > 0) return this.#inFlight.watch();
      else {
        // No request is in flight whose response could report a new window.
        this.#hold.afterExhausted(now, this.#reset?.at, this.#reset?.estimated === true);
        this.#probeNext();
      }
    }
  }

  #newPermit(sentAt: number): GatePermit {
    this.#usedAt = sentAt;
    const request = this.#inFlight.add();
    let isClosed = false;
    const close = (then: (receivedAt: number) => void) => {
      if (isClosed) return;
      isClosed = true;
      this.#inFlight.remove(request);
      this.#usedAt = this.#clock.monotonic();
      try {
        then(this.#usedAt);
      } finally {
        // Also after a response that cannot be read, so that the other calls continue.
        this.#pump();
      }
    };
    return {
      settle: (response) => close((receivedAt) => this.#learn(response, sentAt, receivedAt)),
      lose: () => close(() => this.#budget.spend()),
      cancel: () => close(() => undefined),
    };
  }

  /** Some requests have no response. Each may have been counted, and no longer delays other calls. */
  #abandon(count: number): void {
    for (let each = 0; each < count; each += 1) this.#budget.spend();
    this.#pump();
  }

  /** Updates the state from a response, whatever its status. */
  #learn(response: GateResponse, sentAt: number, receivedAt: number): void {
    const clock = this.#serverClock;
    const { quota, reset, retryAfter, cause } = clock.read(response, sentAt, receivedAt);
    if (cause === '429') {
      const wasHeld = this.#hold.resumeAt > -Infinity;
      const exhausted = (quota.remaining ?? 0) === 0;
      const isNew = this.#hold.after429({ retryAfter, reset, exhausted }, sentAt, receivedAt);
      if (isNew && this.#isOpen) this.#budget.countUnexpected429();
      else if (isNew && wasHeld) clock.distrustWall();
      this.#probeNext();
    } else {
      this.#budget.learn(quota, sentAt, receivedAt, this.#inFlight.size, reset?.wait);
      this.#budget.countDay(this.#clock.now());
      if (cause === 'overload') {
        this.#hold.afterOverload(retryAfter as number, receivedAt);
        this.#isOpen = false;
      } else {
        if (receivedAt >= this.#hold.resumeAt) this.#isOpen = true;
        this.#hold.succeeded(sentAt);
      }
    }
    // A late response of a window that has ended does not count.
    const isCurrent = response.status === 429 || this.#budget.windowReset === quota.reset;
    if (reset !== undefined && isCurrent)
      this.#reset = { at: receivedAt + reset.wait, estimated: reset.estimated };
  }

  /** After the hold one request finds out whether the window is open. */
  #probeNext(): void {
    this.#isOpen = false;
    this.#budget.forget();
  }

  /** The hold, and the windows that the calls before this one need. */
  #shortestWait(position: number, hold: number): number {
    const late = this.#hold.resumeAt - (this.#reset?.at ?? Infinity);
    const next = hold === 0 ? 'now' : late >= 0 && late < startOfWindow ? 'window' : 'hold';
    return hold + this.#budget.queueTime(position, this.#inFlight.size, next);
  }

  /** The timer may be lost, for example if a test has removed its fake timers, so a later call sets it again. */
  #setTimer(now: number): void {
    const { resumeAt: until } = this.#hold;
    if (this.#timer?.until === until && Math.abs(now - this.#timer.setAt) < timerCheck) return;
    this.#stopTimers();
    const controller = new AbortController();
    const timer = (this.#timer = { until, setAt: now, abort: () => controller.abort() });
    const wake = () => {
      if (this.#timer !== timer) return;
      this.#timer = undefined;
      this.#pump();
    };
    const fail = (failure: unknown) => {
      if (!controller.signal.aborted) this.#waiting.fail(failure);
    };
    this.#clock.sleep(until - now, controller.signal).then(wake, fail);
  }

  #stopTimers(): void {
    this.#timer?.abort();
    this.#timer = undefined;
    this.#inFlight.unwatch();
  }
}
