// @ts-nocheck
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Snapshot, WindowKind } from '../../../mocks/index.js';
import { createWindow, type WindowState } from '../../../mocks/limits/windows.js';
import { assume } from '../../support/assume.js';
import { call } from '../../support/raw.js';

const length = 60_000;

/** How many requests a window leaves (a bucket: with a fraction), when all are free again, and when one more is. */
interface Naive {
  readonly free: number;
  readonly full: number;
  readonly 'next-slot': number;
}

/** The windows in a naive way: they look at the time of every request that was counted, each time. */
const naive: Record<WindowKind, (counted: readonly number[], now: number, limit: number) => Naive> =
  {
    fixed(counted, now, limit) {
      const start = now - (now % length);
      const used = counted.filter((at) => at >= start && at < start + length).length;
      return { free: limit - used, full: start + length, 'next-slot': start + length };
    },
    'from-first'(counted, now, limit) {
      let start = -Infinity;
      let used = 0;
      for (const at of [...counted, now]) {
        if (at >= start + length) [start, used] = [at, 0];
        used++;
      }
      return { free: limit - used + 1, full: start + length, 'next-slot': start + length };
    },
    sliding(counted, now, limit) {
      const current = counted.filter((at) => at > now - length);
      const [first = now - length] = current;
      const last = current.at(-1) ?? first;
      return { free: limit - current.length, full: last + length, 'next-slot': first + length };
    },
    'token-bucket'(counted, now, limit) {
      // Tokens drip in evenly, and never beyond the limit.
      const perToken = length / limit;
      let tokens = limit;
      let last = -Infinity;
      for (const at of [...counted, now]) {
        tokens = Math.min(limit, tokens + (at - last) / perToken) - 1;
        last = at;
      }
      const free = tokens + 1;
      const full = now + (limit - free) * perToken;
      const next = Math.max(0, Math.floor(free + 1e-9)) + 1 - free;
      return { free, full, 'next-slot': Math.min(full, now + next * perToken) };
    },
  };

const kinds = Object.keys(naive) as WindowKind[];
const step = fc.record({
  gap: fc.oneof(
    fc.constantFrom(0, length - 12_345, length),
    fc.nat(2_000),
    fc.integer({ min: -3_000, max: 90_000 }),
  ),
  action: fc.constantFrom('count', 'count', 'count', 'count', 'set', 'save'),
  any: fc.nat(),
});

test.for(kinds)('a %s window leaves, resets and admits as a naive one does', (kind) => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 120 }),
      fc.integer({ min: 1, max: 50 }),
      fc.boolean(),
      fc.constantFrom('full', 'next-slot'),
      (steps, limit, refusedCount, reset) => {
        let window = createWindow(kind, length, reset);
        let counted: number[] = [];
        let now = 1_767_225_600_000 + 12_345;
        const leftAt = (at: number) =>
          Math.max(0, Math.floor(naive[kind](counted, at, limit).free + 1e-9));
        for (const { gap, action, any } of steps) {
          now += kind === 'sliding' ? gap : Math.abs(gap);
          // What was counted before the clock was set back is forgotten.
          if (kind === 'sliding') counted = counted.filter((at) => at <= now && at > now - length);
          const expected = naive[kind](counted, now, limit);
          const { remaining, nextAt, resetAt } = window.view(now, limit);
          expect(remaining).toBe(leftAt(now));
          expect(Math.abs(resetAt - expected[reset])).toBeLessThan(0.01);
          if (remaining > 0) expect(nextAt).toBe(now);
          else {
            expect(nextAt).toBeGreaterThan(now);
            expect(leftAt(Math.ceil(nextAt))).toBeGreaterThanOrEqual(1);
            expect(leftAt(Math.ceil(nextAt) - 2)).toBe(0);
          }
          if (action === 'save') {
            const text = JSON.stringify(window.save());
            window = createWindow(kind, length, reset, JSON.parse(text) as WindowState);
          } else if (action === 'set') {
            const used = any % (limit + 1);
            window.setRemaining(now, limit, limit - used);
            // A window that has begun ends when it would have ended.
            const isAsBegun = kind === 'fixed' || kind === 'from-first';
            counted = Array<number>(used).fill(isAsBegun ? expected.full - length : now);
          } else if (remaining > 0 || refusedCount) {
            window.count(now, limit);
            counted.push(now);
          }
        }
      },
    ),
    { numRuns: 300 },
  );
});

test.for(kinds)('a %s window still works when the clock is set back', (kind) => {
  const window = createWindow(kind, length, 'full');
  const now = 1_767_225_612_345;
  for (let sent = 0; sent < 3; sent++) window.count(now, 3);
  const back = now - 3_600_000;
  const { nextAt } = window.view(back, 3);
  expect(nextAt).toBeLessThanOrEqual(back + length);
  expect(window.view(nextAt + 1e-3, 3).remaining).toBeGreaterThan(0);
});

test('a quota of any size can be exhausted in a sliding window, and its snapshot stays small', async () => {
  const assumptions = { minuteWindow: 'sliding', dayWindow: 'sliding' } as const;
  const plan = { perMinute: 2 ** 40, perDay: 2 ** 40 };
  const service = assume(assumptions, { keys: { large: { plan } } });
  service.keys.get('large').setRemaining('day', 1);
  await call(service, '/pets', { key: 'large' });
  const text = JSON.stringify(service.snapshot());
  expect(text.length).toBeLessThan(5_000);
  const restored = assume(assumptions);
  restored.restore(JSON.parse(text) as Snapshot);
  for (const one of [service, restored]) {
    expect((await call(one, '/pets', { key: 'large' })).headers.get('retry-after')).toBe('86400');
    one.clock.advance('1d');
    expect((await call(one, '/pets', { key: 'large' })).status).toBe(200);
  }
});
