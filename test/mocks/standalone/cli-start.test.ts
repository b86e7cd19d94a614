// What the command line sets up before the first request, and how the program stops.
import { spawnSync } from 'node:child_process';
import { request } from 'node:http';
import { connect } from 'node:net';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useProgram } from '../../support/standalone.js';

const { folder, program, run, start, startWith } = useProgram();

const file = (name: string, text: string | Buffer): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const get = (url: string, key = 'mock-free', headers: Record<string, string> = {}) =>
  fetch(url, { headers: { Authorization: `Bearer ${key}`, Connection: 'close', ...headers } });

test('--seed takes a JSON file of pets, with ids exact', async () => {
  const seed = file(
    'seed.json',
    '\uFEFF[{"id":9223372036854775807,"name":"Max","categoryId":2,"status":"sold"},{"name":"Rex","categoryId":1}]',
  );
  const { url, pets } = await start('--seed', seed);
  expect(pets).toBe(2);
  expect(await (await get(`${url}/v1/pets`)).text()).toBe(
    '[{"id":1,"name":"Rex","categoryId":1,"status":"available"},{"id":9223372036854775807,"name":"Max","categoryId":2,"status":"sold"}]',
  );
});

test.each([
  ['pets.csv', 'name,categoryId\nRex,1\n', /pets\.csv: it is not JSON/],
  [
    'twice.json',
    '[{"id":1,"name":"A","categoryId":1},{"id":1,"name":"B","categoryId":1}]',
    /pet 2: the id 1 occurs twice/,
  ],
  ['pets.json', '[{"name":"Rex"}]', /pets\.json: pet 1.categoryId is required/],
  ['null.json', '[null]', /null\.json: pet 1 must be/],
  ['object.json', '{"name":"Rex"}', /must be a JSON array of pets/],
  ['broken.json', '[', /broken\.json: it is not JSON/],
])('--seed %s is refused, and the message names the place', async (name, text, message) => {
  const { code, err } = await run('--seed', file(name, text));
  expect([code, err]).toEqual([2, expect.stringMatching(message)]);
});

test.each([
  ['20.20.2', false],
  ['22.11.0', false],
  ['22.12.0', true],
  ['23.0.0', true],
])('on Node %s, the program starts, or says which one it needs: %s', (node, starts) => {
  const old = `Object.defineProperty(process,'versions',{value:{...process.versions,node:'${node}'}})`;
  const options = `--import=data:text/javascript,${encodeURIComponent(old)}`;
  const { stderr } = spawnSync(process.execPath, [options, program, '--help'], {
    encoding: 'utf8',
  });
  expect(stderr).toBe(
    starts ? '' : `petstore-mock: needs Node 22.12 or newer, and this is ${node}\n`,
  );
});

test('the first response comes without the fetch of Node, whose load takes a third of the start', async () => {
  const tell = `process.on('SIGUSR2', () => {
    process.stderr.write(String(process.moduleLoadList.some((name) => name.includes('undici'))));
  })`;
  const hook = `export NODE_OPTIONS='--import=data:text/javascript,${encodeURIComponent(tell).replaceAll("'", '%27')}'`;
  const { child, url } = await startWith(hook);
  const hasLoadedFetch = async () => {
    const told = once(child.stderr, 'data');
    child.kill('SIGUSR2');
    return String((await told)[0]);
  };
  expect((await get(`${url}/v1/pets`)).status).toBe(200);
  expect(await hasLoadedFetch()).toBe('false');
  expect((await get(`${url}/openapi.json`)).status).toBe(200);
  expect(await hasLoadedFetch()).toBe('true');
});

test('--seed refuses a file that is not UTF-8', async () => {
  const seed = file('latin1.json', Buffer.from('[{"name":"Zoë","categoryId":1}]', 'latin1'));
  const { code, err } = await run('--seed', seed);
  expect([code, err]).toEqual([2, expect.stringMatching(/latin1\.json: it is not UTF-8\. Save/)]);
});

test('a file that does not exist is refused by its name', async () => {
  expect((await run('--seed', 'many')).err).toContain(
    '--seed many: there is no such file. It takes a number of pets, or a JSON file.',
  );
  expect((await run('--assumptions', 'none.json')).err).toContain(
    'none.json: there is no such file',
  );
});

