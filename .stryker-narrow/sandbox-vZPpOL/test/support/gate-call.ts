// @ts-nocheck
import type { GateCall } from '../../src/index.js';

/** A call that waits as long as it takes. */
export const patientCall: GateCall = {
  signal: undefined,
  priority: 'normal',
  waitUntil: Infinity,
  maxHold: Infinity,
  onHold: undefined,
  place: 0,
  isRetry: false,
};
