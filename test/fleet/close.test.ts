import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFleetGate, memoryStore, type FleetEvent } from '../../src/fleet/index.js';
import { tap } from '../support/fleet-tap.js';
import { times, world } from '../support/world.js';

/** A process that joins, makes its calls at once, and leaves. */
interface Visitor {
  readonly joinsAt: number;
  readonly calls: number;
  /** ms after joining; `undefined`: when all calls are served. */
  readonly leavesAfter: number | undefined;
  readonly joinsAgain: boolean;
}

const visitor: fc.Arbitrary<Visitor> = fc.record({
  joinsAt: fc.integer({ min: 0, max: 20_000 }),
  calls: fc.integer({ min: 1, max: 90 }),
  leavesAfter: fc.option(fc.integer({ min: 0, max: 70_000 }), { nil: undefined }),
  joinsAgain: fc.boolean(),
});

test('processes that join, work and close at any moment meet no 429', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(visitor, { minLength: 2, maxLength: 5 }),
      fc.constantFrom('mock-free', 'mock-pro'),
      fc.integer({ min: 20, max: 300 }),
      fc.constantFrom(0, 5, 60),
      async (visitors, apiKey, latency, storeLatency) => {
        const here = world({ latency });
        const { clock } = here.service;
        const inner = memoryStore(() => clock.now());
        const events: FleetEvent[] = [];
        const store = tap(inner, async (_, run) => {
          await clock.sleep(storeLatency);
          return run();
        });
        const visit = async ({ joinsAt, calls, leavesAfter, joinsAgain }: Visitor) => {
          await clock.sleep(joinsAt);
          const gate = createFleetGate({ store, clock, onEvent: (event) => events.push(event) });
          const client = here.client({ apiKey, gate });
          const work = Promise.all(times(calls, () => client.listPets()));
          await (leavesAfter === undefined ? work : clock.sleep(leavesAfter));
          await gate.close();
          await work;
          if (!joinsAgain) return;
          await Promise.all(times(calls, () => client.listPets()));
          await gate.close();
        };
        await Promise.all(visitors.map(visit));
        expect(here.service.report().rateLimited).toBe(0);
        expect(events.filter(({ type }) => type !== 'fleet-joined')).toEqual([]);
      },
    ),
    { numRuns: 60 },
  );
});

test.each([
  ['mock-free', [20, 60, 60]],
  ['mock-free', [50, 50, 50, 50]],
  ['mock-pro', [100, 200, 200, 200]],
])(
  'processes with the key %s that close after %o calls leave what they have sent in the count',
  async (apiKey, counts) => {
    const here = world({ latency: 60 });
    const { clock } = here.service;
    const store = memoryStore(() => clock.now());
    const work = async (count: number) => {
      const gate = createFleetGate({ store, clock });
      const client = here.client({ apiKey, gate });
      await Promise.all(times(count, () => client.listPets()));
      await gate.close();
    };
    await Promise.all(counts.map(work));
    expect(here.service.report().rateLimited).toBe(0);
  },
);
