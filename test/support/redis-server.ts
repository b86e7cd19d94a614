import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createClient } from 'redis';
import { freePort } from '../packed/free-port.mjs';
import { atEnd, temporaryFolder } from './at-end.js';

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
export async function redisClient(
  { port }: { readonly port: number },
  options: NonNullable<Parameters<typeof createClient>[0]> = {},
) {
  const client = createClient({ socket: { port, host: '127.0.0.1' }, ...options });
  client.on('error', () => undefined);
  await client.connect();
  atEnd(() => client.isOpen && client.destroy());
  return client;
}

/** Starts a server that keeps nothing on disk, until the test file ends, and waits until it answers. */
export async function startRedis(options: readonly string[] = []) {
  const port = await freePort();
  const child = spawn(
    'redis-server',
    [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', temporaryFolder()],
      ...['--save', '', '--appendonly', 'no', ...options],
    ],
    { stdio: 'ignore' },
  );
  const client = await redisClient({ port }, { socket: { port, reconnectStrategy: 20 } });
  /** Kills the server at once, as by `kill -9`. */
  const kill = async () => {
    if (client.isOpen) client.destroy();
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  };
  atEnd(kill);
  /** One command, by a client of its own. */
  const command = (...args: string[]): Promise<unknown> => client.sendCommand(args);
  return { port, process: child, command, kill };
}
