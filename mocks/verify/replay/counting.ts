/**
 * Measures how requests are counted. A plain comparison does not work here: the headers change with time, the values have
 * an effect only together, and the arrival of a request is only known to lie between sending and receiving. The recorded
 * times are replayed into the mock under each way of counting, at their earliest and at their latest. The ways that give
 * the same headers remain.
 */
import { headers as names } from '../../../src/contract/index.js';
import type { GivenAssumptions, RetryAfterForm } from '../../assumptions/assumptions.js';
import { writeRetryAfter } from '../../limits/headers.js';
import { ascii } from '../../utils/check.js';
import { allAsks, hasKey, isCounting } from '../asks.js';
import { isAnswered, isCached, type ReceivedAnswer, type Exchanges } from '../ask/exchange.js';
import { isOfDay, longestMinute, type Rate } from '../ask/rate.js';
import { whyNotSent, type Seen } from '../ask/run.js';
import { replayOf, type Play } from './replay.js';
import { findingOf, notAsked, open, rows, valueAt, withValue, type Finding } from './rows.js';

/** What makes up a way of counting. */
const parts = [
  'minuteWindow',
  'resetMeaning',
  'countingScope',
  'unauthorizedCount',
  'refusedCount',
] as const;

/** The rows that are judged here. */
export const countingRows: readonly string[] = [...parts, 'retryAfter'];

/** The names of the requests that show such a row: later, with another key, and without; or refused. */
export const ofCounting = (row: string): string[] =>
  allAsks
    .filter((ask) => {
      if (ask.needs === 'rate-limit') return row === 'retryAfter' || row === 'refusedCount';
      return isCounting(ask) || ask.key !== 'own' || ask.needs === 'second-key';
    })
    .map(({ name }) => name);

/** Why the quota of a minute is not known. */
export const ofDay = 'the headers report the day, whose limit is nearer than that of the minute';

/** How far a Reset may be off, ms: it is rounded to a second, and times are known to a second. */
const resetSlack = 1_500;
/** A bucket that was never seen emptier than this by so many requests may hide nodes that disagree. */
const leastUsed = 6;

/** Every way of counting that the mock has. */
const allWays = parts.reduce<GivenAssumptions[]>(
  (ways, name) =>
    ways.flatMap((way) => rows.get(name)!.map((value) => withValue(way, name, value))),
  [{}],
);

/** What the answers of a run say of the counting. `more`: what is known of the rest. */
export async function judgeCounting(
  seen: Seen,
  more: GivenAssumptions,
): Promise<{ findings: Record<string, Finding>; values: GivenAssumptions }> {
  const samples = samplesOf(seen.exchanges);
  const own = samples.filter(isKeyed);
  const withheld = whyWithheld(seen.exchanges, ratesOf(own));
  const refusal = own.find(isRefused)?.answer;
  const explaining: Way[] = [];
  let explained: Explained | undefined;
  for (const way of withheld === undefined ? allWays : []) {
    // Where nothing was refused, a way says the same as the one before, which differs in the last part only: how refused requests count.
    if (refusal || !way.refusedCount) explained = await explain(samples, { ...more, ...way });
    if (explained) explaining.push({ ...explained, way });
  }
  const whole = explaining.filter(({ isWhole }) => isWhole);
  const left = whole.length > 0 ? whole : explaining;
  const unexplained =
    withheld ??
    (left.length === 0
      ? 'no way of counting explains all answers: another program may use the key'
      : undefined);
  const findings: Record<string, Finding> = {};
  for (const name of parts) {
    const among = [...new Set(left.map(({ way }) => way[name]))];
    const hidden = unexplained ?? whyHidden(name, left, ratesOf(own));
    if (among.length === rows.get(name)!.length)
      findings[name] = notAsked(whyAlike(name, refusal !== undefined, seen));
    else if (hidden !== undefined) findings[name] = open(among, hidden);
    else if (name === 'unauthorizedCount' && whole.length === 0)
      findings[name] = open([], 'no way of counting explains the answers without a key');
    else findings[name] = findingOf(among);
  }
  const forms =
    refusal &&
    formsOf(
      refusal,
      left.flatMap(({ refused }) => refused),
    );
  findings['retryAfter'] = findingOf(forms, whyNotSent({ needs: 'rate-limit' }, seen), unexplained);
  const form = forms?.includes('seconds') === false ? forms[0] : undefined;
  const [nearest] = left.toSorted((a, b) => notDefault(a) - notDefault(b));
  const values = { ...nearest?.way, ...(form !== undefined && { retryAfter: form }) };
  return { findings, values: values as GivenAssumptions };
}

