import { expect, test } from 'vitest';
import { createMockService, knownKeys, type WindowKind } from '../../../mocks/index.js';
import { assume, call, quota, statusesOf } from '../../support/raw.js';
import { createWindow, type WindowState } from '../../../mocks/limits/windows.js';
import { fc } from '../../support/fuzz.js';

const start = Date.UTC(2026, 0, 1) / 1_000;

test.for([
  ['mock-free', 60, 1_000],
  ['mock-pro', 300, 10_000],
  ['mock-business', 1_000, 100_000],
  ['mock-enterprise', 1_000_000, 1_000_000_000],
] as const)(
  'the key %s has %i requests a minute and %i a day, and is then answered 429 with Retry-After',
  async ([key, perMinute, perDay]) => {
    expect(knownKeys).toHaveProperty(key);
    const service = createMockService({ clock: 'virtual' });
    const expectAnswer = async (expected: object, wait: string | null) => {
      const { status, headers, json } = await call(service, '/pets', { key });
      expect(quota(headers)).toEqual(expected);
      expect([status, headers.get('retry-after')]).toEqual([wait === null ? 200 : 429, wait]);
      if (wait !== null)
        expect(json).toEqual({
          code: 'rate_limit_exceeded',
          message: expect.any(String) as string,
          status: 429,
        });
    };
    const minute = { limit: perMinute, reset: start + 60 };
    await expectAnswer({ ...minute, remaining: perMinute - 1 }, null);
    service.keys.get(key).setRemaining('minute', 1);
    await expectAnswer({ ...minute, remaining: 0 }, null);
    service.clock.advance('17s');
    await expectAnswer({ ...minute, remaining: 0 }, '43');
    service.clock.advance('43s');
    service.keys.get(key).setRemaining('day', 1);
    const day = { limit: perDay, remaining: 0, reset: start + 86_400 };
    await expectAnswer(day, null);
    await expectAnswer(day, String(86_400 - 60));
  },
);

test('a key is added on a published plan, or with numbers of its own', async () => {
  const service = createMockService({ keys: { early: { plan: 'business' } } });
  const { keys } = service;
  const business = { plan: 'business', quota: { perMinute: 1_000, perDay: 100_000 } };
  expect(keys.get('early')).toMatchObject(business);
  const plan = { perMinute: 2, perDay: 3 };
  const mine = keys.add('mine', { plan });
  expect(mine).toMatchObject({ plan: 'custom', quota: plan, limits: 'on' });
  const { headers } = await call(service, '/pets', { key: 'mine' });
  expect(quota(headers)).toMatchObject({ limit: 2, remaining: 1 });
  const all = [...Object.keys(knownKeys), 'early', 'mine'];
  expect(keys.list().map(({ key }) => key)).toEqual(all);
});

test('a revoked key is 401, and asking for it says which keys there are', async () => {
  const service = createMockService();
  const { keys } = service;
  keys.get('mock-free').revoke();
  expect((await call(service, '/pets')).status).toBe(401);
  expect([keys.has('mock-free'), keys.revoke('mock-free')]).toEqual([false, false]);
  expect(keys.revoke('mock-pro')).toBe(true);
  expect(() => keys.get('mock-free')).toThrow(/Known: mock-business, mock-enterprise/);
});

test('setRemaining and exhaust set the number of requests left in a window, by default in the minute, and requests left end a cool-down; of two exhausted windows the longer is reported', async () => {
  const service = createMockService({ clock: 'virtual' });
  const key = service.keys.get('mock-free');
  key.exhaust('minute');
  await call(service, '/pets');
  key.setRemaining(2);
  expect(key.usage.day.remaining).toBe(1_000);
  for (const status of [200, 200, 429]) expect((await call(service, '/pets')).status).toBe(status);
  expect(service.requests.some(({ inCoolDown }) => inCoolDown)).toBe(false);
  key.exhaust('day');
  const { headers } = await call(service, '/pets');
  expect(quota(headers)).toEqual({ limit: 1_000, remaining: 0, reset: start + 86_400 });
  expect(headers.get('retry-after')).toBe('86400');
});

