import { expect, test } from 'vitest';
import { maxWorlds, Worlds, type CreateWorld } from '../../../mocks/control/worlds.js';
import { createMockService } from '../../../mocks/index.js';
import { createApp } from '../../../mocks/standalone/app.js';
import { asking, control, json } from '../../support/control.js';

const inWorld = (name: string) => ({ 'X-Mock-World': name });

test('a world has pets, quotas, faults and a clock of its own', async () => {
  const { service, ask } = control();
  const list = (headers: object) => ask('GET', '/v1/pets', undefined, headers);
  await ask('POST', '/_mock/faults', { status: 503 }, inWorld('worker-3'));
  await ask('POST', '/_mock/clock', { advance: '61s' }, inWorld('worker-3'));
  await ask('DELETE', '/_mock/pets', undefined, inWorld('worker-4'));
  expect((await list(inWorld('worker-3'))).status).toBe(503);
  expect((await list({})).status).toBe(200);
  expect(await json(list(inWorld('worker-4')))).toEqual([]);
  expect([service.pets.size, service.clock.now()]).toEqual([3, Date.UTC(2026, 0, 1)]);
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
  const { worlds, ask } = control({ seed: 0 });
  for (let count = 0; count < maxWorlds; count++) worlds.get(`w${count}`);
  const refused = await ask('GET', '/_mock/state', undefined, inWorld('one-more'));
  expect([refused.status, await refused.json()]).toMatchObject([409, { code: 'too_many_worlds' }]);
  const { status, headers } = await ask('GET', '/v1/pets', undefined, inWorld('a b'));
  expect([status, headers.get('Access-Control-Allow-Origin')]).toEqual([400, '*']);
  expect(headers.get('X-Mock-Explain')).toMatch(/^X-Mock-World must be/);
  const alone = asking(createApp(new Worlds(createMockService()), ['127.0.0.1']));
  const answer = await alone.ask('GET', '/v1/pets', undefined, inWorld('w'));
  expect([answer.status, await answer.json()]).toMatchObject([409, { code: 'one_world' }]);
  const create = (() => Promise.resolve(createMockService())) as unknown as CreateWorld;
  const wrong = asking(createApp(new Worlds(createMockService(), create), ['127.0.0.1']));
  const told = await (await wrong.ask('GET', '/_mock/state', undefined, inWorld('w'))).text();
  expect(told).toContain('createWorld }) takes a service that createMockService made, got an in');
});

test('PUT assumptions replaces the assumptions of a world, and takes what GET shows', async () => {
  const { ask } = control();
  const given = { retryAfter: 'http-date', name: { pattern: '[a-z]+', flags: 'i' } };
  expect((await ask('PUT', '/_mock/assumptions', given)).status).toBe(204);
  const all = await json<object>(ask('GET', '/_mock/assumptions'));
  expect(all).toMatchObject({ retryAfter: 'http-date' });
  await ask('PUT', '/_mock/keys/mock-free', { exhaust: 'minute' });
  const { status, headers } = await ask('GET', '/v1/pets');
  const until = 'Thu, 01 Jan 2026 00:01:00 GMT';
  expect([status, headers.get('Retry-After')]).toEqual([429, until]);
  expect((await ask('PUT', '/_mock/assumptions', all)).status).toBe(204);
  expect(await json(ask('GET', '/_mock/assumptions'))).toEqual(all);
});

test.each(['system', 'virtual'] as const)(
  'PUT assumptions keeps all state but the journal, the ids of faults included, with a %s clock that was moved',
  async (clock) => {
    for (const by of [86_400_000, -86_400_000])
      for (const dayWindow of ['fixed', 'sliding'] as const) {
        const assumptions = { dayWindow, minuteWindow: 'sliding' } as const;
        const { worlds, ask } = control({ clock, assumptions });
        await ask('POST', '/_mock/clock', { set: worlds.first.clock.now() + by });
        for (let sent = 0; sent < 3; sent++) await ask('GET', '/v1/pets');
        for (const delay of [1, 2, 3]) await ask('POST', '/_mock/faults', { delay });
        for (const id of [1, 3]) await ask('DELETE', `/_mock/faults/${id}`);
        const { now: moved, ...before } = worlds.first.snapshot();
        await ask('PUT', '/_mock/assumptions', { ...assumptions, retryAfter: 9 });
        const { now, ...after } = worlds.first.snapshot();
        expect(after).toEqual(before);
        expect([now - moved >= 0, now - moved < 60_000]).toEqual([true, true]);
        expect(worlds.first.keys.get('mock-free').usage.day.used).toBe(3);
        expect(worlds.first.faults.add({ delay: 4 }).id).toBe(4);
      }
  },
);
