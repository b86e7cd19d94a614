import { HoldListeners } from '../../rate-limit/hold.js';
import { pad } from '../../rate-limit/rules/hold-rule.js';
import { GateRefusedError, type GateCall, type GatePermit } from '../../rate-limit/types.js';
import { whenAborted } from '../../utils/abort.js';
import type { Clock } from '../../utils/clock.js';
import { PriorityQueue, type Entry } from '../../utils/priority-queue.js';

/** A call that waits for a permit. */
export interface WaitingCall {
  readonly call: GateCall;
  readonly grant: (permit: GatePermit) => void;
  readonly reject: (reason: unknown) => void;
  /** Its place in the queue. A call that comes back gets a new one. */
  entry?: Entry<WaitingCall>;
}

/** A time in which no permit is granted. Monotonic ms. */
export interface HoldTimes {
  /** Nothing is granted before this moment. */
  readonly resumeAt: number;
  /** The end of the hold without the pad for rounded headers. A call with a shorter maxHold is rejected. */
  readonly endsAt: number;
  /** The part that the service stated in a header. */
  readonly serverHoldUntil: number;
  /** A window begins when the hold ends. */
  readonly beginsWindow?: boolean | undefined;
}

/** A hold that the service stated. */
export function statedHold(endsAt: number, resumeAt = endsAt + pad): HoldTimes {
  return { resumeAt, endsAt, serverHoldUntil: endsAt };
}

/** The later end of two holds. */
export function later(one: HoldTimes, other: HoldTimes): HoldTimes {
  return {
    resumeAt: Math.max(one.resumeAt, other.resumeAt),
    endsAt: Math.max(one.endsAt, other.endsAt),
    serverHoldUntil: Math.max(one.serverHoldUntil, other.serverHoldUntil),
    beginsWindow: (one.resumeAt > other.resumeAt ? one : other).beginsWindow,
  };
}

/** The calls of one process that wait: their order, their bounds, and the events of holds for their clients. */
export class WaitingCalls {
  readonly #clock: Clock;
  readonly #queue = new PriorityQueue<WaitingCall>();
  readonly #listeners = new HoldListeners();
  #hold: HoldTimes = statedHold(-Infinity);
  #high = 0;
  /** Requests a minute, for an estimate of the wait. */
  limit = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#queue.size;
  }

  /** Calls of high priority. */
  get high(): number {
    return this.#high;
  }

  /** Whether a call waits that may be sent with `inFlight` requests in flight and the limit `cap`. */
  allows(inFlight: number, cap: number): boolean {
    const { head } = this.#queue;
    return head !== undefined && inFlight < Math.min(cap, head.value.call.maxConcurrency);
  }

  /**
   * Resolves with the permit that the call gets. `pump` grants what can be granted, and is called once the call is in line
   * and whenever it leaves; `onRejected` is called when the call would have to wait and may not.
   */
  acquire(call: GateCall, pump: () => void, onRejected: () => void): Promise<GatePermit> {
    return new Promise((resolve, reject) => {
      if (call.signal?.aborted) return reject(call.signal.reason as Error);
      const rejection = this.#rejection(call);
      if (rejection !== undefined) return reject(rejection);
      const abort = () => {
        this.remove(waiting.entry!);
        forget();
        reject(call.signal?.reason as Error);
        pump();
      };
      let forget: () => void = () => undefined;
      const waiting: WaitingCall = {
        call,
        grant: (permit) => (forget(), resolve(permit)),
        reject: (reason) => (forget(), reject(reason)),
      };
      const entry = this.add(waiting);
      forget = whenAborted(call.signal, abort);
      pump();
      if (!entry.queued) return;
      const now = this.#clock.monotonic();
      // Check maxQueue only if the call could not be sent at once. Retries are exempt: they passed this check before.
      const full = !call.isRetry && this.size > call.maxQueue;
      if (!full && call.waitUntil > now) {
        if (now < this.#hold.resumeAt) this.#listeners.announce(call, this.#hold, now);
        return;
      }
      this.remove(entry);
      entry.value.reject(new GateRefusedError(full ? 'queue' : 'wait', this.#wait(call)));
      onRejected();
    });
  }

  /** Puts a call in its place: a new one, or one that comes back. */
  add(waiting: WaitingCall): Entry<WaitingCall> {
    const { call } = waiting;
    if (call.priority === 'high') this.#high += 1;
    return (waiting.entry = this.#queue.add(waiting, call.place, call.priority));
  }

  /** Takes the call that goes next. There is one. */
  shift(): WaitingCall {
    const entry = this.#queue.head!;
    if (entry.priority === 'high') this.#high -= 1;
    this.#queue.take(entry);
    return entry.value;
  }

  /** Removes a call that gives up. */
  remove(entry: Entry<WaitingCall>): void {
    if (entry.queued && entry.priority === 'high') this.#high -= 1;
    this.#queue.remove(entry);
  }

  /** A hold began, or has changed: rejects the calls that may not wait as long, and notifies the clients of the others. */
  hold(hold: HoldTimes): void {
    const { resumeAt, endsAt } = this.#hold;
    if (hold.resumeAt !== resumeAt || hold.endsAt !== endsAt) this.#rejectTooLong(hold);
    // Nobody would hear of the end of the hold later.
    if (this.size === 0) this.#listeners.resume();
  }

  #rejectTooLong(hold: HoldTimes): void {
    this.#hold = hold;
    let position = 0;
    for (const entry of this.#queue) {
      const rejection = this.#rejection(entry.value.call, position);
      if (rejection === undefined) {
        position += 1;
        this.#listeners.announce(entry.value.call, hold, this.#clock.monotonic());
      } else {
        this.remove(entry);
        entry.value.reject(rejection);
      }
    }
  }

  /** The hold is over. */
  resume(): void {
    this.#hold = statedHold(-Infinity);
    this.#listeners.resume();
  }

  /** Why a call may not wait with `position` others before it, if so. */
  #rejection(call: GateCall, position?: number): GateRefusedError | undefined {
    const now = this.#clock.monotonic();
    const left = this.#hold.endsAt - now;
    if (now < this.#hold.resumeAt && left > call.maxHold) return new GateRefusedError('hold', left);
    const wait = this.#wait(call, position);
    return wait > 0 && now + wait > call.waitUntil ? new GateRefusedError('wait', wait) : undefined;
  }

  /**
   * How long a call waits, in ms, at the least, with `position` others before it: the hold, and whole windows for the calls
   * before it. The end of a window whose beginning is unknown may be near.
   */
  #wait(call: GateCall, position = this.#queue.ahead(call)): number {
    const left = Math.max(0, this.#hold.resumeAt - this.#clock.monotonic());
    const begun = left > 0 && this.#hold.beginsWindow ? 0 : 1;
    const windows = this.limit === 0 ? 0 : Math.floor(position / this.limit) - begun;
    return left + 60_000 * Math.max(0, windows);
  }
}
