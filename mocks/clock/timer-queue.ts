/** Somebody who sleeps until `due`. */
export interface Timer {
  readonly due: number;
  readonly order: number;
  wake: () => void;
  gone: boolean;
}

const before = (a: Timer, b: Timer) => a.due < b.due || (a.due === b.due && a.order < b.order);

/** Sleepers in the order of their due times: a binary heap. Who is `gone` is dropped when it comes to the top. */
export class TimerQueue {
  readonly #heap: Timer[] = [];
  #order = 0;

  add(due: number, wake: () => void): Timer {
    const heap = this.#heap;
    const sleeper: Timer = { due, order: this.#order++, wake, gone: false };
    let at = heap.push(sleeper) - 1;
    for (let up = (at - 1) >> 1; at > 0 && before(sleeper, heap[up]!); at = up, up = (at - 1) >> 1)
      heap[at] = heap[up]!;
    heap[at] = sleeper;
    return sleeper;
  }

  first(): Timer | undefined {
    while (this.#heap[0]?.gone) this.#pop();
    return this.#heap[0];
  }

  /** Wakes all who are due at `now`, the earliest first. */
  wakeUntil(now: number): void {
    for (let next = this.first(); next && next.due <= now; next = this.first()) {
      this.#pop();
      next.wake();
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
