import { whenAborted, throwIfAborted } from '../utils/abort.js';
import type { Clock } from '../utils/clock.js';
import type { HoldTimes } from './rules/hold.js';
import {
  GateRefusedError,
  type GateCall,
  type GatePermit,
  type HoldChange,
  type WaitCause,
} from './types.js';

/** A call that waits for a permit. */
export interface WaitingCall {
  readonly call: GateCall;
  readonly grant: (permit: GatePermit) => void;
  readonly reject: (reason: unknown) => void;
}

/** What a gate knows of the calls that wait at it. */
export interface WaitingRules {
  /** Sends what can be sent. Called when a call is in line, and whenever one leaves it. */
  readonly pump: () => void;
  /** Shortest wait in ms, after a hold of `hold` ms, of a call with `position` others before it. */
  readonly shortestWait: (position: number, hold: number) => number;
  /** Why the first call waits while there is no hold. */
  readonly cause: () => WaitCause;
  /** Called when a call is refused that had to wait without a hold. */
  readonly onRefused?: () => void;
}

/** The number of calls that may wait at the same time. */
const maxWaiting = 10_000;

/** The calls that wait at one gate: their order, their bounds, and the events of holds for their clients. */
export class WaitingCalls {
  readonly #clock: Clock;
  readonly #rules: WaitingRules;
  /** Ordered by rank. Most calls arrive in order, at the end. */
  readonly #line: WaitingCall[] = [];
  readonly #notified = new Set<(change: HoldChange) => void>();
  /** The hold that the waiting calls have accepted. */
  #accepted: HoldTimes | undefined;

  constructor(clock: Clock, rules: WaitingRules) {
    this.#clock = clock;
    this.#rules = rules;
  }

  get size(): number {
    return this.#line.length;
  }

  /** The call that is sent next. */
  get head(): WaitingCall | undefined {
    return this.#line[0];
  }

  /** The number of calls of high priority. */
  get high(): number {
    return this.#endOf(-1);
  }

  /** Resolves with the permit that the call gets. Rejects when the call is aborted, or may not wait as long. */
  acquire(call: GateCall): Promise<GatePermit> {
    return new Promise((resolve, reject) => {
      throwIfAborted(call.signal);
      const { pump } = this.#rules;
      const stopListening = whenAborted(call.signal, () => {
        this.remove(waiting);
        waiting.reject(call.signal?.reason);
        pump();
      });
      const waiting: WaitingCall = {
        call,
        grant: (permit) => (stopListening(), resolve(permit)),
        reject: (reason) => (stopListening(), reject(reason as Error)),
      };
      this.add(waiting);
      pump();
      const position = this.#indexOf(waiting);
      if (position < 0) return;
      // Retries are exempt: they were in line before.
      const isFull = !call.isRetry && this.size > maxWaiting;
      if (this.#admit(waiting, position, isFull)) return;
      if (this.#accepted === undefined) this.#rules.onRefused?.();
      pump();
    });
  }

  /** Puts a call in its place: a new one, or one that comes back. */
  add(waiting: WaitingCall): void {
    this.#line.splice(this.#endOf(rankOf(waiting)), 0, waiting);
  }

  /** Takes the call that is sent next. */
  shift(): WaitingCall | undefined {
    return this.#line.shift();
  }

  /** Removes a call. Does nothing if it is not in line. */
  remove(waiting: WaitingCall): void {
    const at = this.#indexOf(waiting);
    if (at >= 0) this.#line.splice(at, 1);
  }

  /** Rejects all calls, because the clock failed that would have ended their wait. */
  fail(reason: unknown): void {
    for (const waiting of this.#line.splice(0)) waiting.reject(reason);
    this.resume();
  }

  /** A hold began, or has changed: rejects the calls that may not wait as long, and notifies the others. Without calls, nobody waits for its end. */
  hold({ resumeAt, endsAt, serverHoldUntil, cause }: HoldTimes): void {
    const isKnown = this.#accepted?.resumeAt === resumeAt && this.#accepted.endsAt === endsAt;
    if (isKnown && this.size > 0) return;
    this.#accepted = { resumeAt, endsAt, serverHoldUntil, cause };
    let position = 0;
    for (const waiting of [...this.#line]) if (this.#admit(waiting, position, false)) position += 1;
    if (this.size === 0) this.resume();
  }

  /** The hold is over, or nobody waits for its end any longer. Returns whether a client was notified. */
  resume(): boolean {
    this.#accepted = undefined;
    if (this.#notified.size === 0) return false;
    const listeners = [...this.#notified];
    this.#notified.clear();
    for (const listener of listeners) listener({ type: 'resume' });
    return true;
  }

  /** Lets a call wait with `position` others before it, and says why it does; or removes and refuses it. Returns whether it may wait. */
  #admit(waiting: WaitingCall, position: number, isFull: boolean): boolean {
    const refusal = this.#refusal(waiting.call, position, isFull);
    if (refusal === undefined) {
      this.#announce(waiting.call, position);
      return true;
    }
    this.remove(waiting);
    waiting.reject(refusal);
    return false;
  }

  /** Says why a call waits: once to its client for each hold, however many of its calls wait, and to the call itself. */
  #announce({ onHold, onWait }: GateCall, position: number): void {
    const ofHead = this.#rules.cause();
    const isBehind = position > 0 && ofHead !== 'probe';
    onWait?.(this.#accepted?.cause ?? (isBehind ? 'queue' : ofHead));
    if (this.#accepted === undefined || onHold === undefined || this.#notified.has(onHold)) return;
    const { resumeAt, serverHoldUntil, cause } = this.#accepted;
    const now = this.#clock.monotonic();
    this.#notified.add(onHold);
    onHold({
      type: 'hold',
      delay: resumeAt - now,
      fromServer: serverHoldUntil > now,
      cause,
    });
  }

  /** The reason why a call may not wait with `position` others before it, if there is one. */
  #refusal(call: GateCall, position: number, isFull: boolean): GateRefusedError | undefined {
    const now = this.#clock.monotonic();
    const { resumeAt = now, endsAt = now } = this.#accepted ?? {};
    if (now < resumeAt && endsAt - now > call.maxHold)
      return new GateRefusedError('hold', endsAt - now);
    const wait = this.#rules.shortestWait(position, Math.max(0, resumeAt - now));
    const isLate = now + wait > call.waitUntil || now >= call.waitUntil;
    if (!isFull && !isLate) return undefined;
    // 0: a wait of unknown length.
    return new GateRefusedError(isFull ? 'queue' : 'wait', wait || undefined);
  }

  /** The index behind all calls of this rank. */
  #endOf(rank: number): number {
    let [low, high] = [0, this.#line.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rankOf(this.#line[middle] as WaitingCall) <= rank) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Searched from the end, since the calls of a gate that is used directly may all have the same rank, and the newest is asked for most. */
  #indexOf(waiting: WaitingCall): number {
    return this.#line.lastIndexOf(waiting, this.#endOf(rankOf(waiting)) - 1);
  }
}

/** The place of a call in the line. Calls of high priority are before all others. */
function rankOf({ call: { place, priority } }: WaitingCall): number {
  return place - (priority === 'high' ? 2 ** 50 : 0);
}
