import { describe, expect, test } from 'vitest';
import { createMockService } from '../../mocks/index.js';
import { createFleetGate, memoryStore } from '../../src/fleet/index.js';
import { Fallback, RecentTraffic } from '../../src/fleet/member/fallback.js';
import { pad } from '../../src/rate-limit/rules/hold-rule.js';
import { tap } from '../support/fleet-tap.js';
import { patientCall as call } from '../support/gate-call.js';

const { clock } = createMockService({ clock: 'virtual' });

describe('the fallback', () => {
  test('knows no share before the first answer', () => {
    const fallback = new Fallback(
      clock,
      { limit: 0, members: 3, rank: 1 },
      new RecentTraffic(),
      -60_000,
    );
    expect([fallback.share, fallback.left(0, clock.now())]).toEqual([undefined, Infinity]);
  });

  test('shares what does not divide evenly by turns: no minute has more than the limit', () => {
    for (const [limit, members] of [
      [60, 7],
      [5, 8],
      [1_000, 3],
    ] as const)
      for (let minute = 0; minute < 20; minute += 1) {
        const shares = Array.from({ length: members }, (_, rank) =>
          new Fallback(clock, { limit, members, rank }, new RecentTraffic(), -60_000).left(
            0,
            minute * 60_000,
          ),
        );
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(limit);
      }
  });

  test('uses what the process saw of the window before the store failed', () => {
    const traffic = new RecentTraffic();
    const left = () =>
      new Fallback(clock, { limit: 300, members: 4, rank: 1 }, traffic, -60_000).left(
        0,
        clock.now(),
      );
    expect(left()).toBe(75);
    const reset = clock.now() + 30_000;
    traffic.learn({ limit: 300, remaining: undefined, reset }, clock.monotonic());
    traffic.learn({ limit: 300, remaining: 11, reset }, clock.monotonic());
    traffic.learn({ limit: 300, remaining: 20, reset }, clock.monotonic());
    expect(left()).toBe(1);
    traffic.learn({ limit: 300, remaining: 3, reset }, clock.monotonic());
    expect(left()).toBe(0);
  });

  test('assumes that the other processes go on at the pace at which Remaining fell', () => {
    const leftAfter = (fall: number) => {
      const traffic = new RecentTraffic();
      const reset = clock.now() + 30_000;
      const now = clock.monotonic();
      for (const [remaining, age] of [
        [250, 3_300],
        [250 - fall, 3_000],
      ] as const)
        traffic.learn({ limit: 300, remaining, reset }, now - age);
      return new Fallback(clock, { limit: 300, members: 4, rank: 1 }, traffic, -60_000).left(
        0,
        clock.now(),
      );
    };
    expect(leftAfter(10)).toBeGreaterThan(20);
    // 150 requests in 0.3 s, seen 3 s ago: a burst that has used up the window since.
    expect(leftAfter(150)).toBe(0);
  });

  test('a call that is taken back in the turn of its permit is not sent, and the permit goes to the next call', async () => {
    const fallback = new Fallback(clock, undefined, new RecentTraffic(), -Infinity);
    const granted: string[] = [];
    const waiting = (name: string) => ({
      call,
      grant: () => void granted.push(name),
      reject: () => void granted.push(`${name} rejected`),
    });
    const forward = (name: string) =>
      fallback.forward(
        waiting(name),
        (_call, permit) => permit,
        () => undefined,
      );
    forward('first');
    expect(fallback.takeBack()).toHaveLength(1);
    await clock.sleep(0);
    expect(granted).toEqual([]);
    forward('second');
    await clock.sleep(0);
    expect(granted).toEqual(['second']);
  });

  test('a call that is aborted in the turn of its permit does not get it, and is not taken back', async () => {
    const fallback = new Fallback(clock, undefined, new RecentTraffic(), -Infinity);
    const ends: string[] = [];
    const forward = (name: string, signal?: AbortSignal) =>
      fallback.forward(
        {
          call: { ...call, signal },
          grant: (permit) => (ends.push(`${name} granted`), permit.cancel()),
          reject: (reason) => void ends.push(`${name}: ${String(reason)}`),
        },
        (_call, permit) => permit,
        () => void ends.push(`${name} is over`),
      );
    const abort = new AbortController();
    forward('first', abort.signal);
    forward('second', abort.signal);
    abort.abort('enough');
    expect(fallback.takeBack()).toEqual([]);
    forward('third');
    await clock.sleep(0);
    expect(ends).toContain('third granted');
    expect(ends).not.toContain('first granted');
    const granted = new AbortController();
    forward('fourth', granted.signal);
    granted.abort('enough');
    forward('fifth');
    await clock.sleep(0);
    expect(ends).not.toContain('fourth granted');
    expect(ends.slice(-3)).toEqual(['fourth is over', 'fifth granted', 'fifth is over']);
  });

  test('a request that was not sent is not counted', () => {
    const sent = new RecentTraffic();
    sent.add(5);
    sent.remove(4);
    sent.remove(5);
    expect([sent.since(0), sent.oldest]).toEqual([0, undefined]);
  });
});

test('without the store nothing is sent in a window that the fleet has used up', async () => {
  const inner = memoryStore(() => clock.now());
  let stage: 'open' | 'used up' | 'failed' = 'open';
  const store = tap(inner, async (_, run) => {
    if (stage === 'failed') throw new Error('no store');
    const reply = await run();
    if (stage === 'open') return reply;
    return { ...reply, decision: 'idle', granted: 0, retryAt: reply.now + 1_000 };
  });
  const gate = createFleetGate({ store, clock, onEvent: () => undefined })({
    origin: 'https://api.petstore.example',
    apiKey: 'mock-pro',
  });
  const windowEnd = (Math.floor(clock.now() / 60_000) + 1) * 60_000;
  const probe = await gate.acquire(call);
  probe.settle({
    status: 200,
    headers: new Headers({
      'X-RateLimit-Limit': '300',
      'X-RateLimit-Remaining': '200',
      'X-RateLimit-Reset': String(windowEnd / 1_000),
      Date: new Date(clock.now()).toUTCString(),
    }),
  });
  stage = 'used up';
  const waiting = gate.acquire({ ...call, place: 1 });
  await clock.sleep(100);
  stage = 'failed';
  (await waiting).cancel();
  expect(clock.now()).toBeGreaterThanOrEqual(windowEnd + pad);
  expect(clock.now()).toBeLessThan(windowEnd + 5_000);
});
