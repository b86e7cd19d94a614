import { expect, test } from 'vitest';
import { maxWorlds, Worlds } from '../../../mocks/control/worlds.js';
import { createMockService } from '../../../mocks/index.js';
import { toResponse } from '../../../mocks/http/response.js';
import { createApp } from '../../../mocks/standalone/app.js';
import { control, json } from '../../support/control.js';
import { portRequest } from '../../support/port-request.js';

const key = { Authorization: 'Bearer mock-free' };
const inWorld = (name: string) => ({ 'X-Mock-World': name });

test('a world has pets, quotas, faults and a clock of its own', async () => {
  const { service, app, ask } = control();
  const list = (headers: Record<string, string>) =>
    app(new Request('http://127.0.0.1:4010/v1/pets', { headers: { ...key, ...headers } }));
  await ask('POST', '/_mock/faults', { status: 503 }, inWorld('worker-3'));
  await ask('POST', '/_mock/clock', { advance: '61s' }, inWorld('worker-3'));
  await ask('DELETE', '/_mock/pets', undefined, inWorld('worker-4'));
  expect((await list(inWorld('worker-3'))).status).toBe(503);
  expect((await list({})).status).toBe(200);
  expect(await (await list(inWorld('worker-4'))).json()).toEqual([]);
  expect([service.requests.length, service.pets.size, service.clock.now()]).toEqual([
    1,
    3,
    Date.UTC(2026, 0, 1),
  ]);
  expect(await json(ask('GET', '/_mock/worlds'))).toEqual([
    { name: '', pets: 3, requests: 1 },
    { name: 'worker-3', pets: 3, requests: 1 },
    { name: 'worker-4', pets: 0, requests: 1 },
  ]);
});

test('a removed world starts again from its initial state, and the first one cannot be removed', async () => {
  const { ask } = control();
  await ask('DELETE', '/_mock/pets', undefined, inWorld('w'));
  expect((await ask('DELETE', '/_mock/worlds/w')).status).toBe(204);
  expect((await ask('DELETE', '/_mock/worlds/w')).status).toBe(404);
  expect((await ask('DELETE', '/_mock/worlds/')).status).toBe(404);
  expect(await json(ask('GET', '/_mock/pets', undefined, inWorld('w')))).toMatchObject({ size: 3 });
});

test('there are at most 100 worlds, their names are short words, and a server without createWorld has one', async () => {
  const { app, worlds, ask } = control({ seed: 0 });
  for (let count = 0; count < maxWorlds; count++) worlds.get(`w${count}`);
  const refused = await ask('GET', '/_mock/state', undefined, inWorld('one-more'));
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([
    409,
    'too_many_worlds',
  ]);
  const service = await app(
    new Request('http://127.0.0.1:4010/v1/pets', { headers: inWorld('a b') }),
  );
  expect([service.status, service.headers.get('Access-Control-Allow-Origin')]).toEqual([400, '*']);
  const alone = createApp(new Worlds(createMockService()), { host: '127.0.0.1' });
  const answer = toResponse(
    await alone(
      portRequest(new Request('http://127.0.0.1:4010/v1/pets', { headers: inWorld('w') })),
    ),
  );
  expect([answer.status, await answer.json()]).toEqual([
    409,
    expect.objectContaining({ code: 'one_world' }),
  ]);
});

test('PUT assumptions replaces the assumptions of a world, and keeps all state but the journal', async () => {
  const { app, ask } = control();
  await ask('POST', '/_mock/clock', { advance: '61s' });
  await ask('PUT', '/_mock/keys/mock-free', { exhaust: 'minute' });
  await ask('POST', '/_mock/faults', { delay: 1 });
  const before = await json<object>(ask('GET', '/_mock/snapshot'));
  const given = { retryAfter: 'http-date', name: { pattern: '[a-z]+', flags: 'i' } };
  expect((await ask('PUT', '/_mock/assumptions', given)).status).toBe(204);
  expect(await json(ask('GET', '/_mock/snapshot'))).toEqual(before);
  expect(await json(ask('GET', '/_mock/assumptions'))).toMatchObject({ retryAfter: 'http-date' });
  const answer = await app(new Request('http://127.0.0.1:4010/v1/pets', { headers: key }));
  expect([answer.status, answer.headers.get('Retry-After')]).toEqual([
    429,
    'Thu, 01 Jan 2026 00:02:00 GMT',
  ]);
  const all = await json<object>(ask('GET', '/_mock/assumptions'));
  expect((await ask('PUT', '/_mock/assumptions', all)).status).toBe(204);
  expect(await json(ask('GET', '/_mock/assumptions'))).toEqual(all);
});

test.each(
  (['system', 'virtual'] as const).flatMap((clock) =>
    (['fixed', 'sliding'] as const).flatMap((dayWindow) =>
      [86_400_000, -86_400_000].map((by) => ({ clock, dayWindow, by })),
    ),
  ),
)(
  'PUT assumptions keeps the clock and what the keys have used: a $clock clock, $dayWindow windows, moved by $by ms',
  async ({ clock, dayWindow, by }) => {
    const assumptions = { dayWindow, minuteWindow: 'sliding' } as const;
    const { worlds, app, ask } = control({ clock, assumptions });
    await ask('POST', '/_mock/clock', { set: worlds.first.clock.now() + by });
    for (let sent = 0; sent < 3; sent++)
      await app(new Request('http://127.0.0.1:4010/v1/pets', { headers: key }));
    const moved = worlds.first.clock.now();
    expect((await ask('PUT', '/_mock/assumptions', { ...assumptions, retryAfter: 9 })).status).toBe(
      204,
    );
    const { clock: kept, keys } = worlds.first;
    expect([kept.now() - moved >= 0, kept.now() - moved < 60_000]).toEqual([true, true]);
    const { minute, day } = keys.get('mock-free').usage;
    expect([minute.used, day.used]).toEqual([3, 3]);
  },
);
