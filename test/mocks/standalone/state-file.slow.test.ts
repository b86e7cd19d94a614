// The real program with --state, ended by SIGKILL in the middle of changes, and asked by many clients at once.
import { slowRounds } from '../../support/fuzz.js';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useProgram, type Started } from '../../support/standalone.js';

const { folder, start } = useProgram();
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

const names = async ({ url }: Started): Promise<string[]> => {
  const { pets } = (await (await fetch(`${url}/_mock/snapshot`)).json()) as {
    pets: { name: string }[];
  };
  return pets.map(({ name }) => name);
};

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
    const kept = await names(program);
    const found = new Set(kept);
    expect([...answered].filter((name) => !found.has(name))).toEqual([]);
    expect(found.size).toBe(kept.length);
    for (let at = 0; at < 40; at += 4)
      expect(kept.filter((one) => one.startsWith(`${round} ${at} `)).length % 5).toBe(0);
  }
  expect(answered.size).toBeGreaterThan(10 * rounds);
}, 600_000);

test('changes of 50 clients at once share their writes: 1,000 creates cause at most 200, and all are kept', async () => {
  const file = join(folder, 'shared.json');
  const program = await start('--state', file, '--seed', '10000', '--key', 'fast=1000000/10000000');
  let writes = 0;
  const watcher = watch(folder, (event, name) => {
    if (event === 'rename' && name === 'shared.json') writes += 1;
  });
  const client = async () => {
    for (let at = 0; at < 20; at++)
      expect(await send(program, '/v1/pets', { name: 'Rex', categoryId: 1 })).toBe(201);
  };
  await Promise.all(Array.from({ length: 50 }, client));
  watcher.close();
  expect(writes).toBeGreaterThan(1);
  expect(writes).toBeLessThanOrEqual(200);
  expect(await names(program)).toHaveLength(11_000);
});
