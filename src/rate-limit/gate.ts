import { systemClock, type Clock } from '../utils/clock.js';
import { Budget } from './budget.js';
import { isCached, readQuota, readTold } from './headers.js';
import { Hold } from './hold.js';
import { Queue, type Entry } from './queue.js';
import { ServerClock } from './server-clock.js';
import {
  GateRefusedError,
  type GateCall,
  type GatePermit,
  type GateResponse,
  type HoldChange,
  type RateLimitGate,
} from './types.js';

/** Options of {@link createRateLimitGate}. */
export interface GateOptions {
  /** Where the gate reads time and waits. Default: the system's clock. */
  readonly clock?: Clock;
  /** A number from 0 (included) to 1 (excluded), for the jitter of at most 100 ms. Default: `Math.random`. */
  readonly random?: () => number;
}

interface Waiting {
  readonly call: GateCall;
  readonly grant: (permit: GatePermit) => void;
  readonly refuse: (reason: unknown) => void;
}

/**
 * The gate that the client has built in, as one of your own: for a wrapper, or to keep two parts of a process apart.
 * It sends one request first, never more than a part of what is left, holds when the window is spent, and asks with one
 * request after each hold. Service interface: "Limits".
 *
 * @example
 * ```ts
 * import { createRateLimitGate, PetStoreClient } from 'petstore-client';
 *
 * const client = new PetStoreClient({ apiKey: 'my-key', rateLimit: { gate: createRateLimitGate() } });
 * ```
 */
export function createRateLimitGate(options: GateOptions = {}): RateLimitGate {
  return new Gate(options.clock ?? systemClock, options.random);
}

export class Gate implements RateLimitGate {
  readonly #clock: Clock;
  readonly #queue = new Queue<Waiting>();
  readonly #budget = new Budget();
  readonly #serverClock: ServerClock;
  /** COLD: no answer yet. PROBE: one request asks whether the window is open. OPEN: the budget decides. */
  #mode: 'COLD' | 'OPEN' | 'PROBE' = 'COLD';
  /** Sent, and the headers of the answer not yet here. */
  #inFlight = 0;
  readonly #pause: Hold;
  /** The hold that the waiting calls and their clients know of: its end, and who was told. */
  #heldUntil: number | undefined;
  readonly #toldOf = new Set<(change: HoldChange) => void>();
  #resetAt: number | undefined;
  #timer: AbortController | undefined;
  /** The moment of the last request or answer: a gate that is idle for long is dropped. */
  usedAt: number;

  constructor(clock: Clock, random: () => number = Math.random) {
    this.#clock = clock;
    this.#pause = new Hold(random);
    this.#serverClock = new ServerClock(clock);
    this.usedAt = clock.monotonic();
  }

  /** True when dropping the gate would lose nothing that matters. */
  idleSince(moment: number): boolean {
    return (
      this.#queue.size === 0 &&
      this.#inFlight === 0 &&
      this.usedAt < moment &&
      this.#pause.until < moment
    );
  }

