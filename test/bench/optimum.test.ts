import { expect, test } from 'vitest';
import { optimum } from '../../bench/conduct/optimum.js';

// Its windows are those of the limiter, which test/mocks/limits/keys.test.ts compares with naive ones.
const epoch = Date.UTC(2029, 5, 1, 12, 0, 20);

test.for([
  ['fixed', false, [0, 0, 40_000]],
  ['fixed', true, [40_000, 40_000, 100_000]],
  ['from-first', false, [0, 0, 60_000]],
  ['sliding', false, [0, 0, 60_000]],
  ['token-bucket', false, [0, 0, 30_000]],
] as const)(
  'each call is served when the limit allows: %s, spent: %s',
  ([window, spent, moments]) => {
    expect(optimum([0, 0, 0], { limit: 2, window, epoch, spent })).toEqual(moments);
  },
);

test('the optimum serves no call before it is wanted, and none before an earlier one', () => {
  const rule = { limit: 2, window: 'sliding', epoch, spent: false } as const;
  expect(optimum([0, 10_000, 10_000, 90_000], rule)).toEqual([0, 10_000, 60_000, 90_000]);
});
