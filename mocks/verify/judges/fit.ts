/**
 * Which ways of counting explain the headers. The recorded times are replayed into the mock under each hypothesis; those
 * that would have told the same on every answer are left.
 */
import type { GivenAssumptions } from '../../assumptions/assumptions.js';
import { readRate, type Rate } from '../ask/rate.js';
import type { Ask, Exchange } from '../ask/request.js';
import type { Known } from '../case.js';
import { longestMinute } from '../ask/budget.js';
import { arrivalsOf, clockOffsetOf, isCached } from './clock.js';
import { hypotheses, sameForKeys, type Hypothesis } from './hypotheses.js';
import { createExactReplay, type Replay, type Replayed } from './replay.js';

/** What the fit found. */
export interface Fit {
  /** The ways of counting that explain every answer with a key, and the 401s as well. */
  readonly left: readonly Hypothesis[];
  /** How many answers with a key were to be explained. */
  readonly answers: number;
  /** The most answers with a key that one way of counting explains. */
  readonly best: number;
  /** Why nothing can be said of windows. */
  readonly withheld: string | undefined;
  /** The requests a minute of the key, as the headers tell. */
  readonly limit: number | undefined;
  /** What the headers add to Remaining beyond the best way of counting that explains Reset; undefined where none does. */
  readonly nodes: readonly [number, number] | undefined;
  /** The wait after each 429 that was answered with a key, ms: the shortest and the longest that the ways of counting left tell. */
  readonly waits: readonly (readonly [number, number])[];
}

/** How far a Reset may be off, ms: it is rounded to a second, and times are known to a second. */
const resetSlack = 1_500;

/** One answer that is to be explained. */
interface Sample {
  readonly exchange: Exchange;
  /** The request, as far as it is counted. */
  readonly counted: Ask;
  readonly early: number;
  readonly late: number;
  readonly rate: Rate | undefined;
}

/** Fits the ways of counting to what is known. */
export async function fitWindows(known: Known, measured: GivenAssumptions): Promise<Fit> {
  const samples = samplesOf(known);
  const own = samples.filter(isKeyed);
  const limit = own[0]?.rate?.limit;
  const nothing = { left: [], answers: own.length, best: 0, limit, nodes: undefined, waits: [] };
  const withheld = whyWithheld(known, own);
  if (withheld !== undefined || limit === undefined) return { ...nothing, withheld };
  const explainAll = async (isThorough: boolean) => {
    const verdicts = new Map<string, Explained>();
    for (const one of hypotheses) {
      const name = sameForKeys(one);
      if (!verdicts.has(name))
        verdicts.set(name, await explain(samples, one, limit, measured, isThorough));
    }
    return verdicts;
  };
  let verdicts = await explainAll(false);
  const left = hypotheses.filter((one) => verdicts.get(sameForKeys(one))!.all);
  if (left.length === 0) verdicts = await explainAll(true);
  const best = Math.max(...[...verdicts.values()].map(({ count }) => count));
  const nodes = left.length > 0 ? undefined : nodesOf([...verdicts.values()], own.length);
  return {
    left: await fitRefusals(samples, left, limit, measured),
    answers: own.length,
    best,
    withheld:
      left.length > 0
        ? undefined
        : `no way of counting explains all of ${own.length} answers (the best explains ${best}): ${nodes ? 'Remaining goes up and down, as of nodes that disagree' : 'another program may use the key'}`,
    limit,
    nodes,
    waits: joined([...verdicts.values()].filter(({ all }) => all).map(({ waits }) => waits)),
  };
}

/** Of several rows of spans one row, each span as wide as all in its column. */
function joined(rows: readonly (readonly (readonly [number, number])[])[]): [number, number][] {
  return (rows[0] ?? []).map((_, at) => [
    Math.min(...rows.map((row) => row[at]![0])),
    Math.max(...rows.map((row) => row[at]![1])),
  ]);
}

/** The answers from the first one on whose window was empty before it. */
export function samplesOf(known: Known): Sample[] {
  const arrivals = arrivalsOf(known);
  const samples = known.exchanges.map((exchange, index) => ({
    exchange,
    counted: withoutBody(exchange.ask),
    ...arrivals[index]!,
    rate: exchange.answer && readRate(exchange.answer, exchange.receivedAt),
  }));
  const first = samples.find(isKeyed);
  if (!first || !isUsed(first.rate)) return samples;
  const quiet = samples.findIndex(
    ({ exchange }, index) =>
      index > 0 && exchange.sentAt - samples[index - 1]!.exchange.receivedAt >= longestMinute - 600,
  );
  return quiet < 0 ? samples : samples.slice(quiet);
}

/** A body is not counted, and takes time. */
function withoutBody({ method, path, key }: Ask): Ask {
  return { method, path, key };
}

/** True when a first answer tells that the key was used shortly before. */
export function isUsed(rate: Rate | undefined): boolean {
  return rate !== undefined && rate.remaining !== rate.limit - 1;
}

function isKeyed({ exchange: { ask, answer }, rate }: Sample): boolean {
  return (ask.key === 'own' || ask.key === 'second') && answer !== undefined && rate !== undefined;
}

function whyWithheld(known: Known, own: readonly Sample[]): string | undefined {
  if (own.length === 0) return 'no answer with a key tells its quota';
  if (isCached(known)) return 'a cache has answered (Age is above 0): its headers are old';
  const limits = new Set(own.map(({ rate }) => rate!.limit));
  if (limits.size > 1) return `the limit changes: ${[...limits].join(', ')}`;
  if (own[0]!.rate!.limit < 2) return `a limit of ${own[0]!.rate!.limit} is too small`;
  if (own.some(({ rate }) => rate!.resetIn > longestMinute))
    return 'the headers report the day, whose limit is nearer than that of the minute';
  if (own.some(({ rate }) => rate!.resetIn < -2_000)) return 'Reset lies in the past';
  return undefined;
}

