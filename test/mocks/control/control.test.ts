// What the control API changes and shows. openapi.test.ts holds each route against its description.
import { expect, test } from 'vitest';
import { createMockService } from '../../../mocks/index.js';
import { control, json } from '../../support/control.js';
import { petFields } from '../../support/world.js';

interface Page {
  readonly size: number;
  readonly pets: readonly { readonly id: number; readonly name: string }[];
}

test('GET state returns the clock, the keys and their usage, the faults and the pets, and leaves no trace in a snapshot', async () => {
  const { service, ask } = control({ assumptions: { listOrder: 'shuffled' } });
  await ask('GET', '/v1/pets');
  service.faults.add({ status: 503 });
  const before = JSON.stringify(service.snapshot());
  const { usage } = service.keys.get('mock-free');
  expect(usage.minute.used).toBe(1);
  expect(await json(ask('GET', '/_mock/state'))).toMatchObject({
    now: '2026-01-01T00:00:00.000Z',
    clock: 'virtual',
    faults: [{ fault: { status: 503 }, hits: 0 }],
    keys: [{ key: 'mock-free', plan: 'free', usage }, {}, {}, {}],
    pets: { size: 3 },
  });
  expect(JSON.stringify(service.snapshot())).toBe(before);
});

test('POST clock moves the clock by a duration or to a time', async () => {
  const { service, ask } = control();
  const now = '2026-01-01T00:01:01.000Z';
  expect(await json(ask('POST', '/_mock/clock', { advance: '61s' }))).toEqual({ now });
  await ask('POST', '/_mock/clock', { set: '2030-12-06T00:00:00Z' });
  expect(service.clock.now()).toBe(Date.UTC(2030, 11, 6));
});

test('POST pets adds one, several, or made-up ones, with ids exact, and makes up what is left out', async () => {
  const { service, ask } = control();
  const inProcess = createMockService({ seed: 3 });
  for (const pet of [{ name: 'A' }, {}, { status: 'sold' }] as const)
    expect(await json(ask('POST', '/_mock/pets', pet))).toEqual(inProcess.pets.add(pet));
  await ask('POST', '/_mock/pets', [{ name: 'B' }]);
  inProcess.pets.add({ name: 'B' });
  expect(service.pets.list()).toEqual(inProcess.pets.list());
  const exact = '{"id":9007199254740993,"name":"Rex","categoryId":1}';
  expect(await (await ask('POST', '/_mock/pets', exact)).text()).toContain('"id":9007199254740993');
  expect(service.pets.get(9007199254740993n)?.name).toBe('Rex');
  await ask('POST', '/_mock/pets', { seed: 7 });
  expect(service.pets.size).toBe(15);
});

test('a single pet is read, changed and removed by its id', async () => {
  const { service, ask } = control();
  expect(await json(ask('GET', '/_mock/pets/2'))).toMatchObject({ id: 2 });
  const sold = { id: 2, status: 'sold' };
  expect(await json(ask('PATCH', '/_mock/pets/2', { status: 'sold' }))).toMatchObject(sold);
  expect(service.pets.get(2)).toMatchObject(sold);
  expect((await ask('DELETE', '/_mock/pets/2')).status).toBe(204);
  expect(service.pets.list().map(({ id }) => id)).toEqual([1, 3]);
  for (const id of ['2', 'two'])
    for (const [method, body] of [['GET'], ['PATCH', {}], ['DELETE']] as const)
      expect((await ask(method, `/_mock/pets/${id}`, body)).status).toBe(404);
});

