import type { GateCall, GateResponse } from '../../src/index.js';
import { createMockService, type MockClock } from '../../mocks/index.js';
import { createFleetGate, memoryStore, type FleetGateOptions } from '../../src/fleet/index.js';
import type { FleetOperation } from '../../src/fleet/rules/operations.js';
import { tap } from './fleet-tap.js';
import { patientCall } from './gate-call.js';
import { quotaHeaders } from './stub.js';

export const key = { origin: 'https://api.petstore.example', apiKey: 'mock-pro' };

/** What {@link process} gives. */
export type Member = ReturnType<typeof process>;

/** One process, alone with a clock that moves when everybody waits, and the answers that a test makes. */
export function process(more: Partial<FleetGateOptions> = {}) {
  const { clock } = createMockService({ clock: 'virtual' });
  const inner = memoryStore(() => clock.now());
  const operations: FleetOperation[] = [];
  /** What the store does instead, from now on. */
  const now: { fault: Parameters<typeof tap>[1] | undefined } = { fault: undefined };
  const store = tap(inner, (operation, run, state) => {
    operations.push(operation);
    return now.fault?.(operation, run, state) ?? run();
  });
  const fleetGate = createFleetGate({ store, clock, ...more });
  const gate = fleetGate(key);
  let place = 0;
  const acquire = (call: Partial<GateCall> = {}) =>
    gate.acquire({ ...patientCall, place: place++, ...call });
  // The store behind the faults.
  return { clock, inner, operations, now, fleetGate, gate, acquire };
}

/** An answer of the service at this moment, with so many requests left of 60. */
export function answer(
  clock: Pick<MockClock, 'now'>,
  remaining: number,
  more: Record<string, string> = {},
  status = 200,
): GateResponse {
  const reset = (Math.floor(clock.now() / 60_000) + 1) * 60;
  return {
    status,
    headers: new Headers({
      ...quotaHeaders(60, remaining, reset),
      Date: new Date(clock.now()).toUTCString(),
      ...more,
    }),
  };
}

/** Opens the window: ten answered requests, so that the fleet is sure to be alone. */
export async function open<Own extends Pick<Member, 'acquire' | 'clock'>>(here: Own): Promise<Own> {
  const { acquire, clock } = here;
  for (let left = 59; left >= 50; left -= 1) {
    const permit = await acquire();
    await clock.sleep(20);
    permit.settle(answer(clock, left));
  }
  return here;
}
