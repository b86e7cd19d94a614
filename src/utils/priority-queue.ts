/** `high` calls are sent before `normal` calls. After four `high` calls in a row, one `normal` call is sent. */
export type Priority = 'normal' | 'high';

/** A value that waits. */
export interface Entry<T> {
  readonly value: T;
  readonly place: number;
  readonly priority: Priority;
  previous: Entry<T> | undefined;
  next: Entry<T> | undefined;
  queued: boolean;
}

/** After this many `high` entries in a row, one `normal` entry is next. */
const fairness = 4;

/** A list ordered by place. Most entries arrive nearly in order. Those that return to their place are near its head. */
class Line<T> {
  head: Entry<T> | undefined;
  size = 0;
  #tail: Entry<T> | undefined;

  /**
   * The entry before this place, and how many there are before it. Searched from both ends, because an entry out of order
   * belongs near one of them.
   */
  find(place: number): [Entry<T> | undefined, number] {
    let [first, last] = [this.head, this.#tail];
    for (let passed = 0; ; passed += 1) {
      if (last === undefined || last.place <= place) return [last, this.size - passed];
      // A line with a last entry has a first one, and they meet before either ends.
      if (first!.place > place) return [first!.previous, passed];
      [first, last] = [first!.next, last.previous];
    }
  }

  insert(value: T, place: number, priority: Priority): Entry<T> {
    const [previous] = this.find(place);
    const next = previous === undefined ? this.head : previous.next;
    const entry: Entry<T> = { value, place, priority, previous, next, queued: true };
    this.size += 1;
    if (previous === undefined) this.head = entry;
    else previous.next = entry;
    if (next === undefined) this.#tail = entry;
    else next.previous = entry;
    return entry;
  }

  remove(entry: Entry<T>): void {
    this.size -= 1;
    if (entry.previous === undefined) this.head = entry.next;
    else entry.previous.next = entry.next;
    if (entry.next === undefined) this.#tail = entry.previous;
    else entry.next.previous = entry.previous;
  }
}

/**
 * A queue with two priorities; within a priority the lowest place is first. The cost of adding, taking and removing does
 * not grow with the length.
 */
export class PriorityQueue<T> {
  readonly #lines: Record<Priority, Line<T>> = { high: new Line(), normal: new Line() };
  #highInARow = 0;

  get size(): number {
    return this.#lines.high.size + this.#lines.normal.size;
  }

  /** The next entry. */
  get head(): Entry<T> | undefined {
    return next(this.#lines.high.head, this.#lines.normal.head, this.#highInARow);
  }

  /** How many of the entries go before one with this place and priority, if all of them stay and none arrives. */
  ahead({ place, priority }: Pick<Entry<T>, 'place' | 'priority'>): number {
    const { high, normal } = this.#lines;
    const [, own] = this.#lines[priority].find(place);
    const highInARow = Math.min(this.#highInARow, fairness);
    return (
      own +
      (priority === 'high'
        ? Math.min(normal.size, Math.floor((highInARow + own) / fairness))
        : Math.min(high.size, fairness * (own + 1) - highInARow))
    );
  }

  add(value: T, place: number, priority: Priority): Entry<T> {
    return this.#lines[priority].insert(value, place, priority);
  }

  /** Removes the next entry. */
  take(entry: Entry<T>): void {
    this.pass(entry.priority);
    this.remove(entry);
  }

  /** Counts an entry that is taken without having waited. */
  pass(priority: Priority): void {
    this.#highInARow = priority === 'high' ? this.#highInARow + 1 : 0;
  }

  /** Removes an entry that no longer waits. Does nothing if it was removed before. */
  remove(entry: Entry<T>): void {
    if (!entry.queued) return;
    entry.queued = false;
    this.#lines[entry.priority].remove(entry);
  }

  /** The entries in the order in which they are taken. Those that the body of the loop removes do not count. */
  *[Symbol.iterator](): Generator<Entry<T>> {
    let [high, normal] = [this.#lines.high.head, this.#lines.normal.head];
    let highInARow = this.#highInARow;
    for (let entry; (entry = next(high, normal, highInARow)) !== undefined;) {
      // Read first, because the body of the loop may remove this entry.
      if (entry === high) high = high.next;
      else normal = entry.next;
      yield entry;
      if (entry.queued) highInARow = entry.priority === 'high' ? highInARow + 1 : 0;
    }
  }
}

/** The next of the first entries of the two lines. */
function next<T>(
  high: Entry<T> | undefined,
  normal: Entry<T> | undefined,
  highInARow: number,
): Entry<T> | undefined {
  return high === undefined || (highInARow >= fairness && normal !== undefined) ? normal : high;
}
