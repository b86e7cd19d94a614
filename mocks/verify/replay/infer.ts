/** The mock responds to the requests of the run with each candidate value. The values whose responses agree remain. */
import type { GivenAssumptions } from '../../assumptions/assumptions.js';
import { buildPet } from '../../pets/pet.js';
import { allAsks, isCounting, type Ask } from '../asks.js';
import { answerOf, isAnswered, petsOf, type Exchanges } from '../ask/exchange.js';
import { toAnswer } from '../ask/send.js';
import { isSame } from '../measured-file.js';
import { countingRows, ofCounting } from './counting.js';
import { playAll, seenPets, type Asked, type ReplaySetup } from './replay.js';
import { rows, withValue } from './rows.js';
import { viewsOf, type View } from './view.js';

/** What is judged by the answers alone, without their times. */
const timeless = [...rows.keys()].filter((name) => !countingRows.includes(name));

/** Values that are no candidate of the table, because they are numbers: read from the answers, and tried like the others. */
const seenCandidates: Readonly<Record<string, (seen: readonly Asked[]) => unknown[]>> = {
  longestList: (seen) => {
    const { length } = petsOf(answerOf(seen, 'wholeList')) ?? [];
    return length < 20 || length > 100 ? [] : [length];
  },
  unauthorizedQuota: (seen) => {
    const { limit = 0 } = seen.find(({ answer }) => answer.status === 401)?.answer.rate ?? {};
    // The quota of the day is not visible, so it is too large to matter.
    return limit === 0 ? [] : [{ perMinute: limit, perDay: 1_000_000_000 }];
  },
};

/** The refusals by which a rule was met: any status of 400 to 499, without a body where there was none. */
function refusalsIn(seen: readonly Asked[]): unknown[] {
  const refusals = seen
    .map(({ answer: { status, text } }) => ({ status, ...(text === '' && { body: false }) }))
    .filter(({ status }) => status >= 400 && status < 500 && status !== 429);
  return [...new Map(refusals.map((one) => [JSON.stringify(one), one])).values()];
}

/**
 * Judges every row whose values show in the answers alone, without their times. `left`: the values of each row that agree with
 * what was seen; none of a row that nothing shows. `values`: one set of them.
 */
export async function infer(
  exchanges: Exchanges,
): Promise<{ left: Map<string, readonly unknown[]>; values: GivenAssumptions }> {
  // Requests that were sent only to be counted show nothing unless they received a 429.
  const seen = exchanges
    .filter(isAnswered)
    .filter(({ ask, answer }) => !isCounting(ask) || answer.status === 429);
  const pets = seenPets(seen);
  const left = new Map<string, readonly unknown[]>();
  const shown = await shownBy();
  let values: GivenAssumptions = {};
  const names = [...timeless];
  for (const name of names) {
    // Every list shows the order, even if the mock returns no list there by default.
    const shows = ({ ask, answer }: Asked) =>
      shown.get(name)!.has(ask.name) || (name === 'listOrder' && petsOf(answer) !== undefined);
    if (!seen.some(shows)) continue;
    const isPosted = seen.some((one) => shows(one) && one.ask.method === 'POST');
    const asked = seen.filter((one) => shows(one) || isCompared(one.ask, isPosted));
    const candidates = rows.get(name)!;
    const isRule = name.startsWith('answers.');
    const found = isRule ? refusalsIn(seen.filter(shows)) : (seenCandidates[name]?.(seen) ?? []);
    const others = found.filter(
      (one) => 'body' in Object(one) || candidates.every((candidate) => !isSame(one, candidate)),
    );
    const setup = { assumptions: values, pets, start: seen[0]!.receivedAt };
    const { judged } = await compare(name, [...candidates, ...others], asked, setup);
    const agreeing = judged.filter(({ wrong }) => wrong === 0).map(({ value }) => value);
    left.set(name, agreeing);
    const { value } = judged[0]!;
    values = withValue(values, name, value);
    // Again, because what is no default may affect the answers by which an earlier row was judged.
    if (names.length === timeless.length && !isSame(value, candidates[0])) names.push(...timeless);
  }
  return { left, values };
}

/** Other answers are compared with these. */
const isCompared = ({ name, method, needs }: Ask, isPosted: boolean) =>
  isPosted
    ? (method === 'POST' && needs === 'create') || /withoutName|brokenJson/.test(name)
    : /unknownPath|missingPet/.test(name);

/**
 * Plays the mock with each value. `judged`: how many answers are not as the service's, of those in which the values differ
 * from one another; the nearest value first. `shows`: the names of the requests that they belong to.
 */
async function compare(
  name: string,
  values: readonly unknown[],
  asked: readonly Asked[],
  setup: ReplaySetup,
) {
  const plays: { value: unknown; isShuffled: boolean; views: readonly View[] }[] = [];
  for (const value of values) {
    const assumptions = withValue(setup.assumptions, name, value);
    const views = viewsOf(await playAll(asked, { ...setup, assumptions }));
    plays.push({ value, isShuffled: assumptions.listOrder === 'shuffled', views });
  }
  const telling = viewsOf(asked).flatMap((service, at) =>
    Object.entries(service)
      .filter(([aspect]) => new Set(plays.map(({ views }) => views[at]![aspect])).size > 1)
      // A list that did not come has no order.
      .filter(([aspect, is]) => aspect !== 'order' || is !== undefined)
      .map(([aspect, is]) => {
        // Judged by hand: a shuffled list of a few pets may be in order by chance; of ten pets, once in 3.6 million.
        const mayBeChance = /^(?:order|again)$/.test(aspect) && !(Number(service['count']) >= 10);
        return { at, aspect, is, mayBeChance };
      }),
  );
  const judged = plays.map(({ value, views, isShuffled }) => {
    const wrong = telling.filter(
      ({ at, aspect, is, mayBeChance }) =>
        is !== views[at]![aspect] && !(isShuffled && mayBeChance),
    );
    return { value, wrong: wrong.length };
  });
  return {
    judged: judged.toSorted((one, other) => one.wrong - other.wrong),
    shows: new Set(telling.map(({ at }) => asked[at]!.ask.name)),
  };
}

let shown: Promise<ReadonlyMap<string, ReadonlySet<string>>> | undefined;

/** The names of the planned requests that show each row: those that the mock answers differently with its candidates. Found out by asking the mock, once. */
export function shownBy(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  return (shown ??= findShown());
}

async function findShown(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const start = Date.UTC(2026, 0, 1);
  const pets = Array.from({ length: 60 }, (_, index) => buildPet({ id: index + 1 }));
  const planned = allAsks.map((ask) => ({
    ask: { ...ask, path: ask.path.replace('{listed}', '1') },
    answer: toAnswer(ask.name === 'burst' ? 429 : 200, [], '', start),
    receivedAt: start,
  }));
  const all = new Map<string, ReadonlySet<string>>();
  for (const name of countingRows) all.set(name, new Set(ofCounting(name)));
  for (const name of timeless) {
    const setup = { assumptions: {}, pets, start };
    all.set(name, (await compare(name, rows.get(name)!, planned, setup)).shows);
  }
  return all;
}
