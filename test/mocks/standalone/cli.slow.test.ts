// The program as it is shipped: what its command line sets up before the first request, and how it stops.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { flags } from '../../../mocks/standalone/cli/options.js';
import { useProgram } from '../../support/standalone.js';
import { example } from '../../support/example.js';
import { runProgram } from '../../support/programs.js';

const { folder, program, run, launch, start, startWith } = useProgram();

const file = (name: string, text: string | Buffer): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const get = (url: string, key = 'mock-free', headers: Record<string, string> = {}) =>
  fetch(url, { headers: { Authorization: `Bearer ${key}`, Connection: 'close', ...headers } });

/** Options of Node that run a line before the program. */
const before = (code: string) => `--import=data:text/javascript,${encodeURIComponent(code)}`;

test('--json prints one line with the address and the keys, the service answers there, and --clock virtual says what moves it', async () => {
  const args = ['--seed', '4', '--key', 'tiny=2/9', '--clock', 'virtual'];
  const { line, url, keys, stderr } = await start(...args);
  expect(line.endsWith('}\n')).toBe(true);
  expect(keys).toEqual({
    'mock-free': 'free',
    'mock-pro': 'pro',
    'mock-business': 'business',
    'mock-enterprise': 'enterprise',
    tiny: 'custom',
  });
  const answer = await get(`${url}/v1/pets`, 'tiny');
  expect(await answer.json()).toHaveLength(4);
  expect(answer.headers.get('X-RateLimit-Limit')).toBe('2');
  await expect.poll(stderr).toContain('only POST /_mock/clock and delays of responses move it.');
});

test('it prints the address, the keys and a line to try, without colours in a pipe', async () => {
  const { line } = await launch('', '--port', '0');
  expect(line).toMatch(/listens on http:\/\/127\.0\.0\.1:\d+ with 20 pets/);
  expect(line).toContain('mock-free');
  expect(line).toContain("curl -H 'Authorization: Bearer mock-free'");
  expect(line).not.toContain('\u001b');
});

test('--help shows examples, --version prints the version', async () => {
  const { code, out } = await run('--help');
  expect(code).toBe(0);
  for (const flag of Object.keys(flags)) expect(out).toContain(`--${flag} `);
  expect(out).toContain('Examples:');
  expect(out.split('\n').every((line) => line.length <= 88)).toBe(true);
  expect((await run('--version')).out).toBe('1.2.3\n');
});

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

const twice = '[{"id":1,"name":"A","categoryId":1},{"id":1,"name":"B","categoryId":1}]';
const latin1 = Buffer.from('[{"name":"Zoë","categoryId":1}]', 'latin1');
test.each<[flag: string, value: string, message: string | RegExp, content?: string | Buffer]>([
  ['--seed', 'many', /many: there is no such file\. It takes a number of pets, or a JSON file\./],
  ['--seed', 'pets.csv', /pets\.csv: it is not JSON/, 'name,categoryId\nRex,1\n'],
  ['--seed', 'twice.json', /pet 2: the id 1 occurs twice/, twice],
  ['--seed', 'pets.json', /pets\.json: pet 1.categoryId is required/, '[{"name":"Rex"}]'],
  ['--seed', 'null.json', /null\.json: pet 1 must be/, '[null]'],
  ['--seed', 'object.json', /must be a JSON array of pets/, '{"name":"Rex"}'],
  ['--seed', 'latin1.json', /latin1\.json: it is not UTF-8\. Save/, latin1],
  ['--assumptions', 'none.json', /none\.json: there is no such file/],
  ['--assumptions', 'wrong.json', 'invalidLimit is written answers: { limit', '{"invalidLimit":1}'],
  ['--fault', '{status:503}', /fault as JSON, as in --fault '\{"status":503,"times":2\}'/],
  ['--fault', '{"stats":503}', 'stats'],
  ['--fault', '{"html":true,"key":"mock-fre"}', /mean mock-free\?.*Try: petstore-mock --help/s],
])('%s %s is refused with exit code 2, and says why', async (flag, value, message, content) => {
  const given = content === undefined ? value : file(value, content);
  const { code, out, err } = await run(flag, given);
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(message);
});

test.each([
  ['20.20.2', false],
  ['22.11.0', false],
  ['22.12.0', true],
  ['23.0.0', true],
])('on Node %s, the program starts, or says which one it needs: %s', (node, starts) => {
  const old = `Object.defineProperty(process,'versions',{value:{...process.versions,node:'${node}'}})`;
  const { stderr } = spawnSync(process.execPath, [before(old), program, '--help']);
  expect(String(stderr)).toBe(
    starts ? '' : `petstore-mock: needs Node 22.12 or newer, and this is ${node}\n`,
  );
});

test('a port in use is an error that names the port and a way out, with exit code 1', async () => {
  const port = new URL((await start()).url).port;
  const { code, err } = await run('--port', port);
  expect(code).toBe(1);
  expect(err).toContain(`Port ${port} on 127.0.0.1 is in use`);
  expect(err).toContain('Try: petstore-mock --port 0');
  expect(err).not.toContain('    at ');
});

