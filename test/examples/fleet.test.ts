// The examples of fleets, each against the mock service on a port.
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';
import { hasRedis, startRedis } from '../support/redis-server.js';
import { root } from '../support/documents.js';
import { runProgram } from '../support/programs.js';
import { startServed } from '../support/served.js';
import { upstashServer } from '../support/upstash-server.js';

/** The service on a port, with the latency of a network. */
async function onPort() {
  const served = await startServed({ seed: 0 });
  served.service.faults.add({ delay: 20 });
  return served;
}

/** Runs an example to its end; resolves to what it printed. */
async function run(name: string, env: Record<string, string>): Promise<string> {
  const args = ['--no-warnings', join(root, 'examples/fleet', name)];
  const { code, out, err } = await runProgram(join(root, 'node_modules/.bin/node'), args, {
    env: { PETSTORE_API_KEY: 'mock-pro', ...env },
  });
  expect(code, err).toBe(0);
  return out;
}

test('four processes of node:cluster share a key over a SQLite file, without a 429', async () => {
  const { service, url } = await onPort();
  const db = join(temporaryFolder(), 'fleet.db');
  const env = { PETSTORE_BASE_URL: url, FLEET_DB: db, CALLS: '40' };
  expect(await run('cluster.mjs', env)).toBe('160 calls served\n');
  expect(service.report().rateLimited).toBe(0);
});

describe.skipIf(!hasRedis)('over Redis', () => {
  test('workers take every job once, and share a key without a 429', async () => {
    const { service, url } = await onPort();
    const redis = await startRedis();
    for (let job = 0; job < 90; job += 1)
      await redis.command('RPUSH', 'jobs:waiting', JSON.stringify({ name: `Pet ${job}` }));
    const env = { PETSTORE_BASE_URL: url, REDIS_URL: `redis://127.0.0.1:${redis.port}` };
    await Promise.all([1, 2, 3].map(() => run('workers.mjs', env)));
    expect(await redis.command('GET', 'jobs:done')).toBe('90');
    expect(service.pets.size).toBe(90);
    expect(service.report().rateLimited).toBe(0);
  });

  test('a serverless function keeps the state over HTTP', async () => {
    const { service, url } = await onPort();
    const redis = await startRedis();
    const worker = (await import(join(root, 'examples/fleet/serverless.mjs'))) as {
      default: { fetch: (request: Request, env: object) => Promise<Response> };
    };
    const env = {
      UPSTASH_REDIS_REST_URL: await upstashServer(redis),
      UPSTASH_REDIS_REST_TOKEN: 'token',
      PETSTORE_API_KEY: 'mock-pro',
      PETSTORE_BASE_URL: url,
    };
    const request = new Request('https://shop.example/');
    const calls = Array.from({ length: 30 }, () => worker.default.fetch(request, env));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses).toEqual(Array<number>(30).fill(200));
    expect(await redis.command('KEYS', '*')).toHaveLength(1);
    service.faults.add({ status: 400, times: 1 });
    vi.spyOn(console, 'error').mockImplementationOnce(() => undefined);
    const failed = await worker.default.fetch(request, env);
    expect([failed.status, failed.headers.get('Retry-After')]).toEqual([502, null]);
    service.keys.get('mock-pro').exhaust('day');
    const refused = await worker.default.fetch(request, env);
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
  });
});
