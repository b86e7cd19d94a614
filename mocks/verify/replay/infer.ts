/** The mock with each candidate value answers what the service was asked: the values that agree are left. */
import type { GivenAssumptions } from '../../assumptions/assumptions.js';
import { buildPet } from '../../pets/pet.js';
import { asks, burst, isCounting, type Ask } from '../asks.js';
import { isAnswered, petsOf, type Answered, type Exchanges } from '../ask/exchange.js';
import { readRate } from '../ask/rate.js';
import { Replay, seenPets, type ReplaySetup } from './replay.js';
import { isPossible, rows, valueAt, withValue, type Row } from './rows.js';
import { viewOf, type Played, type View } from './view.js';

/** The values of each row that agree with what was seen; undefined where nothing was asked that shows it. */
export type Left = ReadonlyMap<string, readonly unknown[] | undefined>;

/** What was inferred: the values that are left, and one set of them that agrees with everything that was seen. */
export interface Inferred {
  readonly left: Left;
  readonly values: GivenAssumptions;
}

/** Values that are no candidate of the table, because they are numbers: read from the answers, and tried like the others. */
const seenCandidates: Readonly<Record<string, (seen: readonly Answered[]) => unknown[]>> = {
  longestList: (seen) =>
    seen.flatMap(({ ask, answer }) =>
      ask.name === 'wholeList' ? (petsOf(answer)?.length ?? []) : [],
    ),
  unauthorizedQuota: (seen) => {
    const refused = seen.find(({ answer }) => answer.status === 401);
    const limit = refused && readRate(refused.answer, 0)?.limit;
    // The day is not seen: so large that it never binds.
    return limit === undefined ? [] : [{ perMinute: limit, perDay: 1_000_000_000 }];
  },
};

/** A list of so many pets is in order by chance once in 3.6 million. */
const fewestInOrder = 10;

const ofLists = 'listOrder';

/** Judges every row whose values show in the answers alone, without their times. */
export async function infer(exchanges: Exchanges): Promise<Inferred> {
  // Requests that only count, and were answered like others before them, show nothing more.
  const seen = exchanges
    .filter(isAnswered)
    .filter(({ ask, answer }) => !isCounting(ask) || answer.status === 429);
  const pets = seenPets(seen);
  let values: GivenAssumptions = {};
  const left = new Map<string, readonly unknown[] | undefined>();
  const shown = await shownBy();
  for (const row of rows) {
    const hasShown = seen.some(({ ask }) => shown.get(row.name)!.asks.has(ask.name));
    left.set(row.name, hasShown ? row.candidates : undefined);
  }
  const judgeRow = async (row: Row) => {
    const { asks: names } = shown.get(row.name)!;
    // Every list shows the order, also where the mock gives none by default.
    const isShown = ({ ask, answer }: Answered) =>
      names.has(ask.name) || (row.name === ofLists && petsOf(answer) !== undefined);
    const own = seen.filter(isShown);
    if (own.length === 0) return false;
    const setup = { assumptions: values, pets, start: seen[0]!.receivedAt };
    const agree = (candidates: readonly unknown[]) =>
      agreeingOf(row.name, candidates, alongWith(own, seen), setup);
    let { agreeing, nearest } = await agree(row.candidates);
    const others = agreeing.length === 0 ? (seenCandidates[row.name]?.(seen) ?? []) : [];
    if (others.length > 0) ({ agreeing, nearest } = await agree([...row.candidates, ...others]));
    left.set(row.name, agreeing);
    const value = agreeing.includes(row.candidates[0]) ? row.candidates[0] : nearest;
    const before = valueAt(values, row.name) ?? row.candidates[0];
    values = withValue(values, row.name, value);
    return value !== before;
  };
  const changed: Row[] = [];
  for (const row of rows) if (await judgeRow(row)) changed.push(row);
  // Once more, where a value that was found later may have a part in the answers that a row was judged by.
  for (const row of rows)
    if (
      row.name === ofLists ||
      left.get(row.name)?.length === 0 ||
      changed.some((other) => haveSame(row, other, shown))
    )
      await judgeRow(row);
  return { left, values };
}

function haveSame(one: Row, other: Row, shown: ReadonlyMap<string, Shown>): boolean {
  const [own, others] = [shown.get(one.name)!.aspects, shown.get(other.name)!.aspects];
  return one !== other && [...own].some((aspect) => others.has(aspect));
}

