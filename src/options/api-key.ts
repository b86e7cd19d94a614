import { plans } from '../contract/rate-limits.js';

/** True for a key that every mock service knows. */
export function isMockKey(key: unknown): boolean {
  return Object.keys(plans).some((name) => key === `mock-${name}`);
}

/** What is wrong with a key, without any part of the key; `undefined` if it can be sent. */
export function keyProblem(key: unknown): string | undefined {
  if (typeof key !== 'string')
    return `it must be a string, got ${key === null ? 'null' : typeof key}`;
  if (key.trim() === '') return 'it is empty';
  if (/^bearer\s/i.test(key.trim())) return 'it begins with "Bearer ": pass the key alone';
  if (/[\r\n]/.test(key)) return 'it holds a line break: was it read from a file? trim it';
  if (/\s/.test(key)) return 'it holds white space: trim it';
  if (/["'`\\‘’“”]/.test(key)) return 'it holds quotes or a backslash: pass the key without them';
  if (!/^[\x21-\x7e]+$/.test(key)) return 'it holds characters outside printable ASCII';
  return undefined;
}
