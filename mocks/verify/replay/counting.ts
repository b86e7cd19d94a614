/**
 * How requests are counted, judged by hand: the headers change with the time, the values have an effect only together, and
 * when a request arrived is known to the time between sending and receiving only. The recorded times are replayed into the
 * mock under each way of counting, as early and as late as they may be; the ways that give the same headers are left.
 */
import type { GivenAssumptions } from '../../assumptions/assumptions.js';
import { burst, hasKey } from '../asks.js';
import type { Exchange, Exchanges } from '../ask/exchange.js';
import { longestMinute, readRate, type Rate } from '../ask/rate.js';
import type { Seen } from '../ask/run.js';
import { whyNotSent } from '../ask/why-not-sent.js';
import { arrivalsOf, isCached, type Arrival } from './clock.js';
import { Replay } from './replay.js';
import { formsOf, type Refused } from './retry-after.js';
import { findingOf, notAsked, open, rowOf, valueAt, withValue, type Finding } from './rows.js';

const rows = [
  'minuteWindow',
  'resetMeaning',
  'countingScope',
  'unauthorizedCount',
  'refusedCount',
] as const;

/** The rows that are judged here. */
export const countingRows: readonly string[] = [...rows, 'retryAfter'];

/** How far a Reset may be off, ms: it is rounded to a second, and times are known to a second. */
const resetSlack = 1_500;
/** A bucket that was never seen emptier than this by so many requests may hide nodes that disagree. */
const leastUsed = 6;

/** Every way of counting that the mock has. */
const allWays = rows.reduce<GivenAssumptions[]>(
  (ways, name) =>
    ways.flatMap((way) => rowOf(name).candidates.map((value) => withValue(way, name, value))),
  [{}],
);

/** An answer that is to be explained. */
interface Sample extends Arrival {
  readonly exchange: Exchange;
  readonly rate: Rate | undefined;
}

/** A way of counting that explains the answers to a key. */
interface Way {
  readonly way: GivenAssumptions;
  /** Whether it explains the answers without a valid key too: the interface says nothing of their quota. */
  readonly isWhole: boolean;
  /** What the mock says where the service refused a request with a key. */
  readonly refused: readonly Refused[];
}

/** What the answers of a run say of the counting. `more`: what is known of the rest. */
export async function judgeCounting(
  seen: Seen,
  more: GivenAssumptions,
): Promise<{ findings: Record<string, Finding>; values: GivenAssumptions }> {
  const samples = samplesOf(seen.exchanges);
  const own = samples.filter(isKeyed);
  const withheld = whyWithheld(seen.exchanges, own);
  const explaining: Way[] = [];
  for (const way of withheld === undefined ? allWays : []) {
    const explained = await explain(way, samples, { ...more, ...way });
    if (explained) explaining.push(explained);
  }
  const whole = explaining.filter(({ isWhole }) => isWhole);
  const left = whole.length > 0 ? whole : explaining;
  const refusal = own.find(isRefused)?.exchange;
  const findings: Record<string, Finding> = {};
  for (const name of rows) {
    const among = [...new Set(left.map(({ way }) => way[name]))];
    const hidden = withheld ?? whyHidden(name, left, own);
    if (among.length === rowOf(name).candidates.length)
      findings[name] = notAsked(whyAlike(name, refusal !== undefined, seen));
    else if (hidden !== undefined) findings[name] = open(among, hidden);
    else if (name === 'unauthorizedCount' && whole.length === 0)
      findings[name] = open([], 'no way of counting explains the answers without a key');
    else findings[name] = findingOf(among, '');
  }
  const forms =
    refusal &&
    formsOf(
      refusal.answer!,
      left.flatMap(({ refused }) => refused),
    );
  findings['retryAfter'] = findingOf(forms, whyNotSent(burst, seen));
  const form = forms?.includes('seconds') === false ? forms[0] : undefined;
  const [nearest] = left.toSorted((a, b) => notDefault(a) - notDefault(b));
  const values = { ...nearest?.way, ...(form !== undefined && { retryAfter: form }) };
  return { findings, values: values as GivenAssumptions };
}

/** The answers from the first one on whose window was empty before it. */
function samplesOf(exchanges: Exchanges): readonly Sample[] {
  const arrivals = arrivalsOf(exchanges);
  const samples = exchanges.map((exchange, at): Sample => {
    const { answer, receivedAt } = exchange;
    return { ...arrivals[at]!, exchange, rate: answer && readRate(answer, receivedAt) };
  });
  const first = samples.find(isKeyed)?.rate;
  const isUsed = first !== undefined && first.remaining !== first.limit - 1;
  const quiet = exchanges.findIndex(
    ({ sentAt }, at) => at > 0 && sentAt - exchanges[at - 1]!.receivedAt >= longestMinute - 600,
  );
  return isUsed && quiet > 0 ? samples.slice(quiet) : samples;
}

