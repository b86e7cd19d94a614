/** The form of `Retry-After`, judged by hand: the wait that it announces is known to the time between sending and receiving only. */
import { headers as names } from '../../../src/contract/index.js';
import type { GivenAssumptions } from '../../assumptions/assumptions.js';
import { hasKey } from '../asks.js';
import type { Exchanges } from '../ask/exchange.js';
import { countedUnder, isBetween, type Samples } from './counting.js';
import { rowOf, withValue } from './rows.js';

/** Each form of the text of a header. */
const syntaxes = [/^\d+$/, /^\d+\.\d{3}$/, /^\w{3}, \d{2} \w{3} \d{4} [\d:]{8} GMT$/] as const;

/** The forms of `Retry-After` that say the same as the service; undefined without a 429. */
export async function judgeRetryAfter(
  exchanges: Exchanges,
  ways: readonly GivenAssumptions[],
  seen: Samples,
  more: GivenAssumptions,
): Promise<unknown[] | undefined> {
  const refused = exchanges.find(({ ask, answer }) => hasKey(ask) && answer?.status === 429);
  if (!refused) return undefined;
  const text = refused.answer!.headers[names.retryAfter.toLowerCase()];
  const forms: unknown[] = [];
  for (const form of rowOf('retryAfter').candidates)
    for (const way of ways) {
      const all = await countedUnder(way, seen, withValue(more, 'retryAfter', form));
      const counted = all.find(({ sample }) => sample.exchange === refused);
      const said = [counted?.early, counted?.late].flatMap((rate) =>
        rate?.status === 429 ? [rate.retryAfter] : [],
      );
      if (said.length === 0 || !isSame(text, said)) continue;
      forms.push(form);
      break;
    }
  // A text that is no time is always the same, as far as one 429 shows it. A number may be any form of a wait that is not known.
  const isOfForm = text === undefined || syntaxes.some((syntax) => syntax.test(text));
  return forms.length > 0 || isOfForm || ways.length === 0 ? forms : [{ raw: text }];
}

/** Whether a text lies between those of the mock, in the same form. */
function isSame(text: string | undefined, said: readonly (string | undefined)[]): boolean {
  if (text === undefined || said.includes(undefined)) return said.every((one) => one === text);
  const syntax = syntaxes.find((one) => one.test(text));
  if (!syntax || !said.every((one) => syntax.test(one!))) return false;
  const isDate = syntax === syntaxes[2];
  const [value, ...others] = [text, ...said].map((one) =>
    isDate ? Date.parse(one!) / 1_000 : Number(one),
  );
  const slack = isDate || value! > 1e8 ? 2.5 * (value! > 1e11 ? 1_000 : 1) : 0;
  return isBetween(value!, Math.min(...others), Math.max(...others), slack);
}
