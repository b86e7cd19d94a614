import { expect, test } from 'vitest';
import { askMany, minute, refused, stage, type Stage } from '../support/gate-stage.js';

/** How many calls of a row of `count` are turned away because each would have to wait for more than `ms`. */
async function turnedAway(at: Stage, count: number, ms: number): Promise<number> {
  await askMany(at, count);
  return refused(await askMany(at, 1, { waitUntil: at.now() + ms }));
}

test.each<[string, (at: Stage) => Promise<unknown>, number, number]>([
  [
    'the hold, where no limit is known',
    async (at) => (await at.ask()).answer(429, { retryAfter: 30 }),
    200,
    31_000,
  ],
  [
    'the hold, within one window',
    async (at) => (await at.ask()).answer(429, { limit: 60, remaining: 0, retryAfter: 30 }),
    119,
    31_000,
  ],
  [
    'the hold, and one window more',
    async (at) => (await at.ask()).answer(429, { limit: 60, remaining: 0, retryAfter: 30 }),
    120,
    91_000,
  ],
  [
    'the hold, and two windows more',
    async (at) => (await at.ask()).answer(429, { limit: 60, remaining: 0, retryAfter: 30 }),
    180,
    151_000,
  ],
  [
    'the hold alone, where a 503 holds',
    async (at) => (await at.ask()).answer(503, { limit: 60, remaining: 0, retryAfter: 30 }),
    180,
    31_000,
  ],
])(
  'a call knows beforehand how long it waits at the least: %s',
  async (_name, begin, before, wait) => {
    const enough = stage();
    await begin(enough);
    expect(await turnedAway(enough, before, wait)).toBe(0);
    const less = stage();
    await begin(less);
    expect(await turnedAway(less, before, wait - 1)).toBe(1);
  },
);

test.each<[string, (at: Stage) => Promise<unknown>, number]>([
  [
    'a refusal out of an open window halves the share',
    async (at) => {
      await (await at.ask()).answer(200, { limit: 60, remaining: 40, resetIn: minute });
      await (await at.ask()).answer(429, { limit: 60, remaining: 0, retryAfter: 30 });
    },
    91_000,
  ],
  [
    'its echoes do not halve it again',
    async (at) => {
      await (await at.ask()).answer(200, { limit: 60, remaining: 40, resetIn: minute });
      for (const one of await askMany(at, 3))
        await one.answer(429, { limit: 60, remaining: 0, retryAfter: 30 });
    },
    91_000,
  ],
  [
    'a 503 does not',
    async (at) => {
      await (await at.ask()).answer(200, { limit: 60, remaining: 40, resetIn: minute });
      await (await at.ask()).answer(503, { retryAfter: 30 });
    },
    31_000,
  ],
  [
    'nor does a refusal of the probe',
    async (at) => {
      await (await at.ask()).answer(429, { limit: 60, remaining: 0, retryAfter: 30 });
    },
    31_000,
  ],
])('of 100 calls that wait on a plan of 60 a minute: %s', async (_name, begin, wait) => {
  const enough = stage();
  await begin(enough);
  expect(await turnedAway(enough, 100, wait)).toBe(0);
  const less = stage();
  await begin(less);
  expect(await turnedAway(less, 100, wait - 1)).toBe(1);
});

test('without a queue the gate permits a call whose time is over: the caller decides', async () => {
  const at = stage();
  expect((await at.ask({ waitUntil: at.now() - 1 })).permit).toBeDefined();
});

test('when a hold begins, calls that cannot be sent before their deadline reject', async () => {
  const at = stage();
  await (await at.ask()).answer(200, { limit: 60, remaining: 50, resetIn: minute });
  const [first] = await askMany(at, 1, { maxConcurrency: 1 });
  const waiting = await askMany(at, 131, { maxConcurrency: 1, waitUntil: at.now() + 90_000 });
  expect(refused(waiting)).toBe(0);
  await first!.answer(503, { retryAfter: 30 });
  // 31 s, and a whole minute for who stands behind two windows of 60.
  expect(refused(waiting.slice(0, 120))).toBe(0);
  expect(refused(waiting.slice(120))).toBe(11);
});
