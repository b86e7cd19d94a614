import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { flags } from '../../../mocks/standalone/cli/options.js';
import { useProgram } from '../../support/standalone.js';

const { folder, run, start, env, program } = useProgram();

const list = async (url: string, key = 'mock-free') =>
  fetch(`${url}/v1/pets?limit=100`, {
    headers: { Authorization: `Bearer ${key}`, Connection: 'close' },
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
  for (const flag of Object.keys(flags)) expect(out).toContain(`--${flag} `);
  expect(out).toContain('Examples:');
  expect(out.split('\n').every((line) => line.length <= 88)).toBe(true);
  expect((await run('--version')).out).toBe('1.2.3\n');
});

test('a mistake on the command line is refused with exit code 2, the reason and the way to help', async () => {
  const { code, out, err } = await run('--prot', '4010');
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(/There is no --prot\. Did you mean --port\?/);
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

test('--seed over a state that holds pets already is said to be ignored', async () => {
  const file = join(folder, 'seeded.json');
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
