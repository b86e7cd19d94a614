import { Gate } from '../gate/gate.js';
import type { RateLimitGate } from '../rate-limit/types.js';
import { systemClock, type Clock } from '../utils/clock.js';
import { aClock, aFunction, check, type Rows } from './check.js';

/** Options of {@link createRateLimitGate}. */
export interface GateOptions {
  /** The clock on which the gate reads the time and waits. Default: the system's clock. */
  readonly clock?: Clock | undefined;
  /** A number from 0 (included) to 1 (excluded), for the jitter of at most 100 ms. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
}

const rows: Rows<GateOptions> = { clock: aClock, random: aFunction };

/**
 * Creates the gate that a client uses by default, for use in a wrapper, or to separate two parts of a process.
 * It sends one request first, and has only a part of the remaining requests in flight at the same time. It holds all calls when the window is
 * exhausted and after a 429, and sends one request after each hold. Service interface: "Limits".
 *
 * @throws {@link ConfigurationError} when an option is wrong; the message names it.
 *
 * @example
 * ```ts
 * import { createRateLimitGate, PetStoreClient } from 'petstore-client';
 *
 * const client = new PetStoreClient({ apiKey: 'my-key', gate: createRateLimitGate() });
 * ```
 */
export function createRateLimitGate(options: GateOptions = {}): RateLimitGate {
  const { clock = systemClock, random } = check<GateOptions>('createRateLimitGate', rows, options);
  return new Gate(clock, random);
}
