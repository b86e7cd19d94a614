import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { createMockService } from '../../../mocks/index.js';
import { control } from '../../support/control.js';
import { served } from '../../support/served.js';

const listed = { headers: { Authorization: 'Bearer mock-free' } };

test('GET state returns the clock, the keys and their usage, the faults and the pets', async () => {
  const { service, ask } = control();
  await service.fetch('http://x/v1/pets', listed);
  service.faults.add({ status: 503 });
  const state = (await (await ask('GET', '/_mock/state')).json()) as Record<string, unknown>;
  expect(state).toMatchObject({
    now: '2026-01-01T00:00:00.000Z',
    clock: 'virtual',
    faults: [{ fault: { status: 503 }, hits: 0 }],
    pets: { size: 3 },
  });
  expect(state['keys']).toContainEqual(
    expect.objectContaining({
      key: 'mock-free',
      plan: 'free',
      usage: JSON.parse(JSON.stringify(service.keys.get('mock-free').usage)) as unknown,
    }),
  );
  expect(service.keys.get('mock-free').usage.minute.used).toBe(1);
});

test('POST clock moves the clock by a duration or to a time', async () => {
  const { service, ask } = control();
  expect(await (await ask('POST', '/_mock/clock', { advance: '61s' })).json()).toEqual({
    now: '2026-01-01T00:01:01.000Z',
  });
  await ask('POST', '/_mock/clock', { set: '2030-12-06T00:00:00Z' });
  expect(service.clock.now()).toBe(Date.UTC(2030, 11, 6));
});

test('POST pets adds one, several, or made-up ones, with ids exact', async () => {
  const { service, ask } = control({ seed: 0 });
  const one = await ask(
    'POST',
    '/_mock/pets',
    '{"id":9007199254740993,"name":"Rex","categoryId":1}',
  );
  expect(await one.text()).toContain('"id":9007199254740993');
  expect(service.pets.get(9007199254740993n)?.name).toBe('Rex');
  await ask('POST', '/_mock/pets', [
    { name: 'A', categoryId: 1 },
    { name: 'B', categoryId: 2, status: 'sold' },
  ]);
  await ask('POST', '/_mock/pets', { seed: 7 });
  expect(service.pets.size).toBe(10);
});

test('POST and DELETE faults add a fault and remove all', async () => {
  const { service, ask } = control();
  await ask('POST', '/_mock/faults', { operation: 'listPets', status: 503 });
  expect((await service.fetch('http://x/v1/pets', listed)).status).toBe(503);
  expect((await ask('DELETE', '/_mock/faults')).status).toBe(204);
  expect((await service.fetch('http://x/v1/pets', listed)).status).toBe(200);
});

test('PUT keys adds a key, changes its plan, what it has left, and bans it', async () => {
  const { service, ask } = control();
  await ask('PUT', '/_mock/keys/new', { plan: { perMinute: 5, perDay: 50 } });
  expect(service.keys.get('new').quota).toEqual({ perMinute: 5, perDay: 50 });
  await ask('PUT', '/_mock/keys/mock-free', { remaining: { minute: 2 } });
  expect(service.keys.get('mock-free')).toMatchObject({
    plan: 'free',
    usage: { minute: { remaining: 2 } },
  });
  await ask('PUT', '/_mock/keys/mock-free', { exhaust: 'day', ban: '10m' });
  expect(service.keys.get('mock-free').bannedUntil).toBe(service.clock.now() + 600_000);
  expect(service.keys.get('mock-free').usage.day.remaining).toBe(0);
  await ask('PUT', '/_mock/keys/mock-free', { unban: true });
  expect(service.keys.get('mock-free').bannedUntil).toBeUndefined();
  await ask('PUT', '/_mock/keys/mock-free', { revoke: true });
  expect(service.keys.has('mock-free')).toBe(false);
});

