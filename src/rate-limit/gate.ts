import { headers as names } from '../contract/headers.js';
import { systemClock, type Clock } from '../clock.js';
import { Budget } from './budget.js';
import { readQuota, readRetryAfter } from './headers.js';
import { Queue, type Entry } from './queue.js';
import { ServerClock } from './server-clock.js';
import { GateRefusal, type GateCall, type GatePermit, type GateResponse, type HoldChange, type RateLimitGate } from './types.js';

/** Waited beyond every told instant: headers are whole seconds, and some are rounded down. */
const pad = 1_000;
/** Spread of the probes of several processes. More of it harms: the first one takes the window before the others are seen. */
const jitter = 100;
const blindHold = 15_000;
const longestBlindHold = 15 * 60_000;
const longestBackoff = 60_000;
const defaultMaxHold = 120_000;

/** Options of {@link createRateLimitGate}. */
export interface GateOptions {
  /** Where the gate reads time and waits. Default: the system's clock. */
  readonly clock?: Clock;
  /** A number from 0 (included) to 1 (excluded), for the jitter of at most 100 ms. Default: `Math.random`. */
  readonly random?: () => number;
}

/** What a 429 says. */
interface Refusal {
  readonly retryAfter: number | undefined;
  readonly resetIn: number | undefined;
  /** Nothing remains in the window, as far as is known. */
  readonly spent: boolean;
  readonly maxHold: number;
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
  readonly #random: () => number;
  readonly #queue = new Queue<Waiting>();
  readonly #budget = new Budget();
  readonly #serverClock: ServerClock;
  /** COLD: no answer yet. PROBE: one request asks whether the window is open. OPEN: the budget decides. */
  #mode: 'COLD' | 'OPEN' | 'PROBE' = 'COLD';
  /** Sent, and the headers of the answer not yet here. */
  #inFlight = 0;
  #holdUntil = -Infinity;
  /** The part of the hold that the service told, without pad, jitter and backoff: only it makes a call fail fast. */
  #toldUntil = -Infinity;
  /** The hold that the waiting calls and their clients know of: its end, and who was told. */
  #heldUntil: number | undefined;
  readonly #toldOf = new Set<(change: HoldChange) => void>();
  #fails = 0;
  #coolAt = -Infinity;
  #resetAt: number | undefined;
  #timer: AbortController | undefined;
  #places = 0;
  /** The moment of the last request or answer: a gate that is idle for long is dropped. */
  usedAt: number;

  constructor(clock: Clock, random: () => number = Math.random) {
    this.#clock = clock;
    this.#random = random;
    this.#serverClock = new ServerClock(clock);
    this.usedAt = clock.monotonic();
  }

  /** True when dropping the gate would lose nothing that matters. */
  idleSince(moment: number): boolean {
    return this.#queue.size === 0 && this.#inFlight === 0 && this.usedAt < moment && this.#holdUntil < moment;
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
      call.place ??= this.#places++;
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
      // Only now is it known that the call cannot go at once.
      if (call.waitUntil <= this.#clock.monotonic()) {
        this.#queue.remove(entry);
        entry.value.refuse(new GateRefusal('wait', this.#wait(this.#queue.size)));
      }
    });
  }

