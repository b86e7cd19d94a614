import type { Hypothesis } from './hypotheses.js';
import { isBetween, replaysOf, resetSlack, type Sample } from './samples.js';
import type { RunSetup } from './replay.js';

/**
 * Of the ways of counting that explain the answers with a key, those that explain the 401s too; undefined where none does.
 * Where some of them also explain the unknown path without a key, only those.
 */
export async function fitRefusals(
  samples: readonly Sample[],
  left: readonly Hypothesis[],
  setup: RunSetup,
): Promise<readonly Hypothesis[] | undefined> {
  const withoutKey = (status: number) =>
    samples.filter(
      ({ exchange: { ask, answer }, rate }) =>
        (ask.key === 'none' || ask.key === 'invalid') &&
        answer?.status === status &&
        rate !== undefined,
    );
  const refusals = withoutKey(401);
  const unauthorizedLimit = refusals[0]?.rate?.limit;
  const limits = new Set(refusals.map(({ rate }) => rate!.limit));
  if (unauthorizedLimit === undefined || limits.size > 1 || unauthorizedLimit < 1) return undefined;
  const unknownPaths = withoutKey(404).filter(({ rate }) => rate!.limit === unauthorizedLimit);
  const fits: Hypothesis[] = [];
  const fitsAll: Hypothesis[] = [];
  for (const one of left) {
    const { early, late } = replaysOf(samples, one, { ...setup, unauthorizedLimit });
    let [fitting, fittingAll] = [true, true];
    for (const sample of samples) {
      const soon = await early.play(sample.counted, sample.early);
      const later = await late.play(sample.counted, sample.late);
      const isRefusal = refusals.includes(sample);
      if (!isRefusal && !unknownPaths.includes(sample)) continue;
      const { remaining, resetAt } = sample.rate!;
      const isExplained =
        isBetween(remaining, soon.remaining, later.remaining, 0) &&
        (Number.isNaN(resetAt) || isBetween(resetAt, soon.resetAt, later.resetAt, resetSlack));
      if (isRefusal) fitting &&= isExplained;
      else fittingAll &&= isExplained;
    }
    if (fitting) fits.push(one);
    if (fitting && fittingAll) fitsAll.push(one);
  }
  if (fitsAll.length > 0) return fitsAll;
  return fits.length > 0 ? fits : undefined;
}
