/** A request that was sent, and whose response headers have not arrived. */
export interface InFlightRequest {
  /** It has been in flight for a whole period of the check. */
  isOverdue: boolean;
}

/** Real ms between two checks: a request without a response loses its slot after one to two of them. */
const period = 20_000;

/**
 * The requests in flight. One that is never answered (with `timeout: false`, say) would block the calls that wait, so it gives up its slot.
 * The check runs on a real timer, whatever clock the gate has, since a request in flight takes real time; and only while calls wait for a slot.
 */
export class InFlight {
  /** A `Set` would allocate a new table every few requests, which the garbage collector keeps for long. */
  readonly #requests: InFlightRequest[] = [];
  readonly #onAbandoned: (count: number) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `onAbandoned` is called with the number of requests that have just lost their slots. */
  constructor(onAbandoned: (count: number) => void) {
    this.#onAbandoned = onAbandoned;
  }

  get size(): number {
    return this.#requests.length;
  }

  add(): InFlightRequest {
    const request = { isOverdue: false };
    this.#requests.push(request);
    return request;
  }

  remove(request: InFlightRequest): void {
    const at = this.#requests.indexOf(request);
    if (at >= 0) this.#requests.splice(at, 1);
  }

  /** Calls wait for a slot, so requests without a response must not keep theirs. */
  watch(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const before = this.size;
      for (const request of [...this.#requests])
        if (request.isOverdue) this.remove(request);
        else request.isOverdue = true;
      this.#onAbandoned(before - this.size);
    }, period);
  }

  /** Stops the checks, because no call waits any longer. */
  unwatch(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