/** Errors are compared with one another, and pets are created: what they are compared with is played too. */
function alongWith(own: readonly Answered[], seen: readonly Answered[]): readonly Answered[] {
  const hasPost = own.some(({ ask }) => ask.method === 'POST');
  const isCompared = ({ name, method, body = '' }: Ask) =>
    method === 'POST' ? hasPost && body.length < 1_000 : name.startsWith('unknownPath');
  return seen.filter((one) => own.includes(one) || isCompared(one.ask));
}

/** The candidates that agree with the service wherever the candidates do not agree with one another, and the nearest of all. */
async function agreeingOf(
  name: string,
  candidates: readonly unknown[],
  seen: readonly Answered[],
  setup: ReplaySetup,
): Promise<{ readonly agreeing: readonly unknown[]; readonly nearest: unknown }> {
  const service = seen.map((exchange) => viewOf(exchange, seen));
  const plays: { value: unknown; isShuffled: boolean; views: View[] }[] = [];
  for (const value of candidates) {
    const assumptions = withValue(setup.assumptions, name, value);
    if (!isPossible(assumptions)) continue;
    const isShuffled = assumptions.listOrder === 'shuffled';
    plays.push({ value, isShuffled, views: await viewsOf(seen, { ...setup, assumptions }) });
  }
  const shown = service.flatMap((view, at) =>
    Object.keys(view).flatMap((aspect) =>
      new Set(plays.map(({ views }) => views[at]![aspect])).size > 1 ? [{ view, at, aspect }] : [],
    ),
  );
  const judged = plays.map(({ value, isShuffled, views }) => ({
    value,
    apart: shown.filter(
      ({ view, at, aspect }) =>
        view[aspect] !== views[at]![aspect] && !(isShuffled && mayBeChance(aspect, view)),
    ).length,
  }));
  const [nearest] = judged.toSorted((one, other) => one.apart - other.apart);
  const agreeing = judged.filter(({ apart }) => apart === 0).map(({ value }) => value);
  return { agreeing, nearest: nearest?.value };
}

/** Judged by hand: a list of a few pets that is shuffled may be in order, so that one replay excludes nothing. */
const mayBeChance = (aspect: string, { count }: View) =>
  /^(?:order|again)$/.test(aspect) && !((count as number) >= fewestInOrder);

async function viewsOf(
  seen: readonly Pick<Answered, 'ask' | 'answer' | 'receivedAt'>[],
  setup: ReplaySetup,
): Promise<View[]> {
  const replay = new Replay(setup);
  const played: Played[] = [];
  for (const { ask, answer, receivedAt } of seen)
    played.push({ ask, answer: await replay.play(ask, receivedAt, answer) });
  return played.map((one) => viewOf(one, played));
}

/** What shows a row. */
export interface Shown {
  /** The names of the planned requests that the mock answers differently with its candidates. */
  readonly asks: ReadonlySet<string>;
  /** Those names, each with what differs. */
  readonly aspects: ReadonlySet<string>;
}

let shown: Promise<ReadonlyMap<string, Shown>> | undefined;

/** What shows each row: found out by asking the mock, once. */
export function shownBy(): Promise<ReadonlyMap<string, Shown>> {
  return (shown ??= findShown());
}

async function findShown(): Promise<ReadonlyMap<string, Shown>> {
  const start = Date.UTC(2026, 0, 1);
  const pets = Array.from({ length: 60 }, (_, index) => buildPet({ id: index + 1 }));
  const ok = { status: 200, headers: {}, text: '', json: undefined };
  const planned = [...asks, burst].map((ask) => ({
    ask: { ...ask, path: ask.path.replace('{listed}', '1') },
    answer: ask === burst ? { ...ok, status: 429 } : ok,
    receivedAt: start,
  }));
  const all = new Map<string, Shown>();
  for (const { name, candidates } of rows) {
    const plays: View[][] = [];
    for (const value of candidates)
      plays.push(await viewsOf(planned, { pets, start, assumptions: withValue({}, name, value) }));
    const apart = planned.flatMap(({ ask }, at) =>
      Object.keys(plays[0]![at]!).flatMap((aspect) =>
        new Set(plays.map((views) => views[at]![aspect])).size > 1
          ? [{ ask: ask.name, aspect }]
          : [],
      ),
    );
    all.set(name, {
      asks: new Set(apart.map(({ ask }) => ask)),
      aspects: new Set(apart.map(({ ask, aspect }) => `${ask} ${aspect}`)),
    });
  }
  return all;
}
