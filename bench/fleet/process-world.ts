import type { Clock } from '../../src/index.js';
import type { Random } from '../conduct/scenario/random.js';
import type { Conditions, Span } from './conditions.js';

/** One process in the simulation: a clock of its own, which stands apart from the others', and times at which it stands still. */
export class ProcessWorld {
  readonly clock: Clock;
  readonly #time: Clock;
  readonly #conditions: Conditions;
  readonly #epoch: number;
  readonly #stops: readonly Span[];

  constructor(time: Clock, index: number, conditions: Conditions, epoch: number) {
    this.#time = time;
    this.#conditions = conditions;
    this.#epoch = epoch;
    this.#stops = conditions.stopped?.(index) ?? [];
    const boot = 1_000_000 + 77_777 * index;
    this.clock = {
      now: () => time.now(),
      monotonic: () => time.monotonic() + boot,
      sleep: async (ms, signal) => {
        await time.sleep(ms, signal);
        await this.#resume();
      },
    };
  }

  /** `fetch` of the process: an answer that comes while it stands still is read later. */
  fetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
    return async (input, init) => {
      const response = await fetch(input, init);
      await this.#resume();
      return response;
    };
  }

  /** The way of an operation to the store. Never ends while the store is down. */
  async reach(random: Random): Promise<void> {
    await this.wait(0.5 + random());
    const { down = [], slow } = this.#conditions;
    if (down.some((span) => this.#isWithin(span))) await new Promise(() => undefined);
    if (slow !== undefined && this.#isWithin(slow.span)) await this.wait(slow.ms * random() * 2);
  }

  async wait(ms: number): Promise<void> {
    await this.#time.sleep(ms);
    await this.#resume();
  }

  async #resume(): Promise<void> {
    const stop = this.#stops.find((span) => this.#isWithin(span));
    if (stop === undefined) return;
    if (stop[1] === Infinity) await new Promise(() => undefined);
    await this.#time.sleep(stop[1] - (this.#time.monotonic() - this.#epoch));
  }

  #isWithin([from, to]: Span): boolean {
    const now = this.#time.monotonic() - this.#epoch;
    return now >= from && now < to;
  }
}
