import { expect, test } from 'vitest';
import { createMockService } from '../../../mocks/index.js';
import { call, quota } from '../../support/raw.js';

test('a key is added on a published plan, or with numbers of its own', async () => {
  const service = createMockService({ clock: 'virtual', keys: { early: { plan: 'business' } } });
  expect([service.keys.get('early').plan, service.keys.get('early').quota]).toEqual([
    'business',
    { perMinute: 1_000, perDay: 100_000 },
  ]);
  const key = service.keys.add('mine', { plan: { perMinute: 2, perDay: 3 } });
  expect([key.plan, key.quota, key.limits]).toEqual(['custom', { perMinute: 2, perDay: 3 }, 'on']);
  expect(quota((await call(service, '/pets', { key: 'mine' })).headers)).toMatchObject({
    limit: 2,
    remaining: 1,
  });
  expect(service.keys.list().map((each) => each.key)).toEqual([
    'mock-free',
    'mock-pro',
    'mock-business',
    'mock-enterprise',
    'early',
    'mine',
  ]);
});

test('a known key that is added again changes its plan, and keeps what it has used', async () => {
  const service = createMockService({ clock: 'virtual' });
  const key = service.keys.get('mock-free');
  key.exhaust('minute');
  expect((await call(service, '/pets')).status).toBe(429);
  service.keys.add('mock-free', { plan: 'pro' });
  expect([key.plan, key.usage.minute.used]).toEqual(['pro', 60]);
  expect(quota((await call(service, '/pets')).headers)).toMatchObject({
    limit: 300,
    remaining: 239,
  });
  expect(service.requests.at(-1)!.inCoolDown).toBe(false);
});

test('a revoked key is 401, and asking for it says which keys there are', async () => {
  const service = createMockService();
  service.keys.get('mock-free').revoke();
  expect((await call(service, '/pets')).status).toBe(401);
  expect([
    service.keys.has('mock-free'),
    service.keys.revoke('mock-free'),
    service.keys.revoke('mock-pro'),
  ]).toEqual([false, false, true]);
  expect(() => service.keys.get('mock-free')).toThrow(/Known: mock-business, mock-enterprise/);
});

test('usage counts what was used in both windows', async () => {
  const service = createMockService({ clock: 'virtual' });
  for (let sent = 0; sent < 3; sent++) await call(service, '/pets');
  service.clock.advance('1m');
  await call(service, '/pets');
  const now = service.clock.now();
  expect(service.keys.get('mock-free').usage).toEqual({
    minute: { limit: 60, used: 1, remaining: 59, resetAt: now + 60_000 },
    day: { limit: 1_000, used: 4, remaining: 996, resetAt: Date.UTC(2026, 0, 2) },
  });
});

test('setRemaining and exhaust set the number of requests left in the window, by default in the minute', async () => {
  const service = createMockService({ clock: 'virtual' });
  const key = service.keys.get('mock-free');
  key.setRemaining(2);
  expect(key.usage.day.remaining).toBe(1_000);
  expect([
    (await call(service, '/pets')).status,
    (await call(service, '/pets')).status,
    (await call(service, '/pets')).status,
  ]).toEqual([200, 200, 429]);
  service.clock.advance('1m');
  key.exhaust('day');
  expect((await call(service, '/pets')).headers.get('retry-after')).toBe(String(86_400 - 60));
  for (const bad of [-1, 1_001, 0.5, NaN])
    expect(() => key.setRemaining('day', bad)).toThrow(/from 0 to the limit 1000/);
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
  expect(quota((await call(service, '/pets')).headers)).toEqual({
    limit: 1_000,
    remaining: 0,
    reset: Date.UTC(2026, 0, 2) / 1_000,
  });
});

test('ban bans at once for the given time, and unban ends it', async () => {
  const service = createMockService({ clock: 'virtual' });
  const key = service.keys.get('mock-free');
  key.ban('10s');
  expect(key.bannedUntil).toBe(service.clock.now() + 10_000);
  const banned = await call(service, '/pets');
  expect([banned.status, banned.json.code, banned.headers.get('retry-after')]).toEqual([
    429,
    'api_key_banned',
    '10',
  ]);
  service.clock.advance('10s');
  expect([key.bannedUntil, (await call(service, '/pets')).status]).toEqual([undefined, 200]);
  key.ban();
  expect((await call(service, '/pets')).headers.get('retry-after')).toBe('600');
  key.unban();
  expect((await call(service, '/pets')).status).toBe(200);
  expect(service.report().bans).toBe(0);
  expect(() => key.ban('soon' as never)).toThrow(RangeError);
});

test('limits can be switched off, for a key or for the service', async () => {
  const off = createMockService({ limits: 'off' });
  for (let sent = 0; sent < 70; sent++) {
    const { status, headers } = await call(off, '/pets');
    expect([status, quota(headers).remaining]).toEqual([200, 60]);
  }
  const one = createMockService();
  one.keys.add('free', { plan: 'free', limits: 'off' });
  for (const key of ['free', 'mock-free']) one.keys.get(key).exhaust('minute');
  expect([
    (await call(one, '/pets', { key: 'free' })).status,
    (await call(one, '/pets')).status,
  ]).toEqual([200, 429]);
  one.keys.get('free').ban('1m');
  expect((await call(one, '/pets', { key: 'free' })).status).toBe(429);
});

test('the headers of a banned key say that nothing is left until the end of the ban', async () => {
  const service = createMockService({ clock: 'virtual' });
  service.keys.get('mock-free').ban('10m');
  const { status, headers } = await call(service, '/pets');
  expect([status, quota(headers)]).toEqual([
    429,
    { limit: 60, remaining: 0, reset: service.clock.now() / 1_000 + 600 },
  ]);
  expect(service.requests.at(-1)!.remaining).toBe(0);
  service.clock.advance('10m');
  expect(quota((await call(service, '/pets')).headers).remaining).toBe(59);
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
