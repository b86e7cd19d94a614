import { applyOperation, type SyncOperation, type SyncReply } from '../../src/fleet/index.js';

export const start: number = Date.UTC(2026, 0, 1);

/** The state of one key, the moment, and what its members have spent. */
export class State {
  text: string | undefined;
  now: number = start;
  /** When, and how many. */
  spent: (readonly [at: number, count: number])[] = [];
  #sequences = new Map<string, number>();

  sync(member: string, more: Partial<SyncOperation> = {}): SyncReply {
    const sequence = (this.#sequences.get(member) ?? 0) + 1;
    this.#sequences.set(member, sequence);
    const operation: SyncOperation = {
      kind: 'sync',
      member,
      sequence,
      generation: this.text === undefined ? '' : 'first',
      newGeneration: 'first',
      acknowledged: sequence - 1,
      acknowledgedAgo: sequence === 1 ? 1e12 : 1_000,
      aloneFor: 0,
      unsent: 0,
      inFlight: 0,
      need: 0,
      high: 0,
      rate: 0,
      lastLease: 0,
      repeats: 0,
      rtt: 50,
      successes: 0,
      total: 0,
      times: [],
      lost: 0,
      probeDone: false,
      clock: { low: 0, high: 10 },
      ...more,
    };
    const { text, reply } = applyOperation(this.text, operation, this.now);
    this.text = text ?? this.text;
    return reply as SyncReply;
  }

  /** A copy, for an operation that is to leave this state as it is. */
  fork(): State {
    const copy = new State();
    copy.text = this.text;
    copy.now = this.now;
    for (const [member, sequence] of this.#sequences) copy.#sequences.set(member, sequence);
    return copy;
  }

  /** What the headers said, of a request sent 50 ms ago. */
  seen(remaining: number): Pick<SyncOperation, 'observation'> {
    return {
      observation: { limit: 300, remaining, reset: start + 60_000, sentAt: this.now - 50 },
    };
  }
}
