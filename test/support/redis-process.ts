// For tests, which leave its end to redis-server.ts, and for benches, which have no test runner.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createClient } from 'redis';

/** A client of the package redis, connected. */
export async function connectRedis(
  { port }: { readonly port: number },
  options: NonNullable<Parameters<typeof createClient>[0]> = {},
) {
  const client = createClient({ socket: { port, host: '127.0.0.1' }, ...options });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Starts a server that keeps nothing on disk, and waits until it answers. */
export async function spawnRedis(port: number, folder: string, options: readonly string[] = []) {
  const child = spawn(
    'redis-server',
    [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder],
      ...['--save', '', '--appendonly', 'no', ...options],
    ],
    { stdio: 'ignore' },
  );
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const reconnectStrategy = () =>
    hasEnded() ? new Error('redis-server has ended, perhaps because its port was taken') : 20;
  const client = await connectRedis({ port }, { socket: { port, reconnectStrategy } });
  /** Kills the server at once, as by `kill -9`. */
  const kill = async () => {
    if (client.isOpen) client.destroy();
    if (!hasEnded()) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  };
  /** One command, by a client of its own. */
  const command = (...args: string[]): Promise<unknown> => client.sendCommand(args);
  return { port, process: child, command, kill };
}
