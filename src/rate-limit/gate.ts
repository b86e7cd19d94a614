import { whenAborted } from '../utils/abort.js';
import type { Clock } from '../utils/clock.js';
import { PriorityQueue, type Entry } from '../utils/priority-queue.js';
import { Budget } from './budget.js';
import { isCached, readRateLimitHeaders, readStatedWait, type Until } from './headers.js';
import { Hold, HoldListeners } from './hold.js';
import { InFlight } from './in-flight.js';
import { ServerClock } from './server-clock.js';
import {
  GateRefusedError,
  type GateCall,
  type GatePermit,
  type GateResponse,
  type RateLimitGate,
} from './types.js';

interface Waiting {
  readonly call: GateCall;
  readonly grant: (permit: GatePermit) => void;
  readonly reject: (reason: unknown) => void;
}

/** During a hold, new calls set its timer again at most this often (ms), in case it was lost. */
const timerCheck = 1_000;
/** A hold that ends at most so long (ms) after a reset ends at the beginning of a window. */
const startOfWindow = 2_000;

/**
 * The gate of one API key. Calls wait in a queue; `#pump` sends those that may be sent. The information in each response goes to one of
 * three parts: {@link ServerClock} (the time on the clock of the service), {@link Budget} (how many requests may be in flight) and
 * {@link Hold} (how long nothing may be sent, such as after a 429).
 */
export class Gate implements RateLimitGate {
  readonly #clock: Clock;
  readonly #queue = new PriorityQueue<Waiting>();
  readonly #budget = new Budget();
  readonly #serverClock: ServerClock;
  readonly #hold: Hold;
  readonly #inFlight = new InFlight((abandoned) => this.#abandon(abandoned));
  /** COLD: no response yet. PROBE: one request asks whether the rate-limit window is open (has requests left). OPEN: it is, and the budget decides. */
  #mode: 'COLD' | 'OPEN' | 'PROBE' = 'COLD';
  /** When the window of the budget resets: monotonic ms, and whether that is only estimated. */
  #reset: { readonly at: number; readonly estimated: boolean } | undefined;
  readonly #listeners = new HoldListeners();
  /** The end of the hold that the waiting calls have accepted. */
  #acceptedUntil: number | undefined;
  #timer: AbortController | undefined;
  #timerSetAt = -Infinity;
  /** Time of the last request or response. A gate that is idle for a long time is dropped. */
  usedAt: number;

  constructor(clock: Clock, random: () => number = Math.random) {
    this.#clock = clock;
    this.#hold = new Hold(random);
    this.#serverClock = new ServerClock(clock);
    this.usedAt = clock.monotonic();
  }

  /** `true` if the gate can be dropped: it has been unused since a moment, and has no hold. */
  isIdle(since: number): boolean {
    return (
      this.#queue.size === 0 &&
      this.#inFlight.size === 0 &&
      this.usedAt < since &&
      this.#hold.resumeAt < since
    );
  }

