// @ts-nocheck
import { expect, test } from 'vitest';
import { createMockService, knownKeys } from '../../../mocks/index.js';
import { call, quota } from '../../support/raw.js';

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

test('a known key that is added again changes its plan, and keeps what it has used', async () => {
  const service = createMockService({ clock: 'virtual' });
  const key = service.keys.get('mock-free');
  key.exhaust('minute');
  expect((await call(service, '/pets')).status).toBe(429);
  service.keys.add('mock-free', { plan: 'pro' });
  expect([key.plan, key.usage.minute.used]).toEqual(['pro', 60]);
  const { headers } = await call(service, '/pets');
  expect(quota(headers)).toMatchObject({ limit: 300, remaining: 239 });
  expect(service.requests.at(-1)!.inCoolDown).toBe(false);
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

test('setRemaining and exhaust set the number of requests left in the window, by default in the minute', async () => {
  const service = createMockService({ clock: 'virtual' });
  const key = service.keys.get('mock-free');
  key.setRemaining(2);
  expect(key.usage.day.remaining).toBe(1_000);
  for (const status of [200, 200, 429]) expect((await call(service, '/pets')).status).toBe(status);
  service.clock.advance('1m');
  key.exhaust('day');
  expect((await call(service, '/pets')).headers.get('retry-after')).toBe(String(86_400 - 60));
});

test('setRemaining ends a cool-down, and of two exhausted windows the longer is reported', async () => {
  const service = createMockService({ clock: 'virtual' });
  const key = service.keys.get('mock-free');
  key.exhaust('minute');
  await call(service, '/pets');
  key.setRemaining('minute', 5);
  await call(service, '/pets');
  expect(service.requests.map(({ inCoolDown }) => inCoolDown)).toEqual([false, false]);
  key.exhaust('minute');
  key.exhaust('day');
  const ofDay = { limit: 1_000, remaining: 0, reset: Date.UTC(2026, 0, 2) / 1_000 };
  expect(quota((await call(service, '/pets')).headers)).toEqual(ofDay);
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
  for (let sent = 0; sent < 70; sent++) {
    const { status, headers } = await call(off, '/pets');
    expect([status, quota(headers).remaining]).toEqual([200, 60]);
  }
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
  await Promise.all([call(service, '/pets'), call(service, '/pets')]);
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