test('GET requests and GET report return the journal and the conduct of the client', async () => {
  const { service, ask } = control();
  await service.fetch('http://x/v1/pets', listed);
  await service.fetch('http://x/v1/pets?limit=0', listed);
  const all = (await (await ask('GET', '/_mock/requests')).json()) as unknown[];
  expect(all).toHaveLength(2);
  const refused = (await (
    await ask('GET', '/_mock/requests?status=400&operation=listPets')
  ).json()) as unknown[];
  expect(refused).toMatchObject([{ method: 'GET', path: '/v1/pets', status: 400 }]);
  expect(await (await ask('GET', '/_mock/report')).json()).toEqual(
    JSON.parse(JSON.stringify(service.report())),
  );
});

test('POST reset restores the initial state', async () => {
  const { service, ask } = control();
  service.pets.clear();
  service.keys.get('mock-free').exhaust('minute');
  expect((await ask('POST', '/_mock/reset')).status).toBe(204);
  expect(service.pets.size).toBe(3);
  expect(service.keys.get('mock-free').usage.minute.used).toBe(0);
});

test.each([
  ['POST', '/_mock/clock', { advance: '-1s' }, /duration|negative|0/i],
  ['POST', '/_mock/clock', { advance: '99999999999999999d' }, /at most 100 years/],
  [
    'POST',
    '/_mock/clock',
    { set: 9e15 },
    /ms since the epoch that a Date can hold; got 9000000000000000/,
  ],
  ['POST', '/_mock/clock', { set: 'tomorrow' }, /tomorrow/],
  [
    'POST',
    '/_mock/clock',
    { forward: '1s' },
    /^body: has an unknown field "forward" \(known: advance, set\)$/,
  ],
  ['POST', '/_mock/clock', { advance: true }, /^advance: must be ms/],
  ['POST', '/_mock/clock', { advance: '1s', set: 1 }, /^body: must have one of advance and set/],
  ['POST', '/_mock/clock', undefined, /^body: must be \{ "advance": "61s" \}/],
  ['POST', '/_mock/faults', 5, /^body: must be a fault/],
  ['POST', '/_mock/pets', { seed: 1_000_001 }, /^seed: must be an integer from 0 to 1000000$/],
  ['POST', '/_mock/pets', { seed: 'x' }, /^seed: must be an integer/],
  ['POST', '/_mock/pets', 5, /^body: must be a pet .*, an array of pets, or \{ "seed": 20 \}$/],
  [
    'POST',
    '/_mock/pets',
    { name: 'x', categoryId: 1, colour: 2 },
    /^body: has an unknown field "colour" \(known: id, name, categoryId, status\)$/,
  ],
  ['POST', '/_mock/pets', [{ name: 1, categoryId: 1 }], /^0.name: must be a string, got a number$/],
  ['PUT', '/_mock/keys/x', { limits: 'x' }, /^limits: must be one of on, off$/],
  [
    'PUT',
    '/_mock/keys/x',
    { bann: true },
    /^body: has an unknown field "bann" \(known: plan, limits, remaining, exhaust, ban, unban, revoke\)$/,
  ],
  ['PUT', '/_mock/keys/mock-free', { ban: 'long' }, /duration/],
  [
    'PUT',
    '/_mock/keys/x',
    { remaining: { hour: 1 } },
    /^remaining: has an unknown field "hour" \(known: minute, day\)$/,
  ],
  [
    'GET',
    '/_mock/requests?colour=red',
    undefined,
    /no query parameter colour: known are: limit, operation, status, key, fault, before/,
  ],
  [
    'GET',
    '/_mock/requests?operation=feedPet',
    undefined,
    /operation must be one of listPets, createPet, getPet/,
  ],
  ['GET', '/_mock/requests?status=teapot', undefined, /status must be a status/],
  ['GET', '/_mock/state?pets=1', undefined, /this path takes none/],
  ['POST', '/_mock/faults', { stats: 503 }, /stats/],
  ['POST', '/_mock/pets', { name: 7 }, /^name: must be a string/],
  [
    'POST',
    '/_mock/faults',
    { status: 503, key: 'mock-fre' },
    /no key 'mock-fre'\. Did you mean mock-free\?/,
  ],
  ['GET', '/_mock/report?key=mock-fre', undefined, /no key 'mock-fre'.*Did you mean mock-free\?/],
  ['PUT', '/_mock/keys/x', { plan: 'gold' }, /gold/],
  ['PUT', '/_mock/keys/mock-free', { remaining: { minute: 61 } }, /60/],
  ['GET', '/_mock/requests?limit=none', undefined, /limit/],
  ['POST', '/_mock/clock', '{', /not JSON/],
])('%s %s with %j is refused with 400, and says why', async (method, path, body, why) => {
  const { service, ask } = control();
  const before = service.clock.now();
  const response = await ask(method, path, body);
  expect(response.status).toBe(400);
  expect(((await response.json()) as { message: string }).message).toMatch(why);
  expect(service.clock.now()).toBe(before);
  expect([service.pets.size, service.keys.has('x')]).toEqual([3, false]);
});