/** The answers from the first one on whose window was empty before it. */
function samplesOf(exchanges: Exchanges): readonly Arrived[] {
  const samples = arrivalsOf(exchanges);
  const first = samples.find(isKeyed)?.answer?.rate;
  const isUsed = first !== undefined && first.remaining !== first.limit - 1;
  const quiet = exchanges.findIndex(
    ({ sentAt }, at) => at > 0 && sentAt - exchanges[at - 1]!.receivedAt >= longestMinute - 600,
  );
  return isUsed && quiet > 0 ? samples.slice(quiet) : samples;
}

/** True for an answer to a valid key that shows its quota. */
const isKeyed = ({ ask, answer }: Arrived) => hasKey(ask) && answer?.rate !== undefined;

const isRefused = ({ answer }: Arrived) => answer?.status === 429;

const ratesOf = (samples: readonly Arrived[]) => samples.map(({ answer }) => answer!.rate!);

function whyWithheld(exchanges: Exchanges, own: readonly Rate[]): string | undefined {
  if (own.length === 0) return 'no response to a key has rate-limit headers';
  if (exchanges.some(isCached)) return 'a cache has answered (Age is above 0): its headers are old';
  const limits = new Set(own.map(({ limit }) => limit));
  if (limits.size > 1) return `the limit changes: ${[...limits].join(', ')}`;
  if (own[0]!.limit < 2) return `a limit of ${own[0]!.limit} is too small`;
  if (own.every(({ limit, remaining }) => remaining === limit)) return 'Remaining never falls';
  if (own.some(isOfDay)) return ofDay;
  return own.some(({ resetIn }) => resetIn < -2_000) ? 'Reset lies in the past' : undefined;
}

/**
 * What the mock says under one way of counting (`way`, with what else is known), when each request came as early, and as late, as it
 * may have; undefined where the service says something else to a key. `isWhole`: whether it explains the answers without a valid key too,
 * of whose quota the interface says nothing. `refused`: what the mock says where the service refused a request with a key.
 */
async function explain(samples: readonly Arrived[], way: GivenAssumptions) {
  const { limit } = samples.find(isKeyed)!.answer!.rate!;
  const assumptions: GivenAssumptions = {
    ...way,
    retryAfter: 'unix-milliseconds',
    resetUnit: 'unix-milliseconds',
    dateHeader: true,
  };
  const [early, late] = [samples[0]!.early, samples[0]!.late].map((start) =>
    replayOf({ assumptions, pets: 0, limit, start }),
  );
  const slack = way.minuteWindow === 'token-bucket' ? 1 : 0;
  const refused: Refused[] = [];
  let isWhole = true;
  for (const sample of samples) {
    const bounds = [
      await count(early!, sample, sample.early),
      await count(late!, sample, sample.late),
    ];
    if (isAlike(sample, bounds, slack)) {
      const refusal = bounds.find(({ status }) => status === 429);
      // Where the window ends between the two times, the mock refuses at one of them only.
      for (const { now, retryAt } of isRefused(sample) && refusal ? bounds : [])
        refused.push({ now, retryAt: retryAt || refusal!.retryAt });
      continue;
    }
    if (isKeyed(sample)) return undefined;
    isWhole = false;
  }
  return { isWhole, refused };
}

/** A way of counting that explains the answers to a key. */
type Way = Explained & { readonly way: GivenAssumptions };

type Explained = NonNullable<Awaited<ReturnType<typeof explain>>>;

type Counted = Awaited<ReturnType<typeof count>>;
type Refused = Pick<Counted, 'now' | 'retryAt'>;

/** What the mock says at a time, ms since the epoch on the service's clock. A body is not counted, and takes time. */
async function count(play: Play, { ask }: Arrived, now: number) {
  const { method, path, key } = ask;
  const { status, headers, rate } = await play({ name: '', method, path, key }, now);
  return { ...rate!, status, now, retryAt: Number(headers['retry-after']) };
}

/** Whether the service said what the mock says between two times. */
function isAlike(
  { ask, answer, sentAt, receivedAt }: Arrived,
  bounds: readonly Counted[],
  slack: number,
): boolean {
  if (!answer?.rate || (!hasKey(ask) && answer.status !== 401)) return true;
  const { remaining, resetAt } = answer.rate;
  // An outage may refuse a request in place of a 429.
  const isAsRefused =
    answer.status >= 500 ||
    bounds.some(({ status }) => (status === 429) === (answer.status === 429));
  const left = bounds.map((bound) => bound.remaining);
  const resets = bounds.map((bound) => bound.resetAt);
  // In a slow service, requests in flight when the window ends may have been counted before its end or after it.
  const isAtEnd =
    receivedAt - sentAt >= 1_000 && Math.max(...resets) - Math.min(...resets) > longestMinute / 2;
  return (
    (isAtEnd || isBetween(remaining, left, slack)) &&
    (slack > 0 || isAsRefused) &&
    (Number.isNaN(resetAt) || isBetween(resetAt, resets, resetSlack))
  );
}

