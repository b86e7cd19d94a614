import { expect, test } from 'vitest';
import { process } from '../support/fleet-member.js';
import { patientCall } from '../support/gate-call.js';
import { never, settled } from '../support/world.js';
import { createRateLimitGate, GateRefusedError, type RateLimitGate } from '../../src/index.js';
import { fc } from '../support/fuzz.js';

const maybe = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });

/** A response that asks to wait. */
const limited = fc
  .record({
    status: fc.constantFrom(429, 429, 429, 403, 503),
    retryAfter: maybe(0, 1, 7, 40, 300, 4_000),
    // Seconds: that of a minute, of a day, long past, and in a year.
    resetIn: maybe(0, 12, 48, 100, 7_200, -4_000, 31_000_000),
    remaining: maybe(0, 0, 5),
    /** Of the call that gets it. */
    maxHold: fc.constantFrom(0, 10_000, 120_000, Infinity),
  })
  // Without Retry-After the other statuses are errors like any other. The gate of one process also estimates the clock from
  // a Reset of theirs that contradicts the Date.
  .filter(
    ({ status, retryAfter, resetIn = 0 }) =>
      status === 429 || (retryAfter !== undefined && resetIn >= 0 && resetIn <= 7_200),
  );

/** What became of a call: ms of the hold for which it was rejected, or `undefined` where it waits. */
async function rejectedFor(gate: RateLimitGate, call: typeof patientCall) {
  const abort = new AbortController();
  const outcome = gate.acquire({ ...call, signal: abort.signal }).then(
    (permit) => (permit.cancel(), undefined),
    (error: unknown) => (error instanceof GateRefusedError ? error.retryAfter : undefined),
  );
  await settled(outcome);
  abort.abort();
  return outcome;
}

/** The gate of one process and a fleet of one, on one clock, and what they ask and hear. */
function twoGates() {
  const { clock, gate } = process();
  let place = 0;
  return {
    gates: [createRateLimitGate({ clock, random: () => 0 }), gate] as const,
    call: (maxHold: number) => ({ ...patientCall, maxHold, place: place++ }),
    headers: (remaining: number | undefined, resetIn: number | undefined, retryAfter?: number) => {
      const reset = Math.floor(clock.now() / 1_000) + (resetIn ?? 0);
      return new Headers({
        Date: new Date(clock.now()).toUTCString(),
        'X-RateLimit-Limit': '60',
        ...(remaining !== undefined && { 'X-RateLimit-Remaining': String(remaining) }),
        ...(resetIn !== undefined && { 'X-RateLimit-Reset': String(reset) }),
        ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
      });
    },
  };
}

test('the maxHold of the call that gets a 429 shortens the hold of nobody: the later of Retry-After and Reset counts', async () => {
  const { gates, call, headers } = twoGates();
  for (const gate of gates) {
    (await gate.acquire(call(Infinity))).settle({ status: 200, headers: headers(40, 40) });
    const refused = await gate.acquire(call(0));
    refused.settle({ status: 429, headers: headers(0, 40, 1) });
    await settled(never());
    const hold = (await rejectedFor(gate, call(39_000)))!;
    expect(hold).toBeGreaterThan(39_000);
    expect(hold).toBeLessThan(42_000);
  }
});

test('a fleet of one rejects a call for its maxHold where the gate of one process does, whatever the responses say', async () => {
  let rejected = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(limited, { minLength: 1, maxLength: 4 }),
      fc.constantFrom(500, 5_000, 20_000, 61_500, 130_000, 1_000_000),
      async (responses, maxHold) => {
        const { gates, call, headers } = twoGates();
        for (const gate of gates)
          (await gate.acquire(call(Infinity))).settle({ status: 200, headers: headers(40, 30) });
        for (const { status, retryAfter, resetIn, remaining, maxHold: longest } of responses) {
          // Until the hold is over: a call with a shorter maxHold would be rejected.
          for (const gate of gates) (await gate.acquire(call(Infinity))).cancel();
          const permits = await Promise.all(gates.map((gate) => gate.acquire(call(longest))));
          for (const permit of permits)
            permit.settle({ status, headers: headers(remaining, resetIn, retryAfter) });
          await settled(never());
          const alone = await rejectedFor(gates[0], call(maxHold));
          const fleet = await rejectedFor(gates[1], call(maxHold));
          // The bounds of the clocks differ by some ms, no bound of a call is that near to a hold.
          expect(fleet === undefined).toBe(alone === undefined);
          if (alone === undefined) continue;
          rejected += 1;
          expect(Math.abs(fleet! - alone)).toBeLessThan(20);
        }
      },
    ),
    { numRuns: 300 },
  );
  expect(rejected).toBeGreaterThan(100);
});
