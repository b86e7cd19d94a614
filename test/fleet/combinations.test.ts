import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runPlan } from '../support/fleet-plan.js';
import { brokenPromises } from '../support/fleet-promises.js';
import { carryOut } from '../support/fleet-run.js';
import { fuzzRuns } from '../support/fuzz.js';

// FUZZ_SEED sets another seed.
const numRuns = fuzzRuns(30);
const seed = Number(process.env['FUZZ_SEED'] ?? 20_260_101);

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);

beforeEach(() => {
  // Waits in real time never end in a run. Those that are left are counted.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  process.on('unhandledRejection', note);
});
afterEach(() => {
  process.off('unhandledRejection', note);
});

test(
  'any mix of plans, faults, joins, stops, ends and options of calls keeps what the documentation promises',
  { timeout: 60_000 + 3_000 * numRuns },
  async () => {
    await fc.assert(
      fc.asyncProperty(runPlan, async (plan) => {
        unhandled.length = 0;
        expect(brokenPromises(plan, await carryOut(plan))).toEqual([]);
        expect(unhandled).toEqual([]);
      }),
      { numRuns, seed },
    );
  },
);
