// A few of the random services, of which random-services.slow.test.ts takes a thousand.
import { expect, test } from 'vitest';
import { verifyRandom } from '../../support/random-services.js';

test('in random services every measured value is right, and a mock that is set to them answers the same requests alike', async () => {
  const { sum, problems, sameTraces } = await verifyRandom(5, 20_260_101);
  expect(problems).toEqual([]);
  expect(sameTraces).toBe(5);
  expect(sum.right).toBeGreaterThan(90);
});
