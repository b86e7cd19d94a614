import fc from 'fast-check';
import { expect, test } from 'vitest';
import { optimum } from '../../bench/conduct/optimum.js';
import { createMockService } from '../../mocks/index.js';

const epoch = Date.UTC(2029, 5, 1, 12, 0, 20);
const request = () =>
  new Request('https://api.petstore.example/v1/pets', {
    headers: { Authorization: 'Bearer bench' },
  });

/** Plays the moments into the service, and asks before each whether it could have been earlier. */
async function play(
  window: 'fixed' | 'from-first' | 'sliding' | 'token-bucket',
  limit: number,
  wanted: readonly number[],
): Promise<void> {
  const service = createMockService({
    clock: 'virtual',
    now: epoch,
    keys: { bench: { plan: { perMinute: limit, perDay: 1_000_000 } } },
    assumptions: { minuteWindow: window, strikes: 'never' },
  });
  let last = 0;
  const moments = optimum(wanted, { limit, window, epoch, spent: false });
  expect(moments).toHaveLength(wanted.length);
  for (const [index, moment] of moments.entries()) {
    const answerAt = async (ms: number) => {
      service.clock.set(epoch + ms);
      return (await service.handle(request())).status;
    };
    const earliest = Math.max(wanted[index]!, last);
    const call = `${window}: call ${index}`;
    expect(moment).toBeGreaterThanOrEqual(earliest);
    if (moment - 1 >= earliest)
      expect(await answerAt(moment - 1), `${call} a millisecond before ${moment}`).toBe(429);
    expect(await answerAt(moment), `${call} at ${moment}`).toBe(200);
    last = moment;
  }
}

const calls = fc
  .array(fc.nat({ max: 150_000 }), { minLength: 1, maxLength: 60 })
  .map((times) => times.sort((a, b) => a - b));
const limit = fc.constantFrom(1, 5, 20);

test.for(['fixed', 'from-first', 'sliding', 'token-bucket'] as const)(
  'the optimum that the bench measures against is served by the limiter, and nothing earlier is: %s',
  async (window) => {
    await fc.assert(
      fc.asyncProperty(limit, calls, (most, wanted) => play(window, most, wanted)),
      { numRuns: 30, endOnFailure: true },
    );
  },
);

test('when the minute is spent at the start, the optimum begins with the next one', () => {
  const moments = optimum([0, 0, 0], { limit: 2, window: 'fixed', epoch, spent: true });
  expect(moments).toEqual([40_000, 40_000, 100_000]);
});
