// A file of --state: what is in it, when, and which files are refused. With the program itself: state-file.slow.test.ts.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { routes } from '../../../mocks/control/routes.js';
import { Worlds } from '../../../mocks/control/worlds.js';
import { createMockService, type MockServiceOptions } from '../../../mocks/index.js';
import { explainHeader } from '../../../mocks/http/response.js';
import { createApp } from '../../../mocks/standalone/app.js';
import { openState } from '../../../mocks/standalone/state-file.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { virtualStart } from '../../../mocks/clock/clock.js';
import { asking } from '../../support/control.js';
import { fc } from '../../support/fuzz.js';

const folder = temporaryFolder();
const read = (file: string) => readFileSync(file, 'utf8');
const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** A state file in this process, asked as by a program on the same machine. */
async function inProcess(name: string, options: MockServiceOptions = {}) {
  const file = join(folder, name);
  const create = () => createMockService({ clock: 'virtual', ...options });
  const worlds = new Worlds(create(), create);
  const state = await openState(file, worlds);
  onTestFinished(() => state.close());
  const { ask } = asking(state.keeping(createApp(worlds, ['127.0.0.1'])));
  const now = () => json(worlds.first.snapshot());
  return { file, worlds, state, ask, now, kept: () => json(JSON.parse(read(file))) };
}

const value = fc.oneof(
  fc.constantFrom('61s', '10m', 'pro', 'gold', 'on', 'minute', 'sold', '2030-12-05', 'Rex'),
  fc.constantFrom(503, 0, 1, 2, -1, 0.5, 1e300, 9223372036854775807n, true),
  fc.jsonValue({ maxDepth: 2 }),
);
const fields = fc.constantFrom(
  ...['advance', 'set', 'seed', 'name', 'categoryId', 'id', 'status', 'times', 'delay', 'plan'],
  ...['limits', 'remaining', 'exhaust', 'ban', 'unban', 'revoke', 'minute', 'retryAfter', 'x'],
);
const object = fc.dictionary(fields, value, { maxKeys: 4 });
const rex = fc.record({ name: fc.string({ maxLength: 8 }), categoryId: fc.bigInt({ min: 1n }) });
const bodies = fc.oneof(object, fc.array(object, { maxLength: 3 }), value, rex);
const change = fc.record(
  {
    plan: fc.constantFrom('free', 'gold', { perMinute: 3, perDay: 7 }),
    remaining: fc.record({ minute: fc.nat(70), day: fc.nat(1_100) }, { requiredKeys: [] }),
    exhaust: fc.constantFrom('minute', 'day'),
    ban: fc.constantFrom(0.5, '61s', '1d', -1),
  },
  { requiredKeys: [] },
);
const changing = Object.keys(routes).filter((route) => !route.startsWith('GET '));
const bodiless = ['GET /v1/pets', 'POST /_mock/reset', 'DELETE /_mock/pets'];
const all = ['POST /v1/pets', ...changing.map((route) => route.replace(' ', ' /_mock'))];
const requests = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom(...all), bodies) },
  fc.tuple(fc.constant('PUT /_mock/keys/mock-free'), change),
  fc.tuple(fc.constantFrom(...bodiless), fc.constant(undefined)),
);

test('every answer finds its changes in the file, and a refused change of the control API changes nothing', async () => {
  const seen = { taken: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(requests, { minLength: 10, maxLength: 30 }), async (steps) => {
      const { ask, kept, now, state, file } = await inProcess(`steps-${seen.taken}.json`, {
        seed: 3,
      });
      for (const [route, body] of steps) {
        const before = kept();
        const [method = '', path = ''] = route.split(' ');
        const target = path
          .replace('{id}', '2')
          .replace('{key}', 'mock-free')
          .replace('{name}', 'w');
        const { status } = await ask(method, target, body);
        expect(status).toBeLessThan(500);
        expect(kept()).toEqual(now());
        if (path.startsWith('/v1')) continue;
        seen[status < 400 ? 'taken' : 'refused']++;
        if (status >= 400) expect(kept()).toEqual(before);
      }
      await state.close();
      expect(existsSync(`${file}.lock`)).toBe(false);
    }),
    { numRuns: 25 },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(50);
});

test('a body that was still on its way is in the file after the end, with the time that it took', async () => {
  const { ask, state, kept, now } = await inProcess('slow.json');
  await ask('POST', '/_mock/faults', { 'slow-body': '2h', times: 1 });
  await (await ask('GET', '/v1/pets')).text();
  await state.close();
  expect(kept()).toEqual(now());
  expect(now()).toMatchObject({ now: virtualStart + 7_200_000 });
});

