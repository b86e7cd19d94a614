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
  readonly refuse: (reason: unknown) => void;
}

/** Until when nothing can be granted; `told`: the part of it that the service announced. Monotonic ms. */
export interface HeldUntil {
  readonly until: number;
  readonly told: number;
}

/** The calls of one process that wait: their order, their bounds, and what their clients are told of holds. */
export class WaitingCalls {
  readonly #clock: Clock;
  readonly #queue = new PriorityQueue<WaitingCall>();
  readonly #toldOf = new Set<(change: HoldChange) => void>();
  #held: HeldUntil = { until: -Infinity, told: -Infinity };
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

  /** A call waits, and may be sent while so many requests are in flight. */
  allows(inFlight: number, cap: number): boolean {
    const { head } = this.#queue;
    return head !== undefined && inFlight < Math.min(cap, head.value.call.maxConcurrency);
  }

  /**
   * Resolves with the permit that the call gets. `pump` grants what can be granted, and is called once the call is in line
   * and whenever it leaves; `onDenied` is called when the call would have to wait and may not.
   */
  acquire(call: GateCall, pump: () => void, onDenied: () => void): Promise<GatePermit> {
    return new Promise((resolve, reject) => {
      if (call.signal?.aborted) return reject(call.signal.reason as Error);
      const refusal = this.#refusal(call, this.size);
      if (refusal !== undefined) return reject(refusal);
      const abort = () => {
        this.remove(entry);
        reject(call.signal?.reason as Error);
        pump();
      };
      const forget = () => call.signal?.removeEventListener('abort', abort);
      const entry = this.add({
        call,
        grant: (permit) => (forget(), resolve(permit)),
        refuse: (reason) => (forget(), reject(reason)),
      });
      call.signal?.addEventListener('abort', abort, { once: true });
      pump();
      if (!entry.queued) return;
      if (this.#clock.monotonic() < this.#held.until) this.#tell(call);
      // Check maxQueue only if the call could not be sent at once. Retries are exempt: they passed this check before.
      const full = !call.isRetry && this.size > call.maxQueue;
      if (!full && call.waitUntil > this.#clock.monotonic()) return;
      this.remove(entry);
      entry.value.refuse(new GateRefusedError(full ? 'queue' : 'wait', this.#wait(this.size)));
      onDenied();
    });
  }

  /** Puts a call in its place: a new one, or one that comes back. */
  add(waiting: WaitingCall): Entry<WaitingCall> {
    const { call } = waiting;
    if (call.priority === 'high') this.#high += 1;
    return this.#queue.add(waiting, call.place, call.priority);
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

  /** A hold began, or has become longer: refuses the calls that may not wait as long, and tells the clients of the others. */
  hold(held: HeldUntil): void {
    if (held.until === this.#held.until && held.told === this.#held.told) return;
    this.#held = held;
    let position = 0;
    for (const entry of this.#queue) {
      const refusal = this.#refusal(entry.value.call, position);
      if (refusal === undefined) {
        position += 1;
        this.#tell(entry.value.call);
      } else {
        this.remove(entry);
        entry.value.refuse(refusal);
      }
    }
  }

  /** The hold is over. */
  resume(): void {
    this.#held = { until: -Infinity, told: -Infinity };
    const listeners = [...this.#toldOf];
    this.#toldOf.clear();
    for (const listener of listeners) listener({ type: 'resume' });
  }

  /** Each client is told once a hold, however many of its calls wait. */
  #tell({ onHold }: GateCall): void {
    if (onHold === undefined || this.#toldOf.has(onHold)) return;
    this.#toldOf.add(onHold);
    const now = this.#clock.monotonic();
    onHold({
      type: 'hold',
      delay: this.#held.until - now,
      fromServer: this.#held.told > now,
    });
  }

  /** Why a call that joins at `position` may not wait, if so. */
  #refusal(call: GateCall, position: number): GateRefusedError | undefined {
    const now = this.#clock.monotonic();
    const told = this.#held.told - now;
    if (now < this.#held.until && told > call.maxHold) return new GateRefusedError('hold', told);
    const wait = this.#wait(position);
    return wait > 0 && now + wait > call.waitUntil ? new GateRefusedError('wait', wait) : undefined;
  }

  /** How long a call at `position` waits, in ms, at the least: the hold, and whole windows for the calls before it. */
  #wait(position: number): number {
    const left = Math.max(0, this.#held.until - this.#clock.monotonic());
    return this.limit === 0 ? left : left + 60_000 * Math.floor(position / this.limit);
  }
}
