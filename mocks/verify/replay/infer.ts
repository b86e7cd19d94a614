/** The mock with each candidate value answers what the service was asked: the values that agree are left. */
import type { GivenAssumptions } from '../../assumptions/assumptions.js';
import { buildPet } from '../../pets/pet.js';
import { asks, burst, isCounting, type Ask } from '../asks.js';
import { answerOf, isAnswered, petsOf, type Exchanges } from '../ask/exchange.js';
import { readRate } from '../ask/rate.js';
import { isSame } from '../measured-file.js';
import { playAll, seenPets, type Asked, type ReplaySetup } from './replay.js';
import { rows, withValue } from './rows.js';
import { viewsOf, type View } from './view.js';

/** What was inferred. */
export interface Inferred {
  /** The values of each row that agree with what was seen; none of a row that nothing shows. */
  readonly left: ReadonlyMap<string, readonly unknown[]>;
  /** One set of them. */
  readonly values: GivenAssumptions;
}

/** Values that are no candidate of the table, because they are numbers: read from the answers, and tried like the others. */
const seenCandidates: Readonly<Record<string, (seen: Exchanges) => unknown[]>> = {
  longestList: (seen) => {
    const { length } = petsOf(answerOf(seen, 'wholeList')) ?? [];
    return length < 20 || length > 100 ? [] : [length];
  },
  unauthorizedQuota: (seen) => {
    const refused = seen.find(({ answer }) => answer?.status === 401)?.answer;
    const { limit = 0 } = (refused && readRate(refused, 0)) ?? {};
    // The day is not seen: so large that it never binds.
    return limit === 0 ? [] : [{ perMinute: limit, perDay: 1_000_000_000 }];
  },
};

/** Judges every row whose values show in the answers alone, without their times. */
export async function infer(exchanges: Exchanges): Promise<Inferred> {
  // Requests that only count, and were answered like others before them, show nothing more.
  const seen = exchanges
    .filter(isAnswered)
    .filter(({ ask, answer }) => !isCounting(ask) || answer.status === 429);
  const pets = seenPets(seen);
  const left = new Map<string, readonly unknown[]>();
  const shown = await shownBy();
  let values: GivenAssumptions = {};
  // Twice: a value that is found later may have a part in the answers that a row was judged by.
  for (const { name, candidates } of [...rows, ...rows]) {
    // Every list shows the order, also where the mock gives none by default.
    const shows = ({ ask, answer }: Asked) =>
      shown.get(name)!.has(ask.name) || (name === 'listOrder' && petsOf(answer) !== undefined);
    if (!seen.some(shows)) continue;
    const isPosted = seen.some((one) => shows(one) && one.ask.method === 'POST');
    const asked = seen.filter((one) => shows(one) || isCompared(one.ask, isPosted));
    const others = seenCandidates[name]?.(seen) ?? [];
    const all = [
      ...candidates,
      ...others.filter((one) => candidates.every((candidate) => !isSame(one, candidate))),
    ];
    const setup = { assumptions: values, pets, start: seen[0]!.receivedAt };
    const [nearest, ...judged] = await judgeEach(name, all, asked, setup);
    const agreeing = [nearest!, ...judged].filter(({ apart }) => apart === 0);
    left.set(
      name,
      agreeing.map(({ value }) => value),
    );
    values = withValue(values, name, nearest!.value);
  }
  return { left, values };
}

/** Other answers are compared with these. */
const isCompared = ({ name, creates }: Ask, isPosted: boolean) =>
  isPosted ? creates === true || name.startsWith('withoutName') : name.startsWith('unknownPath');

/** The candidates with the number of answers that are not as the service's, where they do not agree with one another; the nearest first. */
async function judgeEach(
  name: string,
  candidates: readonly unknown[],
  asked: readonly Asked[],
  setup: ReplaySetup,
) {
  const service = viewsOf(asked);
  const { plays, apart } = await playEach(name, candidates, asked, setup);
  const judged = plays.map(({ value, views, isShuffled }) => {
    const other = apart.filter(
      ({ at, aspect }) =>
        service[at]![aspect] !== views[at]![aspect] &&
        !(isShuffled && mayBeChance(aspect, service[at]!)),
    );
    return { value, apart: other.length };
  });
  return judged.toSorted((one, other) => one.apart - other.apart);
}

/** By hand: a list of a few pets that is shuffled may be in order; ten are once in 3.6 million. */
const mayBeChance = (aspect: string, { count }: View) =>
  /^(?:order|again)$/.test(aspect) && !((count as number) >= 10);

/** What the mock says with each value, and where these differ from one another. */
async function playEach(
  name: string,
  candidates: readonly unknown[],
  asked: readonly Asked[],
  setup: ReplaySetup,
) {
  const plays: { value: unknown; isShuffled: boolean; views: readonly View[] }[] = [];
  for (const value of candidates) {
    const assumptions = withValue(setup.assumptions, name, value);
    const views = viewsOf(await playAll(asked, { ...setup, assumptions }));
    plays.push({ value, isShuffled: assumptions.listOrder === 'shuffled', views });
  }
  const apart = asked.flatMap((_, at) =>
    Object.keys(plays[0]!.views[at]!)
      .filter((aspect) => new Set(plays.map(({ views }) => views[at]![aspect])).size > 1)
      .map((aspect) => ({ at, aspect })),
  );
  return { plays, apart };
}

let shown: Promise<ReadonlyMap<string, ReadonlySet<string>>> | undefined;

/** The names of the planned requests that show each row: those that the mock answers differently with its candidates. Found out by asking the mock, once. */
export function shownBy(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  return (shown ??= findShown());
}

async function findShown(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const start = Date.UTC(2026, 0, 1);
  const pets = Array.from({ length: 60 }, (_, index) => buildPet({ id: index + 1 }));
  const planned = [...asks, burst].map((ask) => ({
    ask: { ...ask, path: ask.path.replace('{listed}', '1') },
    answer: { status: ask === burst ? 429 : 200, headers: {}, text: '', json: undefined },
    receivedAt: start,
  }));
  const all = new Map<string, ReadonlySet<string>>();
  for (const { name, candidates } of rows) {
    const { apart } = await playEach(name, candidates, planned, { assumptions: {}, pets, start });
    all.set(name, new Set(apart.map(({ at }) => planned[at]!.ask.name)));
  }
  return all;
}
