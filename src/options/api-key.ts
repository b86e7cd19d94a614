import { kindOf } from '../contract/json.js';
import { plans } from '../contract/rate-limits.js';

/** True for a key that every mock service knows. */
export function isMockKey(key: unknown): boolean {
  return Object.keys(plans).some((name) => key === `mock-${name}`);
}

/** How keys are passed wrongly, and what to do. The first that fits counts. */
const mistakes: readonly (readonly [RegExp, string])[] = [
  [/^\s*$/, 'it is empty'],
  [/^\s*bearer\s+\S/i, 'it begins with "Bearer ": pass the key alone'],
  [/\s/, 'it contains white space or a line break: trim it'],
  [/[^\x21-\x7e]|["'`\\]/, 'it contains quotes, a backslash or characters outside printable ASCII'],
];

/** What is wrong with a key, without any part of the key; `undefined` if it can be sent. */
export function keyProblem(key: unknown): string | undefined {
  if (typeof key !== 'string') return `it must be a string, got ${kindOf(key)}`;
  return mistakes.find(([pattern]) => pattern.test(key))?.[1];
}