test('requests at once are written together, and each is answered when its change is in the file', async () => {
  const { ask, file } = await inProcess('burst.json');
  const versions = new Set<string>();
  const create = async (name: string) => {
    const { status } = await ask('POST', '/v1/pets', { name, categoryId: 1 });
    versions.add(read(file));
    return [status, read(file).includes(`"${name}"`)];
  };
  const answers = await Promise.all(Array.from({ length: 50 }, (_, at) => create(`pet ${at}`)));
  expect(answers).toEqual(Array.from({ length: 50 }, () => [201, true]));
  expect(versions.size).toBeLessThan(10);
});

test('another world is not written to the file, and a request that only reads the control API writes nothing', async () => {
  const { ask, file, worlds } = await inProcess('worlds.json', { seed: 1 });
  const before = read(file);
  await ask('POST', '/_mock/pets', { name: 'Rex' }, { 'X-Mock-World': 'w' });
  worlds.first.pets.add();
  await ask('GET', '/_mock/state');
  expect(read(file)).toBe(before);
});

test('a change that cannot be written is answered 501 with the reason, said once, and written when it can be', async () => {
  const { ask, file, kept, now } = await inProcess('full 状态.json', { seed: 1 });
  const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  // In the place of the new file.
  mkdirSync(`${file}.new`);
  const before = read(file);
  for (const path of ['/v1/pets', '/_mock/pets']) {
    const answer = await ask('POST', path, { name: 'Rex', categoryId: 1 });
    expect([answer.status, await answer.json()]).toMatchObject([501, { code: 'state_not_saved' }]);
    const written = Object.fromEntries(answer.headers);
    expect(written[explainHeader.toLowerCase()]).toContain('full ??.json could not be written: EI');
    // The headers are those of the answer that was not sent.
    const [allowed, left] = path.startsWith('/v1') ? ['*', '59'] : [];
    expect(written['access-control-allow-origin']).toBe(allowed);
    expect(written['x-ratelimit-remaining']).toBe(left);
  }
  expect((await ask('GET', '/v1/pets')).status).toBe(200);
  // What is refused changes nothing: the reason is that of the service, although its state is not saved.
  expect((await ask('POST', '/v1/pets', { name: 7 })).status).toBe(400);
  expect((await ask('POST', '/_mock/pets', { name: 7 })).status).toBe(400);
  expect((await ask('HEAD', '/v1/pets')).status).toBe(405);
  expect((await ask('HEAD', '/_mock/pets')).status).toBe(200);
  expect([read(file), printed.mock.calls.length]).toEqual([before, 1]);
  rmSync(`${file}.new`, { recursive: true });
  expect((await ask('POST', '/v1/pets', { name: 'Mia', categoryId: 1 })).status).toBe(201);
  expect(kept()).toEqual(now());
});

const whole = JSON.stringify(createMockService({ seed: 20 }).snapshot());
test.each<[string, string, RegExp]>([
  ['a letter', 'this is a letter', /is not valid JSON/],
  ['an empty file', '', /JSON/],
  ['half a snapshot', whole.slice(0, whole.length / 2), /JSON/],
  ['other JSON', '{"pets":[]}', /snapshot\.version must be 2/],
  ['a snapshot in Latin-1', whole.replace('Bella', 'Zoé'), /not valid for encoding utf-8/],
  ['a database', 'SQLite format 3\0', /a database, as an earlier version wrote it: now .* JSON/],
])('%s is refused as state, and left as it is', async (what, given, message) => {
  const file = join(folder, `${what}.json`);
  writeFileSync(file, given, 'latin1');
  const worlds = new Worlds(createMockService());
  await expect(openState(file, worlds)).rejects.toThrow(message);
  await expect(openState(file, worlds)).rejects.toThrow(/cannot be used as state.*left as it is/s);
  expect(readFileSync(file, 'latin1')).toBe(given);
  expect([existsSync(`${file}.lock`), existsSync(`${file}.new`)]).toEqual([false, false]);
});

test('a link to a state file stays a link, and the file behind it is written and locked', async () => {
  const { file, state } = await inProcess('behind.json');
  await state.close();
  symlinkSync(file, join(folder, 'link.json'));
  writeFileSync(`${file}.lock`, String(process.ppid));
  await expect(inProcess('link.json')).rejects.toThrow(/behind\.json .* has it open/);
  rmSync(`${file}.lock`);
  const { ask } = await inProcess('link.json');
  await ask('POST', '/v1/pets', { name: 'Rex', categoryId: 1 });
  expect(read(file)).toContain('Rex');
  expect(lstatSync(join(folder, 'link.json')).isSymbolicLink()).toBe(true);
});

test('a folder that is not there is named', async () => {
  const opened = openState(join(folder, 'nowhere/pets.json'), new Worlds(createMockService()));
  await expect(opened).rejects.toThrow(
    `cannot be opened: there is no folder ${join(folder, 'nowhere')}. Create it first, or name another file.`,
  );
});
