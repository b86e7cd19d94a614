/**
 * Which ways of counting explain the headers. The recorded times are replayed into the mock under each hypothesis; those
 * that give the same headers on every answer are left.
 */
import type { GivenAssumptions } from '../../assumptions/assumptions.js';
import type { Known } from '../case.js';
import { isCached } from './clock.js';
import {
  countingScopes,
  hypotheses,
  notDefault,
  sameForKeys,
  valuesOf,
  type Hypothesis,
} from './hypotheses.js';
import { fitRefusals } from './refusals.js';
import { isBetween, isKeyed, replaysOf, resetSlack, samplesOf, type Sample } from './samples.js';
import { longestMinute } from '../ask/budget.js';
import type { Exchange } from '../ask/request.js';
import type { RunSetup } from './replay.js';

/** What the fit found. */
export interface Fit {
  /** The ways of counting that explain every answer with a key. */
  readonly left: readonly Hypothesis[];
  /** Those of them that explain the 401s as well; undefined where none does, because a 401 need not be counted as the mock does it. */
  readonly withRefusals: readonly Hypothesis[] | undefined;
  /** The scopes that explain them, also those that do so only if nodes disagree about a bucket. */
  readonly scopes: readonly Hypothesis['countingScope'][];
  /** How many answers with a key were to be explained. */
  readonly answers: number;
  /** The most answers with a key that one way of counting explains. */
  readonly best: number;
  /** Why nothing can be said of windows. */
  readonly withheld: string | undefined;
  /** The requests a minute of the key, as the headers say. */
  readonly limit: number | undefined;
  /** What the headers add to Remaining beyond the best way of counting that explains Reset; undefined where none does. */
  readonly nodes: readonly [number, number] | undefined;
  /** The wait after a 429 that was answered with a key, ms: the shortest and the longest by the ways of counting that are left. */
  readonly waits: Waits;
  /** Of the ways of counting that are left, the one that differs least from the mock's defaults, with its waits. */
  readonly nearest: { readonly counting: Hypothesis; readonly waits: Waits } | undefined;
}

/** By the exchange, because the fit may leave out the first of them. */
type Waits = ReadonlyMap<Exchange, readonly [number, number]>;

/** Fits the ways of counting to what is known. */
export async function fitWindows(known: Known, measured: GivenAssumptions): Promise<Fit> {
  const samples = samplesOf(known);
  const own = samples.filter(isKeyed);
  const limit = own[0]?.rate?.limit;
  const nothing = {
    left: [],
    withRefusals: undefined,
    scopes: [],
    answers: own.length,
    best: 0,
    limit,
    nodes: undefined,
    waits: new Map(),
    nearest: undefined,
  };
  const withheld = whyWithheld(known, own);
  if (withheld !== undefined || limit === undefined) return { ...nothing, withheld };
  // When the limit is reached on purpose, the time between two requests is too short to distinguish nodes.
  const calm = samples.filter(({ exchange }) => exchange.ask.burst !== true);
  const hasRefused = own.some(({ exchange }) => exchange.answer!.status === 429);
  const setup = { assumptions: measured, limit };
  const nameOf = (one: Hypothesis) => sameForKeys(one, hasRefused);
  const explainAll = async (isThorough: boolean) => {
    const verdicts = new Map<string, Explained>();
    for (const one of hypotheses) {
      const name = nameOf(one);
      if (!verdicts.has(name))
        verdicts.set(name, await explain(isThorough ? calm : samples, one, setup, isThorough));
    }
    return verdicts;
  };
  let verdicts = await explainAll(false);
  const left = hypotheses.filter((one) => verdicts.get(nameOf(one))!.all);
  if (await mayBeNodes(calm.some(isKeyed) ? calm : samples, left, setup))
    return {
      ...nothing,
      best: own.length,
      withheld:
        'without X-RateLimit-Reset, a bucket and nodes that disagree about Remaining look the same',
    };
  if (left.length === 0 && calm.some(isKeyed)) verdicts = await explainAll(true);
  const best = Math.max(...[...verdicts.values()].map(({ count }) => count));
  const withRefusals = await fitRefusals(samples, left, setup);
  const [counting] = [...(withRefusals ?? left)].toSorted(
    (a, b) => notDefault(a).length - notDefault(b).length,
  );
  const nodes = left.length > 0 ? undefined : nodesOf([...verdicts.values()], own.length);
  return {
    left,
    withRefusals,
    scopes: await scopesOf(calm, left, setup),
    answers: own.length,
    best,
    withheld:
      left.length > 0
        ? undefined
        : `no way of counting explains all of ${own.length} answers (the best explains ${best}): ${nodes ? 'Remaining goes up and down, as of nodes that disagree' : 'another program may use the key'}`,
    limit,
    nodes,
    waits: joined([...verdicts.values()].filter(({ all }) => all).map(({ waits }) => waits)),
    nearest: counting && { counting, waits: verdicts.get(nameOf(counting))!.waits },
  };
}