interface Explained {
  readonly all: boolean;
  readonly count: number;
  /** Whether Reset is explained on every answer, and by how much Remaining is off on each. */
  readonly resets: boolean;
  readonly off: readonly number[];
  readonly waits: readonly (readonly [number, number])[];
}

async function explain(
  samples: readonly Sample[],
  hypothesis: Hypothesis,
  limit: number,
  measured: GivenAssumptions,
  isThorough: boolean,
): Promise<Explained> {
  const { early, late } = replays(samples, hypothesis, limit, measured);
  const slack = hypothesis.minuteWindow === 'token-bucket' ? 1 : 0;
  const off: number[] = [];
  const waits: (readonly [number, number])[] = [];
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
      const told = [soon.wait ?? NaN, later.wait ?? NaN];
      waits.push([Math.min(...told), Math.max(...told)]);
    }
    if (!reset) resets = false;
    if (reset && same) count++;
    else if (!isThorough) break;
  }
  return { all: count === off.length, count, resets, off, waits };
}

/** Nodes that disagree make Remaining go up as well as down; another program on the key only makes it fall. */
function nodesOf(
  explained: readonly Explained[],
  answers: number,
): readonly [number, number] | undefined {
  const [best] = explained
    .filter(({ resets }) => resets)
    .toSorted((a, b) => spread(a.off) - spread(b.off));
  if (!best || answers < 8 || spread(best.off) > 20) return undefined;
  const rises = best.off.filter((off, index) => index > 0 && off > best.off[index - 1]!).length;
  if (rises < 3) return undefined;
  return [Math.min(...best.off), Math.max(...best.off)];
}

function spread(off: readonly number[]): number {
  return Math.max(...off) - Math.min(...off);
}

/** Of the ways of counting that explain the answers with a key, those that explain the 401s too; all, where none does. */
async function fitRefusals(
  samples: readonly Sample[],
  left: readonly Hypothesis[],
  limit: number,
  measured: GivenAssumptions,
): Promise<readonly Hypothesis[]> {
  const refusals = samples.filter(
    ({ exchange: { ask, answer }, rate }) =>
      (ask.key === 'none' || ask.key === 'invalid') && answer?.status === 401 && rate !== undefined,
  );
  const unauthorizedLimit = refusals[0]?.rate?.limit;
  const limits = new Set(refusals.map(({ rate }) => rate!.limit));
  if (unauthorizedLimit === undefined || limits.size > 1 || unauthorizedLimit < 1) return left;
  const fits: Hypothesis[] = [];
  for (const one of left) {
    const { early, late } = replays(samples, one, limit, measured, unauthorizedLimit);
    const slack = 0;
    let fitting = true;
    for (const sample of samples) {
      const soon = await early.play(sample.counted, sample.early);
      const later = await late.play(sample.counted, sample.late);
      if (refusals.includes(sample))
        fitting &&= isBetween(sample.rate!.remaining, soon.remaining, later.remaining, slack);
    }
    if (fitting) fits.push(one);
  }
  return fits.length > 0 ? fits : left;
}

function replays(
  samples: readonly Sample[],
  hypothesis: Hypothesis,
  limit: number,
  measured: GivenAssumptions,
  unauthorizedLimit?: number,
): { early: Replay; late: Replay } {
  const setup = { assumptions: { ...measured, ...hypothesis }, limit, unauthorizedLimit };
  return {
    early: createExactReplay({ ...setup, start: samples[0]!.early }),
    late: createExactReplay({ ...setup, start: samples[0]!.late }),
  };
}

function isBetween(value: number, one: number, other: number, slack: number): boolean {
  return value >= Math.min(one, other) - slack && value <= Math.max(one, other) + slack;
}

/** How long until one more request would tell the ways of counting apart, ms; undefined where none would. */
export async function nextProbe(
  known: Known,
  fit: Fit,
  measured: GivenAssumptions,
  ask: Exchange['ask'],
  now: number,
): Promise<number | undefined> {
  const different = [...new Map(fit.left.map((one) => [sameForKeys(one), one])).values()];
  if (different.length < 2 || fit.limit === undefined) return undefined;
  const samples = samplesOf(known);
  const offset = clockOffsetOf(known);
  const serviceNow =
    now + (offset && offset.low <= offset.high ? (offset.low + offset.high) / 2 : 0);
  const told: Replayed[][] = [];
  for (const one of different) {
    const { early: replay } = replays(samples, one, fit.limit, measured);
    for (const { counted, early, late } of samples) await replay.play(counted, (early + late) / 2);
    const start = replay.service.snapshot();
    const answers: Replayed[] = [];
    for (const wait of waits) {
      replay.service.restore(start);
      answers.push(await replay.play(ask, serviceNow + wait));
    }
    told.push(answers);
  }
  return waits.find((_, at) =>
    told.some((one, a) =>
      told.some((other, b) => {
        const buckets = [different[a], different[b]].filter(
          (hypothesis) => hypothesis!.minuteWindow === 'token-bucket',
        ).length;
        return areApart(one[at]!, other[at]!, buckets);
      }),
    ),
  );
}

/** When one more request may be worth it, ms from now. */
const waits = [0, 2_000, 5_000, 10_000, 25_000, 40_000, 61_500, 64_000, 70_000, 90_000];

function areApart(one: Replayed, other: Replayed, slack: number): boolean {
  return (
    Math.abs(one.resetAt - other.resetAt) > 2 * resetSlack ||
    Math.abs(one.remaining - other.remaining) > slack
  );
}
