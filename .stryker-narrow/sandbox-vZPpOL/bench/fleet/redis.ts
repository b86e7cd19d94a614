// @ts-nocheck
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { pipeline } from 'node:stream';
import { freePort } from '../../test/packed/free-port.mjs';
import { spawnRedis } from '../../test/support/redis-process.js';

const startRedis = (port: number, ...options: string[]) => spawnRedis(port, tmpdir(), options);

/** A Redis and its replica, behind a proxy, so that a failover leads the connections elsewhere. */
export async function replicatedRedis() {
  const [port, ofReplica] = [await freePort(), await freePort()];
  let first = await startRedis(port);
  const second = await startRedis(ofReplica, '--replicaof', '127.0.0.1', String(port));
  let target = port;
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    sockets.add(client);
    // When one end closes, both do.
    pipeline(client, connect(target, '127.0.0.1'), client, () => sockets.delete(client));
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