/** Each span as wide as all spans of its exchange. */
function joined(all: readonly Waits[]): Waits {
  const widest = new Map<Exchange, readonly [number, number]>();
  for (const [exchange, [least, most]] of all.flatMap((one) => [...one])) {
    const before = widest.get(exchange) ?? [least, most];
    widest.set(exchange, [Math.min(before[0], least), Math.max(before[1], most)]);
  }
  return widest;
}

function whyWithheld(known: Known, own: readonly Sample[]): string | undefined {
  if (own.length === 0) return 'no response to a key has rate-limit headers';
  if (isCached(known)) return 'a cache has answered (Age is above 0): its headers are old';
  const limits = new Set(own.map(({ rate }) => rate!.limit));
  if (limits.size > 1) return `the limit changes: ${[...limits].join(', ')}`;
  if (own[0]!.rate!.limit < 2) return `a limit of ${own[0]!.rate!.limit} is too small`;
  if (own.some(({ rate }) => rate!.resetIn > 2 * longestMinute))
    return 'the headers report the day, whose limit is nearer than that of the minute';
  if (own.some(({ rate }) => rate!.resetIn < -2_000)) return 'Reset lies in the past';
  return undefined;
}

/**
 * A bucket that refills fast is nearly full at every request, so that scopes differ by one or two requests: by no more than
 * nodes that disagree. Only a scope that is further off is excluded.
 */
async function scopesOf(
  samples: readonly Sample[],
  left: readonly Hypothesis[],
  setup: RunSetup,
): Promise<readonly Hypothesis['countingScope'][]> {
  const scopes = valuesOf(left, 'countingScope');
  const bucket = left.find(({ minuteWindow }) => minuteWindow === 'token-bucket');
  if (!bucket) return scopes;
  for (const countingScope of countingScopes) {
    if (scopes.includes(countingScope)) continue;
    const other = await explain(samples, { ...bucket, countingScope }, setup, true);
    if (other.resets && spread(other.off) <= mostSpread) scopes.push(countingScope);
  }
  return scopes;
}

/** Whether only a bucket is left, which Remaining alone does not show: nodes that disagree explain it under another window. */
async function mayBeNodes(
  samples: readonly Sample[],
  left: readonly Hypothesis[],
  setup: RunSetup,
): Promise<boolean> {
  const isTold = samples.some((one) => isKeyed(one) && !Number.isNaN(one.rate!.resetAt));
  const isBucket = left.length > 0 && left.every((one) => one.minuteWindow === 'token-bucket');
  if (isTold || !isBucket) return false;
  const others = hypotheses.filter((one) => one.minuteWindow !== 'token-bucket');
  for (const one of new Map(others.map((other) => [sameForKeys(other, false), other])).values()) {
    const { off } = await explain(samples, one, setup, true);
    if (spread(off) <= mostSpread) return true;
  }
  return false;
}

