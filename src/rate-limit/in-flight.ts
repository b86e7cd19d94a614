/** A request that was sent and whose response headers have not arrived. */
export interface InFlightRequest {
  /** Its index in the list of requests. */
  at: number;
  /** The request has been in flight for a whole period of the check. */
  overdue: boolean;
}

/** Real ms between two checks: a request without a response loses its slot after one to two of them. */
const period = 20_000;
/** The turns of promises between the permit of a waiting call and its request, and some more. */
const handOverTurns = 20;

/**
 * The requests in flight. One that is never answered (with `timeout: false`, say) would block the calls that wait, so it
 * gives up its slot after 20 to 40 s.
 *
 * The check runs on a real timer, whatever clock the gate has: a request in flight takes real time. It runs only while calls
 * wait for a slot.
 */
export class InFlight {
  /** Permits that have not reached the calls that waited for them. */
  onTheirWay = 0;
  /** In any order. A `Set` would allocate a new table every few requests, which the garbage collector keeps for long. */
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
    const request = { at: this.size, overdue: false };
    this.#requests.push(request);
    return request;
  }

  remove(request: InFlightRequest): void {
    // It may have lost its slot before.
    if (this.#requests[request.at] !== request) return;
    const last = this.#requests.pop() as InFlightRequest;
    if (last === request) return;
    last.at = request.at;
    this.#requests[last.at] = last;
  }

  /** Calls wait for a slot, so requests without a response must not keep theirs. */
  watch(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const before = this.size;
      for (const request of [...this.#requests])
        if (request.overdue) this.remove(request);
        else request.overdue = true;
      this.#onAbandoned(before - this.size);
    }, period);
  }

  /** Until a permit has reached the call that waited for it, a few turns of promises later, a new call would overtake it. */
  async handOver(): Promise<void> {
    this.onTheirWay += 1;
    for (let turn = 0; turn < handOverTurns; turn += 1) await Promise.resolve();
    this.onTheirWay -= 1;
  }

  /** Stops the checks, because no call waits any longer. */
  unwatch(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
