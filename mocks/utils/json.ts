import { parseJson } from '../../src/contract/json.js';
import { attempt } from './options.js';

/** The value of a text, with exact int64; undefined where the text is not JSON. */
export const jsonOf = (text: string): unknown => attempt(() => parseJson(text));

/** The value of a text, with exact int64, without a byte order mark. @throws what `failure` makes of the reason, where the text is not JSON. */
export function readJson(text: string, failure: (why: string, cause: unknown) => Error): unknown {
  try {
    return parseJson(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw failure((error as Error).message, error);
  }
}

/** Whether a JSON text is nested in more than `most` levels. Deep values overflow the stack when they are validated or written. */
export function isNestedDeeper(text: string, most: number): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (token === '[' || token === '{') depth++;
    else if (token === ']' || token === '}') depth--;
    if (depth > most) return true;
  }
  return false;
}
