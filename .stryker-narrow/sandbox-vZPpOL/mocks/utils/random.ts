/** Reproducible random numbers: mulberry32, whose state is one integer. */
// @ts-nocheck

export class Random {
  state: number;

  constructor(seed: number) {
    this.state = seed | 0;
  }

  /** Random numbers of their own for one request. It draws one number here. */
  fork(): Random {
    return new Random(this.next() * 2 ** 32);
  }

  /** A number from 0 to below 1. */
  next(): number {
    let mixed = (this.state = (this.state + 0x6d2b79f5) | 0);
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from `least` to `most`, both included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }
}
