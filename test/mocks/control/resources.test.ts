// Single pets, keys, faults, assumptions, snapshots and worlds over the control API.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { routes } from '../../../mocks/control/routes.js';
import { stringifyJson } from '../../../src/contract/json.js';
import { control, json } from '../../support/control.js';

interface Page {
  readonly size: number;
  readonly pets: readonly { readonly id: number; readonly name: string }[];
}
interface Fault {
  readonly id: number;
  readonly hits: number;
}

const key = { Authorization: 'Bearer mock-free' };

test('a single pet is read, changed and removed by its id', async () => {
  const { service, ask } = control();
  expect(await json(ask('GET', '/_mock/pets/2'))).toMatchObject({ id: 2 });
  expect(await json(ask('PATCH', '/_mock/pets/2', { status: 'sold' }))).toMatchObject({
    id: 2,
    status: 'sold',
  });
  expect(service.pets.get(2)?.status).toBe('sold');
  expect((await ask('DELETE', '/_mock/pets/2')).status).toBe(204);
  expect(service.pets.list().map(({ id }) => id)).toEqual([1, 3]);
  for (const method of ['GET', 'PATCH', 'DELETE'])
    expect((await ask(method, '/_mock/pets/2', method === 'PATCH' ? {} : undefined)).status).toBe(
      404,
    );
  expect((await ask('GET', '/_mock/pets/two')).status).toBe(404);
});

test('GET pets pages from the highest id down, whatever the order of lists', async () => {
  for (const listOrder of ['id-ascending', 'id-descending'] as const) {
    const { ask } = control({ seed: 10_000, assumptions: { listOrder } });
    await ask('POST', '/_mock/pets', { name: 'Newest', categoryId: 1 });
    const first = await json<Page>(ask('GET', '/_mock/pets?limit=2'));
    expect([first.size, first.pets.map(({ id }) => id)]).toEqual([10_001, [10_001, 10_000]]);
    const last = await json<Page>(ask('GET', '/_mock/pets?offset=10000'));
    expect(last.pets.map(({ id }) => id)).toEqual([1]);
    expect((await json<Page>(ask('GET', '/_mock/pets?offset=10001'))).pets).toEqual([]);
  }
});

test('GET pets finds a pet by its id, by a part of its name, and by its status', async () => {
  const { ask } = control({
    seed: [
      { id: 7, name: 'Rex', categoryId: 1, status: 'sold' },
      { id: 70, name: 'T-Rex', categoryId: 1, status: 'available' },
    ],
  });
  const found = async (query: string) =>
    (await json<Page>(ask('GET', `/_mock/pets?${query}`))).pets.map(({ id }) => id);
  expect(await found('search=7')).toEqual([7]);
  expect(await found('search=rex')).toEqual([70, 7]);
  expect(await found('search=rex&status=sold')).toEqual([7]);
  expect(await found('status=available')).toEqual([70]);
});

test('an array of pets is added as a whole, or not at all', async () => {
  const { service, ask } = control();
  const pets = [
    { name: 'A', categoryId: 1 },
    { id: 4, name: 'B', categoryId: 1 },
  ];
  const refused = await ask('POST', '/_mock/pets', pets);
  expect([refused.status, service.pets.size]).toEqual([400, 3]);
  expect((await ask('POST', '/_mock/pets', pets.slice(0, 1))).status).toBe(200);
  expect(service.pets.get(4)?.name).toBe('A');
});

test('a change of a key is made as a whole, or not at all', async () => {
  const { service, ask } = control();
  const before = await (await ask('GET', '/_mock/keys')).text();
  for (const change of [
    { plan: 'pro', remaining: { minute: 301 } },
    { exhaust: 'day', remaining: { minute: 1, day: 1_001 } },
    { exhaust: 'day', ban: '1e9d' },
    { exhaust: 'day', ban: 1e300 },
    { exhaust: 'day', ban: -1 },
    { plan: 'gold', exhaust: 'day' },
  ]) {
    expect((await ask('PUT', '/_mock/keys/mock-free', change)).status).toBe(400);
    expect((await ask('PUT', '/_mock/keys/new', { plan: 'free', ...change })).status).toBe(400);
  }
  expect((await ask('PUT', '/_mock/keys/a%20b', {})).status).toBe(400);
  expect(await (await ask('GET', '/_mock/keys')).text()).toBe(before);
  expect(service.keys.has('new')).toBe(false);
});

