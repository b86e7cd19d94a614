import { beforeEach, expect, test, vi } from 'vitest';
import { createFleetGate, memoryStore } from '../../src/fleet/index.js';
import { PetStoreClient, RateLimitError, type PetStoreEvent } from '../../src/index.js';
import { createMockService } from '../../mocks/index.js';
import { times } from '../support/world.js';
import { fc, fuzzRuns, fuzzSeed } from '../support/fuzz.js';

// The timers of the gate and of the bounds are in one fake time.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});

/** ms before a retry: half of the longest, since the random number is 0.5. */
const backoff = 250;

const upTo = (max: number) => fc.noBias(fc.integer({ min: 1, max }));

/** Calls of one key that wait, and one more whose wait is bounded. */
const plan = fc.record({
  gate: fc.constantFrom('of one process', 'of a fleet'),
  apiKey: fc.constantFrom('mock-free', 'mock-free', 'mock-pro'),
  /** ms from the beginning of a minute window. */
  phase: upTo(59_999),
  /** Calls that are complete before. */
  done: upTo(60),
  normal: fc.oneof(upTo(30), upTo(400)),
  high: fc.oneof(fc.constant(0), upTo(30), upTo(130)),
  priority: fc.constantFrom('normal', 'high'),
  /** The bounded call came first, and its first response was 503. */
  retried: fc.boolean(),
  option: fc.constantFrom('maxWait', 'totalTimeout'),
  ms: fc.oneof(upTo(5_000), upTo(200_000)),
});

type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;

/** Lets time pass until a promise is settled. */
async function passing<T>(promise: Promise<T>): Promise<T> {
  let isOver = false;
  void promise.finally(() => (isOver = true));
  while (!isOver) await vi.advanceTimersByTimeAsync(100);
  return promise;
}

/** Carries out a plan; without `bound` its call waits as long as it has to. Returns what became of the call: times are ms from its beginning. */
async function carryOut(plan: Plan, bound: Record<string, number>) {
  vi.setSystemTime(Date.UTC(2026, 0, 1) + plan.phase);
  const service = createMockService();
  service.faults.add({ delay: 5 });
  if (plan.retried) service.faults.add({ operation: 'getPet', status: 503, times: 1 });
  const gate = createFleetGate({ store: memoryStore() });
  let began = 0;
  let joined = 0;
  /** When its last request was sent, and how long it waited for the gate in all. */
  const result = { sent: 0, requests: 0, waited: 0 };
  const onEvent = (event: PetStoreEvent) => {
    if (!('operation' in event) || event.operation !== 'getPet') return;
    const passed = performance.now() - began;
    if (event.type === 'response') joined = passed + backoff;
    if (event.type !== 'request') return;
    result.requests += 1;
    result.waited += passed - joined;
    result.sent = passed;
  };
  const client = new PetStoreClient({
    ...{ apiKey: plan.apiKey, fetch: service.fetch, maxHold: Infinity, onEvent },
    gate: plan.gate === 'of a fleet' ? gate : undefined,
  });
  await passing(Promise.all(times(plan.done, () => client.listPets())));
  const abort = new AbortController();
  const { signal } = abort;
  const others = () =>
    (['normal', 'high'] as const).flatMap((priority) =>
      times(plan[priority], () => client.listPets({}, { priority, signal })),
    );
  const before = plan.retried ? [] : others();
  began = performance.now();
  const options = {
    priority: plan.priority,
    timeout: false,
    totalTimeout: false,
    ...bound,
  } as const;
  const call = client.getPet(1, options).then(
    () => undefined,
    (error: unknown) => error,
  );
  const rest = [...before, ...(plan.retried ? others() : [])];
  const end = await passing(
    call.then((error) => ({ ...result, error, ended: performance.now() - began })),
  );
  abort.abort();
  await Promise.allSettled(rest);
  await gate.close();
  return end;
}

const numRuns = fuzzRuns(15);

test('a call whose wait is bounded is sent if it can be sent in time, and otherwise ends in time', async () => {
  let refusedAtOnce = 0;
  await fc.assert(
    fc.asyncProperty(plan, async (plan) => {
      const patient = await carryOut(plan, {});
      const bounded = await carryOut(plan, { [plan.option]: plan.ms });
      const took = plan.option === 'maxWait' ? patient.waited : patient.sent;
      if (took < plan.ms) {
        expect(bounded.requests).toBe(patient.requests);
        return;
      }
      expect(bounded.error).toBeDefined();
      // A retry waits for its backoff, which is no wait for the gate.
      expect(bounded.ended).toBeLessThanOrEqual(plan.ms + (plan.retried ? 300 : 10));
      if (bounded.error instanceof RateLimitError && bounded.ended < plan.ms) refusedAtOnce += 1;
    }),
    { numRuns, seed: fuzzSeed },
  );
  expect(refusedAtOnce).toBeGreaterThan(0);
}, 3_600_000);
