/**
 * How requests are counted, judged by hand: the headers change with the time, the values have an effect only together, and
 * when a request arrived is known to the time between sending and receiving only. The recorded times are replayed into the
 * mock under each way of counting; those that give the same headers on every answer are left.
 */
import type { GivenAssumptions } from '../../assumptions/assumptions.js';
import { hasKey } from '../asks.js';
import { longestMinute } from '../ask/budget.js';
import { isAnswered, type Exchange, type Exchanges } from '../ask/exchange.js';
import { readRate, type Rate } from '../ask/rate.js';
import { arrivalsOf, isCached, type Arrival } from './clock.js';
import { Replay } from './replay.js';
import { rowOf, valueAt, withValue } from './rows.js';

/** The rows that are judged here; `retryAfter` beside them, with the waits that they give. */
export const countingRows: readonly string[] = [
  'minuteWindow',
  'resetMeaning',
  'countingScope',
  'unauthorizedCount',
  'refusedCount',
];

/** How far a Reset may be off, ms: it is rounded to a second, and times are known to a second. */
const resetSlack = 1_500;
/** A bucket that was never seen emptier than this by so many requests may hide nodes that disagree. */
const leastUsed = 6;

/** Every way of counting that the mock has. */
export const allCountings: readonly GivenAssumptions[] = countingRows.reduce<GivenAssumptions[]>(
  (ways, name) =>
    ways.flatMap((way) => rowOf(name).candidates.map((value) => withValue(way, name, value))),
  [{}],
);

/** An answer that is to be explained. */
export interface Sample extends Arrival {
  readonly rate: Rate | undefined;
}

/** What the answers of a run have to say of the counting. */
export interface Samples {
  readonly samples: readonly Sample[];
  /** The limit of the key; undefined where nothing can be said, for the reason `withheld`. */
  readonly limit: number | undefined;
  readonly withheld: string | undefined;
}

/** The answers from the first one on whose window was empty before it. */
export function samplesOf(exchanges: Exchanges): Samples {
  const all = arrivalsOf(exchanges).map((arrival) => ({ ...arrival, rate: rateOf(arrival) }));
  const first = all.find(isKeyed)?.rate;
  const isUsed = first !== undefined && first.remaining !== first.limit - 1;
  const quiet = all.findIndex(
    ({ exchange }, at) =>
      at > 0 && exchange.sentAt - all[at - 1]!.exchange.receivedAt >= longestMinute - 600,
  );
  const samples = isUsed && quiet > 0 ? all.slice(quiet) : all;
  const own = samples.filter(isKeyed).map(({ rate }) => rate!);
  const withheld = whyWithheld(exchanges, own);
  return { samples, limit: withheld === undefined ? own[0]!.limit : undefined, withheld };
}

const rateOf = ({ exchange: { answer, receivedAt } }: Arrival) =>
  answer && readRate(answer, receivedAt);

/** True for an answer to a valid key that shows its quota. */
const isKeyed = ({ exchange, rate }: Sample): boolean =>
  hasKey(exchange.ask) && isAnswered(exchange) && rate !== undefined;

function whyWithheld(exchanges: Exchanges, own: readonly Rate[]): string | undefined {
  if (own.length === 0) return 'no response to a key has rate-limit headers';
  if (isCached(exchanges)) return 'a cache has answered (Age is above 0): its headers are old';
  const limits = new Set(own.map(({ limit }) => limit));
  if (limits.size > 1) return `the limit changes: ${[...limits].join(', ')}`;
  if (own[0]!.limit < 2) return `a limit of ${own[0]!.limit} is too small`;
  if (own.some(({ resetIn }) => resetIn > 2 * longestMinute))
    return 'the headers report the day, whose limit is nearer than that of the minute';
  if (own.some(({ resetIn }) => resetIn < -2_000)) return 'Reset lies in the past';
  return undefined;
}

/** What the mock says under one way of counting, when a request came as early, and as late, as it may have. */
export interface Counted {
  readonly sample: Sample;
  readonly early: MockRate;
  readonly late: MockRate;
}

type MockRate = Rate & { readonly status: number; readonly retryAfter: string | undefined };

/** Two mocks that count in one way: one gets each request as early, the other as late, as it may have come. */
class Counter {
  readonly early: Replay;
  readonly late: Replay;

  constructor({ samples, limit }: Samples, way: GivenAssumptions, more: GivenAssumptions) {
    const assumptions: GivenAssumptions = {
      retryAfter: 'milliseconds',
      ...more,
      ...way,
      resetUnit: 'unix-milliseconds',
      dateHeader: true,
    };
    const [first] = samples;
    this.early = new Replay({ assumptions, pets: 0, limit, start: first!.early });
    this.late = new Replay({ assumptions, pets: 0, limit, start: first!.late });
  }

  async count(sample: Sample): Promise<Counted> {
    const { exchange, early, late } = sample;
    // A body is not counted, and takes time.
    const { name, method, path, key } = exchange.ask;
    const ask = { name: name === 'createdPet' ? '' : name, method, path, key };
    return {
      sample,
      early: await countedBy(this.early, ask, early),
      late: await countedBy(this.late, ask, late),
    };
  }
}

async function countedBy(replay: Replay, ask: Exchange['ask'], at: number): Promise<MockRate> {
  const answer = await replay.play(ask, at);
  const { status, headers } = answer;
  return { ...readRate(answer, at)!, status, retryAfter: headers['retry-after'] };
}

