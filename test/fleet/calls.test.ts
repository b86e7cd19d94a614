import { describe, expect, test, vi } from 'vitest';
import type { HoldChange } from '../../src/index.js';
import { createFleetGate, memoryStore } from '../../src/fleet/index.js';
import { answer, open, process, settled } from '../support/fleet-member.js';
import { rejection, times, world } from '../support/world.js';

test('a call that finds a lease in hand waits for no store', async () => {
  const here = process();
  const { clock, operations } = here;
  await open(here);
  // Calls that come at a rate: the lease covers those to come.
  for (let second = 0; second < 10; second += 1) {
    const permit = await here.acquire();
    await clock.sleep(500);
    permit.settle(answer(clock, 49 - second));
    await clock.sleep(500);
  }
  const before = operations.length;
  const permit = here.acquire();
  expect(operations).toHaveLength(before);
  expect(await settled(permit)).toBe(true);
  expect(operations).toHaveLength(before);
});

describe('the bounds of a call', () => {
  test('a call that may not wait is refused at once, and the next one finds a permit', async () => {
    const { clock, acquire } = process();
    const failure = await rejection<{ reason: string }>(acquire({ waitUntil: clock.monotonic() }));
    expect(failure.reason).toBe('wait');
    await clock.sleep(1);
    const permit = await acquire({ waitUntil: clock.monotonic() });
    permit.cancel();
  });

  test('maxHold, maxWait and the events know of a window that is spent', async () => {
    const here = process();
    const { clock, acquire } = here;
    await open(here);
    const permit = await acquire();
    permit.settle(answer(clock, 0));
    const changes: HoldChange[] = [];
    const onHold = (change: HoldChange) => changes.push(change);
    const patient = acquire({ onHold });
    const other = acquire({ onHold });
    await clock.sleep(1_000);
    expect(changes).toHaveLength(1);
    expect(changes[0]).toMatchObject({ type: 'hold', fromServer: true });
    const late = await rejection<{ reason: string; retryAfter: number }>(
      acquire({ waitUntil: clock.monotonic() + 5_000 }),
    );
    expect(late.reason).toBe('wait');
    expect(late.retryAfter).toBeGreaterThan(40_000);
    const held = await rejection<{ reason: string }>(acquire({ maxHold: 5_000 }));
    expect(held.reason).toBe('hold');
    const third = acquire({ onHold: (change) => changes.push(change) });
    (await patient).settle(answer(clock, 59));
    expect(changes.at(-1)).toEqual({ type: 'resume' });
    (await other).settle(answer(clock, 58));
    (await third).settle(answer(clock, 57));
  });
});

describe('permits', () => {
  test('a call that gives up while its probe is on the way leaves it to others', async () => {
    const { acquire, fleetGate } = process();
    const abort = new AbortController();
    const call = acquire({ signal: abort.signal });
    await Promise.resolve();
    abort.abort();
    await rejection(call);
    await settled(Promise.resolve());
    (await acquire()).cancel();
    await fleetGate.close();
  });

  test.each([
    [403, true],
    [503, true],
    [403, false],
  ])(
    'an answer %i with Retry-After (%o) holds the fleet, without it does not',
    async (status, told) => {
      const here = process();
      const { acquire, clock } = here;
      await open(here);
      const permit = await acquire();
      permit.settle(answer(clock, 40, told ? { 'Retry-After': '20' } : {}, status));
      const began = clock.monotonic();
      (await acquire()).cancel();
      expect(clock.monotonic() - began >= 20_000).toBe(told);
    },
  );

  test('of several responses 429 of one moment the longest wait counts', async () => {
    const here = process();
    const { acquire, clock } = here;
    await open(here);
    const permits = await Promise.all(times(3, () => acquire()));
    for (const more of [{ 'Retry-After': '90' }, {}, {}])
      permits.shift()!.settle(answer(clock, 0, more, 429));
    const began = clock.monotonic();
    (await acquire()).cancel();
    expect(clock.monotonic() - began).toBeGreaterThanOrEqual(90_000);
  });

  test('a response of a window that has ended does not take the place of a newer one', async () => {
    const here = process();
    const { acquire, clock, operations } = here;
    await open(here);
    const [first, late] = await Promise.all(times(2, () => acquire()));
    const old = answer(clock, 7);
    await clock.sleep(61_000);
    first!.settle(answer(clock, 59));
    late!.settle(old);
    (await acquire()).cancel();
    const observed = operations.flatMap(({ observation }) => observation?.remaining ?? []);
    expect(observed.at(-1)).toBe(59);
  });

  describe('that are never settled', () => {
    test('give up their slots after 40 s, so that other calls go on', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const { acquire } = process();
      const never = await acquire();
      const next = acquire();
      expect(await settled(next)).toBe(false);
      await vi.advanceTimersByTimeAsync(41_000);
      (await next).cancel();
      never.lose();
    });
  });
});

test('a call of high priority in one process waits less than 2 s beside a batch in three others', async () => {
  const here = world();
  here.service.faults.add({ delay: 60 });
  const { clock } = here.service;
  const store = memoryStore(() => clock.now());
  const clients = Array.from({ length: 4 }, () =>
    here.client({ apiKey: 'mock-pro', gate: createFleetGate({ store, clock }) }),
  );
  const [interactive, ...batches] = clients;
  const began = clock.monotonic();
  let isOver = false;
  const batch = Promise.allSettled(
    batches.flatMap((client) =>
      times(5, async () => {
        while (!isOver) await client.listPets();
      }),
    ),
  );
  const waits: number[] = [];
  const calls: Promise<void>[] = [];
  // Users who come whether others wait or not, one a second: a fifth of the limit.
  for (let second = 0; second < 240; second += 1) {
    const at = clock.monotonic();
    const call = interactive!.listPets({}, { priority: 'high' }).then(() => {
      // From the second window on: before it nobody knew that there are such calls.
      if (at - began > 60_000) waits.push(clock.monotonic() - at);
    });
    calls.push(call);
    await clock.sleep(1_000);
  }
  await Promise.all(calls);
  isOver = true;
  await batch;
  waits.sort((a, b) => a - b);
  expect(waits.length).toBeGreaterThan(150);
  expect(waits[Math.floor(waits.length * 0.99)]).toBeLessThan(2_000);
  expect(here.service.report().rateLimited).toBe(0);
});

test.each([
  ['the store', undefined],
  ['the fallback', () => Promise.reject(new Error('no store'))],
])('10,000 calls with one signal that wait for %s add one listener to it', async (_, fault) => {
  const here = process({ onEvent: () => undefined });
  here.now.fault = fault;
  const held = await here.acquire();
  const abort = new AbortController();
  const listen = vi.spyOn(abort.signal, 'addEventListener');
  const calls = times(10_000, () =>
    rejection(here.acquire({ signal: abort.signal, isRetry: true })),
  );
  for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
  await here.clock.sleep(1_000);
  abort.abort(new Error('enough'));
  expect(new Set(await Promise.all(calls))).toEqual(new Set([abort.signal.reason]));
  // A signal compares each listener with all others, so that one a call would take minutes.
  expect(listen.mock.calls.length).toBeLessThan(10);
  held.cancel();
});
