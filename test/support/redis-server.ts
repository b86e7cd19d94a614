import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';

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
export interface RedisServer {
  readonly port: number;
  readonly process: ChildProcess;
  /** One command, by a client of its own. */
  command: (...args: string[]) => Promise<unknown>;
  /** Kills the server at once, as by `kill -9`. */
  kill: () => Promise<void>;
  stop: () => Promise<void>;
}

/** A port on which nobody listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts a server that keeps nothing on disk, and waits until it answers. */
export async function startRedis(
  options: readonly string[] = [],
  port?: number,
): Promise<RedisServer> {
  const at = port ?? (await freePort());
  const folder = mkdtempSync(join(tmpdir(), 'fleet-redis-'));
  const child = spawn(
    'redis-server',
    [
      ...['--port', String(at), '--bind', '127.0.0.1', '--dir', folder],
      ...['--save', '', '--appendonly', 'no', ...options],
    ],
    { stdio: 'ignore' },
  );
  const client = createClient({
    socket: { port: at, host: '127.0.0.1', reconnectStrategy: 20 },
  });
  client.on('error', () => undefined);
  await client.connect();
  const kill = async () => {
    client.destroy();
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  };
  return {
    port: at,
    process: child,
    command: (...args) => client.sendCommand(args),
    kill,
    stop: kill,
  };
}
