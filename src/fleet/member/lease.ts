import type { FleetReply } from '../rules/operations.js';

/** A lease whose permits were all used within this time, in ms, was too small. */
const quick = 2_000;

/** The permits that the process holds, and until when they may be used, monotonic ms. After that they must not be used, because the store counts them as used. */
export class Lease {
  #permits = 0;
  #end = 0;
  /** The only permit is a probe: its request finds out whether the window is open. */
  #isProbe = false;
  #size = 0;
  #takenAt = 0;

  get permits(): number {
    return this.#permits;
  }

  /** Adds the permits of a reply. The lease is counted from `sentAt`, when the operation was sent, so that it ends before the store's does. */
  add(reply: FleetReply, sentAt: number, now: number): void {
    const end = sentAt + reply.leaseFor;
    this.#end = this.#permits > 0 ? Math.max(this.#end, end) : end;
    this.#permits += reply.granted;
    this.#isProbe = reply.probe;
    this.#size = reply.granted;
    this.#takenAt = now;
  }

  /** Drops permits whose lease has ended. Returns whether there were any. */
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

  /** Takes back a permit that was not used. While the lease lasts, the next call gets it. */
  putBack(isProbe: boolean, now: number): void {
    if (now >= this.#end) return;
    this.#permits += 1;
    this.#isProbe = isProbe;
  }

  /** Keeps at most `most` permits. */
  trim(most: number): void {
    this.#permits = Math.max(0, Math.min(this.#permits, most));
  }

  drop(): void {
    this.#permits = 0;
  }

  /** The size of the last lease if its permits were used quickly, otherwise 0. */
  usedUpSize(now: number): number {
    return this.#permits === 0 && now - this.#takenAt < quick ? this.#size : 0;
  }
}