test('ban bans at once for the given time, of which nothing is left until its end, and unban ends it', async () => {
  const service = createMockService({ clock: 'virtual' });
  const key = service.keys.get('mock-free');
  const now = service.clock.now();
  key.ban('10s');
  expect(key.bannedUntil).toBe(now + 10_000);
  const { status, json, headers } = await call(service, '/pets');
  expect([status, json.code, headers.get('retry-after')]).toEqual([429, 'api_key_banned', '10']);
  expect(quota(headers)).toEqual({ limit: 60, remaining: 0, reset: now / 1_000 + 10 });
  expect(service.requests.at(-1)!.remaining).toBe(0);
  service.clock.advance('10s');
  expect(key.bannedUntil).toBeUndefined();
  expect(quota((await call(service, '/pets')).headers).remaining).toBe(59);
  key.ban();
  expect((await call(service, '/pets')).headers.get('retry-after')).toBe('600');
  key.unban();
  expect((await call(service, '/pets')).status).toBe(200);
  expect(service.report().bans).toBe(0);
});

test('limits can be switched off, for a key or for the service', async () => {
  const off = createMockService({ limits: 'off' });
  expect(await statusesOf(off, 70)).toEqual(Array(70).fill(200));
  expect(quota((await call(off, '/pets')).headers).remaining).toBe(60);
  const one = createMockService();
  const statusOf = async (key: string) => (await call(one, '/pets', { key })).status;
  one.keys.add('free', { plan: 'free', limits: 'off' });
  for (const key of ['free', 'mock-free']) one.keys.get(key).exhaust('minute');
  expect([await statusOf('free'), await statusOf('mock-free')]).toEqual([200, 429]);
  one.keys.get('free').ban('1m');
  expect(await statusOf('free')).toBe(429);
});

test('the first requests that are told of a ban by ban() could not know of it, the later ones could', async () => {
  const service = createMockService({ clock: 'virtual' });
  const key = service.keys.get('mock-free');
  key.ban('10m');
  const [told] = await Promise.all([call(service, '/pets'), call(service, '/pets')]);
  expect(told.headers.get('x-mock-explain')).toMatch(/^api_key_banned: [^,]* until \S+; keys\.get/);
  service.report().assertPolite();
  // A client that was told is not excused again when the ban is prolonged.
  key.ban('20m');
  await call(service, '/pets');
  expect(service.requests.map(({ inCoolDown }) => inCoolDown)).toEqual([false, false, true]);
  key.unban();
  key.ban('10m');
  await call(service, '/pets');
  service.clock.advance('10m');
  key.ban('10m');
  await call(service, '/pets');
  expect(service.report()).toMatchObject({ requests: 5, rateLimited: 5, duringCoolDown: 1 });
});

const length = 60_000;

/** How many requests a window leaves (a bucket: with a fraction), when all are free again, and when one more is. */
type Naive = Readonly<Record<'free' | 'full' | 'next-slot', number>>;

/** The windows in a naive way: they look at the time of every request that was counted, each time. */
const naive: Record<WindowKind, (counted: readonly number[], now: number, limit: number) => Naive> =
  {
    fixed(counted, now, limit) {
      const start = now - (now % length);
      const used = counted.filter((at) => at >= start && at < start + length).length;
      return { free: limit - used, full: start + length, 'next-slot': start + length };
    },
    'from-first'(counted, now, limit) {
      let start = -Infinity;
      let used = 0;
      for (const at of [...counted, now]) {
        if (at >= start + length) [start, used] = [at, 0];
        used++;
      }
      return { free: limit - used + 1, full: start + length, 'next-slot': start + length };
    },
    sliding(counted, now, limit) {
      const current = counted.filter((at) => at > now - length);
      const [none, last = none] = [now - length, current.at(-1)];
      // Where refused requests count, the oldest ones may free no slot.
      const freed = current[Math.max(0, current.length - limit)] ?? none;
      return { free: limit - current.length, full: last + length, 'next-slot': freed + length };
    },
    'token-bucket'(counted, now, limit) {
      // Tokens drip in evenly, and never beyond the limit.
      const perToken = length / limit;
      let tokens = limit;
      let last = -Infinity;
      for (const at of [...counted, now]) {
        tokens = Math.min(limit, tokens + (at - last) / perToken) - 1;
        last = at;
      }
      const free = tokens + 1;
      const full = now + (limit - free) * perToken;
      const next = Math.max(0, Math.floor(free + 1e-9)) + 1 - free;
      return { free, full, 'next-slot': Math.min(full, now + next * perToken) };
    },
  };

const kinds = Object.keys(naive) as WindowKind[];
const step = fc.record({
  gap: fc.oneof(
    fc.constantFrom(0, length - 12_345, length),
    fc.nat(2_000),
    fc.integer({ min: -3_000, max: 90_000 }),
  ),
  action: fc.constantFrom('count', 'count', 'count', 'count', 'set', 'save'),
  any: fc.nat(),
});

