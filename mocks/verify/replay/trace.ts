/** The mock with the measured values answers everything again: what differs, and which code each rule has. */
import type { GivenAssumptions } from '../../assumptions/assumptions.js';
import { describeAsk, isCounting } from '../asks.js';
import { isPet, type Answer } from '../ask/exchange.js';
import { scrubbed } from '../ask/scrub.js';
import type { Difference } from '../types.js';
import type { Asked } from './replay.js';
import { viewsOf, type View } from './view.js';

/** The code of each rule that was met, where the mock gives the name of the rule as its code; or why it cannot be told. */
export function codesIn(
  seen: readonly Asked[],
  played: readonly Asked[],
): Readonly<Record<'codes' | 'open', Readonly<Record<string, string>>>> {
  const codes: Record<string, string> = {};
  const open: Record<string, string> = {};
  for (const [at, { answer }] of seen.entries()) {
    const [rule, code] = [played[at]!.answer, answer].map(codeOf);
    if (typeof rule !== 'string' || typeof code !== 'string') continue;
    if (answer.status !== played[at]!.answer.status) continue;
    if (code.includes(scrubbed) || code.length > 100) open[rule] = 'its code repeats the request';
    else if ((codes[rule] ?? code) !== code) open[rule] = 'it has several codes';
    codes[rule] = code;
  }
  const known = Object.entries(codes).filter(([rule]) => !(rule in open));
  return { codes: Object.fromEntries(known), open };
}

const codeOf = ({ json }: Answer) => (json as { code?: unknown } | null | undefined)?.code;

/** Every answer that differs, besides times, quotas and codes. Where lists are shuffled, their order says nothing. */
export function differencesIn(
  seen: readonly Asked[],
  played: readonly Asked[],
  { listOrder }: GivenAssumptions,
): Difference[] {
  const isShuffled = listOrder === 'shuffled';
  const views = (all: readonly Asked[]) =>
    viewsOf(all).map((view, at): View => ({ ...view, ids: idsIn(all[at]!) }));
  const [services, mocks] = [views(seen), views(played)];
  return seen.flatMap(({ ask }, at) => {
    const [service, mock] = [services[at]!, mocks[at]!];
    const apart = Object.keys(service).filter(
      (aspect) =>
        service[aspect] !== mock[aspect] && !(isShuffled && /^(?:order|again|ids)$/.test(aspect)),
    );
    const say = (view: View) =>
      apart.map((aspect) => `${aspect} ${JSON.stringify(view[aspect] ?? null)}`).join(', ');
    return apart.length === 0
      ? []
      : [{ request: describeAsk(ask), service: say(service), mock: say(mock) }];
  });
}

/** The ids of an answer. New pets have other ones, and stand in the lists that only count. */
const idsIn = ({ ask, answer }: Asked) =>
  ask.needs === 'create' || isCounting(ask)
    ? ''
    : [answer.json]
        .flat()
        .filter(isPet)
        .map(({ id }) => id)
        .join();
