import { expect, test, vi } from 'vitest';
import type { Clock } from '../../src/index.js';
import { Gate } from '../../src/gate/gate.js';
import { sharedGate } from '../../src/gate/shared-gates.js';
import { patientCall } from '../support/gate-call.js';

/** The shared gates of a world of their own, whose time is moved by hand. */
function gates() {
  const time = { now: 0 };
  const clock: Clock = {
    now: () => time.now,
    monotonic: () => time.now,
    sleep: () => new Promise(() => undefined),
  };
  return { time, gate: (key: string) => sharedGate('https://pets.test', key, clock, undefined) };
}

test('similar keys have separate gates', () => {
  const { gate } = gates();
  const keys = Array.from({ length: 300 }, (_, n) => [
    `key-${n}`,
    `yek-${n}`,
    `k${'e'.repeat(n)}y`,
  ]);
  const all = new Map(keys.flat().map((key) => [gate(key), key]));
  expect([...all].filter(([own, key]) => gate(key) !== own)).toEqual([]);
  expect(all.size).toBe(900);
});

test('a gate that is unused for an hour is dropped, but not one that holds, waits for a response, or has calls that wait', async () => {
  const { time, gate } = gates();
  const names = ['idle', 'other', 'held', 'asking', 'queued'];
  const [idle, other, held, asking, queued] = names.map(gate);
  const headers = new Headers({ 'Retry-After': '36000' });
  (await held!.acquire(patientCall)).settle({ status: 429, headers });
  await asking!.acquire(patientCall);
  const permit = await queued!.acquire(patientCall);
  void queued!.acquire(patientCall);
  void queued!.acquire(patientCall);
  permit.cancel();
  await Promise.resolve();
  time.now = 3_600_000;
  gate('new');
  expect(gate('idle')).toBe(idle);
  time.now += 1;
  gate('newer');
  expect(gate('idle')).not.toBe(idle);
  expect(gate('other')).not.toBe(other);
  const kept = [held, asking, queued];
  expect(kept.filter((own, at) => gate(names[at + 2]!) !== own)).toEqual([]);
  time.now += 40_000_000;
  gate('newest');
  expect(gate('held')).not.toBe(held);
});

test('a new key costs the same for any number of keys in the last hour, and idle gates are dropped', () => {
  const { time, gate } = gates();
  const isIdle = vi.spyOn(Gate.prototype, 'isIdle');
  const old = Array.from({ length: 1_000 }, (_, n) => gate(`old ${n}`));
  const checks = isIdle.mock.calls.length;
  gate('one more');
  expect(isIdle.mock.calls.length - checks).toBeLessThanOrEqual(2);
  expect(checks).toBeLessThanOrEqual(2_000);
  time.now += 3_600_001;
  for (let n = 0; n < 600; n += 1) gate(`new ${n}`);
  time.now -= 1;
  expect(old.filter((one, n) => gate(`old ${n}`) === one)).toEqual([]);
});
