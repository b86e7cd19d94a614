import { expect, test, vi } from 'vitest';
import type { Clock, GateCall } from '../../src/index.js';
import { Gate } from '../../src/rate-limit/gate.js';
import { sharedGate } from '../../src/rate-limit/shared-gates.js';

test('similar keys have separate gates', () => {
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    sleep: () => new Promise(() => undefined),
  };
  const keys = Array.from({ length: 300 }, (_, n) => [
    `key-${n}`,
    `yek-${n}`,
    `${n}-key`,
    `k${'e'.repeat(n)}y`,
  ]).flat();
  const gates = keys.map((key) => sharedGate('https://pets.test', key, clock, undefined, false));
  expect(new Set(gates).size).toBe(keys.length);
  expect(
    keys.every(
      (key, at) => sharedGate('https://pets.test', key, clock, undefined, false) === gates[at],
    ),
  ).toBe(true);
});

test('a gate that is unused for an hour is dropped, but not one that holds, waits for a response, or has calls that wait', async () => {
  let now = 0;
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    sleep: () => new Promise(() => undefined),
  };
  const gate = (key: string) => sharedGate('https://pets.test', key, clock, undefined, false);
  const call = (): GateCall => ({
    ...{
      signal: undefined,
      priority: 'normal',
      waitUntil: Infinity,
      maxHold: Infinity,
      maxQueue: Infinity,
    },
    ...{ maxConcurrency: Infinity, onHold: undefined, place: 0, isRetry: false },
  });
  const [idle, other, held, asking, queued] = ['idle', 'other', 'held', 'asking', 'queued'].map(
    gate,
  );
  (await held!.acquire(call())).settle({
    status: 429,
    headers: new Headers({ 'Retry-After': '36000' }),
  });
  await asking!.acquire(call());
  const permit = await queued!.acquire(call());
  void queued!.acquire(call());
  void queued!.acquire(call());
  permit.cancel();
  now = 3_600_000;
  gate('new');
  expect(gate('idle')).toBe(idle);
  now += 1;
  gate('newer');
  expect(gate('idle')).not.toBe(idle);
  expect(gate('other')).not.toBe(other);
  expect([gate('held') === held, gate('asking') === asking, gate('queued') === queued]).toEqual([
    true,
    true,
    true,
  ]);
  now += 40_000_000;
  gate('newest');
  expect(gate('held')).not.toBe(held);
});

test('a new key costs the same for any number of keys in the last hour, and idle gates are dropped', () => {
  let now = 0;
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    sleep: () => new Promise(() => undefined),
  };
  const gate = (key: string) => sharedGate('https://pets.test', key, clock, undefined, false);
  const isIdle = vi.spyOn(Gate.prototype, 'isIdle');
  try {
    const old = Array.from({ length: 1_000 }, (_, n) => gate(`old ${n}`));
    const checks = isIdle.mock.calls.length;
    gate('one more');
    expect(isIdle.mock.calls.length - checks).toBeLessThanOrEqual(2);
    expect(checks).toBeLessThanOrEqual(2_000);
    now += 3_600_001;
    for (let n = 0; n < 600; n += 1) gate(`new ${n}`);
    now -= 1;
    expect(old.filter((one, n) => gate(`old ${n}`) === one)).toEqual([]);
  } finally {
    isIdle.mockRestore();
  }
});
