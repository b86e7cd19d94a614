import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { useProgram } from '../../support/standalone.js';

const { folder, run, start, env, program } = useProgram();

const list = async (url: string, key = 'mock-free') =>
  fetch(`${url}/v1/pets?limit=100`, {
    headers: { Authorization: `Bearer ${key}`, Connection: 'close' },
  });

const create = async (url: string, body: string) =>
  fetch(`${url}/v1/pets`, {
    method: 'POST',
    headers: {
      Authorization: 'Bearer mock-pro',
      'Content-Type': 'application/json',
      Connection: 'close',
    },
    body,
  });

test('--json prints one line with the address and the keys, and the service answers there', async () => {
  const { line, url, keys } = await start('--seed', '4', '--key', 'tiny=2/9');
  expect(line.endsWith('}\n')).toBe(true);
  expect(keys).toEqual({
    'mock-free': 'free',
    'mock-pro': 'pro',
    'mock-business': 'business',
    'mock-enterprise': 'enterprise',
    tiny: 'custom',
  });
  const answer = await list(url, 'tiny');
  expect(await answer.json()).toHaveLength(4);
  expect(answer.headers.get('X-RateLimit-Limit')).toBe('2');
});

test('SIGTERM and SIGINT stop it with exit code 0', async () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const { child, exit, url } = await start();
    expect((await list(url)).status).toBe(200);
    child.kill(signal);
    expect(await exit).toBe(0);
  }
});

test('it prints the address, the keys and a line to try, without colours in a pipe', async () => {
  const child = spawn(process.execPath, [program, '--port', '0'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const text = await new Promise<string>(
    (resolve) => void child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString())),
  );
  expect(text).toMatch(/listens on http:\/\/127\.0\.0\.1:\d+ with 20 pets/);
  expect(text).toContain('mock-free');
  expect(text).toContain("curl -H 'Authorization: Bearer mock-free'");
  expect(text).not.toContain('\u001b');
});

test('--help shows examples, --version prints the version', async () => {
  const { code, out } = await run('--help');
  expect(code).toBe(0);
  for (const flag of [
    '--port',
    '--host',
    '--seed',
    '--key',
    '--latency',
    '--clock',
    '--state',
    '--json',
  ])
    expect(out).toContain(flag);
  expect(out).toContain('Examples:');
  expect(out.split('\n').every((line) => line.length <= 88)).toBe(true);
  expect((await run('--version')).out).toBe('1.2.3\n');
});

test.each([
  [['--prot', '4010'], /There is no --prot\. Did you mean --port\?/],
  [['--port', 'many'], /--port takes a whole number from 0 to 65535, not "many"/],
  [['--port', '70000'], /--port takes a whole number from 0 to 65535/],
  [['--seed', '-1'], /--seed/],
  [['--key', 'abc=gold'], /--key takes KEY=PLAN, not "abc=gold".*free, pro, business, enterprise/],
  [['--key', 'abc'], /--key takes KEY=PLAN/],
  [['--clock', 'fast'], /--clock is system or virtual, not "fast"/],
  [['--state', ''], /--state needs a value/],
  [['serve'], /"serve" belongs to no option/],
])('%j is refused with exit code 2, the reason and the way to help', async (args, why) => {
  const { code, out, err } = await run(...args);
  expect(code).toBe(2);
  expect(out).toBe('');
  expect(err).toMatch(why);
  expect(err).toContain('petstore-mock --help');
});

test('a port in use is an error that names the port, with exit code 1', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  const { code, err } = await run('--port', String(port));
  taken.close();
  expect(code).toBe(1);
  expect(err).toContain(`Port ${port} on 127.0.0.1 is in use`);
  expect(err).toContain('Try: petstore-mock --port 0');
  expect(err).not.toContain('    at ');
});

test('--clock virtual does not move until the control API advances it', async () => {
  const { url, stderr } = await start('--clock', 'virtual');
  await expect.poll(stderr).toContain('waits for its quota waits until you move the clock.');
  const moved = await fetch(`${url}/_mock/clock`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Connection: 'close' },
    body: '{"advance":"61s"}',
  });
  expect(await moved.json()).toEqual({ now: '2026-01-01T00:01:01.000Z' });
});

test('with --state, all that was answered is there again after a kill, int64 and quotas included', async () => {
  const file = join(folder, 'kill.db');
  const first = await start('--state', file, '--seed', '2');
  const ids: string[] = [];
  for (let i = 0; i < 20; i++) {
    const text = await (
      await create(first.url, `{"name":"Pet ${i}","categoryId":9223372036854775807}`)
    ).text();
    ids.push(/"id":(\d+)/.exec(text)?.[1] ?? '');
  }
  await fetch(`${first.url}/_mock/keys/extra`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json', Connection: 'close' },
    body: '{"plan":"business"}',
  });
  first.child.kill('SIGKILL');
  await first.exit;
  const second = await start('--state', file, '--seed', '7');
  expect(second.keys).toHaveProperty('extra', 'business');
  const answer = await list(second.url, 'mock-pro');
  const text = await answer.text();
  expect([...text.matchAll(/"id":(\d+)/g)].map(([, id]) => id)).toEqual(['1', '2', ...ids]);
  expect(text).toContain('"categoryId":9223372036854775807');
  expect(Number(answer.headers.get('X-RateLimit-Remaining'))).toBeLessThanOrEqual(299);
  const next = await (await create(second.url, '{"name":"Next","categoryId":1}')).text();
  expect(ids).not.toContain(/"id":(\d+)/.exec(next)?.[1]);
});

