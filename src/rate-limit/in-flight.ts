import type { GatePermit } from './types.js';

/** Real ms between two checks: a request without a response loses its slot after one to two of them. */
const period = 20_000;

/**
 * The requests in flight. One that is never answered (with `timeout: false`, say) would block the calls that wait, so it counts as lost after a while.
 * The check runs on a real timer, whatever clock the gate has, since a request in flight takes real time; and only while calls wait for a slot.
 */
export class InFlight {
  readonly #requests = new Set<{ readonly lose: () => void; isOverdue: boolean }>();
  readonly #pump: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `pump` is called when slots are free. */
  constructor(pump: () => void) {
    this.#pump = pump;
  }

  get size(): number {
    return this.#requests.size;
  }

  /** A request is sent now. Returns its permit, of which only the first method call has an effect: it runs that of `then`. */
  permit(then: GatePermit): GatePermit {
    const request = { lose: () => then.lose(), isOverdue: false };
    this.#requests.add(request);
    let isOpen = true;
    const close = (work: () => void) => {
      if (!isOpen) return;
      isOpen = false;
      this.#requests.delete(request);
      try {
        work();
      } finally {
        // Also after a response that cannot be read, so that the other calls continue.
        this.#pump();
      }
    };
    return {
      settle: (response) => close(() => then.settle(response)),
      lose: () => close(() => then.lose()),
      cancel: () => close(() => then.cancel()),
    };
  }

  /** Calls wait for a slot, so requests without a response must not keep theirs. The response of one that comes late is learned from. */
  watch(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      for (const request of this.#requests) {
        if (request.isOverdue && this.#requests.delete(request)) request.lose();
        request.isOverdue = true;
      }
      this.#pump();
    }, period);
  }

  /** Stops the checks, because no call waits any longer. */
  unwatch(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
