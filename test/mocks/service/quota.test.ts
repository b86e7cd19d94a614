import { expect, test } from 'vitest';
import { createMockService, knownKeys } from '../../../mocks/index.js';
import { call, quota } from '../../support/raw.js';
const start = Date.UTC(2026, 0, 1) / 1_000;

test.for([
  ['mock-free', 60, 1_000],
  ['mock-pro', 300, 10_000],
  ['mock-business', 1_000, 100_000],
  ['mock-enterprise', 1_000_000, 1_000_000_000],
] as const)(
  'the key %s has %i requests a minute and %i a day, and is then answered 429 with Retry-After',
  async ([key, perMinute, perDay]) => {
    expect(knownKeys).toHaveProperty(key);
    const service = createMockService({ clock: 'virtual' });
    const expectAnswer = async (expected: object, wait: string | null) => {
      const { status, headers, json } = await call(service, '/pets', { key });
      expect(quota(headers)).toEqual(expected);
      expect([status, headers.get('retry-after')]).toEqual([wait === null ? 200 : 429, wait]);
      if (wait !== null)
        expect(json).toEqual({
          code: 'rate_limit_exceeded',
          message: expect.any(String) as string,
          status: 429,
        });
    };
    const minute = { limit: perMinute, reset: start + 60 };
    await expectAnswer({ ...minute, remaining: perMinute - 1 }, null);
    service.keys.get(key).setRemaining('minute', 1);
    await expectAnswer({ ...minute, remaining: 0 }, null);
    service.clock.advance('17s');
    await expectAnswer({ ...minute, remaining: 0 }, '43');
    service.clock.advance('43s');
    service.keys.get(key).setRemaining('day', 1);
    const day = { limit: perDay, remaining: 0, reset: start + 86_400 };
    await expectAnswer(day, null);
    await expectAnswer(day, String(86_400 - 60));
  },
);