test('GET pets pages from the highest id down, whatever the order of lists', async () => {
  for (const listOrder of ['id-ascending', 'id-descending', 'shuffled'] as const) {
    const { ask } = control({ seed: 10_000, assumptions: { listOrder } });
    await ask('POST', '/_mock/pets', { name: 'Newest', categoryId: 1 });
    const first = await json<Page>(ask('GET', '/_mock/pets?limit=2'));
    expect([first.size, first.pets.map(({ id }) => id)]).toEqual([10_001, [10_001, 10_000]]);
    const middle = await json<Page>(ask('GET', '/_mock/pets?offset=5000&limit=3'));
    expect(middle.pets.map(({ id }) => id)).toEqual([5_001, 5_000, 4_999]);
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

test('PUT keys adds a key, changes what is named of its plan, its limits and what it has left, leaves a cool-down alone, and bans it', async () => {
  const { service, ask } = control();
  const given = { perMinute: 5, perDay: 50 };
  await ask('PUT', '/_mock/keys/new', { plan: 'pro' });
  await ask('PUT', '/_mock/keys/new', { limits: 'off' });
  const added = service.keys.get('new');
  expect([added.plan, added.limits]).toEqual(['pro', 'off']);
  await ask('PUT', '/_mock/keys/new', { plan: given, exhaust: 'minute' });
  const { quota, limits, usage } = added;
  expect([quota, limits, usage.minute.remaining]).toEqual([given, 'off', 0]);
  await ask('PUT', '/_mock/keys/mock-free', { remaining: { minute: 2 } });
  const free = service.keys.get('mock-free');
  expect([free.plan, free.usage.minute.remaining]).toEqual(['free', 2]);
  await ask('PUT', '/_mock/keys/mock-free', { remaining: { minute: 0 } });
  await ask('GET', '/v1/pets');
  await ask('PUT', '/_mock/keys/mock-free', {});
  await ask('GET', '/v1/pets');
  expect(service.requests.map(({ inCoolDown }) => inCoolDown)).toEqual([false, true]);
  await ask('PUT', '/_mock/keys/mock-free', { exhaust: 'day', ban: '10m' });
  expect(free.bannedUntil).toBe(service.clock.now() + 600_000);
  expect(free.usage.day.remaining).toBe(0);
  await ask('PUT', '/_mock/keys/mock-free', { unban: true });
  expect(free.bannedUntil).toBeUndefined();
  await ask('PUT', '/_mock/keys/mock-free', { revoke: true });
  expect(service.keys.has('mock-free')).toBe(false);
});

test('a key that is not known is changed only with a plan, and the answer names the nearest key', async () => {
  const { service, ask } = control();
  for (const change of [{ exhaust: 'day' }, { ban: true }, { unban: true }, { revoke: true }, {}]) {
    const answer = await ask('PUT', '/_mock/keys/mock-fre', change);
    const { message } = (await answer.json()) as { message: string };
    expect([answer.status, service.keys.has('mock-fre')]).toEqual([404, false]);
    expect(message).toMatch(/no key mock-fre\. Did you mean mock-free\? To add it, give its plan/);
  }
  await ask('PUT', '/_mock/keys/mock-fre', { plan: 'pro', exhaust: 'minute' });
  expect(service.keys.get('mock-fre').usage.minute).toMatchObject({ limit: 300, remaining: 0 });
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

test('a fault is added, read and removed by the id that POST has answered', async () => {
  const { ask } = control();
  const add = (fault: object) => json<{ id: number }>(ask('POST', '/_mock/faults', fault));
  const status = async () => (await ask('GET', '/v1/pets')).status;
  const one = await add({ status: 503 });
  const other = await add({ delay: 5, times: 1 });
  expect(await status()).toBe(503);
  expect(await json(ask('GET', `/_mock/faults/${one.id}`))).toMatchObject({ hits: 1 });
  expect((await ask('DELETE', `/_mock/faults/${one.id}`)).status).toBe(204);
  expect(await json(ask('GET', '/_mock/faults'))).toEqual([]);
  for (const none of [one.id, `${other.id}.0`, '1e0', ''])
    expect((await ask('GET', `/_mock/faults/${none}`)).status).toBe(404);
  expect(await json(ask('GET', `/_mock/faults/${other.id}`))).toMatchObject({ hits: 1 });
  await add({ operation: 'listPets', status: 503 });
  expect((await ask('DELETE', '/_mock/faults')).status).toBe(204);
  expect(await status()).toBe(200);
});

test('GET requests filters by key, fault and status, and pages by number', async () => {
  const { service, ask } = control();
  service.faults.add({ status: 503, times: 1 });
  for (const query of ['', '', '', '?limit=0']) await ask('GET', `/v1/pets${query}`);
  await ask('GET', '/v1/pets', undefined, { Authorization: 'Bearer mock-pro' });
  const numbers = async (query: string) => {
    const requests = await json<{ number: number }[]>(ask('GET', `/_mock/requests?${query}`));
    return requests.map(({ number }) => number);
  };
  expect(await numbers('fault=status')).toEqual([1]);
  expect(await numbers('key=mock-pro')).toEqual([5]);
  expect(await numbers('status=400&operation=listPets')).toEqual([4]);
  expect(await numbers('limit=2&before=4')).toEqual([2, 3]);
  const report: unknown = JSON.parse(JSON.stringify(service.report()));
  expect(await json(ask('GET', '/_mock/report'))).toEqual(report);
});

/** What is refused: bodies, or queries of a GET, and why. */
const refused: Readonly<Record<string, readonly (readonly [given: unknown, why: RegExp])[]>> = {
  'POST /clock': [
    [{ advance: '-1s' }, /duration .* got '-1s'/],
    [{ set: 9e15 }, /epoch that a Date can hold; got 9000000000000000/],
    [{ forward: '1s' }, /^body has no forward; it has: advance, set; /],
    [{ advance: true }, /^body.advance must be a number, or a string, got true$/],
    [{ advance: '1s', set: 1 }, /^body must have one of advance and set, as in/],
    [undefined, /^body must be an object of advance, set, got undefined$/],
    ['{', /as JSON: Expected property name/],
  ],
  'POST /faults': [
    [5, /^body must be a fault, as in \{ "status": 503, "times": 2 \}, got 5$/],
    [{ status: 503, key: 'mock-fre' }, /no key 'mock-fre'\. Did you mean mock-free\?/],
  ],
  'POST /pets': [
    [{ seed: 1_000_001 }, /^body.seed must be an integer from 0 to 1000000, got 1000001/],
    [5, /^body must be an array, or an object of seed, id, name, .*, got 5$/],
    [{ seed: 1, name: 'x' }, /^body must be a pet, or \{ "seed": 20 \} alone, got an/],
    [{ colour: 2 }, new RegExp(`^body has no colour; it has: seed, id, ${petFields}$`)],
    [[{ name: 1, categoryId: 1 }], /^body.0.name must be a string, got a number$/],
    [[{ name: 'A' }, { id: 4 }], /id 4 is already in use/],
  ],
  'PATCH /pets/1': [[{ staus: 'sold' }, /^body has no staus; .* Did you mean status\?$/]],
  'PUT /keys/x': [
    [{ plan: 'gold' }, /^body.plan must be one of "free", .*, or an object of perMinute/],
    [{ remaining: { hour: 1 } }, /^body.remaining has no hour; it has: minute, day$/],
    [{ bann: true }, /^body has no bann; it has: plan, .*\. Did you mean ban\?$/],
    [{ plan: 'free', exhaust: 'day', ban: '1e9d' }, /at most 100 years/],
  ],
  'PUT /keys/mock-free': [
    [{ plan: 'pro', remaining: { minute: 301 } }, /^body.remaining.minute .* from 0 to 300/],
    [{ exhaust: 'day', remaining: { minute: 1, day: 1_001 } }, /to 1000/],
    [{ exhaust: 'day', ban: 1e300 }, /at most 100 years/],
  ],
  'PUT /keys/a%20b': [[{ plan: 'free' }, /visible ASCII/]],
  'GET /requests': [
    ['colour=red', /^query has no colour; it has: limit, before, operation, /],
    ['operation=feedPet', /query.operation must be one of "listPets", "cre/],
    ['limit=none', /^query.limit must be an integer of 1 or more/],
    ['status=teapot', /^query.status must be an integer from 100 to 599, got 'teapot'/],
  ],
  'POST /reset': [[{ seed: 5 }, /^body has no seed; it has: none$/]],
  'DELETE /faults': [[[], /^body must be an object of no fields, got an array$/]],
  'GET /state': [['__proto__=1', /^query has no __proto__; it has: none$/]],
  'GET /report': [['key=mock-fre', /no key 'mock-fre'.*Did you mean mock-free\?/]],
  'PUT /assumptions': [
    [[], /^body must be an object of assumptions, got an array$/],
    [{ retryafter: 'seconds' }, /^assumptions has no retryafter; .*mean retryAfter\?$/],
  ],
  'PUT /snapshot': [[[], /^body must be a response of GET \/_mock\/snapshot, got an array$/]],
};

test.each(
  Object.entries(refused).flatMap(([route, all]) => all.map((row) => [route, ...row] as const)),
)('%s with %j is refused with 400, says why, and changes nothing', async (route, given, why) => {
  const { service, worlds, ask } = control();
  const before = JSON.stringify(service.snapshot());
  const [method = '', path = ''] = route.split(' ');
  const response = await (method === 'GET'
    ? ask(method, `/_mock${path}?${String(given)}`)
    : ask(method, `/_mock${path}`, given));
  expect(response.status).toBe(400);
  expect(((await response.json()) as { message: string }).message).toMatch(why);
  expect(worlds.first).toBe(service);
  expect(JSON.stringify(service.snapshot())).toBe(before);
});

test('an unknown path is 404 and a wrong method 405 with Allow', async () => {
  const { ask } = control();
  expect((await ask('GET', '/_mock/nothing')).status).toBe(404);
  const wrong = await ask('PUT', '/_mock/clock');
  expect([wrong.status, wrong.headers.get('Allow')]).toEqual([405, 'GET, POST']);
});

test('GET /_mock/ is a page that loads nothing from elsewhere and may not be framed', async () => {
  const { ask } = control();
  const page = await ask('GET', '/_mock/');
  const text = await page.text();
  expect(page.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('Content-Security-Policy')).toContain("frame-ancestors 'none'");
  expect(text).not.toMatch(/(src|href)="(https?:)?\/\//);
  for (const file of ['style.css', 'app.js']) {
    expect(text).toContain(`"${file}"`);
    expect((await ask('GET', `/_mock/${file}`)).status).toBe(200);
  }
  expect((await ask('GET', '/_mock')).headers.get('Location')).toBe('/_mock/');
});

test('a body that is nested 3,000 deep is refused, and the control API shows what the service got of one', async () => {
  const { service, ask } = control();
  const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  for (const path of ['/_mock/faults', '/_mock/pets'])
    expect((await ask('POST', path, `{"status":500,"body":${deep(3_000)}}`)).status).toBe(400);
  expect(service.faults.list()).toEqual([]);
  for (const depth of [3_000, 400_000]) await ask('POST', '/v1/pets', deep(depth));
  for (const path of ['/_mock/requests', '/_mock/state'])
    expect((await ask('GET', path)).status).toBe(200);
});
