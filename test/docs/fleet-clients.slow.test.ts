// Runs the examples of docs/fleet.md for each Redis client, against a Redis that is stopped while they run.
import { rmSync } from 'node:fs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createMockService } from '../../mocks/index.js';
import { serve } from '../../mocks/server.js';
import type { FleetGate } from '../../src/fleet/index.js';
import type { PetStoreClient } from '../../src/index.js';
import { writeBlocks } from '../support/block-files.js';
import { allBlocks } from '../support/documents.js';
import { hasRedis, startRedis } from '../support/redis-server.js';

const blocks = allBlocks().filter(
  ({ at, code }) => at.startsWith('docs/fleet.md') && /from '(redis|ioredis|iovalkey)'/.test(code),
);
const clientOf = (code: string) => /from '((?:io)?(?:redis|valkey))'/.exec(code)![1]!;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

test('the page has a complete example for each of three clients', () => {
  expect(blocks.map(({ code }) => clientOf(code))).toEqual(['redis', 'ioredis', 'iovalkey']);
});

describe.skipIf(!hasRedis)('over Redis', () => {
  test.each(blocks.map((block) => ({ block, name: clientOf(block.code) })))(
    'the example with $name joins, goes on when Redis stops, and ends by SIGTERM',
    async ({ block }) => {
      const redis = await startRedis();
      closing.push(() => redis.stop());
      const server = await serve(createMockService(), { grace: 20 });
      closing.push(() => server.close());
      vi.stubEnv('REDIS_URL', `redis://127.0.0.1:${redis.port}`);
      vi.stubEnv('PETSTORE_BASE_URL', server.url);
      vi.stubEnv('PETSTORE_API_KEY', 'mock-pro');
      const uncaught: unknown[] = [];
      const before = process.listeners('uncaughtException');
      process.removeAllListeners('uncaughtException');
      process.on('uncaughtException', (error) => void uncaught.push(error));
      const events: { type: string; reason?: string }[] = [];
      vi.spyOn(console, 'error').mockImplementation((text: string) => {
        events.push(JSON.parse(text) as { type: string });
      });
      let exit: () => void = () => undefined;
      const ended = new Promise<void>((resolve) => (exit = resolve));
      vi.spyOn(process, 'exit').mockImplementation((() => exit()) as never);
      const listeners = process.listeners('SIGTERM');
      const code = `${block.code}\nexport { client, gate };`;
      const { folder, files } = writeBlocks([{ ...block, code }]);
      closing.push(() => {
        rmSync(folder, { recursive: true });
        process.removeAllListeners('uncaughtException');
        for (const listener of before) process.on('uncaughtException', listener);
        vi.restoreAllMocks();
        vi.unstubAllEnvs();
      });

      const { client, gate } = (await import(/* @vite-ignore */ files[0]!.path)) as {
        client: PetStoreClient;
        gate: FleetGate;
      };
      await client.listPets();
      expect(events.map(({ type }) => type)).toEqual(['fleet-joined']);
      await redis.kill();
      // The leases of the process are used up first; then the store is asked, twice.
      const lost = () => events.find(({ type }) => type === 'fleet-lost');
      while (uncaught.length === 0 && lost() === undefined) await client.listPets();
      expect(uncaught).toEqual([]);
      expect(lost()!.reason).toMatch(/offline/i);
      expect((await gate.status()).keys[0]!.store).toBe('lost');
      const [stop] = process.listeners('SIGTERM').filter((one) => !listeners.includes(one));
      process.off('SIGTERM', stop!);
      stop!('SIGTERM');
      await ended;
    },
  );
});
