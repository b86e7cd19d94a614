import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { WindowKind } from '../../../mocks/index.js';
import { Window } from '../../../mocks/limits/windows.js';

/** A naive limiter: it keeps every request it has counted, and looks at all of them each time. */
class Reference {
  readonly #counted: number[] = [];
  readonly #kind: WindowKind;
  readonly #length: number;
  readonly #limit: number;

  constructor(kind: WindowKind, length: number, limit: number) {
    this.#kind = kind;
    this.#length = length;
    this.#limit = limit;
  }

  count(now: number): void {
    this.#counted.push(now);
  }

  remaining(now: number): number {
    return Math.max(0, Math.floor(this.#free(now) + 1e-9));
  }

  #free(now: number): number {
    const length = this.#length;
    if (this.#kind === 'fixed')
      return (
        this.#limit -
        this.#counted.filter((at) => Math.floor(at / length) === Math.floor(now / length)).length
      );
    if (this.#kind === 'sliding')
      return this.#limit - this.#counted.filter((at) => at > now - length).length;
    if (this.#kind === 'from-first') {
      let start = -Infinity;
      let used = 0;
      for (const at of this.#counted) {
        if (at >= start + length) [start, used] = [at, 0];
        used++;
      }
      return now >= start + length ? this.#limit : this.#limit - used;
    }
    // Token bucket: tokens drip in at limit/length, and never beyond the limit.
    let tokens = this.#limit;
    let last = -Infinity;
    for (const at of [...this.#counted, now]) {
      tokens = Math.min(this.#limit, tokens + ((at - last) * this.#limit) / length);
      last = at;
      tokens--;
    }
    return tokens + 1;
  }
}

const length = 60_000;
const kinds: WindowKind[] = ['fixed', 'from-first', 'sliding', 'token-bucket'];
const gaps = fc.array(
  fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 90_000 })),
  {
    maxLength: 120,
  },
);

test.for(kinds)(
  'a %s window leaves as many requests as a naive reference, and admits at the very moment it tells',
  (kind) => {
    fc.assert(
      fc.property(
        gaps,
        fc.integer({ min: 1, max: 12 }),
        fc.boolean(),
        fc.constantFrom('full', 'next-slot'),
        (steps, limit, refusedCount, reset) => {
          const window = new Window(kind, length, reset);
          const reference = new Reference(kind, length, limit);
          let now = 1_767_225_600_000 + 12_345;
          for (const gap of steps) {
            now += gap;
            const view = window.view(now, limit);
            expect(view.remaining).toBe(reference.remaining(now));
            expect(view.resetAt).toBeGreaterThanOrEqual(now);
            expect(view.resetAt).toBeLessThanOrEqual(
              now + length * (refusedCount && kind === 'token-bucket' ? 200 : 1),
            );
            if (view.remaining > 0) {
              expect(view.nextAt).toBe(now);
            } else {
              expect(view.nextAt).toBeGreaterThan(now);
              expect(reference.remaining(Math.ceil(view.nextAt))).toBeGreaterThanOrEqual(1);
              expect(reference.remaining(Math.ceil(view.nextAt) - 2)).toBe(0);
            }
            if (view.remaining === 0 && !refusedCount) continue;
            window.count(now, limit);
            reference.count(now);
          }
        },
      ),
      { numRuns: 300 },
    );
  },
);

test.for(kinds)(
  'a %s window never admits more than its limit in one window, nor twice it in any minute',
  (kind) => {
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 12 }), (steps, limit) => {
        const window = new Window(kind, length, 'full');
        const admitted: number[] = [];
        let now = 1_767_225_600_000;
        for (const gap of steps) {
          now += gap;
          if (window.view(now, limit).remaining === 0) continue;
          window.count(now, limit);
          admitted.push(now);
          const inMinute = admitted.filter((at) => at > now - length).length;
          expect(inMinute).toBeLessThanOrEqual(kind === 'sliding' ? limit : 2 * limit);
        }
      }),
    );
  },
);

test.for(kinds)(
  'a %s window shows at once what it was told to leave, and a copy goes its own way',
  (kind) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.nat(), (limit, any) => {
        const remaining = any % (limit + 1);
        const window = new Window(kind, length, 'full');
        const now = 1_767_225_612_345;
        window.count(now - 5_000, limit);
        window.setRemaining(now, limit, remaining);
        expect(window.view(now, limit).remaining).toBe(remaining);
        const copy = new Window(kind, length, 'full', window.save());
        if (remaining > 0) copy.count(now, limit);
        expect(window.view(now, limit).remaining).toBe(remaining);
        expect(copy.view(now, limit).remaining).toBe(Math.max(0, remaining - 1));
      }),
    );
  },
);

test.for(kinds)('a %s window still works when the clock is set back', (kind) => {
  const window = new Window(kind, length, 'full');
  const now = 1_767_225_612_345;
  for (let sent = 0; sent < 3; sent++) window.count(now, 3);
  const back = now - 3_600_000;
  const { nextAt } = window.view(back, 3);
  expect(nextAt).toBeLessThanOrEqual(back + length);
  expect(window.view(nextAt + 1e-3, 3).remaining).toBeGreaterThan(0);
});

test('Reset of a sliding window and of a bucket means when all is free, or when one request more is', () => {
  const now = 1_767_225_600_000;
  for (const [kind, reset, expected] of [
    ['sliding', 'full', now + 60_000],
    ['sliding', 'next-slot', now + 30_000],
    ['token-bucket', 'full', now + 30_000],
    ['token-bucket', 'next-slot', now + 10_000],
  ] as const) {
    const window = new Window(kind, length, reset);
    if (kind === 'sliding') window.count(now - 30_000, 6);
    else for (let sent = 0; sent < 2; sent++) window.count(now, 6);
    window.count(now, 6);
    expect([kind, reset, window.view(now, 6).resetAt]).toEqual([kind, reset, expected]);
  }
  for (const kind of ['sliding', 'token-bucket'] as const)
    for (const reset of ['full', 'next-slot'] as const)
      expect(new Window(kind, length, reset).view(now, 6).resetAt).toBe(now);
});
