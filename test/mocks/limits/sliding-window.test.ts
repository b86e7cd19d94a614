import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Snapshot } from '../../../mocks/index.js';
import { Window, type View, type WindowState } from '../../../mocks/limits/windows.js';
import { assume } from '../../support/assume.js';
import { call } from '../../support/raw.js';

const length = 60_000;

/** A sliding window that keeps the time of each request, also of those that were not sent. */
class Listed {
  times: number[] = [];

  #forget(now: number): void {
    this.times = this.times.filter((at) => at <= now && at > now - length);
  }

  view(now: number, limit: number, reset: 'full' | 'next-slot'): View {
    this.#forget(now);
    const { times } = this;
    const freeAt = (at: number) => at + length;
    return {
      remaining: Math.max(0, limit - times.length),
      nextAt: times.length < limit ? now : freeAt(times.at(-limit)!),
      resetAt: times.length === 0 ? now : freeAt(times.at(reset === 'full' ? -1 : 0)!),
    };
  }
}

test('a sliding window in which the remaining requests were set is one that lists each of them', () => {
  const step = fc.record({
    gap: fc.oneof(fc.constant(0), fc.integer({ min: -3_000, max: 70_000 })),
    action: fc.constantFrom('count', 'count', 'set', 'save'),
    remaining: fc.nat(5),
  });
  fc.assert(
    fc.property(fc.array(step), fc.constantFrom('full', 'next-slot'), (steps, reset) => {
      const limit = 5;
      let window = new Window('sliding', length, reset);
      const listed = new Listed();
      let now = 1_767_225_600_000;
      for (const { gap, action, remaining } of steps) {
        now += gap;
        expect(window.view(now, limit)).toEqual(listed.view(now, limit, reset));
        if (action === 'count') {
          window.count(now, limit);
          listed.times.push(now);
        } else if (action === 'set') {
          window.setRemaining(now, limit, remaining);
          listed.times = new Array<number>(limit - remaining).fill(now);
        } else {
          const text = JSON.stringify(window.save());
          window = new Window('sliding', length, reset, JSON.parse(text) as WindowState);
        }
        expect(window.view(now, limit)).toEqual(listed.view(now, limit, reset));
      }
    }),
  );
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