test('a change of a key that does not name its plan leaves its cool-down and its limits alone', async () => {
  const { service, ask } = control({
    keys: { own: { plan: { perMinute: 5, perDay: 9 }, limits: 'off' } },
  });
  await ask('PUT', '/_mock/keys/own', { exhaust: 'minute' });
  expect(service.keys.get('own')).toMatchObject({
    plan: 'custom',
    limits: 'off',
    quota: { perMinute: 5, perDay: 9 },
  });
});

test('a single key is read and revoked', async () => {
  const { service, ask } = control();
  expect(await json(ask('GET', '/_mock/keys/mock-pro'))).toMatchObject({ plan: 'pro' });
  expect((await ask('DELETE', '/_mock/keys/mock-pro')).status).toBe(204);
  expect(service.keys.has('mock-pro')).toBe(false);
  expect((await ask('GET', '/_mock/keys/mock-pro')).status).toBe(404);
  expect((await ask('GET', '/_mock/keys/%')).status).toBe(400);
  service.keys.add('with/slash', { plan: 'free' });
  for (const path of ['with/slash', 'with%2Fslash'])
    expect(await json(ask('GET', `/_mock/keys/${path}`))).toMatchObject({ key: 'with/slash' });
});

test('a single fault is read and removed by the id that POST has answered', async () => {
  const { service, ask } = control();
  const one = await json<Fault>(ask('POST', '/_mock/faults', { status: 503 }));
  const other = await json<Fault>(ask('POST', '/_mock/faults', { delay: 5, times: 1 }));
  await service.fetch('http://x/v1/pets', { headers: key });
  expect(await json(ask('GET', `/_mock/faults/${one.id}`))).toMatchObject({ hits: 1 });
  expect((await ask('DELETE', `/_mock/faults/${one.id}`)).status).toBe(204);
  expect(await json(ask('GET', '/_mock/faults'))).toEqual([]);
  expect((await ask('GET', `/_mock/faults/${one.id}`)).status).toBe(404);
  expect(await json(ask('GET', `/_mock/faults/${other.id}`))).toMatchObject({ hits: 1 });
});

test('GET requests filters by key and fault, and pages by number', async () => {
  const { service, ask } = control();
  service.faults.add({ status: 503, times: 1 });
  for (let count = 0; count < 5; count++)
    await service.fetch('http://x/v1/pets', {
      headers: { Authorization: count === 4 ? 'Bearer mock-pro' : 'Bearer mock-free' },
    });
  const numbers = async (query: string) =>
    (await json<{ number: number }[]>(ask('GET', `/_mock/requests?${query}`))).map(
      ({ number }) => number,
    );
  expect(await numbers('fault=status')).toEqual([1]);
  expect(await numbers('key=mock-pro')).toEqual([5]);
  expect(await numbers('limit=2&before=4')).toEqual([2, 3]);
});

test('a body that is nested 3,000 deep harms neither the control API nor what the journal shows', async () => {
  const { service, ask } = control();
  const deep = '['.repeat(3_000) + ']'.repeat(3_000);
  for (const [method, path] of [
    ['POST', '/_mock/faults'],
    ['POST', '/_mock/pets'],
    ['PUT', '/_mock/keys/x'],
    ['PUT', '/_mock/snapshot'],
  ] as const) {
    const body = path === '/_mock/faults' ? `{"status":500,"body":${deep}}` : deep;
    expect((await ask(method, path, body)).status).toBe(400);
  }
  expect(service.faults.list()).toEqual([]);
  for (const depth of [3_000, 400_000])
    await service.fetch('http://x/v1/pets', {
      method: 'POST',
      headers: { ...key, 'Content-Type': 'application/json' },
      body: '['.repeat(depth) + ']'.repeat(depth),
    });
  expect((await ask('GET', '/_mock/requests')).status).toBe(200);
  expect((await ask('GET', '/_mock/state')).status).toBe(200);
});

