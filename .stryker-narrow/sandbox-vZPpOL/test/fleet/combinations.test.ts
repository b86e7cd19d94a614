// @ts-nocheck
import fc from 'fast-check';
import { beforeEach, expect, test, vi } from 'vitest';
import { runPlan, type Burst, type RunPlan } from '../support/fleet-plan.js';
import { brokenPromises } from '../support/fleet-promises.js';
import { carryOut } from '../support/fleet-run.js';
import { fuzzRuns } from '../support/fuzz.js';
import { unhandledDuring } from '../support/listeners.js';

// FUZZ_SEED sets another seed.
const numRuns = fuzzRuns(30);
const seed = Number(process.env['FUZZ_SEED'] ?? 20_260_101);

// Waits in real time never end in a run. Those that are left are counted.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));

test(
  'any mix of plans, faults, joins, stops, ends and options of calls keeps what the documentation promises',
  { timeout: 60_000 + 3_000 * numRuns },
  async () => {
    await fc.assert(
      fc.asyncProperty(runPlan, async (plan) => {
        const unhandled = await unhandledDuring(async () =>
          expect(brokenPromises(plan, await carryOut(plan))).toEqual([]),
        );
        expect(unhandled).toEqual([]);
      }),
      { numRuns, seed },
    );
  },
);

/** Nothing goes wrong: processes join, call and close, and do so again, at any moment. */
const peaceful = ({ processes, ...plan }: RunPlan): RunPlan => ({
  ...plan,
  ...{ window: 'fixed', rotates: false, ban: undefined, perDay: undefined },
  ...{ serviceFaults: [], storeFaults: [] },
  processes: processes.map(({ bursts, ...own }) => ({
    ...{ ...own, stops: [], diesAt: undefined },
    bursts: bursts.map(({ at, calls }) => ({ ...patient, at, calls })),
  })),
});
const patient: Omit<Burst, 'at' | 'calls'> = {
  priority: 'normal',
  through: 'client',
  maxWait: undefined,
  maxHold: undefined,
  abortAfter: undefined,
};

test(
  'processes that join, work and close at any moment meet no 429',
  { timeout: 60_000 + 3_000 * numRuns },
  async () => {
    await fc.assert(
      fc.asyncProperty(runPlan.map(peaceful), async (plan) => {
        const log = await carryOut(plan);
        expect(brokenPromises(plan, log)).toEqual([]);
        expect(log.events.filter(({ type }) => type !== 'fleet-joined')).toEqual([]);
      }),
      { numRuns, seed },
    );
  },
);
