// The real program with --state: who may open the file, and what SIGKILL in the middle of changes leaves of it.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { slowRounds } from '../../support/fuzz.js';
import { createMockService, type Snapshot } from '../../../mocks/index.js';
import { useProgram, type Started } from '../../support/standalone.js';

const { folder, program, run, start } = useProgram();
const rounds = slowRounds(100);

/** Sends a change; the status, or 0 where the connection broke. */
const send = async ({ url }: Started, path: string, body: unknown): Promise<number> =>
  fetch(url + path, {
    method: 'POST',
    headers: { Authorization: 'Bearer fast', 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  }).then(
    ({ status }) => status,
    () => 0,
  );

test(`${rounds} kills in the middle of concurrent changes lose nothing that was answered, and keep each change whole`, async () => {
  const file = join(folder, 'kill.json');
  const begin = () => start('--state', file, '--seed', '0', '--key', 'fast=1000000/100000000');
  const answered = new Set<string>();
  let program = await begin();
  for (let round = 0; round < rounds; round++) {
    let count = 0;
    const killAfter = (round * 7) % 40;
    const change = async (at: number) => {
      const batch = Array.from({ length: 5 }, (_none, index) => ({
        name: `${round} ${at} ${index}`,
        categoryId: 1,
      }));
      const status =
        at % 4 === 0
          ? await send(program, '/_mock/pets', batch)
          : await send(program, '/v1/pets', batch[0]);
      if (status === 201) answered.add(batch[0]!.name);
      if (status === 200) for (const { name } of batch) answered.add(name);
      if (status > 0 && ++count === killAfter) program.child.kill('SIGKILL');
    };
    await Promise.all(Array.from({ length: 40 }, (_none, at) => change(at)));
    program.child.kill('SIGKILL');
    await program.exit;
    program = await begin();
    const snapshot = (await (await fetch(`${program.url}/_mock/snapshot`)).json()) as Snapshot;
    const kept = snapshot.pets.map(({ name }) => name);
    const found = new Set(kept);
    expect([...answered].filter((name) => !found.has(name))).toEqual([]);
    expect(found.size).toBe(kept.length);
    for (let at = 0; at < 40; at += 4)
      expect(kept.filter((one) => one.startsWith(`${round} ${at} `)).length % 5).toBe(0);
  }
  expect(answered.size).toBeGreaterThan(10 * rounds);
}, 600_000);

test('a state that another process has open is refused, with the lock to remove; that of an ended one is not', async () => {
  const file = join(folder, 'shared.json');
  // Its parent does not wait for it: after its end it is still a process with its number.
  const command = '"$0" "$1" --state "$2" --port 0 --json & exec tail -f /dev/null';
  const parent = spawn('sh', ['-c', command, process.execPath, program, file], { detached: true });
  onTestFinished(() => void process.kill(-parent.pid!, 'SIGKILL'));
  await once(parent.stdout, 'data');
  const { code, err } = await run('--state', file, '--port', '0');
  expect(code).toBe(1);
  expect(err).toMatch(
    /another petstore-mock \(process \d+\) has it open\. If there is none, remove .*shared\.json\.lock/,
  );
  process.kill(Number(readFileSync(`${file}.lock`, 'utf8')), 'SIGKILL');
  const next = await start('--state', file);
  expect(next.pets).toBe(20);
  next.child.kill('SIGTERM');
  await next.exit;
  // A disk that was full leaves an empty lock; an editor may add a byte order mark.
  writeFileSync(`${file}.lock`, '');
  writeFileSync(file, `\uFEFF${readFileSync(file, 'utf8')}`);
  expect((await start('--state', file)).pets).toBe(20);
});

test('a state file that may not be written is refused, and left as it is', () => {
  const file = join(folder, 'read-only.json');
  const whole = JSON.stringify(createMockService({ seed: 20 }).snapshot());
  writeFileSync(file, whole);
  chmodSync(folder, 0o755);
  chmodSync(file, 0o444);
  // Root may write everything.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const args = [program, '--state', file, '--port', '0'];
  const { status, stderr } = spawnSync(process.execPath, args, { timeout: 20_000, ...user });
  expect(status).toBe(1);
  expect(String(stderr)).toContain(`${file} is read-only. Change its permissions`);
  expect(readFileSync(file, 'utf8')).toBe(whole);
});
