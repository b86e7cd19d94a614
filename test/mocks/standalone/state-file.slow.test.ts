// The real program with --state, ended by SIGKILL in the middle of changes.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { slowRounds } from '../../support/fuzz.js';
import type { Snapshot } from '../../../mocks/index.js';
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