test('--seed over a state that holds pets already is said to be ignored', async () => {
  const file = join(folder, 'seeded.db');
  const errors = async (...args: string[]) => {
    const { child, exit } = await start('--state', file, ...args);
    let err = '';
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    const closed = once(child.stderr, 'close');
    child.kill('SIGTERM');
    await Promise.all([exit, closed]);
    return err;
  };
  expect(await errors('--seed', '2')).toBe('');
  expect(await errors()).toBe('');
  expect(await errors('--seed', '7')).toBe(
    `Note: --seed is ignored: ${file} has pets of its own.\n`,
  );
});

test('a state in a folder that is not there says so', async () => {
  const { code, err } = await run('--state', join(folder, 'nowhere/pets.db'));
  expect(code).toBe(1);
  expect(err).toContain(
    `cannot be opened: there is no folder ${join(folder, 'nowhere')}. Create it first, or name another file.`,
  );
});

test('with --state, a reset is kept, and so is what is made after it', async () => {
  const file = join(folder, 'reset.db');
  const first = await start('--state', file, '--seed', '3');
  await create(first.url, '{"name":"Before","categoryId":1}');
  await fetch(`${first.url}/_mock/reset`, { method: 'POST', headers: { Connection: 'close' } });
  await create(first.url, '{"name":"After","categoryId":1}');
  first.child.kill('SIGKILL');
  await first.exit;
  const second = await start('--state', file);
  const names = ((await (await list(second.url)).json()) as { name: string }[]).map(
    ({ name }) => name,
  );
  expect(names).toContain('After');
  expect(names).not.toContain('Before');
  expect(names).toHaveLength(4);
});

test('a state of another version is refused', async () => {
  const file = join(folder, 'version.db');
  const { child, exit } = await start('--state', file);
  child.kill('SIGTERM');
  await exit;
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(file);
  database.exec('PRAGMA user_version = 99');
  database.close();
  const { code, err } = await run('--state', file, '--port', '0');
  expect(code).toBe(1);
  expect(err).toContain('another version of petstore-mock wrote it');
});

test('with --state, a kill in the middle of a burst loses nothing that was answered', async () => {
  const file = join(folder, 'burst.db');
  const first = await start('--state', file, '--seed', '0', '--key', 'fast=100000/1000000');
  const answered: string[] = [];
  const burst = Array.from({ length: 200 }, async (_none, i) => {
    const response = await fetch(`${first.url}/v1/pets`, {
      method: 'POST',
      headers: { Authorization: 'Bearer fast', 'Content-Type': 'application/json' },
      body: `{"name":"Pet ${i}","categoryId":1}`,
    }).catch(() => undefined);
    if (response?.status !== 201) return;
    answered.push(`Pet ${i}`);
    if (answered.length === 60) first.child.kill('SIGKILL');
  });
  await Promise.all(burst);
  await first.exit;
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(file);
  const kept = new Set(
    database
      .prepare("SELECT json_extract(pet, '$.name') AS name FROM pets")
      .all()
      .map(({ name }) => name),
  );
  database.close();
  expect(answered.length).toBeGreaterThanOrEqual(60);
  expect(answered.filter((name) => !kept.has(name))).toEqual([]);
});

test.each([
  [
    'no database',
    'this is a letter, not a database, and it is long enough to be read as a header of one. '.repeat(
      20,
    ),
  ],
  ['half a database', undefined],
])('%s is refused as state, and left as it is', async (what, given) => {
  const file = join(folder, `${what}.db`);
  if (given === undefined) {
    const whole = join(folder, 'whole.db');
    const { child, exit } = await start('--state', whole, '--seed', '2000');
    child.kill('SIGTERM');
    await exit;
    const bytes = readFileSync(whole);
    writeFileSync(file, bytes.subarray(0, Math.floor(bytes.length / 2)));
  } else writeFileSync(file, given);
  const before = readFileSync(file);
  const { code, err } = await run('--state', file, '--port', '0');
  expect(code).toBe(1);
  expect(err).toMatch(/cannot be used as state.*left as it is/s);
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('a database of another program is refused as state', async () => {
  const file = join(folder, 'other.db');
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const other = new DatabaseSync(file);
  other.exec('CREATE TABLE mine (x)');
  other.close();
  const { code, err } = await run('--state', file);
  expect(code).toBe(1);
  expect(err).toContain('it is a database of another program');
});

test('a state that another one has open is refused', async () => {
  const file = join(folder, 'shared.db');
  await start('--state', file);
  const { code, err } = await run('--state', file, '--port', '0');
  expect(code).toBe(1);
  expect(err).toContain('another petstore-mock has it open');
});