interface Explained {
  readonly all: boolean;
  readonly count: number;
  /** Whether Reset is explained on every answer, and by how much Remaining is off on each. */
  readonly resets: boolean;
  readonly off: readonly number[];
  readonly waits: Waits;
}

async function explain(
  samples: readonly Sample[],
  hypothesis: Hypothesis,
  setup: RunSetup,
  isThorough: boolean,
): Promise<Explained> {
  const explained = await explainAt(samples, hypothesis, setup, isThorough);
  // The clock of the service is not known exactly, and the minute may have ended between two requests.
  return explained.all || hypothesis.minuteWindow !== 'fixed'
    ? explained
    : explainAt(shifted(samples), hypothesis, setup, isThorough);
}

/** How far the clock of the service may be off, ms: without a `Date` no more than a Reset may be. */
const clockSlack = (samples: readonly Sample[]) =>
  samples.some(({ exchange: { answer } }) => answer && 'date' in answer.headers) ? 500 : resetSlack;

/** The samples with requests that may have come earlier and later than they seem to. */
function shifted(samples: readonly Sample[]): Sample[] {
  const slack = clockSlack(samples);
  return samples.map((one) => ({ ...one, early: one.early - slack, late: one.late + slack }));
}

async function explainAt(
  samples: readonly Sample[],
  hypothesis: Hypothesis,
  setup: RunSetup,
  isThorough: boolean,
): Promise<Explained> {
  const { early, late } = replaysOf(samples, hypothesis, setup);
  const slack = hypothesis.minuteWindow === 'token-bucket' ? 1 : 0;
  const off: number[] = [];
  const waits = new Map<Exchange, readonly [number, number]>();
  let count = 0;
  let resets = true;
  for (const sample of samples) {
    const soon = await early.play(sample.counted, sample.early);
    const later = await late.play(sample.counted, sample.late);
    if (!isKeyed(sample)) continue;
    const { remaining, resetAt } = sample.rate!;
    const reset =
      Number.isNaN(resetAt) || isBetween(resetAt, soon.resetAt, later.resetAt, resetSlack);
    const same = isBetween(remaining, soon.remaining, later.remaining, slack);
    off.push(same ? 0 : remaining - later.remaining);
    if (sample.exchange.answer!.status === 429) {
      waits.set(sample.exchange, waitOf(soon.wait, later.wait, sample.late - sample.early));
    }
    if (!reset) resets = false;
    if (reset && same) count++;
    else if (!isThorough) break;
  }
  return { all: count === off.length, count, resets, off, waits };
}

/**
 * The shortest and the longest wait after a 429. At the edge of a window only one of the two replays may refuse the request:
 * its wait is then off by no more than the time between them.
 */
function waitOf(
  soon: number | undefined,
  later: number | undefined,
  apart: number,
): readonly [number, number] {
  const waits = [soon, later].filter((wait) => wait !== undefined);
  if (waits.length === 0) return [NaN, NaN];
  const off = waits.length === 1 ? apart : 0;
  return [Math.max(0, Math.min(...waits) - off), Math.max(...waits) + off];
}

/** Nodes that disagree about Remaining by more than this are not assumed. */
const mostSpread = 6;

/** Nodes that disagree make Remaining go up as well as down; another program on the key only makes it fall. */
function nodesOf(
  explained: readonly Explained[],
  answers: number,
): readonly [number, number] | undefined {
  const [best] = explained
    .filter(({ resets }) => resets)
    .toSorted((a, b) => spread(a.off) - spread(b.off));
  if (!best || answers < 8 || spread(best.off) > mostSpread) return undefined;
  const rises = best.off.filter((off, index) => index > 0 && off > best.off[index - 1]!).length;
  if (rises < 3) return undefined;
  return [Math.min(...best.off), Math.max(...best.off)];
}

function spread(off: readonly number[]): number {
  return Math.max(...off) - Math.min(...off);
}
