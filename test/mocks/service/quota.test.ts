import { expect, test } from 'vitest';
import { createMockService, knownKeys } from '../../../mocks/index.js';
import { call, quota } from '../../support/raw.js';
const start = Date.UTC(2026, 0, 1) / 1_000;

test.for([
  ['mock-free', 60, 1_000],
  ['mock-pro', 300, 10_000],
  ['mock-business', 1_000, 100_000],
] as const)(
  'the key %s has %i requests a minute and %i a day, and is then answered 429 with Retry-After',
  async ([key, perMinute, perDay]) => {
    const service = createMockService({ clock: 'virtual' });
    for (let left = perMinute - 1; left >= 0; left--) {
      const { status, headers } = await call(service, '/pets', { key });
      expect(status).toBe(200);
      expect(quota(headers)).toEqual({ limit: perMinute, remaining: left, reset: start + 60 });
    }
    service.clock.advance('17s');
    const refused = await call(service, '/pets', { key });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('43');
    expect(refused.json).toEqual({
      code: 'rate_limit_exceeded',
      message: expect.any(String) as string,
      status: 429,
    });
    service.clock.advance('43s');
    expect((await call(service, '/pets', { key })).status).toBe(200);

    service.keys.get(key).setRemaining('day', 2);
    const near = await call(service, '/pets', { key });
    expect(quota(near.headers)).toEqual({ limit: perDay, remaining: 1, reset: start + 86_400 });
    await call(service, '/pets', { key });
    const spent = await call(service, '/pets', { key });
    expect(spent.status).toBe(429);
    expect(spent.headers.get('retry-after')).toBe(String(86_400 - 60));
  },
);

test('mock-enterprise may send 1,000,000 requests a minute', async () => {
  const { headers } = await call(createMockService(), '/pets', { key: 'mock-enterprise' });
  expect(quota(headers)).toMatchObject({ limit: 1_000_000, remaining: 999_999 });
  expect(Object.keys(knownKeys)).toEqual([
    'mock-free',
    'mock-pro',
    'mock-business',
    'mock-enterprise',
  ]);
});

test('repeated requests after a 429 ban the key for a time, and the ban ends by itself', async () => {
  const service = createMockService({ clock: 'virtual' });
  service.keys.get('mock-free').exhaust('minute');
  const codes: string[] = [];
  for (let sent = 0; sent < 7; sent++) codes.push((await call(service, '/pets')).json.code);
  expect(codes).toEqual([
    ...new Array<string>(5).fill('rate_limit_exceeded'),
    'api_key_banned',
    'api_key_banned',
  ]);
  service.clock.advance('2m');
  const banned = await call(service, '/pets');
  expect({ status: banned.status, wait: banned.headers.get('retry-after') }).toEqual({
    status: 429,
    wait: '480',
  });
  service.clock.advance('480s');
  expect((await call(service, '/pets')).status).toBe(200);
  expect(service.keys.get('mock-free').strikes).toBe(0);
});
