import { ignoreFailure, whenAborted, throwIfAborted } from '../utils/abort.js';
import { sleepOn, type Clock } from '../utils/clock.js';
import { GateRefusedError, type GateCall, type GatePermit, type WaitCause } from './types.js';

/** A time in which nothing is sent. Of two holds, the one that ends later counts. Monotonic ms. */
export interface Hold {
  /** Nothing is sent before this moment: `endsAt` with pad and jitter. */
  readonly resumeAt: number;
  /** A call whose maxHold is shorter is rejected, whether the service stated the hold or the gate chose it. */
  readonly endsAt: number;
  /** Whether the service stated a time in a header, so that it is no estimate. */
  readonly fromServer: boolean;
  readonly cause: WaitCause;
}

/** While there is no hold. */
export const noHold: Hold = {
  resumeAt: -Infinity,
  endsAt: -Infinity,
  fromServer: false,
  cause: 'probe',
};

/** A call that waits for a permit. */
export interface WaitingCall {
  readonly call: GateCall;
  readonly grant: (permit: GatePermit) => void;
  readonly reject: (reason: unknown) => void;
}

/** How many calls can be sent first, now or after the hold, and in each window that follows; whether a window begins when the hold ends. */
export type Sendable = readonly [first: number, perWindow: number, beginsWindow: boolean];

/** The rules that a gate gives to its {@link GateCalls}. */
export interface CallRules {
  /** Sends what can be sent. Called when a call is in the queue, whenever one leaves it, and when a request is no longer in flight. */
  readonly pump: () => void;
  readonly sendable: (hold: Hold) => Sendable;
  /** Why the first call waits while there is no hold. */
  readonly cause: () => WaitCause;
  /** Called when a call is refused although there is no hold. */
  readonly onRefused?: () => void;
}

/** The number of calls that may wait at the same time. */
const maxWaiting = 10_000;

/** Real ms between two checks: a request without a response loses its slot after one to two of them. */
const period = 20_000;

/** The gate's timer is set again at most this often (ms), in case it was lost. */
const timerCheck = 1_000;

/** A client is told of a hold again when it ends later than announced by at least this (ms): each 429 to the requests in flight adds its jitter. */
const noticeable = 1_000;

/** The calls of one gate: those that wait, with their order, their bounds and the events of holds for their clients, and the requests in flight. */
export class GateCalls {
  readonly #clock: Clock;
  readonly #rules: CallRules;
  /** In sending order. */
  readonly #queue: WaitingCall[] = [];
  /** The clients that were told of a hold, and until when (monotonic ms). */
  readonly #notified = new Map<NonNullable<GateCall['onHold']>, number>();
  /** The hold that all waiting calls wait for: those whose bounds forbid it were rejected. */
  #accepted = noHold;
  /** The requests in flight, and those that were in flight at the last check. */
  readonly #requests = new Set<GatePermit>();
  #checked: readonly GatePermit[] = [];
  /** The next check of the requests in flight. */
  #lossTimer: ReturnType<typeof setTimeout> | undefined;
  /** Set `setAt`, to pump at `at`. */
  #timer:
    | Readonly<{ at: number; setAt: number; sleep: typeof sleepOn; stop: AbortController }>
    | undefined;

  constructor(clock: Clock, rules: CallRules) {
    this.#clock = clock;
    this.#rules = rules;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  get inFlight(): number {
    return this.#requests.size;
  }

  /** The number of calls of high priority: only their order is negative. */
  get high(): number {
    return this.#endOf(-1);
  }

