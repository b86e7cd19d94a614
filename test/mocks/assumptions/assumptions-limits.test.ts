import { expect, test } from 'vitest';
import type { Assumptions, GivenAssumptions } from '../../../mocks/index.js';
import { assume, call, quota } from '../../support/raw.js';

const start = Date.UTC(2026, 0, 1);
const century = 36_525 * 86_400_000;

test('with key-and-operation a key is exhausted for every operation, and its usage is that of the fullest', async () => {
  const service = assume({ countingScope: 'key-and-operation' });
  service.keys.get('mock-free').setRemaining('minute', 1);
  for (const path of ['/pets', '/pets/1', '/nothing']) {
    expect((await call(service, path)).status).not.toBe(429);
    expect((await call(service, path)).status).toBe(429);
  }
  expect(service.keys.get('mock-free').usage.minute.remaining).toBe(0);
});

test('announcedWindow minute hides the day, also when the day is exhausted', async () => {
  const service = assume({ announcedWindow: 'minute' });
  service.keys.get('mock-free').exhaust('day');
  const { status, headers } = await call(service, '/pets');
  expect(quota(headers)).toEqual({ limit: 60, remaining: 60, reset: start / 1_000 + 60 });
  expect([status, headers.get('retry-after')]).toEqual([429, '86400']);
});

test('refusedCount counts rate-limited requests too', async () => {
  for (const refusedCount of [true, false]) {
    const service = assume({ refusedCount, strikes: 'never' });
    service.keys.add('mock-free', { plan: { perMinute: 1, perDay: 3 } });
    for (let sent = 0; sent < 3; sent++) await call(service, '/pets');
    service.clock.advance('1m');
    expect((await call(service, '/pets')).status).toBe(refusedCount ? 429 : 200);
  }
});

test('unauthorizedCount counts the requests without a key, and refuses those beyond unauthorizedQuota', async () => {
  const unauthorizedQuota = { perMinute: 2, perDay: 9 };
  const service = assume({ unauthorizedCount: true, unauthorizedQuota });
  for (const [key, status, remaining] of [
    [null, 401, 1],
    ['nobody', 401, 0],
    [null, 429, 0],
  ] as const) {
    const { headers, ...answer } = await call(service, '/pets', { key });
    expect([answer.status, quota(headers)]).toMatchObject([status, { limit: 2, remaining }]);
  }
});

test.for([
  ['seconds', '31'],
  ['seconds-floored', '30'],
  ['decimal', '30.500'],
  ['milliseconds', '30500'],
  ['http-date', 'Thu, 01 Jan 2026 00:01:00 GMT'],
  ['unix-seconds', String(start / 1_000 + 60)],
  ['unix-milliseconds', String(start + 60_000)],
  ['absent', null],
  [7, '7'],
  [{ raw: 'soon' }, 'soon'],
  [({ now, until, wait }) => `${until - now}/${wait}`, '30500/30500'],
  [() => undefined, null],
] as [Assumptions['retryAfter'], string | null][])(
  'retryAfter %j is written as %j',
  async ([retryAfter, expected]) => {
    const service = assume({ retryAfter }, { now: start + 29_500 });
    service.keys.get('mock-free').exhaust('minute');
    expect((await call(service, '/pets')).headers.get('retry-after')).toBe(expected);
    service.keys.get('mock-free').ban('30500ms');
    expect((await call(service, '/pets')).headers.get('retry-after')).toBe(expected);
  },
);

test.for<[GivenAssumptions, header: string, text: string]>([
  [{ clockSkew: 45_000 }, 'date', 'Thu, 01 Jan 2026 00:00:45 GMT'],
  [{ clockSkew: 45_000 }, 'retry-after', '15'],
  [{ clockSkew: century }, 'date', 'Wed, 02 Jan 2126 00:00:00 GMT'],
  [{ ban: century, strikes: 1 }, 'retry-after', String(century / 1_000)],
  [{ grace: century, strikes: 1 }, 'retry-after', '60'],
])('under %j, %s of the request after a 429 is %j', async ([assumptions, header, text]) => {
  const service = assume(assumptions);
  service.keys.get('mock-free').exhaust('minute');
  await call(service, '/pets');
  expect((await call(service, '/pets')).headers.get(header)).toBe(text);
});

test('nodes disagree on Remaining and on the clock, within their ranges, the same way each time', async () => {
  const run = async () => {
    const service = assume({ nodes: { remaining: [0, 3], clock: [-2_000, 2_000] } });
    const seen: number[][] = [];
    for (let sent = 0; sent < 50; sent++) {
      const { headers } = await call(service, '/pets');
      seen.push([
        quota(headers).remaining - (59 - sent),
        Date.parse(headers.get('date')!) - start,
        quota(headers).reset * 1_000 - start,
      ]);
    }
    return seen;
  };
  const seen = await run();
  expect(new Set(seen.map(([extra]) => extra))).toEqual(new Set([0, 1, 2, 3]));
  for (const [, date, reset] of seen)
    expect([Math.abs(date!) <= 2_000, Math.abs(reset! - 60_000) <= 2_000]).toEqual([true, true]);
  expect(new Set(seen.map(([, date]) => date)).size).toBeGreaterThan(2);
  expect(await run()).toEqual(seen);
});

test.for<[GivenAssumptions, moments: readonly number[], answers: readonly unknown[]]>([
  [{ strikes: 2 }, [1, 2, 3], [429, 429, 'ban', 'ban']],
  [{ strikes: 1, ban: 90_000 }, [1, 90_000, 90_001], [429, 'ban', 'ban', 200]],
  [{ strikes: 'never' }, [1, 2, 3, 4, 5, 6, 60_000], [...new Array<number>(7).fill(429), 200]],
  [{ strikes: 1, grace: 2_000 }, [0, 1_999, 2_000], [429, 429, 429, 'ban']],
  [{ strikes: 1 }, [0], [429, 'ban']],
])('under %j, requests %j ms after a 429 are answered %j', async ([assumptions, at, answers]) => {
  const service = assume(assumptions);
  service.keys.get('mock-free').exhaust('minute');
  const found: unknown[] = [];
  for (const moment of [0, ...at]) {
    service.clock.set(start + moment);
    const { status, json } = await call(service, '/pets');
    found.push(json.code === 'api_key_banned' ? 'ban' : status);
  }
  expect(found).toEqual(answers);
});

test.for([429, 403, 401, 503] as const)('a banned key gets %i as assumed', async (status) => {
  for (const isShown of [true, false]) {
    const answers = { banned: { status, body: isShown, retryAfter: isShown } };
    const service = assume({ answers });
    service.keys.get('mock-free').ban('10s');
    const { headers, ...answer } = await call(service, '/pets');
    expect([answer.status, answer.text !== '']).toEqual([status, isShown]);
    expect(headers.get('retry-after')).toBe(isShown ? '10' : null);
  }
});
