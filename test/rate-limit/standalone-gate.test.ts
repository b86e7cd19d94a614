import { expect, test } from 'vitest';
import { GateRefusedError, type HoldChange } from '../../src/index.js';
import {
  askMany,
  epoch,
  granted,
  minute,
  pro,
  refused,
  stage,
  type Said,
} from '../support/gate-stage.js';

test('a permit counts once, and later calls on it have no effect', async () => {
  const at = stage();
  const first = await at.ask();
  await first.answer(200);
  await first.answer(200);
  first.permit!.lose();
  first.permit!.cancel();
  expect(granted(await askMany(at, 4))).toBe(2);
});

test('a request that was never sent gives its place to the next', async () => {
  const at = stage();
  const [first, second] = await askMany(at, 2);
  expect(second!.permit).toBeUndefined();
  first!.permit!.cancel();
  await at.pass(1);
  expect(second!.permit).toBeDefined();
  await second!.answer(200, pro(1));
  const third = await at.ask();
  third.permit!.cancel();
  expect((await at.ask()).permit, 'nothing was spent').toBeDefined();
});

test('a request without a response counts as used', async () => {
  const at = stage();
  await (await at.ask()).answer(200, pro(1));
  const second = await at.ask();
  second.permit!.lose();
  const third = await at.ask();
  expect(third.permit).toBeUndefined();
  await at.pass(61_000 - 1);
  expect(third.permit).toBeUndefined();
  await at.pass(1);
  expect(third.permit).toBeDefined();
});

test('when the window is exhausted and no Reset is known, the gate waits 15 s', async () => {
  const at = stage();
  await (await at.ask()).answer(200, { limit: 60, remaining: 0 });
  const next = await at.ask();
  await at.pass(15_999);
  expect(next.permit).toBeUndefined();
  await at.pass(1);
  expect(next.permit).toBeDefined();
});

test('a plan given beforehand is ignored after a 429', async () => {
  const at = stage();
  await (await at.ask()).answer(429, { retryAfter: 1 });
  at.gate.expect(300);
  await at.pass(2_000);
  expect(granted(await askMany(at, 10))).toBe(1);
});

test('a plan given beforehand permits the first burst', async () => {
  const at = stage();
  at.gate.expect(300);
  // Four, until an answer shows that the Limit is in the headers.
  expect(granted(await askMany(at, 10))).toBe(4);
});

test('a call with an aborted signal rejects with its reason, and takes no place', async () => {
  const at = stage();
  const reason = new Error('never mind');
  expect((await at.ask({ signal: AbortSignal.abort(reason) })).refusal).toBe(reason);
  expect((await at.ask()).permit).toBeDefined();
});

test('when the first call of the queue is aborted, the next is sent if it may', async () => {
  const at = stage();
  await (await at.ask()).answer(200, pro(200));
  const stop = new AbortController();
  const running = await at.ask();
  const [narrow, wide] = [await at.ask({ maxConcurrency: 1, signal: stop.signal }), await at.ask()];
  expect([running.permit !== undefined, narrow.permit, wide.permit]).toEqual([
    true,
    undefined,
    undefined,
  ]);
  stop.abort(new Error('gone'));
  await at.pass(1);
  expect(narrow.refusal).toBe(stop.signal.reason);
  expect(wide.permit).toBeDefined();
});

test('a call that a full queue rejects is never permitted later', async () => {
  const at = stage();
  const [first, second, third] = [
    await at.ask({ maxQueue: 1 }),
    await at.ask({ maxQueue: 1 }),
    await at.ask({ maxQueue: 1 }),
  ];
  expect(third.refusal).toMatchObject({ reason: 'queue' });
  await first.answer(200);
  await second.answer(200);
  expect(third.permit).toBeUndefined();
  expect(at.gate.isIdle(Infinity)).toBe(true);
});

test('a gate is idle when no call waits, nothing is in flight, there is no hold, and its last use is long ago', async () => {
  const at = stage();
  const first = await at.ask();
  expect(at.gate.isIdle(Infinity)).toBe(false);
  const second = await at.ask();
  await first.answer(429, { retryAfter: 30 });
  expect(at.gate.isIdle(Infinity), 'a call waits').toBe(false);
  await at.pass(31_000);
  await second.answer(200);
  const end = at.now();
  expect([at.gate.isIdle(end), at.gate.isIdle(end + 1)]).toEqual([false, true]);
  await (await at.ask()).answer(429, { retryAfter: 60 });
  const until = at.now() + 61_000;
  expect([at.gate.isIdle(until), at.gate.isIdle(until + 1)]).toEqual([false, true]);
});

test('a call that joins during a hold beyond its maxHold rejects at once, although others wait', async () => {
  const at = stage();
  await (await at.ask()).answer(429, { retryAfter: 60 });
  const patient = await at.ask();
  const hurried = await at.ask({ maxHold: 59_999 });
  expect(hurried.refusal).toBeInstanceOf(GateRefusedError);
  expect(hurried.refusal).toMatchObject({ reason: 'hold', retryAfter: 60_000 });
  expect([patient.permit, patient.refusal]).toEqual([undefined, undefined]);
  expect((await at.ask({ maxHold: 60_000 })).refusal).toBeUndefined();
});

