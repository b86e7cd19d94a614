import * as fc from 'fast-check';
import { beforeEach, expect, test, vi } from 'vitest';
import { createFleetGate, memoryStore } from '../../src/fleet/index.js';
import {
  PetStoreClient,
  RateLimitError,
  type PetStoreEvent,
  type Priority,
} from '../../src/index.js';
import { createMockService } from '../../mocks/index.js';
import { times } from '../support/world.js';
import { fuzzRuns } from '../support/fuzz.js';

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
  priority: fc.constantFrom<Priority>('normal', 'high'),
  /** The bounded call came first, and its first response was 503. */
  retried: fc.boolean(),
  option: fc.constantFrom('maxWait', 'totalTimeout'),
  ms: fc.oneof(upTo(5_000), upTo(200_000)),
});

type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;

/** What became of the call of a plan. Times are ms. */
interface Result {
  readonly error: unknown;
  /** When it ended, and when its last request was sent, from its beginning. */
  readonly ended: number;
  readonly sent: number;
  readonly requests: number;
  /** How long it waited for the gate in all. */
  readonly waited: number;
}

/** Carries out a plan; without `bound` its call waits as long as it has to. */
async function carryOut(plan: Plan, bound: Record<string, number>): Promise<Result> {
  vi.setSystemTime(Date.UTC(2026, 0, 1) + plan.phase);
  const service = createMockService();
  service.faults.add({ delay: 5 });
  if (plan.retried) service.faults.add({ operation: 'getPet', status: 503, times: 1 });
  const events: (PetStoreEvent & { readonly at: number })[] = [];
  const gate = createFleetGate({ store: memoryStore() });
  const client = new PetStoreClient({
    apiKey: plan.apiKey,
    fetch: service.fetch,
    maxHold: Infinity,
    gate: plan.gate === 'of a fleet' ? gate : undefined,
    onEvent: (event) => {
      if ('operation' in event && event.operation === 'getPet')
        events.push({ ...event, at: performance.now() });
    },
  });
  const abort = new AbortController();
  let left = plan.done;
  for (const call of times(plan.done, () => client.listPets())) void call.then(() => (left -= 1));
  while (left > 0) await vi.advanceTimersByTimeAsync(100);
  const rest: Promise<unknown>[] = [];
  const others = () => {
    for (const [count, priority] of [
      [plan.normal, 'normal'],
      [plan.high, 'high'],
    ] as const)
      rest.push(...times(count, () => client.listPets({}, { priority, signal: abort.signal })));
  };
  let began = 0;
  let result: Result | undefined;
  const end = (error?: unknown) => {
    const now = performance.now();
    let waited = 0;
    let joined = began;
    let sent = began;
    for (const event of events) {
      if (event.type === 'request') waited += (sent = event.at) - joined;
      else if (event.type === 'response') joined = event.at + backoff;
    }
    const requests = events.filter(({ type }) => type === 'request').length;
    result = { error, ended: now - began, sent: sent - began, requests, waited };
  };
  if (!plan.retried) others();
  began = performance.now();
  client
    .getPet(1, { priority: plan.priority, timeout: false, totalTimeout: false, ...bound })
    .then(() => end(), end);
  if (plan.retried) others();
  while (result === undefined) await vi.advanceTimersByTimeAsync(100);
  abort.abort();
  await Promise.allSettled(rest);
  await gate.close();
  return result;
}

// FUZZ_SEED sets another seed.
const numRuns = fuzzRuns(15);
const seed = Number(process.env['FUZZ_SEED'] ?? 20_260_101);

test(
  'a call whose wait is bounded is sent if it can be sent in time, and otherwise ends in time',
  { timeout: 60_000 + 3_000 * numRuns },
  async () => {
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
      { numRuns, seed },
    );
    expect(refusedAtOnce).toBeGreaterThan(0);
  },
);
