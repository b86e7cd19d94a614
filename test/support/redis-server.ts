import { spawnSync } from 'node:child_process';
import { freePort } from '../packed/free-port.mjs';
import { atEnd } from './at-end.js';
import { temporaryFolder } from './temporary-folder.js';
import { connectRedis, spawnRedis } from './redis-process.js';

/** Whether `redis-server` is installed. `FLEET_REDIS=required` makes its absence an error instead of a skip. */
export const hasRedis: boolean = (() => {
  const found = spawnSync('redis-server', ['--version']).status === 0;
  if (!found && process.env['FLEET_REDIS'] === 'required')
    throw new Error('redis-server is not installed: apt-get install redis-server');
  if (!found)
    console.warn('redis-server is not installed: the fleet is tested with memory and SQLite only');
  return found;
})();

/** A Redis of this test alone. */
export type RedisServer = Awaited<ReturnType<typeof startRedis>>;

/** A client of the package redis, until the test file ends. */
export async function redisClient(...given: Parameters<typeof connectRedis>) {
  const client = await connectRedis(...given);
  atEnd(() => client.isOpen && client.destroy());
  return client;
}

/** Starts a server that keeps nothing on disk, until the test file ends, and waits until it answers. */
export async function startRedis(options: readonly string[] = []) {
  const start = async () => spawnRedis(await freePort(), temporaryFolder(), options);
  // Another program may have taken the port meanwhile.
  const server = await start().catch(start);
  atEnd(server.kill);
  return server;
}