test('a removed world breaks the connections of its requests in flight, and of no other', async () => {
  const server = await served(createMockService(), {
    createWorld: () => createMockService({ faults: [{ hang: true }] }),
  });
  const call = (world: string) =>
    fetch(`${server.url}/v1/pets`, {
      headers: { Authorization: 'Bearer mock-free', 'X-Mock-World': world },
    }).then(
      () => 'answered',
      () => 'broken',
    );
  const removed = [call('a'), call('a')];
  let other = 'in flight';
  void call('b').then((end) => (other = end));
  const worlds = async () =>
    (await (await fetch(`${server.url}/_mock/worlds`)).json()) as { requests: number }[];
  await expect
    .poll(async () => (await worlds()).map(({ requests }) => requests))
    .toEqual([0, 2, 1]);
  await fetch(`${server.url}/_mock/worlds/a`, { method: 'DELETE' });
  expect(await Promise.all(removed)).toEqual(['broken', 'broken']);
  expect(other).toBe('in flight');
});

test('an unknown path is 404 and a wrong method 405 with Allow', async () => {
  const { ask } = control();
  expect((await ask('GET', '/_mock/nothing')).status).toBe(404);
  const wrong = await ask('PUT', '/_mock/clock');
  expect(wrong.status).toBe(405);
  expect(wrong.headers.get('Allow')).toBe('GET, POST');
});

test('the control API describes each of its routes in OpenAPI, with schemas that hold', async () => {
  const { ask } = control();
  const description = (await (await ask('GET', '/_mock/openapi.json')).json()) as {
    paths: Record<
      string,
      Record<string, { requestBody?: { content: { 'application/json': { schema: object } } } }>
    >;
  };
  expect(Object.keys(description.paths)).toEqual(
    expect.arrayContaining([
      '/_mock/state',
      '/_mock/reset',
      '/_mock/clock',
      '/_mock/pets',
      '/_mock/faults',
      '/_mock/keys/{key}',
      '/_mock/requests',
      '/_mock/report',
    ]),
  );
  const schema =
    description.paths['/_mock/clock']?.['post']?.requestBody?.content['application/json'].schema;
  const validate = new Ajv2020({ strict: false }).compile(schema ?? false);
  expect([validate({ advance: '61s' }), validate({ set: 5 }), validate({ forward: 1 })]).toEqual([
    true,
    true,
    false,
  ]);
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

test('POST pets makes up what is left out, as pets.add does', async () => {
  const { service, ask } = control();
  const inProcess = createMockService({ seed: 3 });
  for (const pet of [{ name: 'A' }, {}, { status: 'sold' }] as const)
    expect(await (await ask('POST', '/_mock/pets', pet)).json()).toEqual(inProcess.pets.add(pet));
  await ask('POST', '/_mock/pets', [{ name: 'B' }]);
  expect(service.pets.list()).toEqual([
    ...inProcess.pets.list(),
    inProcess.pets.add({ name: 'B' }),
  ]);
});

test('a snapshot with a fault of a revoked key can be put back', async () => {
  const { service, ask } = control();
  service.faults.add({ status: 503, key: 'mock-pro' });
  service.keys.revoke('mock-pro');
  const taken = await (await ask('GET', '/_mock/snapshot')).text();
  expect((await ask('PUT', '/_mock/snapshot', taken)).status).toBe(204);
  expect((await ask('PUT', '/_mock/assumptions', {})).status).toBe(204);
});
