import type { WaitCause } from '../types.js';
import { pad } from './hold-rule.js';

/** Spread of the first requests of several processes (ms). With a larger spread, the first process would take the whole window. */
export const largestJitter = 100;
/** What a hold adds, at most, to the time that the service states (ms). */
export const longestAddition = pad + largestJitter;

/** A time in which nothing is sent. Of two holds, the one that ends later counts. Monotonic ms. */
export interface Hold {
  /** Nothing is sent before this moment: `endsAt` with pad and jitter. */
  readonly resumeAt: number;
  /** A call whose maxHold is shorter is rejected, whether the service stated the hold or the gate chose it. */
  readonly endsAt: number;
  /** Whether the service stated a time in a header, so that it is no estimate. */
  readonly fromServer: boolean;
  readonly cause: WaitCause;
}

/** Before the first hold. */
export const noHold: Hold = {
  resumeAt: -Infinity,
  endsAt: -Infinity,
  fromServer: false,
  cause: 'probe',
};
