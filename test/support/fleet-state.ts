import { applyOperation } from '../../src/fleet/rules/apply.js';
import type { FleetOperation, FleetReply } from '../../src/fleet/rules/operations.js';
import type { FleetState } from '../../src/fleet/rules/state.js';

export const start: number = Date.UTC(2026, 0, 1);

/** A report of a member that knows of no state, holds nothing and wants nothing. */
export const operationOf = (member: string, sequence: number): FleetOperation => ({
  ...{ member, sequence, generation: '', newGeneration: 'first', clock: { low: 0, high: 10 } },
  ...{ acknowledged: 0, acknowledgedAgo: 1e12, aloneFor: 0, leaves: false },
  ...{ unsent: 0, inFlight: 0, need: 0, high: 0, rate: 0, lastLease: 0, repeats: 0 },
  ...{ rtt: 0, successes: 0, total: 0, times: [], lost: 0, probeDone: false },
});

/** The state of one key, and the moment. */
export class State {
  text: string | undefined;
  now: number = start;
  #sequences = new Map<string, number>();

  sync(member: string, more: Partial<FleetOperation> = {}): FleetReply {
    const sequence = (this.#sequences.get(member) ?? 0) + 1;
    this.#sequences.set(member, sequence);
    const operation: FleetOperation = {
      ...operationOf(member, sequence),
      generation: this.text === undefined ? '' : 'first',
      acknowledged: sequence - 1,
      acknowledgedAgo: sequence === 1 ? 1e12 : 1_000,
      rtt: 50,
      ...more,
    };
    const known = this.text === undefined ? undefined : (JSON.parse(this.text) as FleetState);
    const { state, reply } = applyOperation(known, operation, this.now);
    this.text = JSON.stringify(state);
    return reply;
  }

  /** What the headers said, of a request sent 50 ms ago. */
  seen(remaining: number): Pick<FleetOperation, 'observation'> {
    return {
      observation: { limit: 300, remaining, reset: start + 60_000, sentAt: this.now - 50 },
    };
  }
}
