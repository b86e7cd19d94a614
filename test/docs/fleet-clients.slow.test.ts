// Runs the examples of docs/fleet.md for each Redis client, against a Redis that is stopped while they run.
import { describe, expect, test, vi } from 'vitest';
import type { FleetGate } from '../../src/fleet/index.js';
import type { PetStoreClient } from '../../src/index.js';
import { writeBlocks } from '../support/block-files.js';
import { blockWith, read } from '../support/documents.js';
import { hasRedis, startRedis } from '../support/redis-server.js';
import { startServed } from '../support/served.js';

const block = blockWith('docs/fleet.md', "from 'redis'");
/** What the table below the program says of the other clients. */
const replacements = Object.entries({
  'createClient({ url, disableOfflineQueue: true })':
    'new Redis(url, { enableOfflineQueue: false, lazyConnect: true })',
  'await Promise.race([redis.connect(), setTimeout(1_000)])':
    'await redis.connect().catch(() => undefined)',
  'redisStore((args) => redis.sendCommand(args))':
    'redisStore(([command, ...args]) => redis.call(command!, ...args))',
  'redis.destroy()': 'redis.disconnect()',
});
const withClient = (name: string) =>
  replacements.reduce(
    (code, [one, other]) => code.replace(one, other),
    block.code.replace("{ createClient } from 'redis'", `{ Redis } from '${name}'`),
  );
const programs = [
  { name: 'redis', code: block.code },
  ...['ioredis', 'iovalkey'].map((name) => ({ name, code: withClient(name) })),
];

test('the page has a program for redis, what differs with ioredis, and the example for PostgreSQL', () => {
  const page = read('docs/fleet.md');
  for (const [one, other] of replacements) {
    expect(block.code).toContain(one);
    expect(page).toContain(other);
  }
  expect(page).toContain(read('examples/fleet/postgres.mjs').trim());
});

describe.skipIf(!hasRedis)('over Redis', () => {
  test.each(programs)('$name: joins, continues without Redis, ends by SIGTERM', async (program) => {
    const redis = await startRedis();
    const { url } = await startServed();
    vi.stubEnv('REDIS_URL', `redis://127.0.0.1:${redis.port}`);
    vi.stubEnv('PETSTORE_BASE_URL', url);
    vi.stubEnv('PETSTORE_API_KEY', 'mock-pro');
    const events: { type: string; reason?: string }[] = [];
    vi.spyOn(console, 'error').mockImplementation((text: string) => {
      events.push(JSON.parse(text) as { type: string });
    });
    const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
    const listeners = process.listeners('SIGTERM');
    const code = `${program.code}\nexport { client, gate };`;
    const [file] = writeBlocks([{ ...block, code }]);

    type Program = { client: PetStoreClient; gate: FleetGate };
    const { client, gate } = (await import(/* @vite-ignore */ file!.path)) as Program;
    await client.listPets();
    expect(events.map(({ type }) => type)).toEqual(['fleet-joined']);
    await redis.kill();
    // The leases of the process are used up first; then the store is asked, twice.
    const lost = () => events.find(({ type }) => type === 'fleet-lost');
    // An exception that nobody catches fails the run.
    while (lost() === undefined) await client.listPets();
    expect(lost()!.reason).toMatch(/offline/i);
    expect((await gate.status()).keys[0]!.store).toBe('lost');
    const [stop] = process.listeners('SIGTERM').filter((one) => !listeners.includes(one));
    process.off('SIGTERM', stop!);
    stop!('SIGTERM');
    await expect.poll(() => exit.mock.calls.length).toBe(1);
  });
});
