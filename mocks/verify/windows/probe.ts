import type { GivenAssumptions } from '../../assumptions/assumptions.js';
import type { Ask } from '../ask/request.js';
import type { Known } from '../case.js';
import { clockOffsetOf } from './clock.js';
import type { Fit } from './fit.js';
import { sameForKeys } from './hypotheses.js';
import type { Replayed } from './replay.js';
import { replaysOf, resetSlack, samplesOf } from './samples.js';

/** How long until one more request would distinguish the ways of counting, ms; undefined where none would. */
export async function nextProbe(
  known: Known,
  fit: Fit,
  measured: GivenAssumptions,
  ask: Ask,
  now: number,
): Promise<number | undefined> {
  const different = [...new Map(fit.left.map((one) => [sameForKeys(one, false), one])).values()];
  if (different.length < 2 || fit.limit === undefined) return undefined;
  const setup = { assumptions: measured, limit: fit.limit };
  const samples = samplesOf(known);
  const offset = clockOffsetOf(known);
  const serviceNow =
    now + (offset && offset.low <= offset.high ? (offset.low + offset.high) / 2 : 0);
  const answered: Replayed[][] = [];
  for (const one of different) {
    const { early: replay } = replaysOf(samples, one, setup);
    for (const { counted, early, late } of samples) await replay.play(counted, (early + late) / 2);
    const start = replay.service.snapshot();
    const answers: Replayed[] = [];
    for (const wait of waits) {
      replay.service.restore(start);
      answers.push(await replay.play(ask, serviceNow + wait));
    }
    answered.push(answers);
  }
  return waits.find((_, at) =>
    answered.some((one, a) =>
      answered.some((other, b) => {
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
