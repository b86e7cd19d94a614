import { expect, test } from 'vitest';
import { ours } from '../../bench/conduct/run/ours.js';
import { run } from '../../bench/conduct/run/run.js';
import { virtualWorld } from '../../bench/conduct/run/virtual-world.js';
import { createMockService } from '../../mocks/index.js';
import { createRateLimitGate, PetStoreClient } from '../../src/index.js';
import { Budget } from '../../src/rate-limit/budget.js';

const minute = 60_000;
const rtt = 6_000;
const calls = 1_000;
const concurrency = 50;
const perMinute = 300;

/** When the last response can arrive at the earliest, with windows that begin at `phase` and so many requests in flight. */
function earliestEnd(phase: number): number {
  const sentInWindow = new Map<number, number>();
  const freeAt = Array<number>(concurrency).fill(0);
  for (let call = 0; call < calls; call += 1) {
    freeAt.sort((a, b) => a - b);
    let arrival = freeAt[0]! + rtt / 2;
    let window = Math.floor((arrival - phase) / minute);
    while ((sentInWindow.get(window) ?? 0) >= perMinute) {
      window += 1;
      arrival = phase + window * minute;
    }
    sentInWindow.set(window, (sentInWindow.get(window) ?? 0) + 1);
    freeAt[0] = arrival + rtt / 2;
  }
  return Math.max(...freeAt);
}

test('with round trips of 6 s, 1,000 calls by 50 on Pro take at most 1.2 times the optimum', async () => {
  const client = ours({ PetStoreClient, createRateLimitGate });
  const world = virtualWorld(createMockService);
  const workload = { kind: 'closed', calls, concurrency } as const;
  const ratios: number[] = [];
  for (let seed = 1; seed <= 8; seed += 1) {
    const one = await run({ name: 'slow', plan: 'pro', workload, rtt }, client, world, seed);
    expect(one.journal.filter(({ status }) => status === 429)).toEqual([]);
    const phase = one.best.find((at) => at > 0)!;
    const end = Math.max(...one.outcomes.map(({ endedAt }) => endedAt));
    ratios.push(end / earliestEnd(phase));
  }
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
  expect(mean).toBeLessThanOrEqual(1.2);
}, 60_000);

test('a late response of the window before does not look like requests of other processes', () => {
  const budget = new Budget();
  const reset = Date.UTC(2026, 0, 1, 0, 1);
  const quota = (remaining: number, end: number) => ({ limit: perMinute, remaining, reset: end });
  budget.learn(quota(20, reset), 0, 10, 1, 1_000);
  budget.learn(quota(299, reset + minute), 20, 30, 1, minute);
  budget.learn(quota(19, reset), 5, 40, 0, 0);
  budget.learn(quota(298, reset + minute), 50, 60, 0, minute);
  expect(budget.share()).toBe(1);
});