test('a snapshot is plain JSON that puts pets, keys, quotas, bans, faults and a virtual clock back', async () => {
  const { service, ask } = control({ seed: 2 });
  service.pets.add({ id: 9223372036854775807n, name: 'Exact', categoryId: 1 });
  service.keys.add('own', { plan: { perMinute: 5, perDay: 9 } }).setRemaining('minute', 1);
  service.keys.get('mock-pro').ban('10m');
  service.keys.revoke('mock-business');
  service.faults.add({ status: 503, times: 3 });
  await service.fetch('http://x/v1/pets', { headers: key });
  const taken = await (await ask('GET', '/_mock/snapshot')).text();

  const other = control({ seed: 7 });
  other.service.keys.add('gone', { plan: 'free' });
  other.service.keys.get('mock-free').exhaust('day');
  expect((await other.ask('PUT', '/_mock/snapshot', taken)).status).toBe(204);
  expect(await (await other.ask('GET', '/_mock/snapshot')).text()).toBe(taken);
  expect(other.service.pets.add({ name: 'Next', categoryId: 1 }).id).toBe(3);
  expect(other.service.faults.list()).toMatchObject([
    { fault: { status: 503, times: 3 }, hits: 1 },
  ]);
});

test('a snapshot that is invalid anywhere changes nothing', async () => {
  const { ask } = control();
  const taken = await (await ask('GET', '/_mock/snapshot')).text();
  const good = JSON.parse(taken) as Record<string, unknown[]>;
  for (const bad of [
    { ...good, version: 1 },
    { ...good, now: 9e15 },
    { ...good, pets: [...good['pets']!, good['pets']![0]] },
    { ...good, keys: [...good['keys']!, { ...(good['keys']![0] as object), plan: 'gold' }] },
    { ...good, keys: [{ ...(good['keys']![0] as object), key: 'a b' }] },
    { ...good, faults: [{ status: 42 }] },
    { ...good, extra: 1 },
  ]) {
    expect((await ask('PUT', '/_mock/snapshot', bad)).status).toBe(400);
    expect(await (await ask('GET', '/_mock/snapshot')).text()).toBe(taken);
  }
});

test('every route of the control API is described, with its path parameters', async () => {
  const { ask } = control();
  const { paths } = await json<{
    paths: Record<string, Record<string, { operationId: string; parameters: { name: string }[] }>>;
  }>(ask('GET', '/_mock/openapi.json'));
  for (const route of Object.keys(routes)) {
    const [method = '', path = ''] = route.split(' ');
    const described = paths[`/_mock${path}`]?.[method.toLowerCase()];
    const names = described?.parameters.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([...path.matchAll(/\{(\w+)\}/g)].map((m) => m[1])),
    );
  }
  const ids = Object.values(paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  );
  expect(new Set(ids).size).toBe(Object.keys(routes).length);
});

const mutating = Object.keys(routes).filter((route) => !route.startsWith('GET '));
const value = fc.oneof(
  fc.constantFrom(
    '61s',
    '10m',
    'pro',
    'gold',
    'on',
    'minute',
    'sold',
    503,
    0,
    1,
    -1,
    0.5,
    1e300,
    true,
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
const fields = fc.constantFrom(
  ...['advance', 'set', 'seed', 'name', 'categoryId', 'id', 'status', 'times', 'delay', 'plan'],
  ...['limits', 'remaining', 'exhaust', 'ban', 'unban', 'revoke', 'minute', 'retryAfter', 'x'],
);
const object = fc.dictionary(fields, value, { maxKeys: 4 });
const bodies = fc.oneof(object, fc.array(object, { maxLength: 3 }), value);

test('for any request to the control API, a rejected change changes nothing', async () => {
  let refusals = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...mutating), bodies, async (route, body) => {
      const { ask } = control();
      const [method = '', path = ''] = route.split(' ');
      const state = async () =>
        (await (await ask('GET', '/_mock/state')).text()) +
        (await (await ask('GET', '/_mock/snapshot')).text());
      const before = await state();
      const target = path.replace('{id}', '2').replace('{key}', 'mock-free').replace('{name}', 'w');
      const answer = await ask(method, `/_mock${target}`, stringifyJson(body));
      expect(answer.status).toBeLessThan(500);
      if (answer.status < 400) return;
      refusals++;
      expect(await state()).toBe(before);
    }),
    { numRuns: 400 },
  );
  expect(refusals).toBeGreaterThan(50);
});
