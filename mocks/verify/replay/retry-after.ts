/** The form of `Retry-After`, judged by hand: the wait that it announces is known to the time between sending and receiving only. */
import { headers as names } from '../../../src/contract/index.js';
import type { RetryAfterForm } from '../../assumptions/assumptions.js';
import { writeRetryAfter } from '../../limits/headers.js';
import type { Answer } from '../ask/exchange.js';
import { rowOf } from './rows.js';

/** A 429 of the mock: when it was sent, and when the next request is allowed, ms since the epoch on the service's clock. */
export interface Refused {
  readonly now: number;
  readonly retryAt: number;
}

/** Each form of the text of a header. */
const syntaxes = [/^\d+$/, /^\d+\.\d{3}$/, /^\w{3}, \d{2} \w{3} \d{4} [\d:]{8} GMT$/] as const;

/** The forms of `Retry-After` under which one of these refusals may say the same as the service. */
export function formsOf({ headers }: Answer, refused: readonly Refused[]): readonly unknown[] {
  const text = headers[names.retryAfter.toLowerCase()];
  // A text that is no time is always the same, as far as one 429 shows it.
  if (text !== undefined && !syntaxes.some((syntax) => syntax.test(text)))
    return refused.length === 0 ? [] : [{ raw: text }];
  return rowOf('retryAfter').candidates.filter((form) => {
    const said = refused.map(({ now, retryAt }) =>
      writeRetryAfter(form as RetryAfterForm, now, retryAt),
    );
    return said.length > 0 && isSame(text, said);
  });
}

/** Whether a text lies between those of the mock, in the same form. */
function isSame(text: string | undefined, said: readonly (string | undefined)[]): boolean {
  if (text === undefined || said.includes(undefined)) return said.every((one) => one === text);
  const syntax = syntaxes.find((one) => one.test(text))!;
  if (!said.every((one) => syntax.test(one!))) return false;
  const isDate = syntax === syntaxes[2];
  const [value, ...others] = [text, ...said].map((one) =>
    isDate ? Date.parse(one!) / 1_000 : Number(one),
  );
  const slack = isDate || value! > 1e8 ? 2.5 * (value! > 1e11 ? 1_000 : 1) : 0;
  return value! >= Math.min(...others) - slack && value! <= Math.max(...others) + slack;
}
