import { parseJson } from '../../src/contract/json.js';

/** The value of a text, with exact int64; undefined where the text is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
