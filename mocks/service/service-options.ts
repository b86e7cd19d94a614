import { checkOptions, integerFrom, isRecord, oneOf, type OptionRule } from '../utils/options.js';
import type { MockServiceOptions } from './types.js';

const isTime = (value: unknown) => typeof value === 'number' && value >= 0 && value < Infinity;
const isSpan = (value: unknown) => Array.isArray(value) && value.length === 2 && value.every(isTime) && value[0] <= value[1];

const rules: Readonly<Record<keyof MockServiceOptions, OptionRule>> = {
  clock: oneOf('system', 'virtual'),
  now: { takes: 'a date, an ISO text or ms since the epoch', is: () => true }, // the clock reads it, and says what is wrong
  seed: {
    takes: 'a number of pets (an integer of 0 or more) or an array of them',
    is: (value) => Array.isArray(value) || (Number.isInteger(value) && value >= 0),
  },
  latency: {
    takes: 'ms of 0 or more, [least, most], or a function that gives ms',
    is: (value) => isTime(value) || isSpan(value) || typeof value === 'function',
  },
  assumptions: { takes: 'an object of assumptions', is: isRecord },
  keys: { takes: "an object of keys: { 'my-key': { plan: 'pro' } }", is: isRecord },
  limits: oneOf('on', 'off'),
  isolate: oneOf('key'),
  faults: { takes: 'an array of faults', is: Array.isArray },
  journalLimit: integerFrom(0),
  random: { takes: 'an integer', is: Number.isSafeInteger },
  basePath: { takes: "a path that begins with '/', such as '/v1'", is: (value) => value === '' || /^\/[^?#]*$/.test(value) },
};

/** @throws TypeError or RangeError that names the option of `createMockService` which cannot be. */
export function checkServiceOptions(options: MockServiceOptions): void {
  checkOptions('createMockService', options, rules);
}
