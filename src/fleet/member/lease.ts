import type { GatePermit } from '../../rate-limit/types.js';
import type { SyncReply } from '../rules/operations.js';

/** A lease that was used up within this time, in ms, was too small. */
const quick = 2_000;

/** The permits in hand, and until when they may be used, monotonic ms. What has run out is never used: the store counts it as spent. */
export class Lease {
  #permits = 0;
  #end = -Infinity;
  /** The one permit asks whether the window is open. */
  #isProbe = false;
  #size = 0;
  #takenAt = -Infinity;

  get permits(): number {
    return this.#permits;
  }

  /** Adds what was granted to an operation that was sent at `sentAt`: the store's lease began later. */
  add(reply: SyncReply, sentAt: number, now: number): void {
    const end = sentAt + reply.leaseFor;
    this.#end = this.#permits > 0 ? Math.max(this.#end, end) : end;
    this.#permits += reply.granted;
    this.#isProbe = reply.probe;
    this.#size = reply.granted;
    this.#takenAt = now;
  }

  /** Drops what has run out; returns whether there was something. */
  expire(now: number): boolean {
    if (this.#permits === 0 || now < this.#end) return false;
    this.drop();
    return true;
  }

  /** Uses one permit; returns whether it is the probe. */
  use(): boolean {
    this.#permits -= 1;
    const isProbe = this.#isProbe;
    this.#isProbe = false;
    return isProbe;
  }

  /** A permit was not used: the next call may, while the lease lasts. */
  putBack(isProbe: boolean, now: number): void {
    if (now >= this.#end) return;
    this.#permits += 1;
    this.#isProbe = isProbe;
  }

  /** Keeps at most so many. */
  trim(most: number): void {
    this.#permits = Math.max(0, Math.min(this.#permits, most));
  }

  drop(): void {
    this.#permits = 0;
    this.#isProbe = false;
  }

  /** The size of the last lease, when it was used up at once; 0: it was not. */
  usedUpSize(now: number): number {
    return this.#permits === 0 && now - this.#takenAt < quick ? this.#size : 0;
  }
}

/** A permit whose methods do something once: the first call counts. `before` and `after` run with it. */
export function settledOnce(before: () => void, permit: GatePermit, after: () => void): GatePermit {
  let isOpen = true;
  const close = (then: () => void) => {
    if (!isOpen) return;
    isOpen = false;
    before();
    then();
    after();
  };
  return {
    settle: (response) => close(() => permit.settle(response)),
    lose: () => close(() => permit.lose()),
    cancel: () => close(() => permit.cancel()),
  };
}
