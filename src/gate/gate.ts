import type { Clock } from '../utils/clock.js';
import { Budget } from './budget.js';
import { largestJitter, noHold, type Hold } from '../rate-limit/rules/hold.js';
import {
  blindHold,
  holdAfter429,
  longestPlausibleWait,
  pad,
} from '../rate-limit/rules/hold-rule.js';
import { InFlight } from '../rate-limit/in-flight.js';
import { readResponse, type RateLimitInfo } from '../rate-limit/headers.js';
import { ServerClock } from '../rate-limit/server-clock.js';
import type {
  GateCall,
  GatePermit,
  GateResponse,
  RateLimitGate,
  WaitCause,
} from '../rate-limit/types.js';
import { WaitingCalls } from '../rate-limit/waiting-calls.js';

/** During a hold, new calls set its timer again at most this often (ms), in case it was lost. */
const timerCheck = 1_000;
/** A hold that ends at most so long (ms) after a reset ends at the beginning of a window. */
const startOfWindow = 2_000;

/**
 * The gate of one API key. Calls wait in {@link WaitingCalls}; `#pump` sends those that may be sent. The information in each response
 * goes to one of three places: {@link ServerClock} (the time on the clock of the service), {@link Budget} (how many requests may be in
 * flight) and `#hold` (until when nothing may be sent).
 */
export class Gate implements RateLimitGate {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #budget = new Budget();
  readonly #serverClock: ServerClock;
  readonly #waiting: WaitingCalls;
  readonly #inFlight = new InFlight(() => this.#pump());
  #hold = noHold;
  /** `false` before the first response and after each hold: one request finds out whether the window is open. */
  #isOpen = false;
  /** When the window resets, monotonic ms. */
  #reset: { readonly at: number; readonly estimated: boolean } | undefined;
  /** Consecutive 429s, and when the last arrived. Those to requests that were already in flight do not count. */
  #rateLimitedCount = 0;
  #rateLimitedAt = -Infinity;
  #timer: { readonly setAt: number; readonly stop: AbortController } | undefined;
  /** Time of the last request or response. A gate that is idle for a long time is dropped. */
  #usedAt: number;

  constructor(clock: Clock, random: () => number = Math.random) {
    this.#clock = clock;
    this.#random = random;
    this.#serverClock = new ServerClock(clock);
    this.#usedAt = clock.monotonic();
    this.#waiting = new WaitingCalls(clock, {
      pump: () => this.#pump(),
      quota: (hold) => this.#quota(hold),
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
      const now = (this.#usedAt = this.#clock.monotonic());
      if (this.#serverClock.noticeJump(now)) this.#probeNext();
      const isHeld = now < this.#hold.resumeAt;
      if (isHeld && this.#waiting.size > 0) this.#waiting.hold(this.#hold);
      if (isHeld && this.#waiting.size > 0) return this.#setTimer(now);
      this.#stopTimers();
      // A listener may have aborted the first call, or made another one that comes before it.
      if (this.#waiting.resume()) continue;
      if (isHeld || this.#waiting.size === 0) return;
      const most = Math.min(this.#budget.maxInFlight(), this.#isOpen ? Infinity : 1);
      if (this.#inFlight.size < most) this.#waiting.shift()?.grant(this.#newPermit(now));
      else if (this.#inFlight.size > 0) return this.#inFlight.watch();
      else {
        // No request is in flight whose response could report a new window.
        const { at, estimated } = this.#reset ?? { at: now + blindHold, estimated: true };
        this.#extendHold('exhausted', now, at - now, pad, !estimated && at > now);
        this.#probeNext();
      }
    }
  }

  #newPermit(sentAt: number): GatePermit {
    return this.#inFlight.permit({
      settle: (response) => this.#learn(response, sentAt),
      lose: () => this.#budget.spend(),
      cancel: () => undefined,
    });
  }

  /** Updates the state from a response, whatever its status. */
  #learn(response: GateResponse, sentAt: number): void {
    const now = this.#clock.monotonic();
    const info = readResponse(response, this.#serverClock, sentAt, now);
    const { quota, reset, retryAfter = 0, cause } = info;
    if (cause !== '429')
      this.#budget.learn(info, this.#inFlight.size, Math.floor(this.#clock.now() / 86_400_000));
    // A late response of a window that has ended does not count.
    const isCurrent = response.status === 429 || this.#budget.windowReset === quota.reset;
    if (reset !== undefined && isCurrent)
      this.#reset = { at: now + reset.wait, estimated: reset.estimated };
    if (cause === '429') return this.#learn429(info);
    if (cause === 'overload') this.#extendHold(cause, now, retryAfter, pad, retryAfter > 0);
    else if (sentAt > this.#rateLimitedAt) this.#rateLimitedCount = 0;
    if (cause === 'overload') this.#isOpen = false;
    else if (now >= this.#hold.resumeAt) this.#isOpen = true;
  }

  #learn429({ quota, reset, retryAfter, sentAt, receivedAt }: RateLimitInfo): void {
    const isNew = sentAt > this.#rateLimitedAt;
    if (isNew) this.#rateLimitedCount += 1;
    if (isNew && this.#isOpen) this.#budget.countUnexpected429();
    else if (isNew && this.#hold !== noHold) this.#serverClock.trustsWall = false;
    this.#rateLimitedAt = receivedAt;
    const response = { retryAfter, reset, exhausted: (quota.remaining ?? 0) === 0 };
    const { stated, wait, padded } = holdAfter429(response, this.#rateLimitedCount);
    const fromServer = reset?.estimated === true ? (retryAfter ?? 0) : stated;
    this.#extendHold('429', receivedAt, wait, padded - wait, fromServer > 0);
    this.#probeNext();
  }

  /** A hold never becomes shorter, and a header cannot make it longer than is plausible. */
  #extendHold(cause: WaitCause, now: number, wait: number, more: number, fromServer: boolean) {
    const endsAt = now + Math.min(wait, longestPlausibleWait);
    const resumeAt = endsAt + more + this.#random() * largestJitter;
    if (resumeAt > this.#hold.resumeAt) this.#hold = { resumeAt, endsAt, fromServer, cause };
  }

  /** After the hold one request finds out whether the window is open. */
  #probeNext(): void {
    this.#isOpen = false;
    this.#budget.remaining = Infinity;
  }

  #quota(hold: Hold | undefined) {
    const late = hold === undefined ? -1 : hold.resumeAt - (this.#reset?.at ?? Infinity);
    const beginsWindow = late >= 0 && late < startOfWindow;
    return { ...this.#budget.quota(this.#inFlight.size, hold !== undefined), beginsWindow };
  }

  /** The timer may be lost, for example if a test has removed its fake timers, so a later call sets it again. */
  #setTimer(now: number): void {
    if (this.#timer !== undefined && Math.abs(now - this.#timer.setAt) < timerCheck) return;
    this.#stopTimers();
    const stop = new AbortController();
    this.#timer = { setAt: now, stop };
    const end = (then: () => void) => {
      if (stop.signal.aborted) return;
      this.#timer = undefined;
      then();
    };
    this.#clock.sleep(this.#hold.resumeAt - now, stop.signal).then(
      () => end(() => this.#pump()),
      (failure: unknown) => end(() => this.#waiting.fail(failure)),
    );
  }

  #stopTimers(): void {
    this.#timer?.stop.abort();
    this.#timer = undefined;
    this.#inFlight.unwatch();
  }
}