test('the first response comes without the fetch of Node, whose load takes a third of the start', async () => {
  const tell = `process.on('SIGUSR2', () => {
    process.stderr.write(String(process.moduleLoadList.some((name) => name.includes('undici'))));
  })`;
  const { child, url } = await startWith(before(tell));
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

test('--assumptions sets what the interface leaves open, in every world', async () => {
  const text = '{"omittedStatus":"absent","answers":{"limitBelow":{"status":422}}}';
  const { url } = await start('--assumptions', file('assumptions.json', text));
  for (const headers of [{}, { 'X-Mock-World': 'w' }])
    expect((await get(`${url}/v1/pets?limit=0`, 'mock-free', headers)).status).toBe(422);
});

test('--fault, with int64 exact, and --limits off hold from the first request on', async () => {
  const { url } = await start(
    ...['--fault', '{"status":503,"times":1,"body":{"id":9223372036854775807}}'],
    ...['--fault', '{"operation":"getPet","status":418}'],
    ...['--limits', 'off', '--key', 'tiny=1/1', '--seed', '1'],
  );
  expect(await (await fetch(`${url}/_mock/faults`)).text()).toContain('9223372036854775807');
  const statuses = [];
  for (const path of ['pets', 'pets/1', 'pets', 'pets', 'pets'])
    statuses.push((await get(`${url}/v1/${path}`, 'tiny')).status);
  expect(statuses).toEqual([503, 418, 200, 200, 200]);
});

test('--key beside a state file adds the key, or changes its plan and says so; what it has used stays', async () => {
  const state = join(folder, 'keys.db');
  const first = await start('--state', state, '--key', 'own=5/50', '--key', 'same=pro');
  for (let count = 0; count < 3; count++) await get(`${first.url}/v1/pets`, 'own');
  first.child.kill('SIGTERM');
  expect(await first.exit).toBe(0);
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
  const own = await (await fetch(`${second.url}/_mock/keys/own`)).json();
  expect(own).toMatchObject({ usage: { day: { used: 4 } } });
});

test('--seed and --fault beside a state file are said to be ignored, and --limits holds', async () => {
  const state = join(folder, 'seeded.json');
  const errors = async (limits: string, ...args: string[]) => {
    const { child, stderr, url } = await start('--state', state, '--limits', limits, ...args);
    expect(await (await get(`${url}/_mock/keys/mock-free`)).json()).toMatchObject({ limits });
    child.kill('SIGTERM');
    await once(child, 'close');
    return stderr();
  };
  expect(await errors('off', '--seed', '2')).toBe('');
  expect(await errors('on')).toBe('');
  expect(await errors('off', '--seed', '7', '--fault', '{"delay":1}')).toBe(
    `Note: --seed is ignored until a reset: ${state} has pets of its own.\n` +
      `Note: --fault is ignored until a reset: ${state} keeps the faults of its last use.\n`,
  );
  const { url } = await start('--state', state, '--seed', '7');
  const pets = async (): Promise<unknown> => (await get(`${url}/_mock/pets`)).json();
  expect(await pets()).toMatchObject({ size: 2 });
  await fetch(`${url}/_mock/reset`, { method: 'POST' });
  expect(await pets()).toMatchObject({ size: 7 });
});

test('it runs on when nobody reads what it prints', async () => {
  const state = join(folder, 'unread.json');
  const { child, url } = await start('--state', state);
  for (const stream of [child.stdout, child.stderr]) await once(stream.destroy(), 'close');
  // It says that it cannot write there.
  mkdirSync(`${state}.new`);
  const clear = async () => (await fetch(`${url}/_mock/pets`, { method: 'DELETE' })).status;
  expect([await clear(), await clear()]).toEqual([501, 501]);
});

test('a signal stops it at once while connections are idle, whether they have sent something or not', async () => {
  // The grace becomes longer than a test may take.
  const longGrace = `{ const { setTimeout: after } = globalThis; globalThis.setTimeout = (f, ms, ...more) => after(f, ms === 5000 ? 600_000 : ms, ...more); }`;
  const { child, exit, url } = await startWith(before(longGrace));
  const port = Number(new URL(url).port);
  const [silent, halfway] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  for (const socket of [silent, halfway]) socket.on('error', () => undefined);
  await Promise.all([once(silent, 'connect'), once(halfway, 'connect')]);
  halfway.write('GET /v1/pets HTTP/1.1\r\nHo');
  const sent = request(url, { headers: { Connection: 'keep-alive' } }).end();
  const [answer] = (await once(sent, 'response')) as [NodeJS.ReadableStream];
  await once(answer.resume(), 'end');
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

// The example in another language: needs python3, and nothing that is installed by a package manager of Python.
test('the Python example tests a client in three worlds at once: rate limit, faults, snapshot', async () => {
  const { url } = await start('--clock', 'virtual');
  const { code, out, err } = await runProgram('python3', [example('python/pets.py'), url]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(
    /^check_rate_limit: waits until the minute is over\ncheck_outage: sees 2 failures, then an answer\ncheck_exhausted_key: goes on the next day\n401 invalid_api_key: .*\n$/,
  );
  expect(await (await fetch(`${url}/_mock/worlds`)).json()).toEqual([
    { name: '', pets: 20, requests: 1 },
  ]);
});