test('when a hold becomes longer, calls beyond their maxHold reject, and one timer runs', async () => {
  const at = stage();
  await (await at.ask()).answer(200, pro(200));
  const [first, second] = await askMany(at, 2);
  await first!.answer(429, { retryAfter: 10 });
  const changes: HoldChange[] = [];
  const [hurried, patient] = [
    await at.ask({ maxHold: 30_000 }),
    await at.ask({ onHold: (change) => changes.push(change) }),
  ];
  expect([hurried.refusal, at.timers()]).toEqual([undefined, 1]);
  await second!.answer(429, { retryAfter: 50 });
  expect(hurried.refusal).toMatchObject({ reason: 'hold', retryAfter: 50_000 });
  expect([patient.refusal, at.timers()]).toEqual([undefined, 1]);
  await at.pass(50_999);
  expect(patient.permit).toBeUndefined();
  await at.pass(1);
  expect(patient.permit).toBeDefined();
  expect(changes).toEqual([{ type: 'hold', delay: 11_000, fromServer: true }, { type: 'resume' }]);
});

test('when every call has been rejected no timer is left', async () => {
  const at = stage();
  await (await at.ask()).answer(200, pro(200));
  const [first] = await askMany(at, 1);
  const waiting = await askMany(at, 3, { maxConcurrency: 1, maxHold: 5_000 });
  await first!.answer(429, { retryAfter: 10 });
  expect([refused(waiting), at.timers()]).toEqual([3, 0]);
});

test('when the last waiting call is aborted no timer is left', async () => {
  const at = stage();
  await (await at.ask()).answer(429, { retryAfter: 10 });
  const stop = new AbortController();
  await at.ask({ signal: stop.signal });
  expect(at.timers()).toBe(1);
  stop.abort();
  expect(at.timers()).toBe(0);
});

test('a hold is reported with its length, and fromServer is true only when the service stated it', async () => {
  const fromServer = async (status: number, said: Said): Promise<HoldChange[]> => {
    const at = stage();
    const changes: HoldChange[] = [];
    await (await at.ask()).answer(status, said);
    await at.ask({ onHold: (change) => changes.push(change) });
    await at.ask();
    return changes;
  };
  expect(await fromServer(429, { retryAfter: 30 })).toEqual([
    { type: 'hold', delay: 31_000, fromServer: true },
  ]);
  expect(await fromServer(429, {})).toEqual([{ type: 'hold', delay: 15_000, fromServer: false }]);
  expect(await fromServer(429, { retryAfter: 0 })).toEqual([
    { type: 'hold', delay: 1_000, fromServer: false },
  ]);
  expect(await fromServer(200, { limit: 60, remaining: 0, resetIn: 40_000 })).toEqual([
    { type: 'hold', delay: 41_000, fromServer: true },
  ]);
});

test.each([
  [503, { retryAfter: 10 }, 11_000],
  [403, { retryAfter: 10 }, 11_000],
  [503, {}, 0],
  [403, {}, 0],
  [500, { retryAfter: 10 }, 0],
])('a response %i with %j holds the key for %i ms', async (status, said, held) => {
  const at = stage();
  await (await at.ask()).answer(status, said);
  const next = await at.ask();
  expect(next.permit === undefined).toBe(held > 0);
  await at.pass(held);
  expect(next.permit).toBeDefined();
});

test('a late response that arrives during a hold does not end the hold', async () => {
  const at = stage();
  await (await at.ask()).answer(200, pro(299));
  const [first, second] = await askMany(at, 2);
  await first!.answer(429, { retryAfter: 10 });
  await second!.answer(200, pro(250));
  await at.pass(11_000);
  expect(granted(await askMany(at, 10))).toBe(1);
});

test('after a success the next 429 is the first of a series again', async () => {
  const at = stage();
  for (let n = 0; n < 2; n += 1) {
    await (await at.ask()).answer(429, { retryAfter: 1 });
    const next = await at.ask();
    await at.pass(1_999);
    expect(next.permit).toBeUndefined();
    await at.pass(1);
    await next.answer(200);
  }
});

test('in an open window calls in flight and earlier calls count against the remaining quota', async () => {
  const refusedAt = async (before: number) => {
    const at = stage();
    await (await at.ask()).answer(200, { limit: 60, remaining: 10, resetIn: minute });
    await askMany(at, 1, { maxConcurrency: 1 });
    await askMany(at, before, { maxConcurrency: 1 });
    return refused(await askMany(at, 1, { maxConcurrency: 1, waitUntil: at.now() + 30_000 }));
  };
  // 10 are left, of which one is under way: the 70th in the row waits for a whole window.
  expect([await refusedAt(68), await refusedAt(69)]).toEqual([0, 1]);
});

test.each([
  [8_999, 25],
  [9_000, 4],
])(
  'after %i successes in a day, of the 10,000 of the Pro plan, at most %i are under way',
  async (successes, most) => {
    const at = stage();
    const call = {
      ...({
        signal: undefined,
        priority: 'normal',
        waitUntil: Infinity,
        maxHold: 0,
        maxQueue: 0,
      } as const),
      maxConcurrency: 1,
    };
    const headers = new Headers({
      'X-RateLimit-Limit': '300',
      'X-RateLimit-Remaining': '290',
      'X-RateLimit-Reset': String(epoch / 1_000 + 1_060),
    });
    for (let n = 0; n < successes; n += 1)
      (await at.gate.acquire({ ...call, onHold: undefined, place: 0, isRetry: false })).settle({
        status: 200,
        headers,
      });
    expect(granted(await askMany(at, 30))).toBe(most);
  },
);
