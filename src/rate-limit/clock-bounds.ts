import { drift } from './rules/pace.js';

/** Bounds of how far another clock is ahead of the local monotonic one: `low` to `high` ms. Each observation makes them narrower. */
export class ClockBounds {
  low = -Infinity;
  high = Infinity;
  #observedAt = 0;

  /** Whether there was an observation. */
  get known(): boolean {
    return this.high < Infinity;
  }

  /** The other clock was between `low` and `high` ms ahead of the local one at the local moment `now`. */
  observe(low: number, high: number, now: number): void {
    const slack = this.known ? (now - this.#observedAt) * drift : 0;
    const contradicts = low > this.high + slack || high < this.low - slack;
    this.low = contradicts ? low : Math.max(this.low - slack, low);
    this.high = contradicts ? high : Math.min(this.high + slack, high);
    this.#observedAt = now;
  }

  /** One of the clocks was set: what was observed before says nothing. */
  forget(): void {
    [this.low, this.high] = [-Infinity, Infinity];
  }
}