/** True for a value between others, which may stand in any order. */
const isBetween = (value: number, others: readonly number[], slack: number) =>
  value >= Math.min(...others) - slack && value <= Math.max(...others) + slack;

/** Why all values of a row are left. */
function whyAlike(name: string, hasRefusal: boolean, seen: Seen): string {
  if (name !== 'refusedCount') return 'it makes no difference where requests are counted so';
  return hasRefusal
    ? 'it takes repeated requests after a 429, which may ban the key'
    : whyNotSent({ needs: 'rate-limit' }, seen);
}

/** Why the way of counting is left open although only one is left; undefined where it is not. */
function whyHidden(name: string, left: readonly Way[], own: readonly Rate[]): string | undefined {
  if (!left.some(({ way }) => way.minuteWindow === 'token-bucket')) return undefined;
  if (own.every(({ resetAt }) => Number.isNaN(resetAt)))
    return 'without X-RateLimit-Reset, a bucket and nodes that disagree about Remaining look the same';
  const most = Math.max(...own.map(({ limit, remaining }) => limit - remaining));
  return name === 'countingScope' && most <= leastUsed
    ? 'the bucket refills so fast that the scopes look the same'
    : undefined;
}

const notDefault = ({ way }: Way) =>
  parts.filter((name) => valueAt(way, name) !== rows.get(name)![0]).length;

/** What is alike in all texts of a form. */
const shapeOf = (text = '') => text.replace(/\d+/g, '0').replace(/[A-Z][a-z]+/g, 'A');

/** The forms of `Retry-After` under which one of these refusals may say the same as the service: the wait is known to the time between sending and receiving only. */
function formsOf({ headers }: ReceivedAnswer, refused: readonly Refused[]): readonly unknown[] {
  const text = headers[names.retryAfter.toLowerCase()];
  const forms = rows.get('retryAfter')!.map((form) => ({
    form,
    said: refused.map(({ now, retryAt }) => writeRetryAfter(form as RetryAfterForm, now, retryAt)),
  }));
  const alike = forms.filter(({ said }) => said.some((one) => shapeOf(one) === shapeOf(text)));
  // As far as one 429 shows, a text that is not a time is always the same.
  if (alike.length === 0 && refused.length > 0)
    return ascii.safeParse(text).success ? [{ raw: text }] : [];
  return alike.filter(({ said }) => isWithin(text, said)).map(({ form }) => form);
}

/** Whether a text lies between others of its form, which are rounded. */
function isWithin(text: string | undefined, said: readonly (string | undefined)[]): boolean {
  const [value = NaN, ...others] = [text, ...said].map((one = '0') =>
    one.endsWith('GMT') ? Date.parse(one) / 1_000 : Number(one),
  );
  const slack = value > 1e11 ? 2_500 : value > 1e8 ? 2.5 : 0;
  return isBetween(value, others, slack);
}

/**
 * The service's clock minus that of this machine lies between these, ms: each `Date` is cut to a second, and was written between
 * sending and receiving. `low > high`: no single clock explains all answers.
 */
function clockOffsetOf(exchanges: Exchanges) {
  const dated = exchanges.filter(isAnswered).filter(({ answer }) => !Number.isNaN(answer.date));
  if (dated.length === 0) return undefined;
  return {
    low: Math.max(...dated.map(({ answer, receivedAt }) => answer.date - receivedAt)),
    high: Math.min(...dated.map(({ answer, sentAt }) => answer.date + 1_000 - sentAt)),
  };
}

/**
 * What the responses show of the service's clock. By hand: the offset is a number, and the answers bound it from both sides.
 */
export function judgeClock(exchanges: Exchanges): Finding {
  const offset = clockOffsetOf(exchanges);
  if (!offset) return notAsked('no answer has a Date');
  if (exchanges.some(isCached)) return open([], 'a cache has answered: its Date is old');
  const { low, high } = offset;
  if (low > high) return open([], 'no single clock explains every Date');
  // 0 if that explains every Date, otherwise the middle.
  return findingOf([low <= 0 && high >= 0 ? 0 : Math.round((low + high) / 2)]);
}

/** An exchange, and when the request arrived, at the earliest and at the latest, ms since the epoch on the service's clock. */
type Arrived = ReturnType<typeof arrivalsOf>[number];

/** Without a `Date` the clock may be off by as much as a Reset may be; where no single clock explains all, it lies between them. */
function arrivalsOf(exchanges: Exchanges) {
  const { low, high } = clockOffsetOf(exchanges) ?? { low: -1_500, high: 1_500 };
  return exchanges.map((exchange) => ({
    ...exchange,
    early: exchange.sentAt + Math.min(low, high),
    late: exchange.receivedAt + Math.max(low, high),
  }));
}