  /** Sets the requests per minute of the plan, so that the first burst needs no probe. */
  expect(perMinute: number): void {
    if (this.#mode !== 'COLD') return;
    this.#budget.expect(perMinute);
    this.#mode = 'OPEN';
  }

  /** As `acquire`, but without a promise: `undefined` for a call that has to wait, or may have to. */
  acquireNow(call: GateCall): GatePermit | undefined {
    const now = this.#clock.monotonic();
    this.#noticeJump();
    const isFirst = this.#queue.size + this.#inFlight.onTheirWay + this.#listeners.size === 0;
    if (!isFirst || call.signal?.aborted || now < this.#hold.resumeAt) return undefined;
    if (this.#inFlight.size >= this.#mostInFlight(call)) return undefined;
    this.#queue.pass(call.priority);
    return this.#send(call, now);
  }

  acquire(call: GateCall): Promise<GatePermit> {
    return new Promise((resolve, reject) => {
      if (call.signal?.aborted) return reject(call.signal.reason as Error);
      const rejection = this.#rejection(call, this.#clock.monotonic());
      if (rejection !== undefined) return reject(rejection);
      let forget: () => void = () => undefined;
      const entry = this.#queue.add(
        {
          call,
          grant: (permit) => (forget(), resolve(permit)),
          reject: (reason) => (forget(), reject(reason)),
        },
        call.place,
        call.priority,
      );
      const abort = () => {
        this.#queue.remove(entry);
        forget();
        reject(call.signal?.reason as Error);
        this.#pump();
      };
      forget = whenAborted(call.signal, abort);
      this.#pump();
      if (!entry.queued) return;
      const now = this.#clock.monotonic();
      // Check maxQueue only if the call could not be sent at once. Retries are exempt: they passed this check before.
      const full = !call.isRetry && this.#queue.size > call.maxQueue;
      if (!full && call.waitUntil > now) {
        if (this.#acceptedUntil !== undefined) this.#listeners.announce(call, this.#hold, now);
        return;
      }
      this.#queue.remove(entry);
      const wait = this.#shortestWait(call, now) || undefined; // 0: a wait of unknown length
      entry.value.reject(new GateRefusedError(full ? 'queue' : 'wait', wait));
      this.#pump();
    });
  }

  /** Sends the calls that may be sent, in order. Holds if the window is exhausted. While calls wait, a timer or a response calls this again. */
  #pump(): void {
    for (;;) {
      const head = this.#queue.head;
      if (head === undefined) return this.#rest();
      const now = this.#clock.monotonic();
      this.#noticeJump();
      if (now < this.#hold.resumeAt) return this.#waitForHold(now);
      // A listener may have aborted the first call, or made another call that comes before it.
      this.#acceptedUntil = undefined;
      if (this.#listeners.resume()) continue;
      if (this.#inFlight.size < this.#mostInFlight(head.value.call)) this.#grant(head, now);
      else if (this.#inFlight.size > 0) return this.#inFlight.watch();
      else {
        // The window is exhausted, and no request is in flight whose response could report a new one.
        this.#hold.afterExhausted(now, this.#reset?.at, this.#reset?.estimated);
        this.#probeNext();
      }
    }
  }

  #noticeJump(): void {
    if (this.#serverClock.jumped() && this.#mode === 'OPEN') this.#mode = 'PROBE';
  }

  #mostInFlight({ maxConcurrency }: GateCall): number {
    const forRemaining = this.#mode === 'OPEN' ? this.#budget.maxInFlightForRemaining() : 1;
    return Math.min(forRemaining, this.#budget.cap(), maxConcurrency);
  }

  #grant(entry: Entry<Waiting>, sentAt: number): void {
    this.#queue.take(entry);
    entry.value.grant(this.#send(entry.value.call, sentAt));
    void this.#inFlight.handOver();
  }

  #send(call: GateCall, sentAt: number): GatePermit {
    this.usedAt = sentAt;
    const request = this.#inFlight.add();
    let open = true;
    const close = (then: (receivedAt: number) => void) => {
      if (!open) return;
      open = false;
      this.#inFlight.remove(request);
      this.usedAt = this.#clock.monotonic();
      try {
        then(this.usedAt);
      } finally {
        // Also after a response that cannot be read, so that the other calls continue.
        this.#pump();
      }
    };
    return {
      settle: (response) => close((receivedAt) => this.#learn(response, sentAt, receivedAt)),
      lose: () => close((endedAt) => this.#budget.spendUnseen(endedAt)),
      cancel: () => close(() => undefined),
    };
  }

  /** Some requests have no response. Each may have been counted, and no longer delays other calls. */
  #abandon(count: number): void {
    const now = this.#clock.monotonic();
    for (let each = 0; each < count; each += 1) this.#budget.spendUnseen(now);
    this.#pump();
  }

  /** Updates the state from a response, whatever its status. */
  #learn({ status, headers }: GateResponse, sentAt: number, receivedAt: number): void {
    const clock = this.#serverClock;
    const quota = readRateLimitHeaders(headers);
    if (!isCached(headers)) clock.observeDate(headers.get('date'), sentAt, receivedAt);
    clock.observeReset(quota.reset, status === 429, sentAt, receivedAt);
    const reset = quota.reset === undefined ? undefined : clock.placeReset(quota.reset);
    // Some services respond with 403 to a banned key.
    const mayWait = status === 429 || status === 403 || status === 503;
    const until: Until = (instant) => clock.until(instant);
    const retryAfter = mayWait ? readStatedWait(headers, until, reset?.wait) : undefined;
    if (status === 429 || (status === 403 && retryAfter !== undefined)) {
      if (status === 429) this.#budget.learnWindow(quota, sentAt, receivedAt, reset?.wait);
      const exhausted = (quota.remaining ?? 0) === 0;
      const limited = { retryAfter, reset, exhausted };
      const isNew = this.#hold.after429(limited, sentAt, receivedAt);
      if (isNew && status === 429) this.#budget.countUnexpected429(this.#mode === 'OPEN');
      if (isNew && this.#mode === 'PROBE') clock.distrustWall();
      this.#probeNext();
    } else if (status === 503 && retryAfter !== undefined) {
      this.#hold.afterOverload(retryAfter, receivedAt);
      this.#probeNext();
    } else {
      this.#budget.learn(quota, sentAt, receivedAt, this.#inFlight.size, reset?.wait);
      this.#budget.countDay(this.#clock.now());
      if (receivedAt >= this.#hold.resumeAt) this.#mode = 'OPEN';
      this.#hold.succeeded(sentAt);
    }
    if (this.#budget.windowReset === quota.reset)
      this.#reset = reset && { at: receivedAt + reset.wait, estimated: reset.estimated };
  }

  /** After the hold one request finds out whether the window is open. */
  #probeNext(): void {
    this.#mode = 'PROBE';
    this.#budget.forget();
  }

  /** The reason why a call may not wait with `position` others before it, if there is one. */
  #rejection(call: GateCall, now: number, position?: number): GateRefusedError | undefined {
    const left = this.#hold.endsAt - now;
    if (now < this.#hold.resumeAt && left > call.maxHold) return new GateRefusedError('hold', left);
    const wait = this.#shortestWait(call, now, position);
    return wait > 0 && now + wait > call.waitUntil ? new GateRefusedError('wait', wait) : undefined;
  }

  /** Shortest time, in ms, that a call waits with `position` others before it: the hold, and the windows that the calls before it need. */
  #shortestWait(call: GateCall, now: number, position = this.#queue.ahead(call)): number {
    const hold = Math.max(0, this.#hold.resumeAt - now);
    const late = this.#hold.resumeAt - (this.#reset?.at ?? Infinity);
    const next = hold === 0 ? 'now' : late >= 0 && late < startOfWindow ? 'window' : 'hold';
    return hold + this.#budget.queueTime(position, this.#inFlight.size, next);
  }

  /** Rejects the calls that may not wait that long, and sets the timer. Called again when the hold becomes longer. */
  #waitForHold(now: number): void {
    const { resumeAt } = this.#hold;
    if (this.#acceptedUntil !== resumeAt) {
      this.#acceptedUntil = resumeAt;
      this.#rejectTooLong(now);
    }
    if (this.#queue.size > 0) this.#setTimer(resumeAt, now);
    else this.#rest();
  }

  #rejectTooLong(now: number): void {
    this.#stopTimers();
    let position = 0;
    for (const entry of this.#queue) {
      const rejection = this.#rejection(entry.value.call, now, position);
      if (rejection === undefined) {
        position += 1;
        this.#listeners.announce(entry.value.call, this.#hold, now);
      } else {
        this.#queue.remove(entry);
        entry.value.reject(rejection);
      }
    }
  }

  /** The timer may be lost, for example if a test has removed its fake timers, so a later call sets it again. */
  #setTimer(until: number, now: number): void {
    if (this.#timer !== undefined && Math.abs(now - this.#timerSetAt) < timerCheck) return;
    this.#stopTimers();
    this.#timerSetAt = now;
    const timer = (this.#timer = new AbortController());
    const wake = () => {
      if (this.#timer !== timer) return;
      this.#timer = undefined;
      this.#pump();
    };
    this.#clock.sleep(until - now, timer.signal).then(wake, () => undefined);
  }

  /** No call waits, so nobody would hear of the end of the hold later. */
  #rest(): void {
    this.#stopTimers();
    this.#listeners.resume();
  }

  #stopTimers(): void {
    this.#timer?.abort();
    this.#timer = undefined;
    this.#inFlight.unwatch();
  }
}
