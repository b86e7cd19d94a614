/** The form of `Retry-After`, judged by hand: the wait that it announces is known to the time between sending and receiving only. */
import { headers as names } from '../../../src/contract/index.js';
import type { RetryAfterForm } from '../../assumptions/assumptions.js';
import { writeRetryAfter } from '../../limits/headers.js';
import type { Answer } from '../ask/exchange.js';
import { rows } from './rows.js';

/** A 429 of the mock: when it was sent, and when the next request is allowed, ms since the epoch on the service's clock. */
export interface Refused {
  readonly now: number;
  readonly retryAt: number;
}

/** What is alike in all texts of a form. */
const shapeOf = (text = '') => text.replace(/\d+/g, '0').replace(/[A-Z][a-z]+/g, 'A');

/** The forms of `Retry-After` under which one of these refusals may say the same as the service. */
export function formsOf({ headers }: Answer, refused: readonly Refused[]): readonly unknown[] {
  const text = headers[names.retryAfter.toLowerCase()];
  const forms = rows.get('retryAfter')!.map((form) => ({
    form,
    said: refused.map(({ now, retryAt }) => writeRetryAfter(form as RetryAfterForm, now, retryAt)),
  }));
  const alike = forms.filter(({ said }) => said.some((one) => shapeOf(one) === shapeOf(text)));
  // A text that is no time is always the same, as far as one 429 shows it.
  if (alike.length === 0 && refused.length > 0) return [{ raw: text }];
  return alike.filter(({ said }) => isBetween(text, said)).map(({ form }) => form);
}

/** Whether a text lies between others of its form, which are rounded. */
function isBetween(text: string | undefined, said: readonly (string | undefined)[]): boolean {
  const [value = NaN, ...others] = [text, ...said].map((one = '0') =>
    one.endsWith('GMT') ? Date.parse(one) / 1_000 : Number(one),
  );
  const slack = value > 1e11 ? 2_500 : value > 1e8 ? 2.5 : 0;
  return value >= Math.min(...others) - slack && value <= Math.max(...others) + slack;
}
