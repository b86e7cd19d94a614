type Priority = 'normal' | 'high';

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
  #tail: Entry<T> | undefined;

  insert(entry: Entry<T>): void {
    // Searched from both ends, because an entry out of order belongs near one of them.
    let [before, after] = [this.#tail, this.head];
    while (before && after && before.place > entry.place && after.place <= entry.place)
      [before, after] = [before.previous, after.next];
    if (before && before.place > entry.place) before = after?.previous;
    entry.previous = before;
    entry.next = before === undefined ? this.head : before.next;
    if (entry.previous === undefined) this.head = entry;
    else entry.previous.next = entry;
    if (entry.next === undefined) this.#tail = entry;
    else entry.next.previous = entry;
  }

  remove(entry: Entry<T>): void {
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
  size = 0;

  /** The next entry. */
  get head(): Entry<T> | undefined {
    const { high, normal } = this.#lines;
    return high.head === undefined || (this.#highInARow >= fairness && normal.head !== undefined)
      ? (normal.head ?? high.head)
      : high.head;
  }

  add(value: T, place: number, priority: Priority): Entry<T> {
    const entry: Entry<T> = {
      value,
      place,
      priority,
      previous: undefined,
      next: undefined,
      queued: true,
    };
    this.#lines[priority].insert(entry);
    this.size += 1;
    return entry;
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
    this.size -= 1;
  }

  *[Symbol.iterator](): Generator<Entry<T>> {
    for (const line of [this.#lines.high, this.#lines.normal]) {
      // The next entry is read first, because the body of the loop may remove this one.
      for (let entry = line.head, next; entry !== undefined; entry = next) {
        next = entry.next;
        yield entry;
      }
    }
  }
}
