import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { GatePermit, RateLimitGate } from '../../src/index.js';
import { json, quickClock, stubClient } from '../support/stub.js';

const ticks = async (count: number) => {
  for (let tick = 0; tick < count; tick += 1) await new Promise((done) => setImmediate(done));
};

/** A gate that grants every call, and writes down how each of its permits is used. */
function recordingGate() {
  const permits: string[][] = [];
  const gate: RateLimitGate = {
    async acquire() {
      const uses: string[] = [];
      permits.push(uses);
      await ticks(1);
      return {
        settle: () => uses.push('settle'),
        lose: () => uses.push('lose'),
        cancel: () => uses.push('cancel'),
      } satisfies GatePermit;
    },
  };
  return { gate, permits };
}

const reply = fc.record({
  kind: fc.constantFrom('success', 'rate-limited', 'overloaded', 'network-error', 'throws'),
  /** Turns of the event loop until the reply comes, whether or not the call still waits for it. */
  after: fc.nat({ max: 6 }),
});

const replies = {
  success: () => json([]),
  'rate-limited': () => json({}, { status: 429, headers: { 'Retry-After': '1' } }),
  overloaded: () => json({}, { status: 503 }),
  'network-error': () => Response.error(),
  throws: () => {
    throw new TypeError('connection lost');
  },
} as Record<string, () => Response>;

test('every permit of a caller’s own gate is used exactly once, also by a fetch that ignores its signal', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(reply, { minLength: 1, maxLength: 4 }),
      fc.option(fc.nat({ max: 20 }), { nil: undefined }),
      async (script, abortAfter) => {
        const { gate, permits } = recordingGate();
        let sent = 0;
        const fetch = async () => {
          const { kind, after } = script[Math.min(sent++, script.length - 1)]!;
          await ticks(after);
          return replies[kind]!();
        };
        const controller = new AbortController();
        const call = stubClient(fetch, { clock: quickClock(), gate })
          .listPets({}, { signal: controller.signal })
          .catch(() => undefined);
        if (abortAfter !== undefined) {
          await ticks(abortAfter);
          controller.abort(new Error('given up'));
        }
        await call;
        // Replies that come too late.
        await ticks(10);
        for (const uses of permits) expect(uses).toHaveLength(1);
      },
    ),
    { numRuns: 100 },
  );
});
