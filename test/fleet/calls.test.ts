import { expect, test } from 'vitest';
import type { PetStoreClient } from '../../src/index.js';
import { createFleetGate, memoryStore } from '../../src/fleet/index.js';
import { answer, open, process } from '../support/fleet-member.js';
import { times, world } from '../support/world.js';

test('a burst has no rate, also of a process that made calls at a rate long ago', async () => {
  const { clock, operations, acquire } = await open(process());
  for (let second = 0; second < 10; second += 1) {
    (await acquire()).settle(answer(clock, 49 - second));
    await clock.sleep(1_000);
  }
  // About one call a second, for half of the time in which a rate halves.
  expect(Math.abs(operations.at(-1)!.rate * 1_000 - 0.5)).toBeLessThan(0.2);
  await clock.sleep(600_000);
  for (const call of times(10, () => acquire())) (await call).cancel();
  expect(operations.at(-1)!.rate).toBe(0);
});

test('a call says whether it waits for the probe, for the fleet, or behind others', async () => {
  const { acquire, clock } = process();
  const causes: string[] = [];
  const ask = () => acquire({ onWait: (cause) => causes.push(cause) });
  const probe = await ask();
  const calls = [ask(), ask()];
  await clock.sleep(1);
  expect(causes.splice(0)).toEqual(['fleet', 'probe', 'probe']);
  probe.settle(answer(clock, 59));
  for (const call of calls) (await call).settle(answer(clock, 57));
  const last = [ask(), ask()];
  expect(causes).toEqual(['fleet', 'queue']);
  for (const call of last) (await call).cancel();
});

test.each([
  [['90', '', ''], true],
  [['', '90', '30'], true],
  [['', '5', '90'], true],
  [['', '90', ''], true],
  [['90', '', ''], false],
])(
  'of responses 429 of one moment that ask for %j s the longest wait counts, whether the first report of them arrives (%j) or not',
  async (waits, arrives) => {
    const { acquire, clock, now } = await open(process());
    const permits = await Promise.all(times(3, () => acquire()));
    const began = clock.monotonic();
    if (!arrives) now.fault = () => Promise.reject(new Error('no store'));
    for (const wait of waits)
      permits.shift()!.settle(answer(clock, 0, wait === '' ? {} : { 'Retry-After': wait }, 429));
    await clock.sleep(1);
    now.fault = undefined;
    (await acquire()).cancel();
    expect(clock.monotonic() - began).toBeGreaterThanOrEqual(90_000);
  },
);

type Seen = readonly [limit: number, remaining: number, later: number];
test.each<[string, Seen, Seen, Seen]>([
  ['of one window the lower Remaining', [60, 30, 0], [60, 35, 1], [60, 30, 1]],
  ['of two windows the later one', [60, 30, 0], [60, 59, 60], [60, 59, 60]],
  ['of two windows the later one, also if it came first', [60, 59, 60], [60, 7, 0], [60, 59, 60]],
  ['after another limit the newer one', [60, 30, 0], [300, 250, 0], [300, 250, 0]],
  ['after one that cannot be read the newer one', [60, NaN, 0], [60, 35, 0], [60, 35, 0]],
  ['before one that cannot be read itself', [60, 30, 0], [60, NaN, 0], [60, 30, 0]],
])('of two responses a report has %s', async (_name, first, second, reported) => {
  const { acquire, clock, operations } = await open(process());
  const permits = [await acquire()];
  const sentAt = clock.now();
  await clock.sleep(500);
  permits.unshift(await acquire());
  const reset = Math.floor(clock.now() / 60_000) * 60 + 60;
  for (const [limit, remaining, later] of [first, second]) {
    const more = { 'X-RateLimit-Limit': `${limit}`, 'X-RateLimit-Reset': `${reset + later}` };
    permits.pop()!.settle(answer(clock, remaining, more));
  }
  await clock.sleep(5_000);
  const seen = operations.flatMap(({ observation }) => observation ?? []).at(-1);
  const [limit, remaining, later] = reported;
  expect(seen).toMatchObject({ limit, remaining, reset: (reset + later) * 1_000 });
  // A response that adds nothing does not make the window look newer.
  expect(seen!.sentAt <= sentAt).toBe(reported.join() === first.join());
});

test('a call of high priority in one process waits less than 2 s beside a batch in three others', async () => {
  const here = world();
  here.service.faults.add({ delay: 60 });
  const { clock } = here.service;
  const store = memoryStore();
  const [interactive, ...batches] = Array.from({ length: 4 }, () =>
    here.client({ apiKey: 'mock-pro', gate: createFleetGate({ store, clock }) }),
  );
  let isOver = false;
  const repeat = async (client: PetStoreClient) => {
    while (!isOver) await client.listPets();
  };
  const batch = Promise.all(batches.flatMap((client) => times(5, () => repeat(client))));
  const waits: number[] = [];
  // Users who come whether others wait or not, one a second: a fifth of the limit.
  const users = times(240, async (second) => {
    await clock.sleep(1_000 * second);
    const at = here.elapsed();
    await interactive!.listPets({}, { priority: 'high' });
    // From the second window on: before it nobody knew that there are such calls.
    if (at > 60_000) waits.push(here.elapsed() - at);
  });
  await Promise.all(users);
  isOver = true;
  await batch;
  waits.sort((a, b) => a - b);
  expect(waits.length).toBeGreaterThan(150);
  expect(waits[Math.floor(waits.length * 0.99)]).toBeLessThan(2_000);
  expect(here.service.report().rateLimited).toBe(0);
});
