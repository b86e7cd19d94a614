import { beforeEach, expect, test, vi } from 'vitest';
import { runPlan } from '../support/fleet-plan.js';
import { brokenPromises } from '../support/fleet-promises.js';
import { carryOut } from '../support/fleet-run.js';
import { fc, fuzzRuns, fuzzSeed } from '../support/fuzz.js';
import { unhandledDuring } from '../support/listeners.js';

const numRuns = fuzzRuns(45);

// Waits in real time never end in a run. Those that are left are counted.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));

test('any mix of plans, faults, joins, stops, ends and options of calls keeps what the documentation promises', async () => {
  await fc.assert(
    fc.asyncProperty(runPlan, async (plan) => {
      const unhandled = await unhandledDuring(async () =>
        expect(brokenPromises(plan, await carryOut(plan))).toEqual([]),
      );
      expect(unhandled).toEqual([]);
    }),
    // To make the plan of a failure smaller takes minutes.
    { numRuns, seed: fuzzSeed, endOnFailure: true },
  );
}, 3_600_000);
