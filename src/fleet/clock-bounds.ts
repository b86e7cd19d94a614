/** How far two clocks may drift apart a ms. */
const drift = 1e-4;

/** How far another clock is ahead of the local monotonic one: between `low` and `high` ms. Each observation narrows it down. */
export class ClockBounds {
  low = -Infinity;
  high = Infinity;
  #observedAt = 0;

  /** True once there was an observation. */
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

  /** The other clock is not the one that it was. */
  forget(): void {
    this.low = -Infinity;
    this.high = Infinity;
  }
}
