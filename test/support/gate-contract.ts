import { beforeEach, describe, expect, test } from 'vitest';
import { createFleetGate, type FleetStore } from '../../src/fleet/index.js';
import { GateRefusedError, type RateLimitGate } from '../../src/index.js';
import { atEnd } from './at-end.js';
import { answer, key } from './fleet-member.js';
import { patientCall } from './gate-call.js';
import { rejection } from './world.js';

/** The gate of a fleet over a store, until the test file ends. */
export function fleetOver(store: FleetStore): RateLimitGate {
  const gate = createFleetGate({ store, storeTimeout: 5_000, onEvent: () => undefined });
  atEnd(() => gate.close());
  return gate(key);
}

/** What a client expects of every gate, in real time. `create`: a new gate, for a key that nobody has used. */
export function testGate(name: string, create: () => RateLimitGate | Promise<RateLimitGate>) {
  describe(name, () => {
    let acquire: (more?: Partial<typeof patientCall>) => ReturnType<RateLimitGate['acquire']>;
    beforeEach(async () => {
      const gate = await create();
      let place = 0;
      acquire = (more) => gate.acquire({ ...patientCall, place: place++, ...more });
    });

    test('lets one request find out about the window, and then the calls of high priority go first, each kind in its order', async () => {
      const first = await acquire();
      const order: string[] = [];
      const calls = (['one', 'two', 'high'] as const).map(async (name) => {
        const permit = await acquire({ priority: name === 'high' ? 'high' : 'normal' });
        order.push(name);
        permit.settle(answer(Date, 40));
      });
      first.settle(answer(Date, 50));
      await Promise.all(calls);
      expect(order).toEqual(['high', 'one', 'two']);
    });

    test('refuses a call that is aborted, or whose time is over, and gives a permit that is not used to the next', async () => {
      const first = await acquire();
      const reason = new Error('enough');
      await expect(acquire({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      const abort = new AbortController();
      const aborted = acquire({ signal: abort.signal });
      const refused = await rejection(acquire({ waitUntil: performance.now() }), GateRefusedError);
      // A wait of unknown length.
      expect(refused).toMatchObject({ reason: 'wait', retryAfter: undefined });
      const next = acquire();
      abort.abort(reason);
      await expect(aborted).rejects.toBe(reason);
      first.cancel();
      const permit = await next;
      // Each permit counts once.
      first.settle(answer(Date, 0, { 'Retry-After': '60' }, 429));
      permit.lose();
      (await acquire()).cancel();
    });

    test('holds all calls after a 429, tells them why, and refuses those that may not wait as long', async () => {
      const first = await acquire();
      const impatient = rejection<GateRefusedError>(acquire({ maxHold: 500 }));
      const changes: object[] = [];
      const patient = acquire({ onHold: (change) => changes.push(change) });
      await new Promise((resolve) => setTimeout(resolve, 20));
      first.settle(answer(Date, 40, { 'Retry-After': '1' }, 429));
      const began = performance.now();
      expect((await impatient).reason).toBe('hold');
      (await patient).cancel();
      expect(performance.now() - began).toBeGreaterThan(1_000);
      expect(changes).toMatchObject([
        { type: 'hold', fromServer: true, cause: '429' },
        { type: 'resume' },
      ]);
    });
  });
}