  /** Sends what may be sent, in order; holds when the window is spent; keeps the one timer armed while calls wait. */
  #pump(): void {
    for (;;) {
      const head = this.#queue.head;
      const now = this.#clock.monotonic();
      if (head === undefined) return this.#disarm();
      if (this.#serverClock.jumped() && this.#mode === 'OPEN') this.#mode = 'PROBE';
      if (now < this.#holdUntil) return this.#hold(this.#holdUntil - now);
      this.#resume();
      if (this.#inFlight < Math.min(this.#window(), this.#budget.cap(), head.value.call.maxConcurrency)) this.#grant(head, now);
      else if (this.#inFlight > 0) return;
      else this.#holdForReset(now);
    }
  }

  #window(): number {
    return this.#mode === 'OPEN' ? this.#budget.window() : 1;
  }

  /** The budget is spent, and nothing under way can tell of a new one. */
  #holdForReset(now: number): void {
    this.#holdUntil = (this.#resetAt ?? now + blindHold) + pad + this.#random() * jitter;
    this.#toldUntil = Math.max(this.#toldUntil, this.#resetAt ?? -Infinity);
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
      settle: (response) => close((receivedAt) => this.#settle(response, entry.value.call, sentAt, receivedAt)),
      lose: () => close(() => this.#budget.spendUnseen()),
      cancel: () => close(() => undefined),
    });
  }

  #settle({ status, headers }: GateResponse, call: GateCall, sentAt: number, receivedAt: number): void {
    if (!(Number(headers.get('age') ?? 0) > 0)) this.#serverClock.observe(headers.get('date'), sentAt, receivedAt);
    const quota = readQuota(headers);
    this.#serverClock.observeReset(quota.reset, receivedAt);
    const until = (instant: number) => this.#serverClock.until(instant);
    const resetIn = quota.reset === undefined ? undefined : until(quota.reset);
    const retryAfter = readRetryAfter(headers.get(names.retryAfter), until, resetIn);
    // A 403 with Retry-After is how some services answer a banned key.
    if (status === 429 || (status === 403 && retryAfter !== undefined)) {
      this.#budget.learnWindow(quota, sentAt, receivedAt, resetIn);
      this.#coolDown({ retryAfter, resetIn, spent: (quota.remaining ?? 0) === 0, maxHold: call.maxHold }, sentAt, receivedAt);
    } else {
      this.#budget.learn(quota, sentAt, receivedAt, this.#inFlight, resetIn);
      this.#budget.countDay(this.#clock.now());
      if (receivedAt >= this.#holdUntil) this.#mode = 'OPEN';
      if (sentAt > this.#coolAt) this.#fails = 0;
    }
    const reset = this.#budget.windowReset === undefined ? undefined : until(this.#budget.windowReset);
    this.#resetAt = reset === undefined ? undefined : receivedAt + reset;
  }

  #coolDown({ retryAfter, resetIn, spent, maxHold }: Refusal, sentAt: number, receivedAt: number): void {
    // Requests that were under way when the limit was hit come back refused too: echoes of one event.
    if (sentAt > this.#coolAt) {
      this.#fails += 1;
      this.#budget.overdrawn(this.#mode === 'OPEN');
    }
    // Where the window is spent the later of the two counts, for a Retry-After may be too short. But a far Reset (of a day,
    // say), or one of a window that is not spent, counts only once it was.
    const near = spent && this.#serverClock.exact && resetIn !== undefined && resetIn <= Math.min(maxHold, defaultMaxHold);
    const reset = retryAfter === undefined || near || this.#fails >= 2 ? Math.max(resetIn ?? 0, 0) : 0;
    const told = Math.max(retryAfter ?? 0, reset);
    // Two tellings of one moment, the Retry-After rounded: the pad behind the Reset covers both.
    const padded = reset > 0 && told <= reset + pad ? reset + pad : told + pad;
    const wait = Math.max(padded, this.#backoff(retryAfter !== undefined || resetIn !== undefined));
    this.#holdUntil = Math.max(this.#holdUntil, receivedAt + wait + this.#random() * jitter);
    this.#toldUntil = Math.max(this.#toldUntil, receivedAt + told);
    this.#coolAt = receivedAt;
    this.#mode = 'PROBE';
    this.#budget.forget();
  }

  #backoff(told: boolean): number {
    // Blind backoff starts high: 1, 2, 4, 8, 16 s would be five strikes within one minute window.
    if (!told) return Math.min(blindHold * 4 ** Math.max(0, this.#fails - 1), longestBlindHold);
    return this.#fails <= 1 ? 0 : Math.min(1_000 * 2 ** this.#fails, longestBackoff);
  }

  /** Why a call that joins at `position` may not wait, if so. */
  #refusal(call: GateCall, position: number): GateRefusal | undefined {
    const now = this.#clock.monotonic();
    const told = this.#toldUntil - now;
    if (now < this.#holdUntil && told > call.maxHold) return new GateRefusal('hold', told);
    if (position >= call.maxQueue) return new GateRefusal('queue', this.#wait(position));
    const wait = this.#wait(position);
    return wait > 0 && now + wait > call.waitUntil ? new GateRefusal('wait', wait) : undefined;
  }

  /** How long a call at `position` waits, in ms, at the least: the hold, and whole windows for the calls before it. */
  #wait(position: number): number {
    const left = Math.max(0, this.#holdUntil - this.#clock.monotonic());
    const { limit, remaining } = this.#budget;
    if (limit === undefined) return left;
    const credits = left > 0 || remaining === Infinity ? limit : Math.max(0, remaining - this.#inFlight);
    return left + 60_000 * Math.floor(Math.max(0, position - credits) / Math.max(1, limit * this.#budget.share()));
  }

  /** Rejects the calls that may not wait as long, and arms the timer; again, when the hold has become longer meanwhile. */
  #hold(left: number): void {
    if (this.#timer !== undefined && this.#heldUntil === this.#holdUntil) return;
    this.#heldUntil = this.#holdUntil;
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
    onHold({ type: 'hold', delay: this.#holdUntil - now, told: this.#toldUntil > now });
  }

  #resume(): void {
    this.#heldUntil = undefined;
    if (this.#toldOf.size === 0) return;
    const listeners = [...this.#toldOf];
    this.#toldOf.clear();
    for (const listener of listeners) listener({ type: 'resume' });
  }
}