test('--assumptions sets what the interface leaves open, in every world', async () => {
  const assumptions = file(
    'assumptions.json',
    '{"omittedStatus":"absent","answers":{"limitBelow":{"status":422}}}',
  );
  const { url } = await start('--assumptions', assumptions);
  expect((await get(`${url}/v1/pets?limit=0`)).status).toBe(422);
  expect((await get(`${url}/v1/pets?limit=0`, 'mock-free', { 'X-Mock-World': 'w' })).status).toBe(
    422,
  );
  const wrong = file('wrong.json', '{"invalidLimit":422}');
  const { code, err } = await run('--assumptions', wrong);
  expect([code, err]).toEqual([
    2,
    expect.stringContaining(
      'wrong.json: assumptions.invalidLimit is written answers: { limitBelow',
    ),
  ]);
});

test('--fault and --limits off hold from the first request on', async () => {
  const { url } = await start(
    ...['--fault', '{"status":503,"times":1}', '--fault', '{"operation":"getPet","status":418}'],
    ...['--limits', 'off', '--key', 'tiny=1/1', '--seed', '1'],
  );
  expect((await get(`${url}/v1/pets`, 'tiny')).status).toBe(503);
  expect((await get(`${url}/v1/pets/1`, 'tiny')).status).toBe(418);
  for (let count = 0; count < 3; count++)
    expect((await get(`${url}/v1/pets`, 'tiny')).status).toBe(200);
});

test.each([
  [
    ['--fault', '{status:503}'],
    /--fault takes a fault as JSON, as in --fault '\{"status":503,"times":2\}'/,
  ],
  [['--fault', '{"stats":503}'], /stats/],
])('%j is refused with exit code 2, and says why', async (args, message) => {
  const { code, err } = await run(...args);
  expect([code, err]).toEqual([2, expect.stringMatching(message)]);
});

test('--key beside a state file adds the key, or changes its plan and says so; what it has used stays', async () => {
  const state = join(folder, 'keys.db');
  const first = await start('--state', state, '--key', 'own=5/50', '--key', 'same=pro');
  for (let count = 0; count < 3; count++) await get(`${first.url}/v1/pets`, 'own');
  first.child.kill('SIGTERM');
  await first.exit;
  const second = await start(
    ...['--state', state, '--key', 'own=9/90', '--key', 'same=pro', '--key', 'new=free'],
  );
  expect(second.keys).toMatchObject({ own: 'custom', same: 'pro', new: 'free' });
  await expect
    .poll(second.stderr)
    .toBe(
      `Note: --key changes the plan of own, which was {"perMinute":5,"perDay":50} in ${state}. Its usage is kept.\n`,
    );
  const answer = await get(`${second.url}/v1/pets`, 'own');
  expect(answer.headers.get('X-RateLimit-Limit')).toMatch(/^90?$/);
  const { usage } = (await (await fetch(`${second.url}/_mock/keys/own`)).json()) as {
    usage: { day: { used: number } };
  };
  expect(usage.day.used).toBe(4);
});

test('a signal stops it at once while connections are idle, whether they have sent something or not', async () => {
  // The grace becomes longer than a test may take.
  const longGrace = `{ const { setTimeout: after } = globalThis; globalThis.setTimeout = (f, ms, ...more) => after(f, ms === 5000 ? 600_000 : ms, ...more); }`;
  const { child, exit, url } = await startWith(
    `export NODE_OPTIONS="--import=data:text/javascript,${encodeURIComponent(longGrace)}"`,
  );
  const port = Number(new URL(url).port);
  const silent = connect(port, '127.0.0.1');
  const halfway = connect(port, '127.0.0.1');
  await Promise.all([once(silent, 'connect'), once(halfway, 'connect')]);
  halfway.write('GET /v1/pets HTTP/1.1\r\nHo');
  await new Promise<void>((resolve, reject) => {
    request(url, { headers: { Connection: 'keep-alive' } }, (answer) =>
      answer.resume().on('end', resolve),
    )
      .on('error', reject)
      .end();
  });
  for (const socket of [silent, halfway]) socket.on('error', () => undefined);
  child.kill('SIGINT');
  expect(await exit).toBe(0);
});

test('a signal during a request says what it waits for, and a second one stops at once', async () => {
  const { child, exit, stderr, url } = await start('--fault', '{"hang":true}');
  const hanging = get(`${url}/v1/pets`).catch(() => undefined);
  await expect
    .poll(async () => (await fetch(`${url}/_mock/requests`)).text())
    .toContain('"operation":"listPets"');
  child.kill('SIGINT');
  await expect
    .poll(stderr)
    .toMatch(/^Stops after \d request\(s\) in flight, at the latest in 5 s\./);
  child.kill('SIGINT');
  expect(await exit).toBe(130);
  await hanging;
});
