/** A sleep that ends at `due`. */
export interface Timer {
  readonly due: number;
  readonly order: number;
  fire: () => void;
  canceled: boolean;
}

const before = (a: Timer, b: Timer) => a.due < b.due || (a.due === b.due && a.order < b.order);

/** Timers in the order of their due times: a binary heap. One that is `canceled` is dropped when it comes to the top. */
export class TimerQueue {
  readonly #heap: Timer[] = [];
  #order = 0;

  add(due: number, fire: () => void): Timer {
    const heap = this.#heap;
    const timer: Timer = { due, order: this.#order++, fire, canceled: false };
    let at = heap.push(timer) - 1;
    for (let up = (at - 1) >> 1; at > 0 && before(timer, heap[up]!); at = up, up = (at - 1) >> 1)
      heap[at] = heap[up]!;
    heap[at] = timer;
    return timer;
  }

  first(): Timer | undefined {
    while (this.#heap[0]?.canceled) this.#pop();
    return this.#heap[0];
  }

  /** Fires all timers that are due at `now`, the earliest first. */
  fireUntil(now: number): void {
    for (let next = this.first(); next && next.due <= now; next = this.first()) {
      this.#pop();
      next.fire();
    }
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let at = 0;
    for (let down = 1; down < heap.length; down = 2 * at + 1) {
      if (down + 1 < heap.length && before(heap[down + 1]!, heap[down]!)) down++;
      if (!before(heap[down]!, last)) break;
      heap[at] = heap[down]!;
      at = down;
    }
    heap[at] = last;
  }
}