/** True for an answer to a valid key that shows its quota. */
const isKeyed = (sample: Sample): sample is Sample & { readonly rate: Rate } =>
  hasKey(sample.exchange.ask) && sample.rate !== undefined;

const isRefused = ({ exchange }: Sample) => exchange.answer?.status === 429;

type Keyed = readonly { readonly rate: Rate }[];

function whyWithheld(exchanges: Exchanges, own: Keyed): string | undefined {
  if (own.length === 0) return 'no response to a key has rate-limit headers';
  if (isCached(exchanges)) return 'a cache has answered (Age is above 0): its headers are old';
  const limits = new Set(own.map(({ rate }) => rate.limit));
  const [limit] = limits;
  if (limits.size > 1) return `the limit changes: ${[...limits].join(', ')}`;
  if (limit! < 2) return `a limit of ${limit} is too small`;
  if (own.some(({ rate }) => rate.resetIn > 2 * longestMinute))
    return 'the headers report the day, whose limit is nearer than that of the minute';
  if (own.some(({ rate }) => rate.resetIn < -2_000)) return 'Reset lies in the past';
  return undefined;
}

/** What the mock says under one way of counting, when each request came as early, and as late, as it may have; undefined where the service says something else. */
async function explain(
  way: GivenAssumptions,
  samples: readonly Sample[],
  more: GivenAssumptions,
): Promise<Way | undefined> {
  const [first] = samples;
  const limit = samples.find(isKeyed)!.rate.limit;
  const assumptions: GivenAssumptions = {
    ...more,
    retryAfter: 'unix-milliseconds',
    resetUnit: 'unix-milliseconds',
    dateHeader: true,
  };
  const early = new Replay({ assumptions, pets: 0, limit, start: first!.early });
  const late = new Replay({ assumptions, pets: 0, limit, start: first!.late });
  const slack = way.minuteWindow === 'token-bucket' ? 1 : 0;
  const refused: Refused[] = [];
  let isWhole = true;
  for (const sample of samples) {
    const { exchange, rate } = sample;
    const bounds = [
      await count(early, exchange, sample.early),
      await count(late, exchange, sample.late),
    ] as const;
    if (!rate || isAlike(sample, rate, bounds, slack)) {
      if (isRefused(sample)) refused.push(...bounds.filter(({ status }) => status === 429));
      continue;
    }
    if (isKeyed(sample)) return undefined;
    isWhole = false;
  }
  return { way, isWhole, refused };
}

type Counted = Rate & Refused & { readonly status: number };

/** A body is not counted, and takes time. */
async function count(replay: Replay, { ask }: Exchange, now: number): Promise<Counted> {
  const { method, path, key } = ask;
  const answer = await replay.play({ name: '', method, path, key }, now);
  const { status, headers } = answer;
  return { ...readRate(answer, now)!, status, now, retryAt: Number(headers['retry-after']) };
}

function isAlike(
  { exchange }: Sample,
  rate: Rate,
  [early, late]: readonly [Counted, Counted],
  slack: number,
): boolean {
  if (!hasKey(exchange.ask) && exchange.answer!.status !== 401) return true;
  const isLimited = [exchange.answer!, early, late].map(({ status }) => status === 429);
  return (
    isBetween(rate.remaining, early.remaining, late.remaining, slack) &&
    (slack > 0 || isLimited.slice(1).includes(isLimited[0]!)) &&
    (Number.isNaN(rate.resetAt) || isBetween(rate.resetAt, early.resetAt, late.resetAt, resetSlack))
  );
}

/** True for a value between two others, which may stand in either order. */
const isBetween = (value: number, one: number, other: number, slack: number): boolean =>
  value >= Math.min(one, other) - slack && value <= Math.max(one, other) + slack;

/** Why all values of a row are left. */
function whyAlike(name: string, hasRefusal: boolean, seen: Seen): string {
  if (name !== 'refusedCount') return 'it makes no difference where requests are counted so';
  return hasRefusal
    ? 'it takes repeated requests after a 429, which may ban the key'
    : whyNotSent(burst, seen);
}

/** Why the way of counting is left open although only one may be left; undefined where it is not. */
function whyHidden(name: string, left: readonly Way[], own: Keyed): string | undefined {
  if (left.length === 0)
    return 'no way of counting explains all answers: another program may use the key';
  if (!left.some(({ way }) => way.minuteWindow === 'token-bucket')) return undefined;
  if (own.every(({ rate }) => Number.isNaN(rate.resetAt)))
    return 'without X-RateLimit-Reset, a bucket and nodes that disagree about Remaining look the same';
  const most = Math.max(...own.map(({ rate }) => rate.limit - rate.remaining));
  return name === 'countingScope' && most <= leastUsed
    ? 'the bucket refills so fast that the scopes look the same'
    : undefined;
}

const notDefault = ({ way }: Way) =>
  rows.filter((name) => valueAt(way, name) !== rowOf(name).candidates[0]).length;