  /** Resolves with the permit that the call gets. Rejects when the call is aborted, or may not wait as long. */
  acquire(call: GateCall): Promise<GatePermit> {
    return new Promise((resolve, reject) => {
      throwIfAborted(call.signal);
      const { pump, onRefused } = this.#rules;
      const stopListening = whenAborted(call.signal, () => {
        waiting.reject(call.signal?.reason);
        pump();
      });
      const waiting: WaitingCall = {
        call,
        grant: (permit) => (stopListening(), resolve(permit)),
        reject: (reason) => {
          stopListening();
          const at = this.#queue.indexOf(waiting);
          if (at >= 0) this.#queue.splice(at, 1);
          reject(reason as Error);
        },
      };
      this.add(waiting);
      pump();
      const position = this.#queue.lastIndexOf(waiting, this.#endOf(orderOf(waiting)) - 1);
      // Retries are exempt: they were in the queue before.
      const isFull = !call.isRetry && this.waiting > maxWaiting;
      if (position < 0 || this.#admit(waiting, position, isFull)) return;
      if (this.#accepted === noHold) onRefused?.();
      pump();
    });
  }

  /** Puts a call in the queue: a new one, or one that comes back. */
  add(waiting: WaitingCall): void {
    this.#queue.splice(this.#endOf(orderOf(waiting)), 0, waiting);
  }

  /** Takes the call that is sent next. */
  shift(): WaitingCall | undefined {
    return this.#queue.shift();
  }

  /** Registers a request, and returns its permit. The first method that is called runs the same method of `inner`; later calls do nothing. */
  permit(inner: GatePermit): GatePermit {
    this.#requests.add(inner);
    let isOpen = true;
    const close = (work: () => void) => {
      if (!isOpen) return;
      isOpen = false;
      // Other calls continue even after a response that cannot be read, but after the other responses of this moment: one may be a 429.
      // No queueMicrotask(), which fake timers may replace.
      ignoreFailure(() => Promise.resolve().then(this.#rules.pump));
      this.#requests.delete(inner);
      work();
    };
    return {
      settle: (response) => close(() => inner.settle(response)),
      lose: () => close(() => inner.lose()),
      cancel: () => close(() => inner.cancel()),
    };
  }

  /**
   * Pumps at the moment `at`, or at an earlier one that is set. The timer may be lost, for example if a test has removed its fake timers, so
   * a later call sets it again. If the clock fails, all calls are rejected. With another `sleep`, the timer does not keep the process alive.
   */
  async pumpAt(at: number, sleep = sleepOn): Promise<void> {
    const known = this.#timer;
    const setAt = this.#clock.monotonic();
    const isSet = known?.sleep === sleep && known.at <= at;
    if (isSet && Math.abs(setAt - known.setAt) < timerCheck) return;
    this.stopTimer();
    const stop = new AbortController();
    this.#timer = { at, setAt, sleep, stop };
    let end = this.#rules.pump;
    try {
      await sleep(this.#clock, at - setAt, stop.signal);
    } catch (failure) {
      end = () => {
        for (const waiting of [...this.#queue]) waiting.reject(failure);
        this.resume();
      };
    }
    if (stop.signal.aborted) return;
    this.#timer = undefined;
    end();
  }

  /** Without calls that wait, no timer is left. */
  stopTimer(): void {
    this.#timer?.stop.abort();
    this.#timer = undefined;
    this.watch();
  }

  /**
   * Watches the requests in flight while calls wait. One that is never answered (with `timeout: false`, say) would block them, so it counts
   * as lost after a while. If its response comes late, the gate learns from it. The check runs on a real timer, whatever clock the gate has,
   * since a request in flight takes real time.
   */
  watch(): void {
    if (this.waiting > 0 && this.inFlight > 0) {
      this.#lossTimer ??= setTimeout(() => {
        this.#lossTimer = undefined;
        for (const inner of this.#checked) if (this.#requests.delete(inner)) inner.lose();
        this.#checked = [...this.#requests];
        this.#rules.pump();
      }, period);
    } else {
      clearTimeout(this.#lossTimer);
      this.#lossTimer = undefined;
    }
  }

  /** A hold began, or has changed: rejects the calls that may not wait as long, and notifies the others. Returns whether calls wait for its end. */
  hold(hold: Hold): boolean {
    if (this.#accepted.resumeAt === hold.resumeAt && this.waiting > 0) return true;
    this.#accepted = hold;
    let position = 0;
    for (const one of [...this.#queue]) if (this.#admit(one, position, false)) position += 1;
    return this.waiting > 0;
  }

  /** The hold is over, or nobody waits for its end any longer. Returns whether a client was notified. */
  resume(): boolean {
    this.#accepted = noHold;
    // Every call runs this function, and `clear()` allocates even if the map is empty.
    if (this.#notified.size === 0) return false;
    const listeners = [...this.#notified.keys()];
    this.#notified.clear();
    for (const listener of listeners) listener({ type: 'resume' });
    return true;
  }

  /** Says why a call has to wait with `position` others before it, and lets it wait, or refuses it. Returns whether it may wait. */
  #admit({ call, reject }: WaitingCall, position: number, isFull: boolean): boolean {
    const now = this.#clock.monotonic();
    const hold = this.#accepted;
    const { resumeAt, endsAt } = hold;
    const cause = hold === noHold ? this.#rules.cause() : hold.cause;
    call.onWait?.(position > 0 && (cause === 'in-flight' || cause === 'fleet') ? 'queue' : cause);
    // A full queue has room as soon as its first call is sent.
    const wait = this.#shortestWait(isFull ? 0 : position, Math.max(0, resumeAt - now));
    const isHeld = now < resumeAt && endsAt - now > call.maxHold;
    const isLate = now + wait > call.waitUntil || now >= call.waitUntil;
    if (isHeld) reject(new GateRefusedError('hold', endsAt - now));
    // 0: a wait of unknown length.
    else if (isFull || isLate)
      reject(new GateRefusedError(isFull ? 'queue' : 'wait', wait || undefined));
    else if (hold !== noHold) this.#announce(hold, call.onHold);
    return !isHeld && !isFull && !isLate;
  }

  /** The hold, and whole windows for the calls before this one. The end of a window whose beginning is unknown may be near. */
  #shortestWait(position: number, hold: number): number {
    const [first, perWindow, beginsWindow] = this.#rules.sendable(this.#accepted);
    if (position < first) return hold;
    const windows = Math.floor((position - first) / perWindow) + (beginsWindow ? 1 : 0);
    return hold + 60_000 * windows;
  }

  /** The index behind all calls of at most this order. A scan would be slow where many calls come before others that wait. */
  #endOf(order: number): number {
    let [low, high] = [0, this.#queue.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (orderOf(this.#queue[middle] as WaitingCall) <= order) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Tells a client of a hold once, however many of its calls wait. */
  #announce({ resumeAt, fromServer, cause }: Hold, onHold: GateCall['onHold']): void {
    if (onHold === undefined || resumeAt - (this.#notified.get(onHold) ?? -Infinity) < noticeable)
      return;
    this.#notified.set(onHold, resumeAt);
    onHold({ type: 'hold', delay: resumeAt - this.#clock.monotonic(), fromServer, cause });
  }
}

/** By what the queue is sorted: the place of a call, and below all places for a call of high priority. */
function orderOf({ call: { place, priority } }: WaitingCall): number {
  return place - (priority === 'high' ? 2 ** 50 : 0);
}
