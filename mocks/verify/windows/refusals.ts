import type { GivenAssumptions } from '../../assumptions/assumptions.js';
import type { Hypothesis } from './hypotheses.js';
import { isBetween, replaysOf, resetSlack, type Sample } from './samples.js';

/** Of the ways of counting that explain the answers with a key, those that explain the 401s too; undefined where none does. */
export async function fitRefusals(
  samples: readonly Sample[],
  left: readonly Hypothesis[],
  limit: number,
  measured: GivenAssumptions,
): Promise<readonly Hypothesis[] | undefined> {
  const refusals = samples.filter(
    ({ exchange: { ask, answer }, rate }) =>
      (ask.key === 'none' || ask.key === 'invalid') && answer?.status === 401 && rate !== undefined,
  );
  const unauthorizedLimit = refusals[0]?.rate?.limit;
  const limits = new Set(refusals.map(({ rate }) => rate!.limit));
  if (unauthorizedLimit === undefined || limits.size > 1 || unauthorizedLimit < 1) return undefined;
  const fits: Hypothesis[] = [];
  for (const one of left) {
    const { early, late } = replaysOf(samples, one, limit, measured, unauthorizedLimit);
    let fitting = true;
    for (const sample of samples) {
      const soon = await early.play(sample.counted, sample.early);
      const later = await late.play(sample.counted, sample.late);
      if (!refusals.includes(sample)) continue;
      const { remaining, resetAt } = sample.rate!;
      fitting &&=
        isBetween(remaining, soon.remaining, later.remaining, 0) &&
        (Number.isNaN(resetAt) || isBetween(resetAt, soon.resetAt, later.resetAt, resetSlack));
    }
    if (fitting) fits.push(one);
  }
  return fits.length > 0 ? fits : undefined;
}
