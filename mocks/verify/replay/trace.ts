/** The mock with the measured values answers everything again: what differs, and which code each rule has. */
import { rules } from '../../assumptions/answers.js';
import { chooseAssumptions, type GivenAssumptions } from '../../assumptions/assumptions.js';
import { isRecord } from '../../utils/options.js';
import { describeAsk, isCounting } from '../asks.js';
import { isPet, type Answer } from '../ask/exchange.js';
import { scrubbed } from '../ask/scrub.js';
import type { Difference } from '../types.js';
import type { Asked } from './replay.js';
import { valueAt, withValue } from './rows.js';
import { viewsOf, type View } from './view.js';

/** The assumptions with the codes of rules; by default, each has its own name. A rule that refuses nothing has none. */
export function withCodes(
  given: GivenAssumptions,
  codes: Readonly<Record<string, string>> = ownNames,
): GivenAssumptions {
  const all = chooseAssumptions(given);
  return Object.entries(codes)
    .map(([rule, code]) => [`answers.${rule}`, code] as const)
    .filter(([name]) => isRecord(valueAt(all, name)))
    .reduce((values, [name, code]) => withValue(values, `${name}.code`, code), given);
}

const ownNames = Object.fromEntries(Object.keys(rules).map((rule) => [rule, rule]));

/** The code of each rule that was met, where the mock gives the name of the rule as its code; or why it cannot be told. */
export function codesIn(
  seen: readonly Asked[],
  played: readonly Asked[],
): Readonly<Record<'codes' | 'unstable', Readonly<Record<string, string>>>> {
  const codes: Record<string, string> = {};
  const unstable: Record<string, string> = {};
  for (const [at, { answer }] of seen.entries()) {
    const [rule, code] = [played[at]!.answer, answer].map(codeOf);
    if (typeof rule !== 'string' || typeof code !== 'string') continue;
    if (answer.status !== played[at]!.answer.status) continue;
    if (code.includes(scrubbed) || code.length > 100)
      unstable[rule] = 'its code repeats the request';
    else if ((codes[rule] ?? code) !== code) unstable[rule] = 'it has several codes';
    codes[rule] = code;
  }
  for (const rule of Object.keys(unstable)) Reflect.deleteProperty(codes, rule);
  return { codes, unstable };
}

const codeOf = ({ json }: Answer) => (json as { code?: unknown } | null | undefined)?.code;

/** Every answer that differs, besides times, quotas and codes. Where lists are shuffled, their order says nothing. */
export function differencesIn(
  seen: readonly Asked[],
  played: readonly Asked[],
  { listOrder }: GivenAssumptions,
): Difference[] {
  const unsaid = listOrder === 'shuffled' ? ['order', 'again', 'ids'] : [];
  const [services, mocks] = [seen, played].map((all) =>
    viewsOf(all).map((view, at): View => ({ ...view, ids: idsIn(all[at]!) })),
  );
  return seen.flatMap(({ ask }, at) => {
    const [service, mock] = [services![at]!, mocks![at]!];
    const apart = Object.keys(service).filter(
      (aspect) => service[aspect] !== mock[aspect] && !unsaid.includes(aspect),
    );
    const say = (view: View) =>
      apart.map((aspect) => `${aspect} ${JSON.stringify(view[aspect] ?? null)}`).join(', ');
    return apart.length === 0
      ? []
      : [{ request: describeAsk(ask), service: say(service), mock: say(mock) }];
  });
}

/** The ids of an answer. New pets have other ones, and stand in the lists that only count. */
function idsIn({ ask, answer }: Asked): string {
  if (ask.needs === 'create' || isCounting(ask)) return '';
  const pets = [answer.json].flat().filter(isPet);
  return pets.map(({ id }) => id).join();
}
