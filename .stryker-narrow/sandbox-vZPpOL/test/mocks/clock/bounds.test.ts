// @ts-nocheck
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMockService } from '../../../mocks/index.js';
import { call } from '../../support/raw.js';

const number = fc.oneof(
  fc.double(),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, 1e300, 8e14, 3.2e12, Infinity, NaN, -1),
  fc.integer({ min: 0, max: 1e7 }),
);
const step = fc.record({
  action: fc.constantFrom('advance', 'set', 'sleep', 'ban', 'latency', 'call', 'call'),
  by: number,
});

test.each(['virtual', 'system'] as const)('any number leaves a %s clock valid', async (clock) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const service = createMockService({ clock });
      const key = service.keys.get('mock-free');
      for (const { action, by } of steps) {
        const before = [service.clock.now(), key.bannedUntil];
        const late = AbortSignal.abort(new Error('late'));
        try {
          if (action === 'advance') service.clock.advance(by);
          else if (action === 'set') service.clock.set(by);
          else if (action === 'ban') key.ban(by);
          else if (action === 'latency') service.faults.add({ delay: by, times: 1 }).remove();
          else if (action === 'sleep') await service.clock.sleep(by, late);
          else await call(service, '/pets');
        } catch (error) {
          if ((error as Error).message === 'late') continue;
          expect(error).toBeInstanceOf(action === 'latency' ? TypeError : RangeError);
          expect((error as Error).message).toMatch(/100 years|0 or more|a Date can hold/);
          if (clock === 'virtual') expect([service.clock.now(), key.bannedUntil]).toEqual(before);
        }
        for (const at of [service.clock.now(), key.bannedUntil ?? 0])
          expect(new Date(at).getTime()).not.toBeNaN();
        expect(service.clock.monotonic()).toBeGreaterThanOrEqual(0);
      }
    }),
    { numRuns: 200 },
  );
});

test('a request that is allowed is never one during a cool-down, wherever the clock is set', async () => {
  const move = fc.record({
    action: fc.constantFrom('call', 'call', 'call', 'exhaust', 'advance', 'back', 'unban'),
    by: fc.constantFrom(1, 1_000, 30_000, 60_000, 3_600_000),
  });
  const window = fc.constantFrom('fixed', 'from-first', 'sliding', 'token-bucket');
  const plan = { perMinute: 2, perDay: 1_000 };
  // The cool-down is over when the clock was set back to before it.
  const example = ['call', 'call', 'call', 'back', 'call', 'advance', 'call'] as const;
  await fc.assert(
    fc.asyncProperty(fc.array(move, { maxLength: 25 }), window, async (moves, minuteWindow) => {
      const assumptions = { minuteWindow };
      const service = createMockService({ clock: 'virtual', keys: { own: { plan } }, assumptions });
      for (const { action, by } of moves) {
        if (action === 'call') await call(service, '/pets', { key: 'own' });
        else if (action === 'advance') service.clock.advance(by);
        else if (action === 'back') service.clock.set(service.clock.now() - by);
        else if (action === 'unban') service.keys.get('own').unban();
        else service.keys.get('own').exhaust('minute');
      }
      for (const { status, inCoolDown } of service.requests)
        if (status === 200) expect(inCoolDown).toBe(false);
    }),
    { numRuns: 300, examples: [[example.map((action) => ({ action, by: 1 as const })), 'fixed']] },
  );
});