/** The ways of counting that explain every answer with a key; with `refusals`, every answer without a valid key too. */
export async function narrow(
  ways: readonly GivenAssumptions[],
  seen: Samples,
  more: GivenAssumptions,
  { refusals = false } = {},
): Promise<GivenAssumptions[]> {
  const left: GivenAssumptions[] = [];
  const results = new Map<string, boolean>();
  for (const way of ways) {
    const effect = effectOf(way, seen, refusals);
    if (!results.has(effect)) results.set(effect, await explains(way, seen, more, refusals));
    if (results.get(effect)) left.push(way);
  }
  return left;
}

/** Whether a request with a key was refused for the quota. */
export const hasRefused = ({ samples }: Samples): boolean =>
  samples.some((one) => isKeyed(one) && one.exchange.answer?.status === 429);

/** Whether the values of a row have different effects under one of these ways of counting. */
export function makesDifference(
  ways: readonly GivenAssumptions[],
  seen: Samples,
  name: string,
): boolean {
  const { candidates } = rowOf(name);
  return ways.some((way) => {
    const effects = candidates.map((value) => effectOf(withValue(way, name, value), seen, true));
    return new Set(effects).size > 1;
  });
}

/** Ways of counting of which nothing that was asked can show the difference are replayed once. */
function effectOf(way: GivenAssumptions, seen: Samples, refusals: boolean): string {
  const { minuteWindow, resetMeaning, countingScope, unauthorizedCount, refusedCount } = way;
  const rolls = minuteWindow === 'sliding' || minuteWindow === 'token-bucket';
  return JSON.stringify([
    minuteWindow,
    countingScope,
    rolls && hasReset(seen) && resetMeaning,
    (refusals || countingScope === 'everyone') && unauthorizedCount,
    hasRefused(seen) && refusedCount,
  ]);
}

async function explains(
  way: GivenAssumptions,
  seen: Samples,
  more: GivenAssumptions,
  refusals: boolean,
): Promise<boolean> {
  const counter = new Counter(seen, way, more);
  const slack = way.minuteWindow === 'token-bucket' ? 1 : 0;
  for (const sample of seen.samples) {
    const { early, late } = await counter.count(sample);
    const { rate, exchange } = sample;
    if (!rate || !(isKeyed(sample) || (refusals && isRefusal(sample)))) continue;
    if (!isBetween(rate.remaining, early.remaining, late.remaining, slack)) return false;
    const isRefused = [exchange.answer!, early, late].map(({ status }) => status === 429);
    if (slack === 0 && !isRefused.slice(1).includes(isRefused[0]!)) return false;
    if (Number.isNaN(rate.resetAt)) continue;
    if (!isBetween(rate.resetAt, early.resetAt, late.resetAt, resetSlack)) return false;
  }
  return true;
}

/** True for an answer to a request without a valid key, whose quota the interface does not explain. */
const isRefusal = ({ exchange }: Sample) =>
  !hasKey(exchange.ask) && exchange.answer?.status === 401;

/** True for a value between two others, which may stand in either order. */
export function isBetween(value: number, one: number, other: number, slack: number): boolean {
  return value >= Math.min(one, other) - slack && value <= Math.max(one, other) + slack;
}

/** Whether the answers to a key say when the limit resets. */
const hasReset = ({ samples }: Samples): boolean =>
  samples.some((one) => isKeyed(one) && !Number.isNaN(one.rate!.resetAt));

/** Why the way of counting is left open although only one may be left; undefined where it is not. */
export function whyHidden(
  ways: readonly GivenAssumptions[],
  seen: Samples,
  name: string,
): string | undefined {
  if (!ways.some(({ minuteWindow }) => minuteWindow === 'token-bucket')) return undefined;
  const own = seen.samples.filter(isKeyed).map(({ rate }) => rate!);
  if (!hasReset(seen))
    return 'without X-RateLimit-Reset, a bucket and nodes that disagree about Remaining look the same';
  const least = Math.min(...own.map(({ remaining, limit }) => remaining - limit));
  return name === 'countingScope' && least >= -leastUsed
    ? 'the bucket refills so fast that the scopes look the same'
    : undefined;
}

/** When one more request is sent, ms after the one before: a bucket refills, a minute ends, and requests leave a window. */
const probeWaits = [2_000, 23_000, 31_000, 5_500, 15_000];

/** How long to wait before the next request that shows how the minute is counted, ms; undefined where it is known. */
export function nextProbe(
  ways: readonly GivenAssumptions[],
  seen: Samples,
  sent: number,
): number | undefined {
  const windows = ways.map((way) => effectOf({ ...way, countingScope: 'key' }, seen, false));
  return new Set(windows).size > 1 ? probeWaits[sent] : undefined;
}

/** What the mock says to each request under one way of counting. */
export async function countedUnder(
  way: GivenAssumptions,
  seen: Samples,
  more: GivenAssumptions,
): Promise<Counted[]> {
  const counter = new Counter(seen, way, more);
  const counted: Counted[] = [];
  for (const sample of seen.samples) counted.push(await counter.count(sample));
  return counted;
}

/** The values of one row that are left among the ways of counting. */
export const valuesIn = (ways: readonly GivenAssumptions[], name: string): unknown[] => [
  ...new Set(ways.map((way) => valueAt(way, name))),
];
