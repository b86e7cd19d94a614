import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { PriorityQueue, type Entry } from '../../src/utils/priority-queue.js';
import type { Priority } from '../../src/rate-limit/types.js';

test('a waiting call that gives up twice leaves the queue once', () => {
  const queue = new PriorityQueue<string>();
  const [first, second] = [queue.add('first', 0, 'normal'), queue.add('second', 1, 'normal')];
  queue.remove(first);
  queue.remove(first);
  expect([queue.size, queue.head]).toEqual([1, second]);
});

/** What a queue does, written as plainly as can be: two lists, sorted by place. */
class Plain {
  readonly lines: Record<Priority, number[]> = { high: [], normal: [] };
  #highInARow = 0;

  /** All, in the order in which they are taken. */
  get order(): number[] {
    const copy = new Plain();
    for (const priority of ['high', 'normal'] as const)
      copy.lines[priority] = [...this.lines[priority]];
    copy.#highInARow = this.#highInARow;
    const order: number[] = [];
    for (; copy.head !== undefined; copy.take()) order.push(copy.head);
    return order;
  }

  /** How many are taken before one that would be added now. */
  ahead(place: number, priority: Priority): number {
    this.add(place, priority);
    const ahead = this.order.indexOf(place);
    this.remove(place);
    return ahead;
  }

  get head(): number | undefined {
    const { high, normal } = this.lines;
    const isNormalsTurn = this.#highInARow >= 4 && normal.length > 0;
    return high.length > 0 && !isNormalsTurn ? high[0] : (normal[0] ?? high[0]);
  }

  take(): void {
    const { head } = this;
    if (head === undefined) return;
    this.#highInARow = this.lines.high.includes(head) ? this.#highInARow + 1 : 0;
    this.remove(head);
  }

  add(place: number, priority: Priority): void {
    this.lines[priority] = [...this.lines[priority], place].sort((a, b) => a - b);
  }

  remove(place: number): void {
    for (const priority of ['high', 'normal'] as const)
      this.lines[priority] = this.lines[priority].filter((one) => one !== place);
  }
}

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      priority: fc.constantFrom<Priority>('high', 'normal'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('take' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), at: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('return' as const), at: fc.nat() }) },
);

test('whatever is added, taken, removed and brought back, calls go by priority and place, the fifth in a row is a normal one, and each knows how many go before it', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const [queue, plain] = [new PriorityQueue<number>(), new Plain()];
      const waiting: Entry<number>[] = [];
      const gone: Entry<number>[] = [];
      let places = 0;
      const leave = (entry: Entry<number>) =>
        gone.push(...waiting.splice(waiting.indexOf(entry), 1));
      const join = (place: number, priority: Priority) => {
        waiting.push(queue.add(place, place, priority));
        plain.add(place, priority);
      };
      for (const one of steps) {
        if (one.do === 'add') join(places++, one.priority);
        else if (one.do === 'take') {
          const { head } = queue;
          if (head !== undefined) leave((queue.take(head), head));
          plain.take();
        } else if (one.do === 'remove' && waiting.length > 0) {
          const entry = waiting[one.at % waiting.length]!;
          queue.remove(entry);
          plain.remove(entry.value);
          leave(entry);
        } else if (one.do === 'return' && gone.length > 0) {
          const [entry] = gone.splice(one.at % gone.length, 1);
          join(entry!.value, entry!.priority);
        }
        expect(queue.head?.value).toBe(plain.head);
        expect(queue.size).toBe(waiting.length);
        expect([...queue].map(({ value }) => value)).toEqual(plain.order);
        for (const place of [places, ...gone.map(({ value }) => value)])
          for (const priority of ['high', 'normal'] as const)
            expect(queue.ahead({ place, priority })).toBe(plain.ahead(place, priority));
        expect([
          ...waiting.map(({ queued }) => queued),
          ...gone.map(({ queued }) => !queued),
        ]).not.toContain(false);
      }
    }),
    { numRuns: 300 },
  );
});

test('entries may be removed while the queue is walked through', () => {
  const queue = new PriorityQueue<number>();
  for (let place = 0; place < 6; place += 1)
    queue.add(place, place, place % 2 === 0 ? 'normal' : 'high');
  const seen: number[] = [];
  for (const entry of queue) {
    seen.push(entry.value);
    queue.remove(entry);
  }
  expect([seen, queue.size, queue.head]).toEqual([[1, 3, 5, 0, 2, 4], 0, undefined]);
});

test('an entry that is removed on the walk does not count as one of four in a row', () => {
  const queue = new PriorityQueue<number>();
  for (let place = 0; place < 6; place += 1) queue.add(place, place, 'high');
  queue.add(6, 6, 'normal');
  const seen: number[] = [];
  for (const entry of queue) {
    seen.push(entry.value);
    if (entry.value === 1) queue.remove(entry);
  }
  expect(seen).toEqual([0, 1, 2, 3, 4, 6, 5]);
});
