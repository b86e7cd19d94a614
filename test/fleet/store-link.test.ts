import { beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../src/index.js';
import type {
  FleetOperation,
  FleetStore,
  SyncOperation,
  SyncReply,
} from '../../src/fleet/index.js';
import { Report, type News } from '../../src/fleet/member/report.js';
import { StoreLink, type Holding } from '../../src/fleet/member/store-link.js';

const holding: Holding = {
  ...{ unsent: 0, inFlight: 0, need: 1, high: 0 },
  ...{ rate: 0, lastLease: 0, rtt: 0 },
};
/** What the store says, on a clock that is `ahead` ms ahead. */
const ahead = 5_000_000;
let now = 0;
let operations: SyncOperation[] = [];
/** ms of a trip to the store; and what the store does. */
let trip = 0;
let answer: (operation: FleetOperation) => Partial<SyncReply>;
const clock: Clock = {
  now: () => now,
  monotonic: () => now,
  // Nothing is so late here that it is given up.
  sleep: () => new Promise(() => undefined),
};
const store: FleetStore = {
  run(_key, operation) {
    if (operation.kind === 'sync') operations.push(operation);
    now += trip / 2;
    const reply = { kind: 'sync', generation: 'first', members: 2, ...answer(operation) };
    const at = now + ahead;
    now += trip / 2;
    return Promise.resolve({ ...reply, now: at } as SyncReply);
  },
};
let link: StoreLink;
const noNews = (): News => new Report().take();
const exchange = (more: Partial<Holding> = {}, news = noNews()) =>
  link.exchange({ ...holding, ...more }, news);
const fails = (failure: unknown) => () => {
  throw failure;
};

beforeEach(() => {
  [now, trip, operations] = [1_000_000, 0, []];
  answer = () => ({});
  link = new StoreLink(store, 'the-state', clock, 250, 700);
});

describe('an operation', () => {
  test('says what the process knows of the fleet: at first nothing', async () => {
    expect(link.isUsed).toBe(false);
    await exchange();
    expect(link.isUsed).toBe(true);
    link.perMinute = 60;
    now += 300;
    await exchange();
    expect(operations).toMatchObject([
      { sequence: 1, generation: '', acknowledged: 0, perDay: 700, perMinute: undefined },
      { sequence: 2, generation: 'first', acknowledged: 1, acknowledgedAgo: 300, perMinute: 60 },
    ]);
    expect(operations[0]!.acknowledgedAgo).toBeGreaterThan(1e12);
    expect(operations[0]!.newGeneration).toMatch(/^[\w+/]{12}$/);
    expect(operations[0]!.newGeneration).not.toBe(operations[1]!.newGeneration);
    await link.leave();
    await exchange();
    expect(operations.at(-1)).toMatchObject({ sequence: 4, generation: '' });
  });

  test('tells moments on the clock of the store, as early as they may have been', async () => {
    const report = new Report();
    const quota = { limit: 60, remaining: 5, reset: 9_000 };
    report.succeeded(quota, now - 100, now);
    const limited = { status: 429, quota, retryAfter: 7, sentAt: now - 90 };
    report.rateLimited(limited);
    await exchange({}, report.take());
    // Before the first reply that clock is not known.
    expect(operations[0]).toMatchObject({
      observation: { ...quota, sentAt: 0 },
      rateLimited: { sentAt: 1e15, exhausted: false, retryAfter: 7 },
    });
    trip = 40;
    await exchange();
    trip = 0;
    for (const at of [now - 1_000, now - 1_000, now]) report.succeeded(quota, at - 100, at);
    report.rateLimited({ ...limited, quota: { ...quota, remaining: 0 }, sentAt: now });
    await exchange({}, report.take());
    const [, , told] = operations;
    // The reply took 40 ms, in whose middle the store read its clock: with the drift of both clocks nothing is wider.
    const second = Math.floor((now + ahead) / 1_000);
    expect(told!.times).toEqual([
      [second - 1, 2],
      [second, 1],
    ]);
    expect(told!.observation!.sentAt).toBeCloseTo(now - 100 + ahead, 0);
    expect(told!.rateLimited).toMatchObject({ exhausted: true });
    expect(told!.rateLimited!.sentAt).toBeCloseTo(now + ahead, 0);
  });

  test('tells how far the clock of the service is ahead of that of the store, once both are known', async () => {
    link.service.observe(7_000, 8_000, now);
    await exchange();
    expect(operations[0]!.clock).toBeUndefined();
    await exchange();
    expect(operations[1]!.clock).toEqual({ low: 7_000 - ahead, high: 8_000 - ahead });
  });

  test('counts the replies in a row that ask for a repetition', async () => {
    answer = () => ({ repeat: operations.length < 3 });
    for (let count = 0; count < 4; count += 1) await exchange();
    expect(operations.map(({ repeats }) => repeats)).toEqual([0, 1, 2, 0]);
  });
});

describe('the moment to ask again', () => {
  test('is that of the reply, no earlier than the clock of the store has surely reached it', async () => {
    trip = 100;
    answer = () => ({ retryAt: 1_010_000 + ahead });
    await exchange();
    expect(link.offset).toMatchObject({ low: ahead - 50, high: ahead + 50 });
    expect(link.retryAt).toBe(1_010_050);
    await exchange({ need: 0 });
    expect(link.retryAt).toBe(-Infinity);
    expect(link.toLocal(0)).toBe(-Infinity);
    const hold = { resumeAt: ahead + 9, holdEndsAt: ahead + 8, serverHoldUntil: -1 };
    const { low } = link.offset;
    expect(link.holdOf(hold as SyncReply)).toEqual({
      resumeAt: ahead + 9 - low,
      endsAt: ahead + 8 - low,
      serverHoldUntil: -Infinity,
    });
  });

  test('is 0.5, 1, 2 and then every 4 s after a failure, and the second one loses the store', async () => {
    await exchange();
    answer = fails(new Error('down'));
    const seen: unknown[] = [];
    for (let count = 0; count < 5; count += 1) {
      const exchanged = await exchange();
      seen.push([link.retryAt - now, 'isLost' in exchanged && exchanged.isLost]);
      now = link.retryAt;
    }
    expect(seen).toEqual([
      [500, false],
      [1_000, true],
      [2_000, false],
      [4_000, false],
      [4_000, false],
    ]);
    expect(operations.map(({ aloneFor }) => aloneFor)).toEqual([0, 0, 0, 1_500, 3_500, 7_500]);
    expect([link.failures, link.failingSince]).toEqual([5, 1_000_000]);
  });
});

test('the reason of a failure is one line of at most 200 characters', async () => {
  for (const [failure, reason] of [
    [new Error(`two\n   lines${' and more'.repeat(40)}`), `two lines${' and more'.repeat(40)}`],
    ['a text', 'a text'],
  ] as const) {
    answer = fails(failure);
    expect(await exchange()).toMatchObject({ failure: reason.slice(0, 200) });
  }
});

describe('the events', () => {
  const eventsOf = async () => {
    const exchanged = await exchange();
    return 'events' in exchanged ? exchanged.events.map(({ type }) => type) : 'none';
  };

  test('tell of the first reply, of one after two failures, and of a state that is another', async () => {
    expect(await eventsOf()).toEqual(['fleet-joined']);
    answer = fails(new Error('down'));
    await exchange();
    answer = () => ({});
    expect(await eventsOf()).toEqual([]);
    answer = fails(new Error('down'));
    await exchange();
    await exchange();
    answer = () => ({});
    expect(await eventsOf()).toEqual(['fleet-rejoined']);
    expect(link.failures).toBe(0);
    trip = 100;
    answer = () => ({ generation: 'second' });
    expect(await eventsOf()).toEqual(['fleet-state-lost']);
    // Another store may have another clock.
    expect(link.offset).toMatchObject({ low: ahead - 50, high: ahead + 50 });
    await link.leave();
    answer = () => ({ generation: 'third' });
    expect(await eventsOf()).toEqual([]);
  });

  test('a store that fails says nothing of its state', async () => {
    answer = fails(new Error('down'));
    expect(await link.peek()).toBeUndefined();
    await link.leave();
    expect(link.failures).toBe(0);
  });
});
