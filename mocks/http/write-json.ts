import { stringifyJson } from '../../src/contract/json.js';

/** As `stringifyJson`, at the speed of the platform where no int64 needs more than a number: almost always. */
export function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // `JSON.stringify` refuses a bigint.
    return stringifyJson(value);
  }
}
