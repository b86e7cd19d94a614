import { expect, test } from 'vitest';
import { createMockService } from '../../mocks/index.js';
import { createRateLimitGate, PetStoreClient } from '../../src/index.js';
import { figures, mean, type Figures } from '../../bench/conduct/figures.js';
import { ours } from '../../bench/conduct/ours.js';
import { run, virtualWorld } from '../../bench/conduct/run.js';
import { burst, closed } from '../../bench/conduct/scenario.js';
import type { HeaderForm, Limiter, Scenario } from '../../bench/conduct/scenario.js';
import { fuzzRuns } from '../support/fuzz.js';

// Parts of the grid of `npm run bench:conduct`, small enough for every run: the real client against the real service, with
// latencies of 30 ms + Exp(20 ms) each way, and the strict rule of strikes. `npm run test:slow` tries all combinations, and more seeds.

const isWhole = fuzzRuns(1) > 1;
/** Whether a combination of two lists is tried: one in five, if not all are. */
const isTried = (row: number, column: number) => isWhole || (row + 2 * column) % 5 === 0;

const client = ours({ PetStoreClient, createRateLimitGate });
const world = virtualWorld(createMockService);
const play = async (scenario: Scenario, seed = 1): Promise<Figures> =>
  figures(await run(scenario, client, world, seed));

const usual: HeaderForm[] = ['seconds', 'http-date', 'no-retry-after'];
const forms: HeaderForm[] = [...usual, 'floored', 'constant-1', 'no-date'];
const skews = [-120_000, -5_000, 0, 5_000, 120_000];
const bursts = [
  { plan: 'free', workload: burst(200) },
  { plan: 'pro', workload: closed(700, 50) },
] as const;

test.each(
  forms.flatMap((headers, row) =>
    skews.flatMap((skew, column) => (isTried(row, column) ? [[headers, skew] as const] : [])),
  ),
)(
  'one process keeps to a fixed window with headers of the form %s and a clock that is off by %i ms',
  async (headers, skew) => {
    for (const burst of bursts) {
      const one = await play({ ...burst, headers, skews: [skew] });
      // Without a Date a local clock that is a little ahead makes sense, until the first request that relied on it is refused.
      expect(one.refused).toBeLessThanOrEqual(headers === 'no-date' && skew === 5_000 ? 1 : 0);
      expect(one).toMatchObject({ done: 1, inCoolDown: 0, bans: 0, hanging: 0 });
      expect(one.order).toBeGreaterThan(0.97);
    }
  },
);

test('on fixed windows one process takes at most 1.03 times the optimum', async () => {
  const runs = await Promise.all(
    [1, 2, 3].slice(0, isWhole ? 3 : 1).flatMap((seed) => bursts.map((burst) => play(burst, seed))),
  );
  expect(mean(runs).span).toBeLessThanOrEqual(1.03);
});

const rolling: Limiter[] = [
  { window: 'from-first' },
  { window: 'sliding', reset: 'next' },
  { window: 'sliding', reset: 'full' },
  { window: 'sliding', reset: 'next', refusedCount: true },
  { window: 'token-bucket', reset: 'next' },
];

test('on rolling windows one process triggers no 429 and takes at most 1.07 times the optimum', async () => {
  const runs: Figures[] = [];
  for (const [row, limiter] of rolling.entries())
    for (const [column, headers] of usual.entries())
      for (const burst of isWhole || (row + column) % 3 === 0 ? bursts : [])
        runs.push(await play({ ...burst, limiter, headers, skews: [120_000] }));
  for (const one of runs) expect(one).toMatchObject({ done: 1, refused: 0, bans: 0 });
  expect(mean(runs).span).toBeLessThanOrEqual(1.07);
});

test.each(forms)(
  'a key that is exhausted at the start costs one request, with headers of the form %s',
  async (headers) => {
    const one = await play({ plan: 'free', workload: burst(100), spent: true, headers });
    expect(one).toMatchObject({ done: 1, refused: 1, bans: 0 });
  },
);

test('four processes that share a key trigger at most 0.6 429s in 1,000 calls on fixed windows', async () => {
  const skews = [-7_000, 60_000, 0, -200_000];
  const four = { plan: 'pro', limit: 600, processes: 4, skews } as const;
  const runs = [1, 2]
    .slice(0, isWhole ? 2 : 1)
    .flatMap((seed) =>
      [burst(525), closed(525, 13)].map((workload) => play({ ...four, workload }, seed)),
    );
  const all = mean(await Promise.all(runs));
  expect(all.refusedPerThousand).toBeLessThanOrEqual(0.6);
  expect(all).toMatchObject({ done: 1, bans: 0 });
  expect(all.fairness).toBeGreaterThanOrEqual(0.95);
});

test('the cap of the day costs at most 4 requests, and no ban', async () => {
  const one = await play({ plan: 'free', workload: burst(300), dayLeft: 100 });
  expect(one.refused).toBeLessThanOrEqual(4);
  expect(one).toMatchObject({ done: 1, bans: 0, hanging: 0 });
});

test('nodes that disagree cost at most 4 429s in 1,000 calls, and no ban', async () => {
  const one = await play({ plan: 'pro', workload: burst(1_000), nodes: true });
  expect(one.refusedPerThousand).toBeLessThanOrEqual(4);
  expect(one).toMatchObject({ done: 1, bans: 0 });
});

test('with round trips of 6 s, 1,000 calls by 50 on Pro trigger no 429, and take at most 1.36 times the optimum, which knows no bound of those in flight', async () => {
  const workload = closed(1_000, 50);
  const runs: Figures[] = [];
  for (let seed = 1; seed <= 8; seed += 1)
    runs.push(await play({ plan: 'pro', workload, rtt: 6_000 }, seed));
  expect(mean(runs)).toMatchObject({ done: 1, refused: 0 });
  expect(mean(runs).span).toBeLessThanOrEqual(1.36);
});
