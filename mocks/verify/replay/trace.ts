/** The mock with the measured values answers everything again: what differs, and which code each rule has. */
import type { GivenAssumptions } from '../../assumptions/assumptions.js';
import { hashOf } from '../../inspect/journal.js';
import { describeAsk, isCounting } from '../asks.js';
import { isAnswered, isPet, type Answer, type Answered, type Exchanges } from '../ask/exchange.js';
import { scrubbed } from '../ask/scrub.js';
import type { Difference } from '../types.js';
import { Replay, seenPets } from './replay.js';
import { viewOf, type Played } from './view.js';

/** An answer of the service beside that of the mock. */
export interface Pair {
  readonly seen: Answered;
  readonly played: Played;
}

/** What the mock with these values says to everything that was answered. */
export async function replayAll(
  exchanges: Exchanges,
  assumptions: GivenAssumptions,
): Promise<Pair[]> {
  const answered = exchanges.filter(isAnswered);
  const replay = new Replay({
    assumptions,
    pets: seenPets(answered),
    start: answered[0]!.receivedAt,
  });
  const pairs: Pair[] = [];
  for (const seen of answered) {
    const { ask, answer, receivedAt } = seen;
    pairs.push({ seen, played: { ask, answer: await replay.play(ask, receivedAt, answer) } });
  }
  return pairs;
}

/** The code of each rule that was met, where the mock gives the name of the rule as its code; or why it cannot be told. */
export function codesIn(pairs: readonly Pair[]): {
  readonly codes: Readonly<Record<string, string>>;
  readonly open: Readonly<Record<string, string>>;
} {
  const codes: Record<string, string> = {};
  const open: Record<string, string> = {};
  for (const { seen, played } of pairs) {
    const [rule, code] = [codeOf(played.answer), codeOf(seen.answer)];
    if (typeof rule !== 'string' || typeof code !== 'string') continue;
    if (seen.answer.status !== played.answer.status) continue;
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
  pairs: readonly Pair[],
  { listOrder }: GivenAssumptions,
): Difference[] {
  const isShuffled = listOrder === 'shuffled';
  const all = pairs.map(({ played }) => played);
  const seenAll = pairs.map(({ seen }) => seen);
  return pairs.flatMap(({ seen, played }) => {
    const [service, mock] = [
      { ...viewOf(seen, seenAll), pets: petsIn(seen, isShuffled) },
      { ...viewOf(played, all), pets: petsIn(played, isShuffled) },
    ] as Record<string, unknown>[];
    const apart = Object.keys(service!).filter(
      (aspect) =>
        service![aspect] !== mock![aspect] && !(isShuffled && /^(?:order|again)$/.test(aspect)),
    );
    const say = (view: Record<string, unknown>) =>
      apart.map((aspect) => `${aspect} ${JSON.stringify(view[aspect] ?? null)}`).join(', ');
    return apart.length === 0
      ? []
      : [{ request: describeAsk(seen.ask), service: say(service!), mock: say(mock!) }];
  });
}

/** The pets of an answer by their fields. Names are compared by a hash, and not shown. New pets have other ids, and stand in the lists that only count. */
function petsIn({ ask, answer: { json } }: Played, isShuffled: boolean): string {
  if (isShuffled || isCounting(ask)) return '';
  const isNew = ask.creates === true || ask.name === 'createdPet';
  const pets = (Array.isArray(json) ? json : [json]).filter(isPet).map((pet) => {
    const { id, name, categoryId, status = '-' } = pet;
    return `${isNew ? '' : String(id)}/${hashOf(name).toString(36)}/${categoryId}/${status}`;
  });
  return pets.join(' ');
}
