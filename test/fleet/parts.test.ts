import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Clock } from '../../src/index.js';
import { createMockService } from '../../mocks/index.js';
import {
  createFleetGate,
  memoryStore,
  sqliteStore,
  type FleetStore,
} from '../../src/fleet/index.js';
import { Report } from '../../src/fleet/member/report.js';
import { Timer } from '../../src/fleet/member/timer.js';
import { patientCall as call } from '../support/gate-call.js';
import { rejection } from '../support/world.js';

const key = { origin: 'https://api.petstore.example', apiKey: 'mock-pro' };
const answer = (clock: Clock, remaining: number) => ({
  status: 200,
  headers: new Headers({
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String((Math.floor(clock.now() / 60_000) + 1) * 60),
    Date: new Date(clock.now()).toUTCString(),
  }),
});
const { clock } = createMockService({ clock: 'virtual' });

/** A store in memory that fails while it is told to. */
function failing(): { store: FleetStore; fail: (failure: unknown) => void } {
  const inner = memoryStore(() => clock.now());
  let current: unknown;
  return {
    store: {
      run: (name, operation) =>
        current === undefined ? inner.run(name, operation) : Promise.reject(current as Error),
    },
    fail: (failure) => (current = failure),
  };
}

describe('the report', () => {
  const quota = { limit: 60, remaining: 10, reset: 120_000 };

  test('keeps the response with the longest wait', () => {
    const report = new Report();
    const limited = { status: 429, quota, sentAt: 0 };
    report.rateLimited({ ...limited, retryAfter: 5_000 });
    report.rateLimited({ ...limited, retryAfter: 9_000 });
    report.rateLimited({ ...limited, retryAfter: undefined });
    expect(report.take().rateLimited?.retryAfter).toBe(9_000);
    report.rateLimited({ ...limited, retryAfter: undefined });
    report.rateLimited({ ...limited, retryAfter: 1_000 });
    expect(report.take().rateLimited?.retryAfter).toBe(1_000);
  });

  test('keeps the lowest Remaining of the newest window', () => {
    const report = new Report();
    report.succeeded(quota, 1, 2);
    report.succeeded({ ...quota, remaining: 12 }, 2, 3);
    report.succeeded({ ...quota, remaining: 59, reset: 180_000 }, 3, 4);
    report.succeeded({ ...quota, remaining: 3 }, 4, 5);
    report.succeeded({ limit: 60, remaining: 58, reset: 180_500 }, 5, 6);
    expect(report.take().window).toEqual({
      quota: { limit: 60, remaining: 58, reset: 180_500 },
      sentAt: 5,
    });
  });

  test('keeps windows without a Reset apart from those with one by their limit alone', () => {
    const report = new Report();
    const bare = { limit: 60, remaining: 20, reset: undefined };
    report.succeeded(bare, 1, 2);
    report.succeeded({ ...bare, remaining: 19 }, 2, 3);
    expect(report.take().window?.quota).toEqual({ ...bare, remaining: 19 });
  });

  test('what the store did not take is reported with the next operation', () => {
    const report = new Report();
    report.succeeded(quota, 1, 2);
    report.lost(2);
    const taken = report.take();
    report.restore(taken);
    expect(report.take()).toEqual(taken);
    report.restore(taken);
    report.succeeded({ ...quota, remaining: 4 }, 3, 4);
    expect(report.take()).toMatchObject({ successes: 2, total: 2, times: [2, 4], lost: 2 });
  });
});

test('an alarm that was cleared when it was due does not ring', async () => {
  const rings: string[] = [];
  const quick: Clock = { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() };
  const timer = new Timer(quick, () => rings.push('ring'));
  timer.set(5, false);
  timer.clear();
  await new Promise((resolve) => setImmediate(resolve));
  expect(rings).toEqual([]);
});

test('a call of high priority does not wait as long as a normal one that was sent away', async () => {
  const store = memoryStore(() => clock.now());
  const gate = createFleetGate({ store, clock })(key);
  const other = createFleetGate({ store, clock })(key);
  const probe = await gate.acquire(call);
  const normal = other.acquire(call);
  await clock.sleep(10);
  const high = other.acquire({ ...call, priority: 'high', place: 1 });
  await clock.sleep(10);
  probe.settle(answer(clock, 59));
  (await high).cancel();
  (await normal).lose();
});

test('without the store calls can be aborted, cancelled and lost, and status tells what this process holds', async () => {
  const { store, fail } = failing();
  const reasons: string[] = [];
  const fleetGate = createFleetGate({
    store,
    clock,
    onEvent: (event) => event.type === 'fleet-lost' && reasons.push(event.reason),
  });
  const gate = fleetGate(key);
  fail('no store');
  const first = await gate.acquire(call);
  const abort = new AbortController();
  const waiting = gate.acquire({ ...call, place: 1, signal: abort.signal });
  await clock.sleep(10);
  expect((await fleetGate.status()).keys[0]).toMatchObject({
    store: 'lost',
    leases: 1,
    inFlight: 1,
    waiting: 1,
  });
  await fleetGate.close();
  abort.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  first.cancel();
  const second = await gate.acquire({ ...call, place: 2 });
  second.settle(answer(clock, 40));
  const refused = await gate.acquire({ ...call, place: 3 });
  refused.settle({ ...answer(clock, 0), status: 429 });
  // What was seen before the store was first reached is reported all the same.
  fail(undefined);
  await clock.sleep(70_000);
  const last = await gate.acquire({ ...call, place: 4 });
  last.lose();
  expect(reasons).toEqual(['no store']);
  expect((await fleetGate.status()).keys[0]).toMatchObject({ store: 'joined' });
});

describe('SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-parts-'));
  afterEach(() => {
    vi.unstubAllGlobals();
    rmSync(folder, { recursive: true, force: true });
  });

  test('a transaction of another process is waited for', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'fleet-busy-')), 'fleet.db');
    const store = sqliteStore(path);
    await store.run('k', { kind: 'peek' });
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const waiting = store.run('k', { kind: 'peek' });
    setTimeout(() => {
      other.exec('COMMIT');
      other.close();
    }, 30);
    expect((await waiting).kind).toBe('peek');
    await store.close?.();
    rmSync(join(path, '..'), { recursive: true, force: true });
  });

  test('a file that is busy for more than two seconds is a failure, and any other failure is one at once', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'fleet-busy-')), 'fleet.db');
    const store = sqliteStore(path);
    await store.run('k', { kind: 'peek' });
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const moments = [0, 1_000, 2_000, 2_001];
    const now = vi.spyOn(performance, 'now').mockImplementation(() => moments.shift() ?? 9_999);
    expect((await rejection<Error>(store.run('k', { kind: 'peek' }))).message).toMatch(/locked/);
    expect(moments).toEqual([]);
    other.exec('COMMIT');
    // Time stands still: only a failure that is not repeated ends.
    now.mockImplementation(() => 0);
    other.exec('DROP TABLE fleet');
    other.close();
    expect((await rejection<Error>(store.run('k', { kind: 'peek' }))).message).toMatch(/no such/);
    now.mockRestore();
    await store.close?.();
    rmSync(join(path, '..'), { recursive: true, force: true });
  });

  test('a runtime without node:sqlite is named', async () => {
    const store = sqliteStore(join(folder, 'fleet.db'));
    vi.stubGlobal('process', undefined);
    const run = store.run('k', { kind: 'peek' });
    vi.unstubAllGlobals();
    expect((await rejection<Error>(run)).message).toBe(
      'sqliteStore needs node:sqlite: Node 22.13 or newer',
    );
  });
});
