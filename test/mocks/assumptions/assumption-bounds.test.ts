// Times and lengths among the assumptions: within their bounds they work, beyond them they are refused.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMockService, type GivenAssumptions } from '../../../mocks/index.js';
import { call } from '../../support/raw.js';

const century = 36_525 * 86_400_000;
const ms = fc.oneof(
  fc.double(),
  fc.integer({ min: -2_000_000, max: 2_000_000 }),
  fc.constantFrom(century, -century, century + 1, -century - 1, 1e300, -1e300),
);

/** Assumptions with one time, and the part that the error names. */
const times: fc.Arbitrary<readonly [string, number, GivenAssumptions]> = fc.oneof(
  ms.map((time) => ['clockSkew', time, { clockSkew: time }] as const),
  ms.map((time) => ['nodes.clock', time, { nodes: { clock: [time, time] } }] as const),
  ms.map((time) => ['ban', time, { ban: time, strikes: 1 }] as const),
  ms.map((time) => ['grace', time, { grace: time }] as const),
);

test('a time among the assumptions is at most 100 years: the service works with it, or names it in the error', async () => {
  await fc.assert(
    fc.asyncProperty(times, async ([name, time, assumptions]) => {
      const isValid =
        Math.abs(time) <= century &&
        (!/^(?:ban|grace)$/.test(name) || (Number.isInteger(time) && time >= 0));
      const create = () =>
        createMockService({
          clock: 'virtual',
          keys: { tiny: { plan: { perMinute: 1, perDay: 9 } } },
          assumptions,
        });
      if (!isValid) {
        expect(create).toThrow(TypeError);
        expect(create).toThrow(`assumptions.${name}`);
        return;
      }
      const service = create();
      for (let sent = 0; sent < 4; sent++) {
        const { headers } = await call(service, '/pets', { key: 'tiny' });
        expect(Number.isNaN(Date.parse(headers.get('date')!))).toBe(false);
        expect(Number(headers.get('x-ratelimit-reset'))).not.toBeNaN();
      }
    }),
    { numRuns: 400 },
  );
});

test('longestList cuts every list, and a limit that is brought into its bounds', async () => {
  const service = createMockService({
    seed: 120,
    assumptions: { longestList: 60, answers: { limitAbove: 'clamp' } },
  });
  for (const [path, count] of [
    ['/pets', 20],
    ['/pets?limit=100', 60],
    ['/pets?limit=60', 60],
    ['/pets?limit=101', 60],
    ['/pets?limit=59', 59],
  ] as const)
    expect([path, (await call(service, path)).json]).toEqual([
      path,
      expect.objectContaining({ length: count }),
    ]);
});
