import { pad } from '../../rate-limit/hold.js';
import {
  GateRefusedError,
  type GateCall,
  type GatePermit,
  type HoldChange,
} from '../../rate-limit/types.js';
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
  };
}

/** The calls of one process that wait: their order, their bounds, and the events of holds for their clients. */
export class WaitingCalls {
  readonly #clock: Clock;
  readonly #queue = new PriorityQueue<WaitingCall>();
  readonly #notified = new Set<(change: HoldChange) => void>();
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
      const rejection = this.#rejection(call, this.size);
      if (rejection !== undefined) return reject(rejection);
      const abort = () => {
        this.remove(waiting.entry!);
        reject(call.signal?.reason as Error);
        pump();
      };
      const forget = () => call.signal?.removeEventListener('abort', abort);
      const waiting: WaitingCall = {
        call,
        grant: (permit) => (forget(), resolve(permit)),
        reject: (reason) => (forget(), reject(reason)),
      };
      const entry = this.add(waiting);
      call.signal?.addEventListener('abort', abort, { once: true });
      pump();
      if (!entry.queued) return;
      if (this.#clock.monotonic() < this.#hold.resumeAt) this.#announce(call);
      // Check maxQueue only if the call could not be sent at once. Retries are exempt: they passed this check before.
      const full = !call.isRetry && this.size > call.maxQueue;
      if (!full && call.waitUntil > this.#clock.monotonic()) return;
      this.remove(entry);
      entry.value.reject(new GateRefusedError(full ? 'queue' : 'wait', this.#wait(this.size)));
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
    if (hold.resumeAt === resumeAt && hold.endsAt === endsAt) return;
    this.#hold = hold;
    let position = 0;
    for (const entry of this.#queue) {
      const rejection = this.#rejection(entry.value.call, position);
      if (rejection === undefined) {
        position += 1;
        this.#announce(entry.value.call);
      } else {
        this.remove(entry);
        entry.value.reject(rejection);
      }
    }
  }

  /** The hold is over. */
  resume(): void {
    this.#hold = statedHold(-Infinity);
    const listeners = [...this.#notified];
    this.#notified.clear();
    for (const listener of listeners) listener({ type: 'resume' });
  }

  /** Notifies each client once of a hold, however many of its calls wait. */
  #announce({ onHold }: GateCall): void {
    if (onHold === undefined || this.#notified.has(onHold)) return;
    this.#notified.add(onHold);
    const now = this.#clock.monotonic();
    onHold({
      type: 'hold',
      delay: this.#hold.resumeAt - now,
      fromServer: this.#hold.serverHoldUntil > now,
    });
  }

  /** Why a call that joins at `position` may not wait, if so. */
  #rejection(call: GateCall, position: number): GateRefusedError | undefined {
    const now = this.#clock.monotonic();
    const left = this.#hold.endsAt - now;
    if (now < this.#hold.resumeAt && left > call.maxHold) return new GateRefusedError('hold', left);
    const wait = this.#wait(position);
    return wait > 0 && now + wait > call.waitUntil ? new GateRefusedError('wait', wait) : undefined;
  }

  /** How long a call at `position` waits, in ms, at the least: the hold, and whole windows for the calls before it. */
  #wait(position: number): number {
    const left = Math.max(0, this.#hold.resumeAt - this.#clock.monotonic());
    return this.limit === 0 ? left : left + 60_000 * Math.floor(position / this.limit);
  }
}