  /** The plan, known beforehand: the first burst needs no probe. */
  expect(perMinute: number): void {
    if (this.#mode !== 'COLD') return;
    this.#budget.expect(perMinute);
    this.#mode = 'OPEN';
  }

  acquire(call: GateCall): Promise<GatePermit> {
    return new Promise((resolve, reject) => {
      if (call.signal?.aborted) return reject(call.signal.reason as Error);
      const refusal = this.#refusal(call, this.#queue.size);
      if (refusal !== undefined) return reject(refusal);
      const forget = () => call.signal?.removeEventListener('abort', abort);
      const entry = this.#queue.add(
        {
          call,
          grant: (permit) => (forget(), resolve(permit)),
          refuse: (reason) => (forget(), reject(reason)),
        },
        call.place,
        call.priority,
      );
      const abort = () => {
        this.#queue.remove(entry);
        reject(call.signal?.reason as Error);
        this.#pump();
      };
      call.signal?.addEventListener('abort', abort, { once: true });
      this.#pump();
      if (!entry.queued) return;
      if (this.#heldUntil !== undefined) this.#tellHold(call);
      // Only now is it known that the call cannot go at once. One that returns has been let in already.
      const full = !call.returning && this.#queue.size > call.maxQueue;
      if (!full && call.waitUntil > this.#clock.monotonic()) return;
      this.#queue.remove(entry);
      entry.value.refuse(
        new GateRefusedError(full ? 'queue' : 'wait', this.#wait(this.#queue.size)),
      );
    });
  }

  /** Sends what may be sent, in order; holds when the window is spent; keeps the one timer armed while calls wait. */
  #pump(): void {
    for (;;) {
      const head = this.#queue.head;
      const now = this.#clock.monotonic();
      if (head === undefined) return this.#disarm();
      if (this.#serverClock.jumped() && this.#mode === 'OPEN') this.#mode = 'PROBE';
      if (now < this.#pause.until) return this.#hold(this.#pause.until - now);
      // A listener may have made the head give up, or another call go before it.
      if (this.#resume()) continue;
      if (
        this.#inFlight <
        Math.min(this.#window(), this.#budget.cap(), head.value.call.maxConcurrency)
      )
        this.#grant(head, now);
      else if (this.#inFlight > 0) return;
      else this.#holdForReset(now);
    }
  }

  #window(): number {
    return this.#mode === 'OPEN' ? this.#budget.window() : 1;
  }

  /** The budget is spent, and nothing under way can tell of a new one. */
  #holdForReset(now: number): void {
    this.#pause.forReset(now, this.#resetAt, this.#guessed(this.#budget.windowReset));
    this.#mode = 'PROBE';
    this.#budget.forget();
  }

  #grant(entry: Entry<Waiting>, sentAt: number): void {
    this.#queue.take(entry);
    this.#inFlight += 1;
    this.usedAt = sentAt;
    let open = true;
    const close = (then: (receivedAt: number) => void) => {
      if (!open) return;
      open = false;
      this.#inFlight -= 1;
      this.usedAt = this.#clock.monotonic();
      then(this.usedAt);
      this.#pump();
    };
    entry.value.grant({
      settle: (response) =>
        close((receivedAt) => this.#settle(response, entry.value.call, sentAt, receivedAt)),
      lose: () => close(() => this.#budget.spendUnseen()),
      cancel: () => close(() => undefined),
    });
  }

  #settle(
    { status, headers }: GateResponse,
    call: GateCall,
    sentAt: number,
    receivedAt: number,
  ): void {
    if (!isCached(headers)) this.#serverClock.observe(headers.get('date'), sentAt, receivedAt);
    const quota = readQuota(headers);
    this.#serverClock.observeReset(quota.reset, receivedAt);
    const until = (instant: number) => this.#serverClock.until(instant);
    const resetIn = quota.reset === undefined ? undefined : until(quota.reset);
    const retryAfter = readTold(headers, until, resetIn);
    // With Retry-After, 403 is how some services answer a banned key, and 503 how they ask everybody to wait.
    if (status === 429 || ((status === 403 || status === 503) && retryAfter !== undefined)) {
      if (status === 429) this.#budget.learnWindow(quota, sentAt, receivedAt, resetIn);
      const refusal = {
        retryAfter,
        resetIn,
        spent: (quota.remaining ?? 0) === 0,
        guessed: this.#guessed(quota.reset),
        maxHold: call.maxHold,
      };
      const isNew = this.#pause.forRefusal(refusal, sentAt, receivedAt);
      if (isNew && status === 429) this.#budget.overdrawn(this.#mode === 'OPEN');
      if (isNew && this.#mode === 'PROBE') this.#serverClock.distrustWall();
      this.#mode = 'PROBE';
      this.#budget.forget();
    } else {
      this.#budget.learn(quota, sentAt, receivedAt, this.#inFlight, resetIn);
      this.#budget.countDay(this.#clock.now());
      if (receivedAt >= this.#pause.until) this.#mode = 'OPEN';
      this.#pause.succeeded(sentAt);
    }
    const reset =
      this.#budget.windowReset === undefined ? undefined : until(this.#budget.windowReset);
    this.#resetAt = reset === undefined ? undefined : receivedAt + reset;
  }

  /** True when the moment of a Reset is only bounded: the hold is right, but nobody told it. */
  #guessed(reset: number | undefined): boolean {
    return reset !== undefined && this.#serverClock.isGuess(reset);
  }

  /** Why a call that joins at `position` may not wait, if so. */
  #refusal(call: GateCall, position: number): GateRefusedError | undefined {
    const now = this.#clock.monotonic();
    const fromServer = this.#pause.serverHoldUntil - now;
    if (now < this.#pause.until && fromServer > call.maxHold)
      return new GateRefusedError('hold', fromServer);
    const wait = this.#wait(position);
    return wait > 0 && now + wait > call.waitUntil ? new GateRefusedError('wait', wait) : undefined;
  }

  /** How long a call at `position` waits, in ms, at the least: the hold, and whole windows for the calls before it. */
  #wait(position: number): number {
    const left = Math.max(0, this.#pause.until - this.#clock.monotonic());
    const { limit, remaining } = this.#budget;
    if (limit === undefined) return left;
    const credits =
      left > 0 || remaining === Infinity ? limit : Math.max(0, remaining - this.#inFlight);
    return (
      left +
      60_000 *
        Math.floor(Math.max(0, position - credits) / Math.max(1, limit * this.#budget.share()))
    );
  }

  /** Rejects the calls that may not wait as long, and arms the timer; again, when the hold has become longer meanwhile. */
  #hold(left: number): void {
    if (this.#timer !== undefined && this.#heldUntil === this.#pause.until) return;
    this.#heldUntil = this.#pause.until;
    let position = 0;
    for (const entry of this.#queue) {
      const refusal = this.#refusal(entry.value.call, position);
      if (refusal === undefined) {
        position += 1;
        this.#tellHold(entry.value.call);
      } else {
        this.#queue.remove(entry);
        entry.value.refuse(refusal);
      }
    }
    this.#disarm();
    if (this.#queue.size > 0) this.#arm(left);
  }

  #arm(ms: number): void {
    const timer = (this.#timer = new AbortController());
    const wake = () => {
      if (this.#timer !== timer) return;
      this.#timer = undefined;
      this.#pump();
    };
    this.#clock.sleep(ms, timer.signal).then(wake, () => undefined);
  }

  #disarm(): void {
    this.#timer?.abort();
    this.#timer = undefined;
  }

  /** Each client is told once a hold, however many of its calls wait. */
  #tellHold({ onHold }: GateCall): void {
    if (onHold === undefined || this.#toldOf.has(onHold)) return;
    this.#toldOf.add(onHold);
    const now = this.#clock.monotonic();
    onHold({
      type: 'hold',
      delay: this.#pause.until - now,
      fromServer: this.#pause.serverHoldUntil > now,
    });
  }

  /** Tells the clients that were told of the hold that it is over; returns whether there were any. */
  #resume(): boolean {
    this.#heldUntil = undefined;
    const listeners = [...this.#toldOf];
    this.#toldOf.clear();
    for (const listener of listeners) listener({ type: 'resume' });
    return listeners.length > 0;
  }
}
