import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { createClient } from 'redis';
import { freePort } from '../../test/packed/free-port.mjs';

/** A Redis that keeps nothing on disk, once it answers. */
async function startRedis(port: number, ...options: string[]) {
  const settings = { '--port': String(port), '--bind': '127.0.0.1', '--dir': tmpdir() };
  const memory = ['--save', '', '--appendonly', 'no', ...options];
  const words = [...Object.entries(settings).flat(), ...memory];
  const child = spawn('redis-server', words, { stdio: 'ignore' });
  const client = createClient({ socket: { port, host: '127.0.0.1', reconnectStrategy: 20 } });
  client.on('error', () => undefined);
  await client.connect();
  return {
    command: (...args: string[]) => client.sendCommand(args),
    /** As by `kill -9`, if it still runs. */
    async kill() {
      if (client.isOpen) client.destroy();
      if (child.kill('SIGKILL')) await once(child, 'exit');
    },
  };
}

/** A Redis and its replica, behind a proxy, so that a failover leads the connections elsewhere. */
export async function replicatedRedis() {
  const [port, ofReplica] = [await freePort(), await freePort()];
  let first = await startRedis(port);
  const second = await startRedis(ofReplica, '--replicaof', '127.0.0.1', String(port));
  let target = port;
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect(target, '127.0.0.1');
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        server.destroy();
        sockets.delete(socket);
      });
    }
    client.pipe(server).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    /** Of the proxy. */
    port: (proxy.address() as AddressInfo).port,
    command: (...args: string[]) => first.command(...args),
    /** `kill -9` for the first server. */
    kill: () => first.kill(),
    /** The first server again, empty. Its replica finds it by itself. */
    async restart() {
      first = await startRedis(port);
    },
    /** Promotes the replica, and cuts all connections. */
    async failOver() {
      target = ofReplica;
      await second.command('REPLICAOF', 'NO', 'ONE');
      for (const socket of sockets) socket.destroy();
    },
    async stop() {
      proxy.close();
      for (const socket of sockets) socket.destroy();
      await Promise.all([first.kill(), second.kill()]);
    },
  };
}