test.for(kinds)('a %s window leaves, resets and admits as a naive one does', (kind) => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 120 }),
      fc.integer({ min: 1, max: 50 }),
      fc.boolean(),
      fc.constantFrom('full', 'next-slot'),
      (steps, limit, refusedCount, reset) => {
        let window = createWindow(kind, length, reset);
        let counted: number[] = [];
        let now = 1_767_225_600_000 + 12_345;
        const leftAt = (at: number) =>
          Math.max(0, Math.floor(naive[kind](counted, at, limit).free + 1e-9));
        for (const { gap, action, any } of steps) {
          now += kind === 'sliding' ? gap : Math.abs(gap);
          // What was counted before the clock was set back is forgotten.
          if (kind === 'sliding') counted = counted.filter((at) => at <= now && at > now - length);
          window.arrive(now, limit);
          const expected = naive[kind](counted, now, limit);
          const { remaining, nextAt, resetAt } = window.view(now, limit);
          expect(remaining).toBe(leftAt(now));
          expect(Math.abs(resetAt - expected[reset])).toBeLessThan(0.01);
          if (remaining > 0) expect(nextAt).toBe(now);
          else {
            expect(nextAt).toBeGreaterThan(now);
            expect(leftAt(Math.ceil(nextAt))).toBeGreaterThanOrEqual(1);
            expect(leftAt(Math.ceil(nextAt) - 2)).toBe(0);
          }
          if (action === 'save') {
            const text = JSON.stringify(window.save());
            window = createWindow(kind, length, reset, JSON.parse(text) as WindowState);
          } else if (action === 'set') {
            const used = any % (limit + 1);
            window.setRemaining(now, limit, limit - used);
            // A window that has begun ends when it would have ended.
            const isAsBegun = kind === 'fixed' || kind === 'from-first';
            counted = Array<number>(used).fill(isAsBegun ? expected.full - length : now);
          } else if (remaining > 0 || refusedCount) {
            window.count(now, limit);
            counted.push(now);
          }
        }
      },
    ),
    { numRuns: 150 },
  );
});

test.for(kinds)('a %s window still works when the clock is set back', (kind) => {
  const window = createWindow(kind, length, 'full');
  const now = 1_767_225_612_345;
  for (let sent = 0; sent < 3; sent++) window.count(now, 3);
  const back = now - 3_600_000;
  window.arrive(back, 3);
  const { nextAt } = window.view(back, 3);
  expect(nextAt).toBeLessThanOrEqual(back + length);
  expect(window.view(nextAt + 1e-3, 3).remaining).toBeGreaterThan(0);
});

test('a quota of any size can be exhausted in a sliding window, and its snapshot stays small', async () => {
  const assumptions = { dayWindow: 'sliding' } as const;
  const plan = { perMinute: 2 ** 40, perDay: 2 ** 40 };
  // At noon, a day that is fixed would be over sooner.
  const service = assume(assumptions, { keys: { large: { plan } }, now: '2026-01-01T12:00:00Z' });
  service.keys.get('large').setRemaining('day', 1);
  await call(service, '/pets', { key: 'large' });
  expect(JSON.stringify(service.snapshot()).length).toBeLessThan(5_000);
  const last = await call(service, '/pets', { key: 'large' });
  expect(last.headers.get('retry-after')).toBe('86400');
  service.clock.advance('1d');
  expect((await call(service, '/pets', { key: 'large' })).status).toBe(200);
});

test.for(kinds)(
  'a look at the usage of a key, also while the clock is set back or forward, changes nothing in a window of the kind %s',
  async (kind) => {
    const remaining: string[] = [];
    for (const isLookedAt of [false, true]) {
      const service = assume({ minuteWindow: kind, dayWindow: kind });
      for (let sent = 0; sent < 50; sent++) await call(service, '/pets');
      const before = JSON.stringify(service.snapshot().windows);
      const start = service.clock.now();
      for (const away of [-90_000, 90_000]) {
        service.clock.set(start + away);
        if (isLookedAt) expect(service.keys.get('mock-free').usage.minute.limit).toBe(60);
      }
      expect(JSON.stringify(service.snapshot().windows)).toBe(before);
      service.clock.set(start + 10_000);
      const { headers } = await call(service, '/pets');
      remaining.push(headers.get('x-ratelimit-remaining')!);
    }
    expect(remaining[0]).toBe(remaining[1]);
    expect(remaining[0]).toBe(kind === 'token-bucket' ? '19' : '9');
  },
);
